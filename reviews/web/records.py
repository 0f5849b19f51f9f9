"""What a decision leaves: its PDF and its dossier, as downloads."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from reviews.errors import NotVisible
from reviews.models import Memo
from reviews.queries import people
from reviews.queries.decide_page import Recorded, recorded
from reviews.web.artifacts import as_download
from reviews.web.door import actor_of


@require_safe
def decision_pdf(request: HttpRequest, number: str) -> HttpResponseBase:
    """The PDF of the latest decision; a page that says how far it is, while it is being made."""
    memo = people.memo_for(actor_of(request), number)
    latest = _wanted(request, memo)
    if latest.pdf_ready:
        return as_download(latest.pdf_sha256, f"{number}-decision-{latest.decision.number}.pdf", "application/pdf")
    crumbs = [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), ("PDF", "")]
    return render(request, "reviews/pdf_waits.html", {"memo": memo, "latest": latest, "crumbs": crumbs}, status=202)


@require_safe
def dossier(request: HttpRequest, number: str) -> HttpResponse:
    """The frozen dossier of the latest decision, byte for byte."""
    memo = people.memo_for(actor_of(request), number)
    decision = _wanted(request, memo).decision
    response = HttpResponse(decision.dossier, content_type="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="{number}-decision-{decision.number}.json"'
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["ETag"] = f'"{decision.dossier_sha256}"'
    return response


def _wanted(request: HttpRequest, memo: Memo) -> Recorded:
    """The decision that `?decision=<number>` names, else the latest. Raises NotVisible when there is none."""
    rows, asked = recorded(memo), request.GET.get("decision", "")
    found = next((row for row in rows if asked in ("", str(row.decision.number))), None)
    if found is None:
        raise NotVisible(
            f"{memo.number} has no decision {asked}." if asked else f"Nothing is decided on {memo.number} yet.",
            needs="Look at what the gate still asks for.",
        )
    return found
