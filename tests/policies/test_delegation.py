"""A role is delegated by who holds it, for a time, for a memo or a team, one step deep and never in a circle."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from reviews.errors import Refusal
from reviews.policies import delegation
from reviews.policies.delegation import Link

from .open_gate import DAY, NOW

WISH = Link(holder="olga", delegate="eve", role="platform", memo="", starts_at=NOW, ends_at=NOW + 14 * DAY)
HOLDERS = {"platform": ("olga",), "sre": ("pat", "quin"), "rollback_owner": ("kim",)}


def check(wish: Link, *known: Link, wrote: tuple[str, ...] = ("ann",), **special: Any) -> None:
    delegation.check(wish, **{"holders": HOLDERS, "known": known, "wrote": wrote, "now": NOW, **special})


def refused(code: str, wish: Link, *known: Link, **special: Any) -> None:
    with pytest.raises(Refusal) as caught:
        check(wish, *known, **special)
    assert caught.value.code == code, caught.value


@pytest.mark.parametrize(
    "wish",
    [
        WISH,
        replace(WISH, memo="ARM-2026-0042"),
        replace(WISH, ends_at=NOW + 90 * DAY),
        replace(WISH, holder="kim", role="rollback_owner"),
        replace(WISH, delegate="pat"),
    ],
)
def test_a_holder_delegates_a_role(wish: Link) -> None:
    check(wish)


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        ("role_not_delegable", {"role": "board", "holder": "bea"}),
        ("role_not_delegable", {"role": "author", "holder": "ann"}),
        ("not_permitted", {"holder": "eve", "delegate": "sam"}),
        ("not_permitted", {"role": "finance"}),
        ("start_in_the_past", {"starts_at": NOW - DAY}),
        ("bad_period", {"ends_at": NOW}),
        ("bad_period", {"ends_at": NOW + 90 * DAY + timedelta(seconds=1)}),
        ("delegate_is_holder", {"delegate": "olga"}),
        ("delegate_is_no_stranger", {"delegate": "ann"}),
        ("delegate_holds_the_role", {"holder": "pat", "delegate": "quin", "role": "sre"}),
    ],
)
def test_what_no_delegation_can_be_is_refused(code: str, fields: dict[str, Any]) -> None:
    refused(code, replace(WISH, **fields))


def test_a_delegate_delegates_no_further() -> None:
    refused("delegate_of_a_delegate", replace(WISH, holder="eve", delegate="sam"), WISH)


def test_a_role_is_not_lent_back_in_a_circle_also_not_by_a_detour() -> None:
    back = replace(WISH, holder="eve", delegate="olga")
    refused("delegation_in_a_circle", WISH, back)

    detour = (replace(WISH, holder="eve", delegate="sam"), replace(WISH, holder="sam", delegate="olga"))
    refused("delegation_in_a_circle", WISH, *detour)
    check(WISH, detour[0])
    check(WISH, replace(back, role="sre"))
    check(WISH, replace(back, starts_at=NOW + 14 * DAY, ends_at=NOW + 20 * DAY))


def test_one_delegation_at_a_time() -> None:
    refused("delegated_already", replace(WISH, delegate="sam", memo="ARM-2026-0042"), WISH)
    check(replace(WISH, delegate="sam", memo="A"), replace(WISH, memo="B"))
