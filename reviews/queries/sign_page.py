"""What a person is about to sign, and what changed since they last did; and everything that was signed."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from django.contrib.auth.models import User
from django.db.models import Prefetch

from reviews.memo_text.difference import RecordChange, difference
from reviews.models import Condition, Memo, Revision, Signature
from reviews.policies import lifecycle, signing
from reviews.policies.facts import GateFacts
from reviews.queries import gate, people
from reviews.queries.changed_numbers import NumberChange, number_changes, results_of
from reviews.queries.current import revision_of
from reviews.queries.intervals import in_numbers
from reviews.queries.signatures_given import Given, asked_titles, given
from reviews.sections import MemoContent, content_from_json
from reviews.vocabulary import Action, SectionName, StandingRole, State


@dataclass(frozen=True, slots=True)
class Covered:
    """A section that a signature covers, and its digest now. changed: since the signer's former signature."""

    name: str
    digest: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """A role that the person may sign for: in their own name, or as a delegate."""

    slug: str
    acting_for: str
    title: str


@dataclass(frozen=True, slots=True)
class Since:
    """What changed between a revision and now, in covered sections."""

    revision: int
    changes: tuple[RecordChange, ...]
    numbers: tuple[NumberChange, ...]


@dataclass(frozen=True, slots=True)
class RoleToSign:
    """A role that the memo asks for and the person may sign for. former: their last signature in it that stands.

    acting_for: the user name of the holder in whose place the person signs, "" in their own name.
    """

    slug: str
    acting_for: str
    title: str
    accepts_rollout: bool
    covered: tuple[Covered, ...]
    former: Signature | None
    since_former: Since | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignPage:
    """choices: the roles that the person may sign for; chosen: the one shown, None without any.

    asked: all roles that the memo asks for, with who holds them. since_seen: what changed since the page was loaded.
    """

    memo: Memo
    revision: Revision
    chosen: RoleToSign | None
    choices: tuple[Choice, ...]
    asked: tuple[tuple[str, tuple[str, ...]], ...]
    given: tuple[Given, ...]
    greatest_percent: str
    own_work: bool
    since_seen: Since | None
    may_sign: bool
    why_not: str


def sign_page(person: User, memo: Memo, *, role: str, seen: str, acting_for: str = "") -> SignPage:
    """Everything that the page shows; a constant number of queries.

    Args:
        role: the role that is chosen, "" for the first that still has to sign.
        seen: digest of the revision that a sent form was made from, "" for none.
        acting_for: the holder in whose place, with `role`.
    """
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    rows = _signatures(memo)
    titles = asked_titles(facts)
    choices = _choices(person, memo, facts, titles)
    roles = people.roles_on(person, memo)
    allowed = lifecycle.allowed(State(memo.state), roles)
    choice = _choice((role, acting_for), choices, rows, person)
    chosen = _role(choice, person, memo, facts, rows) if choice else None
    return SignPage(
        memo=memo,
        revision=revision_of(memo),
        chosen=chosen,
        choices=choices,
        asked=tuple((title, facts.role_holders.get(slug, ())) for slug, title in titles.items()),
        given=given(person, memo, facts, rows, roles),
        greatest_percent=greatest_stage(facts.content),
        own_work=_is_own_work(person, facts, choice),
        since_seen=_since_seen(memo, facts, seen, chosen),
        may_sign=chosen is not None and Action.SIGN in allowed,
        why_not=_why_not(memo, choices, allowed),
    )


def _signatures(memo: Memo) -> list[Signature]:
    related = ("revision", "signer", "acting_for", "withdrawal", "resolution", "hearing")
    rows = memo.signatures.select_related(*related).order_by("pk")
    return list(rows.prefetch_related("answers", Prefetch("conditions", Condition.objects.select_related("clearance"))))


def _choices(person: User, memo: Memo, facts: GateFacts, titles: Mapping[str, str]) -> tuple[Choice, ...]:
    """The roles that the person holds, and those that somebody who holds them lent to the person; one query."""
    own = [
        Choice(s, "", title) for s, title in titles.items() if person.get_username() in facts.role_holders.get(s, ())
    ]
    lent = [
        Choice(row.role, row.holder.get_username(), titles[row.role])
        for row in people.delegations_to(person, memo, facts.now).select_related("holder").order_by("pk")
        if row.role in titles and row.holder.get_username() in facts.role_holders.get(row.role, ())
    ]
    return (*own, *lent)


def _is_own_work(person: User, facts: GateFacts, choice: Choice | None) -> bool:
    """Whether who signs, or in whose place they sign, wrote content."""
    wrote = {c.name for c in facts.contributions} | {facts.author}
    return bool(wrote & {person.get_username(), choice.acting_for if choice else ""})


def _former(rows: Iterable[Signature], person: User, choice: Choice) -> Signature | None:
    mine = [
        s
        for s in rows
        if s.signer_id == person.pk
        and s.role == choice.slug
        and (s.acting_for.get_username() if s.acting_for else "") == choice.acting_for
        and not hasattr(s, "withdrawal")
    ]
    return mine[-1] if mine else None


def _choice(asked: tuple[str, str], choices: tuple[Choice, ...], rows: list[Signature], person: User) -> Choice | None:
    """The role that was asked for, if it may be signed; else the first without a signature, else the first."""
    unsigned = (one for one in choices if _former(rows, person, one) is None)
    wished = (one for one in choices if (one.slug, one.acting_for) == asked)
    return next(iter((*wished, *unsigned, *choices)), None)


def _role(choice: Choice, person: User, memo: Memo, facts: GateFacts, rows: list[Signature]) -> RoleToSign:
    covered = signing.covered(facts, choice.slug)
    former = _former(rows, person, choice)
    before: Mapping[str, str] = former.section_digests if former else covered
    return RoleToSign(
        slug=choice.slug,
        acting_for=choice.acting_for,
        title=choice.title,
        accepts_rollout=choice.slug == StandingRole.ROLLBACK_OWNER,
        covered=tuple(Covered(name, digest, before.get(name) != digest) for name, digest in covered.items()),
        former=former,
        since_former=_since(memo, former.revision, facts.content, covered) if former else None,
    )


def _since(memo: Memo, old: Revision, now: MemoContent, covered: Collection[str]) -> Since:
    then = content_from_json(old.sections)
    results = results_of(memo, then, now)
    numbers = {digest: in_numbers(result) for digest, result in results.items()}
    changed = tuple(c for c in difference(then, now, numbers=numbers) if c.section in covered)
    shown = number_changes(then, now, results) if SectionName.COMPARISONS in covered else ()
    return Since(old.number, changed, shown)


def _since_seen(memo: Memo, facts: GateFacts, seen: str, chosen: RoleToSign | None) -> Since | None:
    """What changed in the chosen role's sections since the revision that was seen; None when nothing did."""
    if chosen is None or not seen or seen == revision_of(memo).digest:
        return None
    old = memo.revisions.filter(digest=seen).order_by("-number").first()
    if old is None:
        return None
    since = _since(memo, old, facts.content, [covered.name for covered in chosen.covered])
    return since if since.changes or since.numbers else None


def greatest_stage(content: MemoContent) -> str:
    """The scope of the rollout's greatest stage as text, "" when none is known."""
    percents = [stage.percent for stage in content.rollout.stages]
    return max(percents, key=_number, default="")


def _number(text: str) -> Fraction:
    return Fraction(text) if text.replace(".", "", 1).isdigit() else Fraction(0)


def _why_not(memo: Memo, mine: Collection[Choice], allowed: Collection[Action]) -> str:
    """Why the person cannot sign, "" when they can."""
    if not mine:
        return "You hold no role whose signature this memo asks for."
    if Action.SIGN not in allowed:
        return f"Nothing is signed while the memo is {State(memo.state).label}."
    return ""
