"""The sampling lab: independent trials, exactly, beside the normal curve. Nothing is drawn at random."""

from dataclasses import dataclass
from fractions import Fraction

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from analysis.errors import Refused
from analysis.sampling import MOST_TRIALS, SamplingLab, sampling_lab
from reviews import sampling


@dataclass(frozen=True, slots=True)
class ShownBar:
    """An outcome as printed, its full values, and its places in a picture of 100 by 100. normal_height: "" without a
    curve."""

    k: int
    mean: str
    exact: str
    normal: str
    exact_value: str
    normal_value: str
    exact_left: str
    exact_width: str
    exact_top: str
    exact_height: str
    normal_left: str
    normal_width: str
    normal_top: str
    normal_height: str


@require_safe
def lab(request: HttpRequest) -> HttpResponse:
    """The page for the p and n of the address; 422, with the refusal's words, for what is no experiment."""
    p, n = request.GET.get("p", sampling.START_P), request.GET.get("n", sampling.START_N)
    given = {"p": p, "n": n, "start_p": sampling.START_P, "start_n": sampling.START_N, "most": MOST_TRIALS}
    try:
        found = sampling.lab_of_text(p, n)
    except Refused as refused:
        return render(request, "reviews/lab.html", {**given, "refused": refused, "wrong": _wrong(p)}, status=422)
    top = _top(found)
    shown = {"lab": found, "facts": sampling.facts_of(found), "top": sampling.probability(top)}
    return render(request, "reviews/lab.html", {**given, **shown, "bars": _bars(found, top)})


def _wrong(p: str) -> str:
    """Which of the two inputs cannot be taken."""
    try:
        sampling_lab(p, 1)
    except Refused:
        return "p"
    return "n"


def _top(found: SamplingLab) -> float:
    return max(max(bar.exact, bar.normal or 0.0) for bar in found.bars)


def _bars(found: SamplingLab, top: float) -> list[ShownBar]:
    wide = 100 / len(found.bars)
    return [
        ShownBar(
            k=bar.k,
            mean=sampling.number(Fraction(bar.k, found.n)),
            exact=sampling.probability(bar.exact),
            normal=sampling.probability(bar.normal),
            exact_value=repr(bar.exact),
            normal_value="" if bar.normal is None else repr(bar.normal),
            exact_left=f"{(bar.k + 0.2) * wide:.4f}",
            exact_width=f"{0.6 * wide:.4f}",
            exact_top=f"{100 - 100 * bar.exact / top:.4f}",
            exact_height=f"{100 * bar.exact / top:.4f}",
            normal_left=f"{bar.k * wide:.4f}",
            normal_width=f"{wide:.4f}",
            normal_top=f"{100 - 100 * (bar.normal or 0.0) / top:.4f}",
            normal_height="" if bar.normal is None else f"{100 * bar.normal / top:.4f}",
        )
        for bar in found.bars
    ]
