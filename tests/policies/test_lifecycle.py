"""Every action × state × role, against a table that was written from the rules and not from the code."""

from itertools import combinations, product

import pytest

from reviews.errors import NotPermitted, WrongState
from reviews.policies import lifecycle
from reviews.policies.lifecycle import Part, Role
from reviews.vocabulary import Action, DecisionKind, SectionName, StandingRole, State

ROLES: dict[str, Role] = {
    "A": StandingRole.AUTHOR,
    "C": StandingRole.CONTRIBUTOR,
    "B": StandingRole.BOARD,
    "E": StandingRole.ESCALATION_OWNER,
    "K": StandingRole.ROLLBACK_OWNER,
    "U": StandingRole.AUDITOR,
    "N": StandingRole.ADMINISTRATOR,
    "o": Part.OWNER,
    "r": Part.RAISER,
    "v": Part.VISIBLE,
    "t": Part.TOKEN,
    "p": Part.PRODUCTION,
    "c": Part.CLOCK,
}

STATES = (
    State.DRAFT,
    State.IN_REVIEW,
    State.ROLLING_OUT,
    State.ESCALATED,
    State.SHIPPED,
    State.ROLLED_BACK,
    State.CLOSED,
    State.WITHDRAWN,
)

# One column per state, in the order of STATES: where the action leads ("=" stays, "." refused), then who may.
EXPECTED = """
edit                = = = = . . . .   A C
open_set            = = = = . . . .   A C
attach              = = = = . . . .   A C t
seal                = = = = . . . .   A C
comment             = = = = = = = .   v
resolve_comment     = = = = = = = .   v
submit              i . . . . . . .   A
return              . d . d . . . .   B
sign                . = = = . . . .   o K
withdraw_signature  . = = = . . . .   o K
clear_condition     . = = = . . . .   o B K
answer_objection    . = = = . . . .   A r E B
resolve_objection   . = = = . . . .   r E B
withdraw            w w . . . . . .   A
ship                . s s s . . . .   B
roll_out            . r . r . . . .   B
advance_stage       . . = . . . . .   B K
roll_back           . b b b b . b .   B
emergency_rollback  b b b b b b b b   B K p
escalate            . e e . . . . .   B
expire              . . i . . . . .   c
observe             . . = . = = = .   C t
record_outcome      . . . . c c . .   A C
waive               = = = = . . . .   A o B
delegate            = = = = . . . .   o K
recall              = = = = = = = =   A C B
redact              = = = = = = = =   N
"""

TARGETS = {
    "d": State.DRAFT,
    "i": State.IN_REVIEW,
    "r": State.ROLLING_OUT,
    "e": State.ESCALATED,
    "s": State.SHIPPED,
    "b": State.ROLLED_BACK,
    "c": State.CLOSED,
    "w": State.WITHDRAWN,
}


def expectation() -> dict[tuple[Action, State], tuple[State, frozenset[Role]]]:
    found = {}
    for line in EXPECTED.strip().splitlines():
        words = line.split()
        may = frozenset(ROLES[letter] for letter in words[9:])
        for state, mark in zip(STATES, words[1:9], strict=True):
            if mark != ".":
                found[Action(words[0]), state] = (state if mark == "=" else TARGETS[mark], may)
    return found


TABLE = expectation()


def test_the_expectation_speaks_of_every_action_state_and_role() -> None:
    assert {line.split()[0] for line in EXPECTED.strip().splitlines()} == set(Action.values)
    assert set(STATES) == set(State)
    assert set(ROLES.values()) == {*StandingRole, *Part}


@pytest.mark.parametrize(("action", "state"), list(product(Action, State)))
def test_each_role_alone_may_do_exactly_what_the_table_says(action: Action, state: State) -> None:
    if (action, state) not in TABLE:
        for role in ROLES.values():
            with pytest.raises(WrongState):
                lifecycle.move(action, state, {role})
        return
    target, may = TABLE[action, state]
    for role in ROLES.values():
        if role in may:
            assert lifecycle.move(action, state, {role}).leads_to(state) == target
        else:
            with pytest.raises(NotPermitted):
                lifecycle.move(action, state, {role})


@pytest.mark.parametrize("state", State)
def test_nobody_may_do_more_by_holding_two_roles_than_by_either(state: State) -> None:
    for pair in combinations(ROLES.values(), 2):
        expected = {a for (a, s), (_, may) in TABLE.items() if s == state and may & set(pair)}

        assert set(lifecycle.allowed(state, pair)) == expected


@pytest.mark.parametrize(("action", "state"), list(product(Action, State)))
def test_somebody_without_a_role_may_do_nothing(action: Action, state: State) -> None:
    with pytest.raises(NotPermitted if (action, state) in TABLE else WrongState):
        lifecycle.move(action, state, ())


@pytest.mark.parametrize("state", State)
def test_what_is_allowed_is_what_can_be_done(state: State) -> None:
    for role in ROLES.values():
        assert set(lifecycle.allowed(state, {role})) == {
            a for (a, s), (_, may) in TABLE.items() if s == state and role in may
        }


def test_roles_may_come_as_the_words_that_the_database_holds() -> None:
    assert lifecycle.move(Action("submit"), State("draft"), ["author"]).target == State.IN_REVIEW  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("action", "gate"),
    [("ship", "ship"), ("roll_out", "bounded"), ("roll_back", "rollback"), ("escalate", "escalate")],
)
def test_a_decision_asks_its_gate(action: str, gate: str) -> None:
    assert lifecycle.move(Action(action), State.IN_REVIEW, {StandingRole.BOARD}).gate == DecisionKind(gate)


def test_only_the_four_decisions_ask_a_gate() -> None:
    assert {row.action for row in lifecycle.MOVES if row.gate} == {A.SHIP, A.ROLL_OUT, A.ROLL_BACK, A.ESCALATE}


A = Action


@pytest.mark.parametrize(
    ("asks", "actions"),
    [
        ("completeness", {A.SUBMIT}),
        ("outcome", {A.RECORD_OUTCOME}),
        ("reason", {A.RETURN, A.EMERGENCY_ROLLBACK, A.WAIVE, A.RECALL, A.REDACT}),
        ("contract", {A.ADVANCE_STAGE}),
        ("end", {A.EXPIRE}),
    ],
)
def test_what_else_a_move_asks(asks: str, actions: set[Action]) -> None:
    assert {row.action for row in lifecycle.MOVES if row.asks == asks} == actions


def test_a_contributor_edits_evidence_and_comparisons_alone() -> None:
    row = lifecycle.move(A.EDIT, State.DRAFT, {StandingRole.CONTRIBUTOR})

    assert row.sections == {SectionName.EVIDENCE, SectionName.COMPARISONS}


def test_an_author_who_also_contributes_edits_everything() -> None:
    row = lifecycle.move(A.EDIT, State.DRAFT, {StandingRole.CONTRIBUTOR, StandingRole.AUTHOR})

    assert row.sections == set(SectionName)


@pytest.mark.parametrize("action", [A.SIGN, A.WITHDRAW_SIGNATURE, A.CLEAR_CONDITION])
def test_the_rollback_owner_signs_for_the_rollout_alone(action: Action) -> None:
    row = lifecycle.move(action, State.IN_REVIEW, {StandingRole.ROLLBACK_OWNER})

    assert row.sections == {SectionName.ROLLOUT}


def test_a_refusal_of_the_state_says_who_may_and_when() -> None:
    with pytest.raises(WrongState) as refusal:
        lifecycle.move(A.SUBMIT, State.SHIPPED, {StandingRole.AUTHOR})

    assert refusal.value.message == "“submit” is not possible while the memo is shipped."
    assert refusal.value.needs == "It is for the author, while the memo is: draft."


def test_a_refusal_of_the_role_says_who_may() -> None:
    with pytest.raises(NotPermitted) as refusal:
        lifecycle.move(A.RESOLVE_OBJECTION, State.IN_REVIEW, {StandingRole.AUTHOR})

    assert refusal.value.message == (
        "“resolve an objection” is for the review board, the escalation owner "
        "or the person who raised the objection, while the memo is in review."
    )
    assert refusal.value.needs.startswith("Ask one of them")


def test_every_part_has_its_label() -> None:
    assert set(lifecycle.PART_LABELS) == set(Part)


@pytest.mark.parametrize(
    ("held", "filed", "lent", "roles"),
    [
        ((), False, False, {Part.VISIBLE}),
        (("author",), True, False, {Part.VISIBLE, StandingRole.AUTHOR}),
        (("author",), False, False, {Part.VISIBLE}),
        ((), True, False, {Part.VISIBLE}),
        (("board", "runtime_owner"), False, False, {Part.VISIBLE, StandingRole.BOARD, Part.OWNER}),
        ((), False, True, {Part.VISIBLE, Part.OWNER}),
    ],
)
def test_roles_follow_from_what_is_held_filed_and_lent(
    held: tuple[str, ...], filed: bool, lent: bool, roles: set[lifecycle.Role]
) -> None:
    assert lifecycle.roles_of(frozenset(held), filed=filed, lent=lent) == roles


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("action", Action)
def test_who_may_is_the_inverse_of_what_is_allowed(action: Action, state: State) -> None:
    people = {role.value: frozenset({role}) for role in (*StandingRole, *Part)} | {"nobody": frozenset()}

    found = lifecycle.who_may(action, state, people)

    assert found == tuple(sorted(name for name, roles in people.items() if action in lifecycle.allowed(state, roles)))
    assert "nobody" not in found
