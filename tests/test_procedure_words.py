"""The sweeps of a comparison in words: what was tried, what was lost, and which one is not used."""

from dataclasses import replace

from analysis.assess import AssessmentResult
from reviews.procedure_words import lines
from tests.analysis.props import change
from tests.analysis.served import BLOCKS, K9, swept


def of_sweeps(result: AssessmentResult) -> dict[str, str]:
    """By the start of the sentence, what is said of each sweep."""
    sentences = [said for name, said in lines(result) if name == "Sweep"]
    return {said.partition(" on host-1")[0]: said.partition(" on host-1")[2] for said in sentences}


def test_a_sweep_that_is_not_used_says_why() -> None:
    said = of_sweeps(swept(change(BLOCKS, "bk0-8", excluded="too hot")))

    assert said["baseline sweep k0"].startswith(
        " (excluded: too hot): 8/s held, 16/s did not hold. 100 of 100 requests"
    )
    assert said["candidate sweep k0"].startswith(" (not used: block k0 lost its other run): 4/s held")
    assert said["baseline sweep k1"].startswith(": 8/s held")


def test_a_partial_sweep_says_so() -> None:
    cut = replace(BLOCKS[2].run, status="partial")

    assert of_sweeps(swept(change(BLOCKS, "bk0-8", run=cut)))["baseline sweep k0"].startswith(
        " (not used: partial run: bk0-8): 8/s held"
    )


def test_a_sweep_that_held_no_rate_shows_what_was_tried() -> None:
    said = of_sweeps(swept((*BLOCKS, *K9)))

    assert said["baseline sweep k9"] == ": no rate held. 10 of 100 requests at 2/s."


def test_a_rate_at_which_the_run_failed_has_no_count() -> None:
    crashed = replace(BLOCKS[2].run, status="failed", reason="it crashed")
    said = of_sweeps(swept(change(BLOCKS, "bk0-8", run=crashed)))["baseline sweep k0"]

    assert said.startswith(": 4/s held, 8/s did not hold.")
    assert "; the run at 8/s failed; 40 of 100 requests at 16/s." in said


def test_without_a_level_nothing_was_tried() -> None:
    assert of_sweeps(swept(BLOCKS, service_level=None))["baseline sweep k0"] == ": no goodput."
