"""The sampling lab from text, as JSON, and printed: the same on its page, in the API and on the command line."""

from fractions import Fraction
from typing import Final

from analysis.errors import Refused
from analysis.exact import parse_exact, plain_decimal
from analysis.sampling import MODELS, Normal, SamplingLab, sampling_lab
from reviews import printing

START_P: Final = "0.5"
START_N: Final = "20"
SMALLEST_SHOWN: Final = 1e-6
DISABLED: Final = "disabled"
_DIGITS: Final = 10


def lab_of_text(p: str, n: str) -> SamplingLab:
    """The lab of what somebody typed.

    Raises:
        Refused: as `sampling_lab`.
    """
    trials = parse_exact(n)
    if trials.denominator != 1:
        raise Refused("not_a_trial_count", f"n is no whole number: {n}.", "Give a number of trials from 1 to 100.")
    return sampling_lab(p, trials.numerator)


def lab_to_json(lab: SamplingLab) -> dict[str, object]:
    """All values as numbers; `normal` is null, and that of every bar, where there is no curve."""
    return {
        "models": MODELS,
        "p": float(lab.p),
        "n": lab.n,
        "mean_proportion": float(lab.p),
        "mean_variance": float(lab.mean_variance),
        "bars": [{"k": bar.k, "exact": bar.exact, "normal": bar.normal} for bar in lab.bars],
        "normal": _normal(lab.normal) if lab.normal else None,
    }


def _normal(normal: Normal) -> dict[str, object]:
    return {
        "bound": normal.bound,
        "bound_printed": normal.bound_printed,
        "greatest_error": normal.greatest_error,
        "covered": normal.covered,
    }


def facts_of(lab: SamplingLab) -> tuple[tuple[str, str], ...]:
    """Names and printed values of all that is no bar."""
    return (
        ("Mean sample proportion", number(lab.p)),
        ("Sample-mean variance", number(lab.mean_variance)),
        ("Uniform CDF error bound", _bound(lab.normal) if lab.normal else DISABLED),
        ("Greatest CDF error", printing.significant(lab.normal.greatest_error) if lab.normal else DISABLED),
        ("Sum of the normal bars", number(lab.normal.covered) if lab.normal else DISABLED),
    )


def _bound(normal: Normal) -> str:
    says = "" if normal.bound < 1 else " (says nothing: an error is at most 1)"
    return f"≤ {normal.bound_printed}{says}"


def number(value: Fraction | float) -> str:
    """A value to ten digits without trailing zeros: "0.0125"."""
    return plain_decimal(value, significant=_DIGITS)


def probability(value: float | None) -> str:
    """A bar's value as printed: "0.1762", "< 0.000001", "0", or "disabled"."""
    if value is None:
        return DISABLED
    if 0 < value < SMALLEST_SHOWN:
        return "< 0.000001"
    return printing.significant(value) if value else "0"
