"""What a person was told, how they want to be told, and the channels of the teams that they administer."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reviews.errors import BadInput, NotPermitted, NotVisible
from reviews.models import Notification
from reviews.queries import notifications as readers
from reviews.services import channels, notifications, telling
from reviews.told_words import Reason
from reviews.web.acting import done
from reviews.web.door import actor_of
from reviews.web.forms.notifications import MakeChannel, Prefer
from reviews.web.forms.refused import say
from reviews.web.places import place

SHOWN = 100


@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """What the person was told and has not read; `?all=1` shows the newest hundred of all."""
    actor = actor_of(request)
    told = readers.notifications_of(actor)
    everything = bool(request.GET.get("all"))
    rows = told if everything else told.filter(read_at__isnull=True)
    context = {
        "rows": [(row, Reason(row.reason).label, _place(row)) for row in rows[:SHOWN]],
        "everything": everything,
        "waiting": told.filter(read_at__isnull=True).count(),
        "shown": SHOWN,
    }
    return render(request, "reviews/notifications.html", context)


@require_POST
def read(request: HttpRequest) -> HttpResponse:
    """One notification is read, and leads to its place; without one, all are."""
    actor = actor_of(request)
    said = request.POST.get("notification", "")
    if not said.isascii() or not said.isdigit():
        count = notifications.mark_read(actor=actor, notifications=None)
        return done(request, reverse("notifications"), f"Marked as read: {count}.")
    row = readers.notification_of(actor, int(said))
    notifications.mark_read(actor=actor, notifications=[row.pk])
    return redirect(_place(row) if request.POST.get("go") else reverse("notifications"))


@require_http_methods(["GET", "HEAD", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    """How the person wants to be told by mail; a POST keeps it."""
    actor = actor_of(request)
    form = Prefer(request.POST if request.method == "POST" else None, wanted=readers.wanted_of(actor))
    if form.is_valid() and _kept(request, actor, form):
        return redirect("notification-preferences")
    context = {"form": form, "address": actor.email, "sends": telling.mail_is_set_up(), "crumbs": _crumbs("How")}
    return render(request, "reviews/notification_preferences.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def team_channels(request: HttpRequest) -> HttpResponse:
    """The channels of the teams that the person administers; a POST makes one."""
    actor = actor_of(request)
    form = MakeChannel(request.POST if request.method == "POST" else None, teams=readers.teams_administered_by(actor))
    secret = _made(request, actor, form) if form.is_valid() else None
    if secret is not None and not secret:
        return redirect("team-channels")
    rows = readers.channels_of(actor)
    context = {
        "form": form if form.teams and secret is None else None,
        "secret": secret,
        "cards": [(row, readers.sent_to(row)) for row in rows],
        "crumbs": _crumbs("Channels of teams"),
    }
    refused = form.is_bound and secret is None
    return render(request, "reviews/team_channels.html", context, status=422 if refused else 200)


@require_POST
def end_channel(request: HttpRequest, channel_id: int) -> HttpResponse:
    """A channel is told nothing from now on."""
    channels.end_channel(actor=actor_of(request), channel_id=channel_id)
    return done(request, reverse("team-channels"), "The channel has ended; nothing more is sent to it.")


def _kept(request: HttpRequest, actor: User, form: Prefer) -> bool:
    """Whether it is kept; what does not fit is said at the form."""
    try:
        notifications.prefer(actor=actor, wish=form.wish())
    except BadInput as refusal:
        say(form, refusal)
        return False
    messages.success(request, "Kept.")
    return True


def _made(request: HttpRequest, actor: User, form: MakeChannel) -> str | None:
    """The secret of the channel that was made, "" for one that signs nothing; None when it was refused at the form."""
    try:
        row, secret = channels.make_channel(actor=actor, team=form.cleaned_data["team"], wish=form.wish())
    except (BadInput, NotVisible, NotPermitted) as refusal:
        say(form, refusal)
        return None
    messages.success(request, f"{row.name} is told what happens to the memos of {row.team.name}.")
    return secret


def _place(row: Notification) -> str:
    """Where it leads: to what is to be done, else to the memo, else to the queue."""
    if row.memo is None:
        return reverse("queue")
    return place(row.memo.number, row.place) or reverse("memo", args=[row.memo.number])


def _crumbs(here: str) -> list[tuple[str, str]]:
    return [("Notifications", reverse("notifications")), (here, "")]
