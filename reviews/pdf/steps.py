"""The runs of a comparison as the PDF shows them: what was cut, how each went, and what lost runs leave."""

from dataclasses import dataclass

from analysis.results import AssessmentResult
from reviews import step_words
from reviews.step_words import RunLine


@dataclass(frozen=True, slots=True)
class StepSheet:
    """facts: names and what is said of all runs. tails: whether a quantile is asked for.

    lines: one a run; none where no run brings rows; the table of the runs above says all that is known of them.
    """

    facts: tuple[tuple[str, str], ...]
    lines: tuple[RunLine, ...]
    tails: bool


def sheet_of_steps(result: AssessmentResult) -> StepSheet:
    """What is printed of the steps of the runs."""
    lines = step_words.run_lines(result)
    shown = lines if step_words.brings_rows(lines) else ()
    return StepSheet(step_words.facts(result), shown, any(line.tail for line in shown))
