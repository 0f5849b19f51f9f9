"""Who of those who took a position stands apart from the work and from each other: "independent signers: 2 of 4"."""

from collections.abc import Iterator
from dataclasses import dataclass

from reviews.policies.case import Case
from reviews.policies.facts import SignatureFacts
from reviews.policies.standing import approvals, latest, required_roles
from reviews.vocabulary import Position


@dataclass(frozen=True, slots=True)
class Independence:
    """For one decision. people: the independent signers, by user name; of: everybody who took a position.

    others: (name, why it is not counted). recused: who left the count.
    """

    people: tuple[str, ...]
    of: tuple[str, ...]
    others: tuple[tuple[str, str], ...]
    recused: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """ "Independent signers: 2 of 4." """
        return f"Independent signers: {len(self.people)} of {len(self.of)}."


def independence(case: Case) -> Independence:
    """The count of a decision: abstentions and objections are in its denominator, recusals leave it."""
    asked = {rule.role for rule in required_roles(case)}
    spoken = [s for s in latest(case) if s.role in asked and not s.withdrawn]
    recused = {s.signer for s in spoken if s.position == Position.RECUSE}
    of = sorted({s.signer for s in spoken} - recused)
    people, whys = _counted(case)
    others = tuple((name, whys.get(name) or _position(spoken, name)) for name in of if name not in people)
    return Independence(tuple(sorted(people)), tuple(of), others, tuple(sorted(recused)))


def _counted(case: Case) -> tuple[set[str], dict[str, str]]:
    """Who is counted, and why those who approve and are not counted are not; one voice for each holder."""
    people: set[str] = set()
    voices: set[str] = set()
    whys: dict[str, str] = {}
    for s in sorted(approvals(case), key=lambda s: (s.acting_for != "", s.at)):
        said = next(_dependence(case, s, voices), "")
        if s.signer in people:
            continue
        if said:
            whys.setdefault(s.signer, said)
        else:
            people.add(s.signer)
            voices |= {s.signer, s.acting_for or s.signer}
    return people, whys


def _dependence(case: Case, s: SignatureFacts, voices: set[str]) -> Iterator[str]:
    if s.signer in case.contributors:
        yield "own work"
    if s.acting_for in case.contributors:
        yield f"acts for {s.acting_for}, who wrote content of this memo"
    if (s.acting_for or s.signer) in voices:
        yield f"speaks for {s.acting_for or s.signer}, who is counted already"


def _position(spoken: list[SignatureFacts], name: str) -> str:
    said = [s for s in spoken if s.signer == name][-1]
    labels = {Position.ABSTAIN: "abstains", Position.OBJECT: "objects"}
    return labels.get(Position(said.position), "the approval does not count for this decision")
