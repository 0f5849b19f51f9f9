"""Channels of a team: where a webhook or a Slack-compatible address is told what happens to the team's memos."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible
from reviews.models import Team, TeamChannel
from reviews.queries import people
from reviews.queries.notifications import channel_of
from reviews.services import events, outgoing, outward, wellformed
from reviews.told_words import ChannelKind, Reason
from reviews.vocabulary import StandingRole


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelWish:
    """reasons: which alone are told; none for all."""

    kind: str
    name: str
    address: str
    reasons: Sequence[str]


@transaction.atomic
def make_channel(*, actor: User, team: str, wish: ChannelWish) -> tuple[TeamChannel, str]:
    """A channel of the team, and the secret that its webhooks are signed with, which is not kept.

    Raises:
        NotVisible: there is no such team in which the actor holds a role.
        NotPermitted: the actor does not administer it.
        BadInput: an unknown kind or reason, no name, or an address to which nothing may be sent.
    """
    owner = Team.objects.filter(slug=team, slug__in=people.roles_by_team(actor)).first()
    if owner is None:
        raise NotVisible(f"There is no team {team} in which you hold a role.", where="team")
    if StandingRole.ADMINISTRATOR.value not in people.roles_held(actor, owner):
        raise NotPermitted(f"Channels of {owner.name} are set up by its administrators.", needs="Ask one of them.")
    _check(wish)
    row = TeamChannel.objects.create(
        team=owner,
        kind=wish.kind,
        name=wish.name,
        address=wish.address,
        reasons=sorted(set(wish.reasons)),
        key=secrets.token_urlsafe(18),
        nonce=secrets.token_hex(32),
        made_by=actor,
        made_at=timezone.now(),
    )
    host = outward.place_of(wish.address).host
    events.append(owner, actor, "make_channel", name=wish.name, kind=wish.kind, host=host, key=row.key)
    return row, outgoing.secret_of(row) if wish.kind == ChannelKind.WEBHOOK else ""


@transaction.atomic
def end_channel(*, actor: User, channel_id: int) -> TeamChannel:
    """The channel, which is told nothing from now on. Raises NotVisible when the actor does not administer its team."""
    row = channel_of(actor, channel_id)
    if row.ended_at is None:
        row.ended_at = timezone.now()
        row.save(update_fields=["ended_at"])
        events.append(row.team, actor, "end_channel", name=row.name, kind=row.kind, key=row.key)
    return row


def _check(wish: ChannelWish) -> None:
    if wish.kind not in ChannelKind.values:
        raise BadInput(
            f"{wish.kind!r} is no kind of channel.",
            needs=f"Choose one of: {', '.join(ChannelKind.values)}.",
            where="kind",
        )
    unknown = sorted(set(wish.reasons) - set(Reason.values))
    if unknown:
        raise BadInput(
            f"{unknown[0]!r} is no reason to be told.", needs=f"Choose of: {', '.join(Reason.values)}.", where="reasons"
        )
    wellformed.require_text(wish.name, "name", longest=200, code="no_name")
    wellformed.require_fits(wish.address, "address", longest=2000)
    outward.place_of(wish.address)
