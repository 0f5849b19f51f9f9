"""The evidence page, and what is done on it: plans, sets, files in and out, runs accounted for, seals."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from reviews import printing
from reviews.errors import BadInput
from reviews.queries import people
from reviews.queries.evidence_page import EvidencePage, PlanView, SetView, evidence_page, kinds_of, plan_of, set_of
from reviews.services import evidence, plans, uploads
from reviews.services.evidence import Labels, Texts
from reviews.services.uploads import Incoming, Taken
from reviews.web.acting import done, onward, values_of
from reviews.web.door import actor_of
from reviews.web.forms.evidence import Account, Attach, LabelAgain, OpenSet, RegisterPlan, TakeOut
from reviews.web.forms.refused import say
from reviews.web.stale_first import asks_first

LABELS: Final = ("kind", "arm", "run", "block", "placement", "use", "excluded", "clock")


@dataclass(frozen=True, slots=True)
class SetCard:
    """A set with its forms; None where the person may not use them."""

    set: SetView
    attach: Attach | None
    again: LabelAgain | None
    take_out: TakeOut | None
    may_seal: bool


@dataclass(frozen=True, slots=True)
class PlanCard:
    """A plan with the form that accounts for its missing runs, None without any."""

    view: PlanView
    account: Account | None


@require_safe
def evidence_of(request: HttpRequest, number: str) -> HttpResponse:
    """The page."""
    actor = actor_of(request)
    return _page(request, evidence_page(actor, people.memo_for(actor, number)), RegisterPlan(None))


def _page(request: HttpRequest, page: EvidencePage, register: RegisterPlan) -> HttpResponse:
    """The page, with that form for a plan where the person may register one."""
    context = {
        "page": page,
        "memo": page.memo,
        "crumbs": _crumbs(page.memo.number),
        "sets": [_set_card(page, one) for one in page.sets],
        "plans": [_plan_card(page, one) for one in page.plans],
        "register": register if page.may_register else None,
        "open_set": OpenSet(None, plans=_plans(page.plans)) if page.may_open else None,
        "limit": printing.size(settings.ARTIFACT_LIMIT_BYTES),
    }
    return render(request, "reviews/evidence.html", context, status=422 if register.errors else 200)


@require_POST
def register(request: HttpRequest, number: str) -> HttpResponse:
    """The plan registered; a refusal is said at the form, so that nothing typed is lost."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    form = RegisterPlan(request.POST)
    if form.is_valid():
        given = form.cleaned_data
        try:
            content = plans.content_from(given["plan"])
            plan = plans.register(
                actor=actor,
                memo_id=memo.pk,
                content=content,
                nonce=given["nonce"],
                registered_at=given["registered_at"],
            )
        except BadInput as refusal:
            say(form, _at_its_place(form, refusal))
        else:
            said = f"The plan “{plan.title}” is registered. Its nonce, for the metadata of the runs: {plan.nonce}"
            return done(request, f"{reverse('evidence', args=[number])}#plans", said)
    return _page(request, evidence_page(actor, memo), form)


@require_POST
def open_set(request: HttpRequest, number: str) -> HttpResponse:
    """A new open set."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    values = values_of(OpenSet(request.POST, plans=_plans(evidence_page(actor, memo).plans)))
    row = evidence.open_set(actor=actor, memo_id=memo.pk, title=values["title"], plan=values["plan"])
    return done(request, _set_path(number, row.number), f"Set {row.number} is open: attach its files.")


@require_POST
def attach(request: HttpRequest, number: str, set_number: int) -> HttpResponse:
    """Files attached; what was refused is said for each file."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    row = set_of(memo, set_number)
    values = values_of(Attach(request.POST, request.FILES, kinds=kinds_of(memo), number=set_number))
    taken = uploads.attach_files(
        actor=actor,
        row=row,
        files=[Incoming(file.name, file.chunks()) for file in values["uploads"]],
        labels=Labels(**{name: values[name] for name in LABELS}, placement_source=""),
        pattern=values["pattern"],
        texts=Texts(values["drop_texts"], values["kept_because"]),
    )
    _tell(request, taken)
    return onward(request, _set_path(number, set_number))


@require_POST
def label_again(request: HttpRequest, number: str, set_number: int) -> HttpResponse:
    """Another run of a file that is in the set."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    row = set_of(memo, set_number)
    page = evidence_page(actor, memo)
    files = [choice for view in page.sets if view.number == set_number for choice in _files(view)]
    values = values_of(LabelAgain(request.POST, files=files, kinds=page.kinds, number=set_number))
    labels = Labels(**{name: values.get(name, "") for name in LABELS}, placement_source="")
    evidence.attach(actor=actor, set_id=row.pk, artifact=values["artifact"], labels=labels, token=None)
    return done(request, _set_path(number, set_number), f"The run {values['run']} is attached.")


@require_POST
def detach(request: HttpRequest, number: str, set_number: int) -> HttpResponse:
    """An attachment taken out of its open set."""
    actor = actor_of(request)
    page = evidence_page(actor, people.memo_for(actor, number))
    set_of(page.memo, set_number)
    held = [choice for view in page.sets if view.number == set_number for choice in view.held]
    values = values_of(TakeOut(request.POST, held=held, number=set_number))
    chosen = values["attachment"]
    evidence.detach(actor=actor, attachment_id=int(chosen), reason=values["reason"])
    return done(request, _set_path(number, set_number), f"{dict(held)[chosen]} is taken out.")


@require_POST
def seal(request: HttpRequest, number: str, set_number: int) -> HttpResponse:
    """The set sealed, as one revision."""
    actor = actor_of(request)
    row = set_of(people.memo_for(actor, number), set_number)
    if asked := asks_first(request, row.memo, lambda: evidence.seal(actor=actor, set_id=row.pk), "Seal the set"):
        return asked
    revision = evidence.seal(actor=actor, set_id=row.pk)
    return done(
        request, _set_path(number, set_number), f"Set {set_number} is sealed; it stands in revision {revision.number}."
    )


@require_POST
def account(request: HttpRequest, number: str, plan_id: int) -> HttpResponse:
    """What became of a run that is not attached."""
    actor = actor_of(request)
    memo = people.memo_for(actor, number)
    view = plan_of(evidence_page(actor, memo), plan_id)
    values = values_of(Account(request.POST, runs=view.missing, plan=plan_id))
    plans.account_for_run(
        actor=actor, memo_id=memo.pk, plan=view.plan.nonce, run=values["run"], reason=values["reason"]
    )
    return done(request, f"{reverse('evidence', args=[number])}#plans", f"{values['run']} is accounted for.")


def _at_its_place(form: RegisterPlan, refusal: BadInput) -> BadInput:
    """The refusal at a field of the form; a place inside the plan stands in its words."""
    if refusal.where in form.fields:
        return refusal
    place = f"At {refusal.where}: " if refusal.where else ""
    return BadInput(f"{place}{refusal.message}", needs=refusal.needs, code=refusal.code, where="plan")


def _tell(request: HttpRequest, taken: Iterable[Taken]) -> None:
    """One message for what is attached, and one for each file that is refused."""
    attached = [one.name for one in taken if one.attachment is not None]
    if attached:
        messages.success(request, f"Attached {printing.plural(len(attached), 'file')}: {', '.join(attached)}.")
    for one in taken:
        if one.refusal is not None:
            messages.error(request, f"{one.name}: {one.refusal.message} {one.refusal.needs}".strip())


def _set_card(page: EvidencePage, one: SetView) -> SetCard:
    attaching = page.may_attach and one.is_open
    files = _files(one)
    return SetCard(
        set=one,
        attach=Attach(None, None, kinds=page.kinds, number=one.number) if attaching else None,
        again=LabelAgain(None, files=files, kinds=page.kinds, number=one.number) if attaching and files else None,
        take_out=TakeOut(None, held=one.held, number=one.number) if attaching and one.held else None,
        may_seal=page.may_seal and one.is_open,
    )


def _plan_card(page: EvidencePage, view: PlanView) -> PlanCard:
    asks = page.may_attach and bool(view.missing)
    return PlanCard(view, Account(None, runs=view.missing, plan=view.plan.pk) if asks else None)


def _files(view: SetView) -> list[tuple[str, str]]:
    """Digest and name of each file of the set, once."""
    return [(file.sha256, file.name) for file in view.files]


def _plans(views: Iterable[PlanView]) -> list[tuple[str, str]]:
    return [(view.plan.nonce, view.plan.title) for view in views]


def _set_path(number: str, set_number: int) -> str:
    return f"{reverse('evidence', args=[number])}#set-{set_number}"


def _crumbs(number: str) -> list[tuple[str, str]]:
    return [("Memos", reverse("memos")), (number, reverse("memo", args=[number])), ("Evidence", "")]
