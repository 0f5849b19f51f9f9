"""Losses by step: where they first differ, where they are no number, and what the baseline's own runs do."""

from collections.abc import Sequence
from typing import Any

import pytest

from analysis.assess import assess
from tests.analysis.props import a_measurement, a_plan, a_request, a_run
from tests.analysis.worked import with_rows

Losses = Sequence[float | None]


def said(*runs: Any) -> dict[str, str]:
    result = assess(a_request(runs, a_plan(tolerances={}, required=())))
    return {notice.code: notice.sentence for notice in result.notices}


def a_loss(arm: str, number: int, losses: Losses, *, indexed: bool = True) -> Any:
    rows = [a_measurement(v, metric="loss", unit="1", index=i if indexed else None) for i, v in enumerate(losses)]
    return with_rows(a_run(arm, number, 1.0), rows)


def test_the_first_step_at_which_the_losses_differ_is_said() -> None:
    found = said(a_loss("baseline", 0, [12.5, 12.25, 41.0]), a_loss("candidate", 0, [12.5, 12.25, 44.28]))

    assert found["losses_differ"] == (
        "The losses of b0 and c0 are equal in the first 2 steps, and differ at step 3: 41 and 44.28, 0.08 apart "
        "relatively."
    )


def test_losses_that_start_apart_are_laid_to_no_change() -> None:
    found = said(a_loss("baseline", 0, [12.5, 12.0]), a_loss("candidate", 0, [12.0, 12.0]))

    assert found["losses_differ"].endswith("They start apart: nothing later can be laid to the change alone.")
    assert "differ at step 1: 12.5 and 12, 0.042 apart" in found["losses_differ"]


def test_runs_of_the_baseline_that_differ_as_early_are_said_beside_it() -> None:
    one, other = a_loss("baseline", 0, [1.0, 2.0, 3.0]), a_loss("baseline", 1, [1.0, 2.5, 3.0])
    late, early = a_loss("candidate", 0, [1.0, 2.0, 3.5]), a_loss("candidate", 0, [1.5, 2.0, 3.0])

    assert "The baseline's own runs b0 and b1 differ at step 2." in said(one, other, late)["losses_differ"]
    assert "are equal in the first step, and differ at step 2" in said(one, other, late)["losses_differ"]
    assert "own runs" not in said(one, other, early)["losses_differ"]


@pytest.mark.parametrize(
    "candidate",
    [
        a_loss("candidate", 0, [1.0, 2.0]),
        a_loss("candidate", 0, [1.0, None]),
        a_loss("candidate", 0, [3.0, 4.0], indexed=False),
        a_run("candidate", 0, 1.0),
    ],
)
def test_losses_that_are_equal_or_not_by_step_differ_nowhere(candidate: Any) -> None:
    assert "losses_differ" not in said(a_loss("baseline", 0, [1.0, 2.0]), candidate)


def test_a_loss_of_zero_is_infinitely_far_from_any_other() -> None:
    found = said(a_loss("baseline", 0, [0.0]), a_loss("candidate", 0, [1.0]))

    assert "inf apart" in found["losses_differ"]


def test_losses_that_are_no_number_are_counted() -> None:
    found = said(a_loss("baseline", 0, [1.0, 2.0]), a_loss("candidate", 0, [1.0, None]))

    assert found["losses_not_numbers"] == (
        "At some steps the loss is no number (NaN or infinite), in c0 (1 of 2): such steps are in no value."
    )
