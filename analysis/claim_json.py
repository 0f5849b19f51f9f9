"""Claims as canonical JSON values: each number stands beside its kind, unit, scope and estimand."""

from collections.abc import Mapping

from analysis import canonical
from analysis.claims import ConfidenceInterval, EffectEstimate, WidenedInterval


def estimate_to_json(estimate: EffectEstimate | None) -> object:
    """An effect without any uncertainty."""
    if estimate is None:
        return None
    return framed("effect_estimate", estimate.frame, canonical.as_json(estimate))


def interval_to_json(interval: ConfidenceInterval | None) -> object:
    """A confidence interval, in an assessment or alone."""
    if interval is None:
        return None
    return framed("confidence_interval", interval.frame, canonical.as_json(interval))


def widened_to_json(widened: WidenedInterval | None) -> object:
    """A widened interval, with the one that it was made from."""
    if widened is None:
        return None
    statistical = widened.statistical
    return {
        **framed("widened_interval", statistical.frame, canonical.as_json(widened)),
        "statistical": interval_to_json(statistical),
        "method": f"{statistical.method} widened",
        "assumptions": [*statistical.assumptions, "the stated greatest effects hold"],
    }


def framed(kind: str, frame: object, said: object) -> dict[str, object]:
    """A claim's JSON with its kind, and the members of its frame beside the numbers."""
    inside, about = as_object(said), as_object(canonical.as_json(frame))
    return {"kind": kind, **about, **{key: value for key, value in inside.items() if key != "frame"}}


def as_object(value: object) -> Mapping[str, object]:
    """The members of a JSON object; none of anything else."""
    return value if isinstance(value, dict) else {}
