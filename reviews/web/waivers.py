"""The page of waivers: which stand, which gaps could be waived, and the board's answers."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from reviews.errors import BadInput
from reviews.models import Memo
from reviews.queries import people, records
from reviews.queries.waiver_page import WaiverLine, WaiverPage, waiver_page
from reviews.services import waivers
from reviews.services.waivers import WaiverWish
from reviews.web.acting import done, values_of
from reviews.web.door import actor_of
from reviews.web.forms.refused import say
from reviews.web.forms.signing import Because
from reviews.web.forms.waivers import Approve, AskForWaiver
from reviews.web.step_up import authentication_of


@dataclass(frozen=True, slots=True)
class WaiverCard:
    """A waiver with the board's forms; None where the person may not use them."""

    line: WaiverLine
    approve: Approve | None
    decline: Because | None


@require_http_methods(["GET", "HEAD", "POST"])
def waivers_of(request: HttpRequest, number: str) -> HttpResponse:
    """The page; a POST asks for a waiver. `?requirement=<code>` chooses the gap."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    page = waiver_page(actor, memo)
    form = _form(page, request.POST if request.method == "POST" else None, request.GET.get("requirement", ""))
    if form.is_valid() and _asked(request, memo, form):
        return redirect("waivers", number)
    return _page(request, page, form, None, status=422 if form.is_bound else 200)


@require_POST
def approve(request: HttpRequest, number: str, waiver_id: int) -> HttpResponse:
    """The board's yes."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    row = records.waiver(memo, waiver_id)
    form = Approve(request, request.POST, waiver=row.pk)
    if not form.is_valid():
        page = waiver_page(actor, memo)
        return _page(request, page, _form(page, None, ""), (waiver_id, form), status=422)
    waivers.approve(
        actor=actor, waiver_id=row.pk, note=form.cleaned_data["note"], authentication=authentication_of(request)
    )
    return done(request, reverse("waivers", args=[number]), "The waiver is approved, in your name.")


@require_POST
def decline(request: HttpRequest, number: str, waiver_id: int) -> HttpResponse:
    """The board's no."""
    actor = actor_of(request)
    row = records.waiver(people.memo_for(actor, number), waiver_id)
    reason = values_of(Because(request.POST, place=""))["reason"]
    waivers.decline(actor=actor, waiver_id=row.pk, reason=reason)
    return done(request, reverse("waivers", args=[number]), "The waiver is declined.")


def _form(page: WaiverPage, data: object, requirement: str) -> AskForWaiver:
    return AskForWaiver(
        data,  # type: ignore[arg-type]
        gaps=[(gap.code, f"{gap.sentence} It stands in the way of: {', '.join(gap.kinds)}.") for gap in page.gaps],
        people=page.people,
        initial={"requirement": requirement, "expires_at": page.latest.date()},
    )


def _asked(request: HttpRequest, memo: Memo, form: AskForWaiver) -> bool:
    """Whether it is asked for; what does not fit is said at the form."""
    try:
        waivers.request(actor=actor_of(request), memo_id=memo.pk, wish=WaiverWish(**form.cleaned_data))
    except BadInput as refusal:
        say(form, refusal)
        return False
    messages.success(request, "The waiver is asked for; the board answers.")
    return True


def _page(
    request: HttpRequest, page: WaiverPage, form: AskForWaiver, sent: tuple[int, Approve] | None, *, status: int
) -> HttpResponse:
    number = page.memo.number
    context = {
        "page": page,
        "memo": page.memo,
        "form": form if page.may_ask and page.gaps else None,
        "cards": [_card(request, line, sent) for line in page.lines],
        "crumbs": [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), ("Waivers", "")],
    }
    return render(request, "reviews/waivers.html", context, status=status)


def _card(request: HttpRequest, line: WaiverLine, sent: tuple[int, Approve] | None) -> WaiverCard:
    if not line.may_answer:
        return WaiverCard(line, None, None)
    number = line.waiver.pk
    form = sent[1] if sent and sent[0] == number else Approve(request, None, waiver=number)
    return WaiverCard(line, form, Because(None, place=f"decline-{number}"))
