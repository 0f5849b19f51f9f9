"""What a signature needs and covers, and the statement that is signed."""

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from typing import Any

import pytest
import rfc8785

from reviews.errors import BadInput, Incomplete, NotPermitted, StalePage
from reviews.policies import signing
from reviews.policies.facts import Condition, Contribution
from reviews.policies.staleness import stale_sections, would_go_stale
from reviews.sections import RequiredOwner
from reviews.vocabulary import DecisionKind, Position, SectionName

from .open_gate import DIGESTS, NOW, OLGA, OPEN, PAT, a_signature, with_section

SHIP, BOUNDED = DecisionKind.SHIP, DecisionKind.BOUNDED
WATCH = Condition(text="watch p99", cleared_by="", owner="sam", proof="a week of the dashboard")


def wanted(**fields: Any) -> signing.Wanted:
    usual: dict[str, Any] = {
        "signer": "quin",
        "acting_for": "",
        "delegation_in_force": False,
        "role": "sre",
        "position": Position.APPROVE,
        "kinds": (SHIP, BOUNDED),
        "scope_percent": Fraction(25, 2),
        "conditions": (),
        "objection": "",
        "would_clear_if": "",
    }
    return signing.Wanted(**{**usual, **fields})


def plain(position: Position, **fields: Any) -> signing.Wanted:
    """A signature that approves nothing."""
    return wanted(position=position, kinds=(), scope_percent=None, **fields)


@pytest.mark.parametrize(
    ("role", "sections"),
    [
        ("platform", ("symptom", "comparisons", "rollout")),
        ("sre", tuple(name for name in SectionName.values if name != "signoff")),
        ("rollback_owner", ("rollout",)),
    ],
)
def test_a_role_covers_the_sections_that_the_template_assigns(role: str, sections: tuple[str, ...]) -> None:
    assert signing.sections_covered(OPEN, role) == sections
    assert signing.covered(OPEN, role) == {name: DIGESTS[name] for name in sections}


def test_an_owner_that_the_text_adds_covers_all_but_the_signoff() -> None:
    owner = RequiredOwner(role="finance", title="finance partner", from_template=False)
    facts = with_section(OPEN, "signoff", required_owners=(owner,))

    assert signing.sections_covered(facts, "finance") == signing.sections_covered(OPEN, "sre")


def test_a_role_that_nobody_asks_for_cannot_sign() -> None:
    with pytest.raises(BadInput, match="No decision on this memo asks for the role “finance”"):
        signing.check(OPEN, wanted(role="finance"))


@pytest.mark.parametrize(
    "good",
    [
        wanted(),
        wanted(kinds=(SHIP,), scope_percent=None),
        wanted(position=Position.APPROVE_WITH_CONDITIONS, conditions=(WATCH,)),
        wanted(scope_percent=Fraction(100)),
        plain(Position.OBJECT, objection="unstable", would_clear_if="ten runs"),
        plain(Position.ABSTAIN),
        plain(Position.RECUSE),
        wanted(signer="eve", acting_for="quin", delegation_in_force=True),
        wanted(signer="kim", role="rollback_owner"),
    ],
)
def test_a_whole_signature_may_be_given(good: signing.Wanted) -> None:
    assert signing.check(OPEN, good) == ()


def test_a_contributor_is_told_that_it_is_own_work() -> None:
    facts = replace(OPEN, contributions=(*OPEN.contributions, Contribution(name="quin", revision=2)))

    assert signing.check(facts, wanted()) == ("own work: this signature stands, and does not count to the quorum",)


@pytest.mark.parametrize(
    ("lacking", "codes"),
    [
        (wanted(kinds=(), scope_percent=None), ["kinds"]),
        (wanted(scope_percent=None), ["scope_percent"]),
        (wanted(position=Position.APPROVE_WITH_CONDITIONS, conditions=(replace(WATCH, text=" "),)), ["conditions"]),
        (plain(Position.OBJECT), ["objection", "would_clear_if"]),
        (plain(Position.OBJECT, objection="unstable"), ["would_clear_if"]),
    ],
)
def test_a_signature_that_lacks_something_says_what(lacking: signing.Wanted, codes: list[str]) -> None:
    with pytest.raises(Incomplete) as refusal:
        signing.check(OPEN, lacking)

    assert [missing.code for missing in refusal.value.missing] == codes
    assert all(missing.who == "quin" for missing in refusal.value.missing)


@pytest.mark.parametrize(
    ("odd", "where"),
    [
        (wanted(conditions=(WATCH,)), "conditions"),
        (wanted(objection="unstable"), "objection"),
        (plain(Position.ABSTAIN, would_clear_if="x"), "objection"),
        (wanted(position=Position.ABSTAIN, scope_percent=None), "kinds"),
        (wanted(kinds=(SHIP,)), "scope_percent"),
        (wanted(scope_percent=Fraction(0)), "scope_percent"),
        (wanted(scope_percent=Fraction(101)), "scope_percent"),
    ],
)
def test_what_a_position_does_not_have_is_refused(odd: signing.Wanted, where: str) -> None:
    with pytest.raises(BadInput) as refusal:
        signing.check(OPEN, odd)

    assert refusal.value.where == where


def test_who_does_not_hold_the_role_is_told_who_does() -> None:
    with pytest.raises(NotPermitted) as refusal:
        signing.check(OPEN, wanted(signer="eve"))

    assert refusal.value.message == "eve does not hold the role “sre”."
    assert refusal.value.needs == "Ask pat or quin."


def test_a_role_without_holders_leads_to_an_administrator() -> None:
    with pytest.raises(NotPermitted) as refusal:
        signing.check(replace(OPEN, role_holders={}), wanted())

    assert refusal.value.needs == "Ask an administrator, who can name a holder."


def test_nobody_signs_for_another_without_a_delegation() -> None:
    with pytest.raises(NotPermitted, match="No delegation from quin to eve is in force"):
        signing.check(OPEN, wanted(signer="eve", acting_for="quin"))


def test_one_person_signs_for_one_required_role() -> None:
    facts = replace(OPEN, role_holders={**OPEN.role_holders, "sre": ("olga",)})

    with pytest.raises(NotPermitted, match="olga has signed for platform: one person signs for one required role"):
        signing.check(facts, wanted(signer="olga"))


@pytest.mark.parametrize(
    "earlier",
    [
        replace(OLGA, withdrawn=True),
        replace(OLGA, position="abstain"),
        replace(OLGA, role="sre"),
        replace(OLGA, role="rollback_owner"),
        replace(OLGA, signer="pat"),
    ],
)
def test_what_is_no_standing_approval_of_another_role_leaves_room(earlier: Any) -> None:
    facts = replace(OPEN, role_holders={**OPEN.role_holders, "sre": ("olga",)}, signatures=(earlier,))

    assert signing.check(facts, wanted(signer="olga")) == ()


def test_an_owner_may_object_for_a_second_role_and_accept_the_rollout() -> None:
    facts = replace(OPEN, role_holders={**OPEN.role_holders, "sre": ("olga",), "rollback_owner": ("olga",)})
    objection = plain(Position.OBJECT, signer="olga", objection="unstable", would_clear_if="ten runs")

    assert signing.check(facts, objection) == ()
    assert signing.check(facts, wanted(signer="olga", role="rollback_owner")) == ()


def test_a_page_that_shows_older_sections_cannot_be_signed() -> None:
    with pytest.raises(StalePage, match="comparisons changed since the page was made"):
        signing.check_seen({**DIGESTS, "comparisons": "older"}, OPEN)

    signing.check_seen(DIGESTS, OPEN)


def test_the_statement_holds_all_that_decides_what_the_signature_means() -> None:
    east = datetime(2026, 5, 4, 14, tzinfo=timezone(timedelta(hours=2)))

    said = signing.statement(OPEN, wanted(), revision=3, revision_digest="r", at=east)

    assert said == {
        "statement": "countersign/statement/2",
        "memo": "ARM-2026-0042",
        "revision": 3,
        "revision_digest": "r",
        "signer": "quin",
        "acting_for": "",
        "role": "sre",
        "position": "approve",
        "kinds": ["bounded", "ship"],
        "scope_percent": "12.5",
        "conditions": [],
        "objection": "",
        "would_clear_if": "",
        "covered": signing.covered(OPEN, "sre"),
        "rollout_digest": DIGESTS["rollout"],
        "rules_version": "2",
        "replaces": "",
        "at": "2026-05-04T12:00:00.000000Z",
    }
    assert json.loads(rfc8785.dumps(said)) == said  # type: ignore[arg-type]


def test_a_statement_that_approves_no_bounded_rollout_names_none() -> None:
    said = signing.statement(OPEN, wanted(kinds=(SHIP,), scope_percent=None), revision=1, revision_digest="r", at=NOW)

    assert (said["scope_percent"], said["rollout_digest"]) == ("", "")


def test_a_scope_that_no_decimal_says_is_refused() -> None:
    with pytest.raises(BadInput, match="six decimal places"):
        signing.statement(OPEN, wanted(scope_percent=Fraction(100, 3)), revision=1, revision_digest="r", at=NOW)


def test_stale_is_a_covered_section_that_differs_now() -> None:
    now = {"a": "1", "b": "2", "c": "3"}

    assert stale_sections({"a": "1", "b": "2"}, now) == ()
    assert stale_sections({"b": "0", "a": "0"}, now) == ("a", "b")
    assert stale_sections({"gone": "1"}, now) == ("gone",)


def test_before_saving_it_is_known_whose_signature_will_go_stale() -> None:
    old = a_signature("quin", "sre", "header", covered={"header": "older"})
    withdrawn = replace(PAT, withdrawn=True)
    apart = a_signature("tess", "thermal", "symptom")

    lapsing = would_go_stale((OLGA, old, withdrawn, apart), DIGESTS, {**DIGESTS, "rollout": "new"})

    assert [(w.signer, w.role, w.sections) for w in lapsing] == [("olga", "platform", ("rollout",))]


def test_a_condition_names_its_owner_and_its_proof() -> None:
    bare = replace(WATCH, owner="", proof="")
    with pytest.raises(Incomplete) as refusal:
        signing.check(OPEN, wanted(position=Position.APPROVE_WITH_CONDITIONS, conditions=(bare, WATCH)))

    assert [missing.sentence for missing in refusal.value.missing] == [
        "The condition “watch p99” names who sees to it, and what will show it."
    ]


def test_a_delegate_of_a_contributor_is_told_that_the_signature_does_not_count() -> None:
    facts = replace(OPEN, contributions=(*OPEN.contributions, Contribution(name="quin", revision=2)))

    [notice] = signing.check(facts, wanted(signer="eve", acting_for="quin", delegation_in_force=True))
    assert notice == "quin wrote content of this memo: this signature does not count to the quorum"


def test_nobody_signs_for_a_second_role_by_a_delegate() -> None:
    facts = replace(OPEN, role_holders={**OPEN.role_holders, "sre": ("olga",)})

    with pytest.raises(NotPermitted, match="olga has signed for platform") as refusal:
        signing.check(facts, wanted(signer="eve", acting_for="olga", delegation_in_force=True))
    assert refusal.value.code == "second_role"


def test_who_recused_in_one_role_approves_in_no_other() -> None:
    left = a_signature("quin", "platform", position="recuse")
    facts = replace(OPEN, signatures=(left,))

    with pytest.raises(NotPermitted, match="quin has recused as platform") as refusal:
        signing.check(facts, wanted())
    assert refusal.value.code == "recused"
    signing.check(replace(OPEN, signatures=(replace(left, withdrawn=True),)), wanted())
    signing.check(facts, plain(Position.ABSTAIN))
