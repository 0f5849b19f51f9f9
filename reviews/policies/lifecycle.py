"""The life of a memo, as one table: who may do what, in which state, and where it leads.

What is not in the table is refused. Pages, the API and the docs read the same tuple.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from reviews.errors import NotPermitted, WrongState
from reviews.policies.numbers import listed
from reviews.vocabulary import OPEN_STATES, Action, DecisionKind, SectionName, StandingRole, State


class Part(StrEnum):
    """What somebody, or something, is to one memo without holding a standing role."""

    OWNER = "owner"  # holds a role that the template asks for, or is its delegate
    RAISER = "raiser"  # raised the objection in question
    VISIBLE = "visible"  # sees the memo
    TOKEN = "token"  # noqa: S105 (a program with a scoped token)
    PRODUCTION = "production"  # a production event, ratified afterwards
    CLOCK = "clock"


Role = StandingRole | Part
Asks = Literal["", "completeness", "outcome", "reason", "contract", "end"]
SAME: Final = None
ALL_SECTIONS: Final = frozenset(SectionName)


@dataclass(frozen=True, slots=True)
class Move:
    """One row. target: None for the same state. gate: the decision that must be open.

    asks: what else is checked: completeness, outcome, a reason, the signed contract with its thresholds, its end.
    sections: what may be changed or signed by it.
    """

    action: Action
    sources: tuple[State, ...]
    target: State | None
    by: frozenset[Role]
    gate: DecisionKind | None = None
    asks: Asks = ""
    sections: frozenset[SectionName] = ALL_SECTIONS

    def leads_to(self, state: State) -> State:
        """The state after the move from `state`."""
        return self.target or state


def _by(*roles: Role) -> frozenset[Role]:
    return frozenset(roles)


# fmt: off
A, K, P, R, S = Action, DecisionKind, Part, StandingRole, State

ALL:     Final = tuple(State)
LIVING:  Final = tuple(state for state in State if state is not S.WITHDRAWN)
REVIEW:  Final = (S.IN_REVIEW, S.ROLLING_OUT, S.ESCALATED)
WATCHED: Final = (S.ROLLING_OUT, S.SHIPPED, S.ROLLED_BACK, S.CLOSED)

WRITERS:   Final = _by(R.AUTHOR, R.CONTRIBUTOR)
ATTACHERS: Final = _by(R.AUTHOR, R.CONTRIBUTOR, P.TOKEN)
OWNERS:    Final = _by(P.OWNER)
KEEPER:    Final = _by(R.ROLLBACK_OWNER)
STEERERS:  Final = _by(R.BOARD, R.ROLLBACK_OWNER)
STOPPERS:  Final = _by(R.BOARD, R.ROLLBACK_OWNER, P.PRODUCTION)
SETTLERS:  Final = _by(R.BOARD, R.ESCALATION_OWNER, P.RAISER)
ASKERS:    Final = _by(R.AUTHOR, R.BOARD, P.OWNER)
BOARD:     Final = _by(R.BOARD)
READERS:   Final = _by(P.VISIBLE)
MEASURED:  Final = frozenset({SectionName.EVIDENCE, SectionName.COMPARISONS})
CONTRACT:  Final = frozenset({SectionName.ROLLOUT})

MOVES: Final = (
    #    action                from                             to             by
    Move(A.EDIT,               OPEN_STATES,                     SAME,          _by(R.AUTHOR)),
    Move(A.EDIT,               OPEN_STATES,                     SAME,          _by(R.CONTRIBUTOR), sections=MEASURED),
    Move(A.OPEN_SET,           OPEN_STATES,                     SAME,          WRITERS),
    Move(A.ATTACH,             OPEN_STATES,                     SAME,          ATTACHERS),
    Move(A.SEAL,               OPEN_STATES,                     SAME,          WRITERS),
    Move(A.COMMENT,            LIVING,                          SAME,          READERS),
    Move(A.RESOLVE_COMMENT,    LIVING,                          SAME,          READERS),
    Move(A.SUBMIT,             (S.DRAFT,),                      S.IN_REVIEW,   _by(R.AUTHOR), asks="completeness"),
    Move(A.RETURN,             (S.IN_REVIEW, S.ESCALATED),      S.DRAFT,       BOARD, asks="reason"),
    Move(A.SIGN,               REVIEW,                          SAME,          OWNERS),
    Move(A.SIGN,               REVIEW,                          SAME,          KEEPER, sections=CONTRACT),
    Move(A.WITHDRAW_SIGNATURE, REVIEW,                          SAME,          OWNERS),
    Move(A.WITHDRAW_SIGNATURE, REVIEW,                          SAME,          KEEPER, sections=CONTRACT),
    Move(A.CLEAR_CONDITION,    REVIEW,                          SAME,          OWNERS | BOARD),
    Move(A.CLEAR_CONDITION,    REVIEW,                          SAME,          KEEPER, sections=CONTRACT),
    Move(A.ANSWER_OBJECTION,   REVIEW,                          SAME,          SETTLERS | _by(R.AUTHOR)),
    Move(A.RESOLVE_OBJECTION,  REVIEW,                          SAME,          SETTLERS),
    Move(A.WITHDRAW,           (S.DRAFT, S.IN_REVIEW),          S.WITHDRAWN,   _by(R.AUTHOR)),
    Move(A.SHIP,               REVIEW,                          S.SHIPPED,     BOARD, gate=K.SHIP),
    Move(A.ROLL_OUT,           (S.IN_REVIEW, S.ESCALATED),      S.ROLLING_OUT, BOARD, gate=K.BOUNDED),
    Move(A.ADVANCE_STAGE,      (S.ROLLING_OUT,),                SAME,          STEERERS, asks="contract"),
    Move(A.ROLL_BACK,          (*REVIEW, S.SHIPPED, S.CLOSED),  S.ROLLED_BACK, BOARD, gate=K.ROLLBACK),
    Move(A.EMERGENCY_ROLLBACK, ALL,                             S.ROLLED_BACK, STOPPERS, asks="reason"),
    Move(A.ESCALATE,           (S.IN_REVIEW, S.ROLLING_OUT),    S.ESCALATED,   BOARD, gate=K.ESCALATE),
    Move(A.EXPIRE,             (S.ROLLING_OUT,),                S.IN_REVIEW,   _by(P.CLOCK), asks="end"),
    Move(A.OBSERVE,            WATCHED,                         SAME,          _by(R.CONTRIBUTOR, P.TOKEN)),
    Move(A.RECORD_OUTCOME,     (S.SHIPPED, S.ROLLED_BACK),      S.CLOSED,      WRITERS, asks="outcome"),
    Move(A.WAIVE,              OPEN_STATES,                     SAME,          ASKERS, asks="reason"),
    Move(A.DELEGATE,           OPEN_STATES,                     SAME,          OWNERS | KEEPER),
    Move(A.RECALL,             ALL,                             SAME,          WRITERS | BOARD, asks="reason"),
    Move(A.REDACT,             ALL,                             SAME,          _by(R.ADMINISTRATOR), asks="reason"),
)
# fmt: on

STANDING: Final[Mapping[str, StandingRole]] = {role.value: role for role in StandingRole}
PART_LABELS: Final[Mapping[Part, str]] = {
    Part.OWNER: "holder of a required role or a delegate",
    Part.RAISER: "person who raised the objection",
    Part.VISIBLE: "person who sees the memo",
    Part.TOKEN: "token",
    Part.PRODUCTION: "production event",
    Part.CLOCK: "clock",
}


def label(role: Role) -> str:
    """A role as people read it."""
    return PART_LABELS[role] if isinstance(role, Part) else str(role.label)


def move(action: Action, state: State, roles: Collection[Role]) -> Move:
    """The row that `action` is in `state` for somebody with `roles`; of several, the one that reaches furthest.

    Raises:
        WrongState: nobody may do that in this state.
        NotPermitted: somebody may, but not with these roles.
    """
    rows = [row for row in MOVES if row.action == action]
    here = [row for row in rows if state in row.sources]
    if not here:
        raise WrongState(_not_here(action, state), needs=_elsewhere(rows))
    mine = [row for row in here if row.by & frozenset(roles)]
    if not mine:
        raise NotPermitted(
            _not_yours(action, state, here), needs="Ask one of them, or ask an administrator for the role."
        )
    return max(mine, key=lambda row: len(row.sections))


def allowed(state: State, roles: Collection[Role]) -> tuple[Action, ...]:
    """The actions that somebody with `roles` has in `state`, in the order of the vocabulary."""
    held = frozenset(roles)
    return tuple(a for a in Action if any(r.action == a and state in r.sources and r.by & held for r in MOVES))


def roles_of(held: frozenset[str], *, filed: bool, lent: bool) -> frozenset[Role]:
    """What somebody who sees a memo is to it.

    The author of a memo is who filed it, as long as the role of author is still held; another author of the same team
    is a reader of it. An owner holds a role that a template can ask for, or is a delegate on this memo.

    Args:
        held: the slugs of the roles held for the memo's team. filed: the memo. lent: a delegation on it is in force.
    """
    roles: set[Role] = {STANDING[role] for role in held if role in STANDING}
    if not filed:
        roles.discard(StandingRole.AUTHOR)
    if lent or held - set(STANDING):
        roles.add(Part.OWNER)
    return frozenset(roles | {Part.VISIBLE})


def who_may(action: Action, state: State, people: Mapping[str, frozenset[Role]]) -> tuple[str, ...]:
    """The inverse of `allowed`: of `people`, by name with their roles, those who have the action in `state`, sorted."""
    return tuple(name for name in sorted(people) if action in allowed(state, people[name]))


def why_not_here(action: Action, state: State) -> str:
    """Why nobody may do that in this state, "" when somebody may."""
    if any(row.action == action and state in row.sources for row in MOVES):
        return ""
    return _not_here(action, state)


def reach(action: Action, state: State, roles: Collection[Role]) -> frozenset[SectionName]:
    """The sections that somebody with `roles` may change or sign by `action` in `state`; none when it is refused."""
    if action not in allowed(state, roles):
        return frozenset()
    return move(action, state, roles).sections


def who(rows: Collection[Move]) -> str:
    """Who may make these moves: "the author, the contributor or the token"."""
    labels = dict.fromkeys(label(role) for row in rows for role in sorted(row.by, key=_order))
    return listed([f"the {text}" for text in labels], last="or")


def _order(role: Role) -> int:
    return [*StandingRole, *Part].index(role)


def _states(rows: Collection[Move]) -> str:
    found = {state for row in rows for state in row.sources}
    return ", ".join(str(state.label) for state in State if state in found)


def _not_here(action: Action, state: State) -> str:
    return f"“{action.label}” is not possible while the memo is {state.label}."


def _elsewhere(rows: Collection[Move]) -> str:
    return f"It is for {who(rows)}, while the memo is: {_states(rows)}."


def _not_yours(action: Action, state: State, here: Collection[Move]) -> str:
    return f"“{action.label}” is for {who(here)}, while the memo is {state.label}."
