"""Is everything still what was written, and do the numbers still come out?"""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from reviews.services import assessments, verification
from tests import cases

pytestmark = pytest.mark.django_db


def told(command: str, *numbers: str) -> str:
    out = StringIO()
    call_command(command, *numbers, stdout=out)
    return out.getvalue()


def test_the_trail_of_every_memo_is_verified() -> None:
    memo = cases.a_memo_rolling_out()

    assert told("verify_trail") == f"{memo.number}: holds\n1 memo(s) hold.\n"


def test_a_fault_is_named_and_ends_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_draft()
    monkeypatch.setattr(verification, "faults", lambda _memo: ("event 3 is not what was written",))

    with pytest.raises(CommandError, match=r"1 of 1 memo\(s\) do not hold"):
        told("verify_trail", memo.number)


def test_every_assessment_is_computed_again() -> None:
    memo = cases.a_memo_with_evidence()

    lines = told("recompute", memo.number).splitlines()

    assert lines == [f"{memo.number} {key} look 1: the same" for key in ("C1", "C2")]


def test_an_assessment_that_comes_out_otherwise_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_with_evidence()
    monkeypatch.setattr(assessments, "recompute", lambda assessment: assessment.comparison == "C1")

    with pytest.raises(CommandError, match=r"1 assessment\(s\)"):
        told("recompute", memo.number)


@pytest.mark.parametrize("command", ["verify_trail", "recompute"])
def test_a_memo_that_is_not_there_is_named(command: str) -> None:
    cases.set_up()

    with pytest.raises(CommandError, match="ARM-2026-9999"):
        told(command, "ARM-2026-9999")
