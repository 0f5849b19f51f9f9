"""Two arms of which only summaries of runs are known, judged like runs: interval, verdict, and what cannot be seen.

A summary hides the single runs, so that placement, order, work and odd values cannot be checked. Those stand among the
assumptions, and the difference is never established for the change: the rung of the ladder is 1 at most.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from analysis import canonical, checks
from analysis.attribution import Attribution, Facts, attribute
from analysis.claim_json import interval_to_json
from analysis.claims import ConfidenceInterval, Frame, interval_of
from analysis.errors import Refused
from analysis.inputs import Better
from analysis.margin import Margin
from analysis.notices import Notice, Refusal
from analysis.summaries import ArmSummary, welch_of_summaries
from analysis.verdict import Verdict, verdict

CONFIDENCE: Final = 0.95
FEWEST_FOR_VERDICT: Final = 3
GREATEST_MARGIN: Final = 1000
ESTIMAND: Final = "ratio of mean run values, candidate over baseline"
SCOPE: Final = "the summarised runs, wherever they ran"
ASSUMED: Final = (
    "runs are independent of each other",
    "no drift that one arm met more than the other",
    "both arms did the same work on the same placement",
    "log run values are roughly normal, and vary as the deviation over the mean",
    "no run was left out, and this is the only look at the data",
)
UNSEEN: Final = (
    Notice("order_unknown", "Start times are not recorded, so order and drift cannot be checked."),
    Notice("placement_not_verified", "Placements are typed or unknown, not captured."),
    Notice("work_not_audited", "A summary does not show whether both arms did the same work."),
)


@dataclass(frozen=True, slots=True)
class SummaryComparison:
    """What two summaries establish. judged: the verdict, or why it is withheld."""

    baseline: ArmSummary
    candidate: ArmSummary
    margin: Margin
    interval: ConfidenceInterval
    judged: Verdict | Refusal
    notices: tuple[Notice, ...]
    attribution: Attribution

    @property
    def verdict(self) -> Verdict | None:
        """None when it is withheld."""
        return self.judged if isinstance(self.judged, Verdict) else None

    @property
    def refusal(self) -> Refusal | None:
        """Why the verdict is withheld; None when it is given."""
        return self.judged if isinstance(self.judged, Refusal) else None

    @property
    def outcome(self) -> Literal["verdict", "withheld"]:
        """As of a comparison of runs."""
        return "verdict" if isinstance(self.judged, Verdict) else "withheld"

    @property
    def headline(self) -> str:
        """The verdict's sentence, or why there is none."""
        return f"{self.judged.headline}." if isinstance(self.judged, Verdict) else self.judged.message


def compare_summaries(
    baseline: ArmSummary, candidate: ArmSummary, *, better: Better, margin: Fraction
) -> SummaryComparison:
    """The candidate against the baseline, at 95 % confidence.

    Args:
        margin: worst acceptable ratio, candidate over baseline.

    Raises:
        Refused: bad_margin, and what `welch_of_summaries` and `interval_of` refuse.
    """
    judged_by = Margin(_margin(margin, better), better, "ratio", "1")
    spread = welch_of_summaries(baseline, candidate)
    frame = Frame("ratio", "1", SCOPE, ESTIMAND, "runs per arm")
    interval = interval_of(spread, confidence=CONFIDENCE, frame=frame, assumptions=ASSUMED)
    few = interval.units < FEWEST_FOR_VERDICT
    judged = _too_few(interval.units) if few else verdict(interval, judged_by)
    return SummaryComparison(
        baseline=baseline,
        candidate=candidate,
        margin=judged_by,
        interval=interval,
        judged=judged,
        notices=_notices(baseline, candidate, interval),
        attribution=_attribution(judged),
    )


def _margin(margin: Fraction, better: Better) -> Fraction:
    worse = margin if better == "higher" else (1 / margin if margin else margin)
    if not Fraction(1, GREATEST_MARGIN) <= worse < 1:
        raise Refused(
            "bad_margin",
            f"With {better} better, that margin accepts nothing worse, or anything.",
            "State the worst acceptable ratio of candidate over baseline, on the worse side of 1, or a percentage.",
        )
    return margin


def _too_few(units: int) -> Refusal:
    return Refusal(
        "too_few_for_verdict", f"{units} runs per arm carry an interval, but no verdict: it needs 3.", "Add runs."
    )


def _notices(baseline: ArmSummary, candidate: ArmSummary, interval: ConfidenceInterval) -> tuple[Notice, ...]:
    variation = [arm.deviation / arm.mean for arm in (baseline, candidate)]
    return (
        *checks.of_counts(baseline.count, candidate.count),
        *checks.of_spreads(variation[0], variation[1]),
        *checks.of_interval(interval),
        *UNSEEN,
    )


def _attribution(judged: Verdict | Refusal) -> Attribution:
    established = isinstance(judged, Verdict) and judged.direction != "not_established"
    return attribute(Facts(established=established, blocked=False, two_systems=False, overlap=None))


def comparison_to_json(found: SummaryComparison) -> dict[str, object]:
    """The comparison as canonical JSON values; every number carries its kind, and decimals are strings."""
    return {
        "kind": "comparison_of_summaries",
        "outcome": found.outcome,
        "refusal": canonical.as_json(found.refusal),
        "baseline": canonical.as_json(found.baseline),
        "candidate": canonical.as_json(found.candidate),
        "better": found.margin.better,
        "margin": canonical.as_json(found.margin.native),
        "interval": interval_to_json(found.interval),
        "verdict": canonical.as_json(found.verdict),
        "notices": canonical.as_json(found.notices),
        "ladder_rung": found.attribution.rung,
        "attribution": found.attribution.sentence,
    }
