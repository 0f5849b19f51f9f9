"""What a person is about to sign, and what changed since they last did; and everything that was signed."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from django.contrib.auth.models import User

from reviews.memo_text.difference import RecordChange, difference
from reviews.models import Memo, Revision, Signature
from reviews.policies import lifecycle, signing, standing
from reviews.policies.case import Case
from reviews.policies.facts import Condition, GateFacts, RuleError, SignatureFacts
from reviews.policies.lifecycle import Part
from reviews.queries import changes, gate, people
from reviews.queries.current import revision_of
from reviews.sections import MemoContent, content_from_json
from reviews.vocabulary import Action, DecisionKind, Position, SectionName, StandingRole, State


@dataclass(frozen=True, slots=True)
class Covered:
    """A section that a signature covers, and its digest now. changed: since the signer's former signature."""

    name: str
    digest: str
    changed: bool


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A comparison whose assessment is another one now. then, now: its numbers, "" for none."""

    key: str
    what: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class Since:
    """What changed between a revision and now, in covered sections."""

    revision: int
    changes: tuple[RecordChange, ...]
    numbers: tuple[NumberChange, ...]


@dataclass(frozen=True, slots=True)
class RoleToSign:
    """A role that the person holds and that the memo asks for. former: their last signature in it that stands."""

    slug: str
    title: str
    accepts_rollout: bool
    covered: tuple[Covered, ...]
    former: Signature | None
    since_former: Since | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A signature that was given. standing: what it counts for, or why not, in words; counts: for all that it names."""

    signature: Signature
    title: str
    kinds: tuple[str, ...]
    standing: str
    counts: bool
    conditions: tuple[Condition, ...]
    replaced: bool
    withdrawn: bool
    resolved: bool
    may_withdraw: bool
    may_resolve: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SignPage:
    """titles: (slug, title) of the roles that the person may sign for; chosen: the one shown, None without any.

    asked: all roles that the memo asks for, with who holds them. since_seen: what changed since the page was loaded.
    """

    memo: Memo
    revision: Revision
    chosen: RoleToSign | None
    titles: tuple[tuple[str, str], ...]
    asked: tuple[tuple[str, tuple[str, ...]], ...]
    given: tuple[Given, ...]
    greatest_percent: str
    own_work: bool
    since_seen: Since | None
    may_sign: bool
    why_not: str


def sign_page(person: User, memo: Memo, *, role: str, seen: str) -> SignPage:
    """Everything that the page shows; a constant number of queries.

    Args:
        role: the role that is chosen, "" for the first that still has to sign.
        seen: digest of the revision that a sent form was made from, "" for none.
    """
    facts = gate.gate_facts(memo.pk, decider=None, requested_percent=None)
    rows = _signatures(memo)
    titles = asked_titles(facts)
    mine = [slug for slug in titles if person.get_username() in facts.role_holders.get(slug, ())]
    roles = people.roles_on(person, memo)
    allowed = lifecycle.allowed(State(memo.state), roles)
    chosen = _role(_choice(role, mine, rows, person), person, memo, facts, rows) if mine else None
    return SignPage(
        memo=memo,
        revision=revision_of(memo),
        chosen=chosen,
        titles=tuple((slug, titles[slug]) for slug in mine),
        asked=tuple((title, facts.role_holders.get(slug, ())) for slug, title in titles.items()),
        given=_given(person, memo, facts, rows, roles),
        greatest_percent=greatest_stage(facts.content),
        own_work=person.get_username() in {c.name for c in facts.contributions} | {facts.author},
        since_seen=_since_seen(memo, facts, seen, chosen),
        may_sign=chosen is not None and Action.SIGN in allowed,
        why_not=_why_not(memo, mine, allowed),
    )


def asked_titles(facts: GateFacts) -> Mapping[str, str]:
    """Role -> title of every role that may sign here: the template's, the text's, and the rollout's owner."""
    found = {rule.role: rule.title for asked in facts.template.decisions.values() for rule in asked.roles}
    for owner in facts.content.signoff.required_owners:
        found.setdefault(owner.role, owner.title)
    found[StandingRole.ROLLBACK_OWNER.value] = str(StandingRole.ROLLBACK_OWNER.label)
    return found


def _signatures(memo: Memo) -> list[Signature]:
    related = ("revision", "signer", "withdrawal", "resolution")
    return list(memo.signatures.select_related(*related).order_by("pk"))


def _former(rows: Iterable[Signature], person: User, role: str) -> Signature | None:
    mine = [s for s in rows if s.signer_id == person.pk and s.role == role and not hasattr(s, "withdrawal")]
    return mine[-1] if mine else None


def _choice(role: str, mine: list[str], rows: list[Signature], person: User) -> str:
    """The role that was asked for, if it is held; else the first without a signature, else the first."""
    if role in mine:
        return role
    return next((slug for slug in mine if _former(rows, person, slug) is None), mine[0])


def _role(slug: str, person: User, memo: Memo, facts: GateFacts, rows: list[Signature]) -> RoleToSign:
    covered = signing.covered(facts, slug)
    former = _former(rows, person, slug)
    before: Mapping[str, str] = former.section_digests if former else covered
    return RoleToSign(
        slug=slug,
        title=asked_titles(facts)[slug],
        accepts_rollout=slug == StandingRole.ROLLBACK_OWNER,
        covered=tuple(Covered(name, digest, before.get(name) != digest) for name, digest in covered.items()),
        former=former,
        since_former=_since(memo, former.revision, facts.content, covered) if former else None,
    )


def _since(memo: Memo, old: Revision, now: MemoContent, covered: Collection[str]) -> Since:
    then = content_from_json(old.sections)
    numbers = changes.numbers_of(memo, then, now)
    changed = tuple(c for c in difference(then, now, numbers=numbers) if c.section in covered)
    shown = _number_changes(then, now, numbers) if SectionName.COMPARISONS in covered else ()
    return Since(old.number, changed, shown)


def _number_changes(then: MemoContent, now: MemoContent, numbers: Mapping[str, str]) -> tuple[NumberChange, ...]:
    before = {row.key: row.assessment for row in then.comparisons.comparisons}
    return tuple(
        NumberChange(
            key=row.key,
            what=f"{row.metric} {row.stat}",
            then=numbers.get(before.get(row.key, ""), ""),
            now=numbers.get(row.assessment, ""),
        )
        for row in now.comparisons.comparisons
        if before.get(row.key, "") != row.assessment
    )


def _since_seen(memo: Memo, facts: GateFacts, seen: str, chosen: RoleToSign | None) -> Since | None:
    """What changed in the chosen role's sections since the revision that was seen; None when nothing did."""
    if chosen is None or not seen or seen == revision_of(memo).digest:
        return None
    old = memo.revisions.filter(digest=seen).order_by("-number").first()
    if old is None:
        return None
    since = _since(memo, old, facts.content, [covered.name for covered in chosen.covered])
    return since if since.changes or since.numbers else None


def _given(
    person: User, memo: Memo, facts: GateFacts, rows: list[Signature], roles: frozenset[lifecycle.Role]
) -> tuple[Given, ...]:
    """All signatures, the newest first. The facts list them in the same order as the rows."""
    titles = asked_titles(facts)
    lasting = {id(s) for s in standing.latest(Case(facts, DecisionKind.SHIP))}
    state = State(memo.state)
    may_withdraw = Action.WITHDRAW_SIGNATURE in lifecycle.allowed(state, roles)
    found = []
    for row, said in zip(rows, facts.signatures, strict=True):
        mine = row.signer_id == person.pk
        settlers = roles | {Part.RAISER} if mine else roles
        lapses = _lapses(facts, said)
        objects = row.position == Position.OBJECT and not said.resolved_by and not said.withdrawn
        found.append(
            Given(
                signature=row,
                title=titles.get(row.role, row.role),
                kinds=tuple(str(DecisionKind(kind).label) for kind in row.decision_kinds),
                standing="; ".join(lapses),
                counts=row.position in standing.APPROVING and not lapses,
                conditions=said.conditions,
                replaced=id(said) not in lasting,
                withdrawn=said.withdrawn,
                resolved=bool(said.resolved_by),
                may_withdraw=may_withdraw and mine and not said.withdrawn,
                may_resolve=objects and Action.RESOLVE_OBJECTION in lifecycle.allowed(state, settlers),
            )
        )
    return tuple(reversed(found))


def _lapses(facts: GateFacts, said: SignatureFacts) -> tuple[str, ...]:
    """Why the signature does not count for the decisions that it approves, each reason once."""
    try:
        sections = signing.sections_covered(facts, said.role) if said.role in asked_titles(facts) else ()
        whys = [standing.lapse(Case(facts, DecisionKind(kind)), said, sections) for kind in said.kinds]
    except RuleError as error:
        return (str(error),)
    if said.role not in asked_titles(facts):
        return ("no decision asks for this role any more",)
    return tuple(dict.fromkeys(why for why in whys if why))


def greatest_stage(content: MemoContent) -> str:
    """The scope of the rollout's greatest stage as text, "" when none is known."""
    percents = [stage.percent for stage in content.rollout.stages]
    return max(percents, key=_number, default="")


def _number(text: str) -> Fraction:
    return Fraction(text) if text.replace(".", "", 1).isdigit() else Fraction(0)


def _why_not(memo: Memo, mine: list[str], allowed: Collection[Action]) -> str:
    """Why the person cannot sign, "" when they can."""
    if not mine:
        return "You hold no role whose signature this memo asks for."
    if Action.SIGN not in allowed:
        return f"Nothing is signed while the memo is {State(memo.state).label}."
    return ""
