"""Where in an ordered list of builds an effect begins, by halving; each build is judged by runs against the base.

A build counts as the base when it is equivalent to it within the margin, and as moved when it is beyond the margin
on the side of the effect. Anything else is undecided and tells nothing: a single run never decides. The answer says
where the effect begins in the order of the builds, and names no cause.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Final, Literal

from analysis.errors import Refused
from analysis.planning import runs_for_power

Standing = Literal["as_the_base", "moved", "undecided"]

FEWEST_BUILDS: Final = 3
FEWEST_RUNS: Final = 2
WRONG_EACH_PERCENT: Final = 5
TO_SHOW_EQUAL: Final = 0.9
TO_SHOW_MOVED: Final = 0.8
CONFIDENCE: Final = 0.95
MATERIALITY: Final = ("worse_than_margin", "better_than_margin")


@dataclass(frozen=True, slots=True)
class Tried:
    """A build that was run against the base, and how it stood."""

    build: str
    standing: Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Bisection:
    """How far the search is.

    after: the last build that counts as the base. upto: the first that moved. left: the builds in which the effect may
    begin. next: the one to run against the base, None when it is located; again: it was run, and is undecided.
    steps_most, steps_expected: of what is left, if no step stays undecided and every build is equally likely.
    runs_most, runs_expected: of both arms together. wrong_at_most: the chance that any step was judged wrongly.
    """

    base: str
    after: str
    upto: str
    left: tuple[str, ...]
    next: str | None
    again: bool
    steps_most: int
    steps_expected: float
    runs_most: int
    runs_expected: float
    wrong_at_most: float

    @property
    def located(self) -> bool:
        """Whether one build is left."""
        return self.next is None

    @property
    def sentence(self) -> str:
        """What is established, and what to run."""
        if self.next is None:
            return (
                f"The effect begins at {self.upto}: {self.after} is as {self.base} within the margin, {self.upto} is "
                "beyond it. This is a place in the order of the builds, and no cause."
            )
        run = f"Run {self.next} against {self.base}" + (" again, with more runs." if self.again else ".")
        return f"The effect begins after {self.after} and not after {self.upto}: {len(self.left)} builds. {run}"


def bisect(builds: Sequence[str], tried: Sequence[Tried], *, runs_each: int) -> Bisection:
    """What is known of where the effect begins, and which build to run next.

    Args:
        builds: in their order, from the base to the candidate.
        tried: every build that was run against the base, each time; the candidate among them, as moved.
        runs_each: of each arm in a step.

    Raises:
        Refused: too_few_builds, named_twice, too_few_runs, unknown_build, contradicting_steps, nothing_to_locate,
            not_monotone.
    """
    _require_builds(builds, runs_each)
    standings = _standings(builds, tried)
    if standings.get(len(builds) - 1) != "moved":
        raise Refused(
            "nothing_to_locate",
            f"{builds[-1]} is not established to be beyond the margin of {builds[0]}.",
            "Establish the effect between the two ends first, with more runs.",
        )
    first = min(at for at, standing in standings.items() if standing == "moved")
    last = max((at for at, standing in standings.items() if standing == "as_the_base"), default=0)
    if last > first:
        raise Refused(
            "not_monotone",
            f"{builds[first]} is beyond the margin, and {builds[last]} after it is as {builds[0]}.",
            "More than one build changes it: search each stretch for itself, between builds that were run.",
        )
    return _bisection(builds, (last, first), standings, runs_each, attempts=len(tried))


def _bisection(
    builds: Sequence[str], ends: tuple[int, int], standings: dict[int, Standing], runs_each: int, *, attempts: int
) -> Bisection:
    last, first = ends
    count = first - last
    most = ceil(log2(count))
    expected = most - (2**most - count) / count
    middle = last + count // 2
    return Bisection(
        base=builds[0],
        after=builds[last],
        upto=builds[first],
        left=tuple(builds[last + 1 : first + 1]),
        next=builds[middle] if count > 1 else None,
        again=count > 1 and middle in standings,
        steps_most=most,
        steps_expected=expected,
        runs_most=2 * runs_each * most,
        runs_expected=2 * runs_each * expected,
        wrong_at_most=min(1.0, WRONG_EACH_PERCENT * (attempts + most) / 100),
    )


def _require_builds(builds: Sequence[str], runs_each: int) -> None:
    if len(builds) < FEWEST_BUILDS:
        raise Refused(
            "too_few_builds",
            "No build lies between the two ends.",
            "Name the builds in their order, the base first and the candidate last.",
        )
    if twice := next((build for at, build in enumerate(builds) if build in builds[:at]), ""):
        raise Refused("named_twice", f"{twice} is named twice.", "Name each build once, in order.")
    if runs_each < FEWEST_RUNS:
        raise Refused(
            "too_few_runs",
            "A single run of each arm decides no step.",
            f"Plan at least {FEWEST_RUNS} runs of each arm a step.",
        )


def _standings(builds: Sequence[str], tried: Sequence[Tried]) -> dict[int, Standing]:
    """Position -> how the build stands; decided beats undecided, and two decisions must agree."""
    found: dict[int, Standing] = {}
    for one in tried:
        if one.build not in builds[1:]:
            raise Refused(
                "unknown_build",
                f"{one.build} is no build after {builds[0]}.",
                f"The builds are: {', '.join(builds[1:])}.",
            )
        at = builds.index(one.build)
        known = found.get(at, "undecided")
        if "undecided" not in (known, one.standing) and known != one.standing:
            raise Refused(
                "contradicting_steps",
                f"{one.build} was as {builds[0]} in one step, and beyond the margin in another.",
                "Find what differed between the two steps, and search again.",
            )
        found[at] = known if one.standing == "undecided" else one.standing
    return found


def standing_of(materiality: str | None, effect: str) -> Standing:
    """How a build stands by the verdict of its comparison with the base.

    materiality: of the verdict, None without one. effect: the materiality of the effect that is searched.
    """
    if materiality == "within_margin":
        return "as_the_base"
    return "moved" if materiality == effect and effect in MATERIALITY else "undecided"


def runs_each_of(*, sd: float, margin: float, effect: float) -> int:
    """The runs of each arm that decide a step with a chance of 80 % or more, of a build that is as the base or moved.

    Args:
        sd: of run values. margin, effect: distances from no effect; all on the scale where effects add.

    Raises:
        Refused: nothing_to_locate, not_positive, out_of_reach.
    """
    if effect <= margin:
        raise Refused(
            "nothing_to_locate",
            "The effect is not larger than the margin.",
            "Search only an effect that is established beyond its margin.",
        )
    equal = runs_for_power(TO_SHOW_EQUAL, effect=margin, sd=sd, confidence=CONFIDENCE)
    moved = runs_for_power(TO_SHOW_MOVED, effect=effect - margin, sd=sd, confidence=CONFIDENCE)
    return max(equal, moved)
