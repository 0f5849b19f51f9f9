"""The reference build of a team: from which on its shipped changes are added up."""

from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from reviews.errors import NotPermitted, NotVisible
from reviews.models import ReferenceBuild, Team
from reviews.queries import people
from reviews.queries.rules_page import PINNERS
from reviews.services import events, wellformed

BUILD: Final = 200


@transaction.atomic
def pin(*, actor: User, team: str, build: str, reason: str) -> ReferenceBuild:
    """From now on what the team ships is added up against this build.

    Raises:
        NotVisible: no such team, or no role in it.
        NotPermitted: the actor neither sits on the team's board nor administers it.
        BadInput: no build, or no reason.
    """
    row = Team.objects.select_for_update().filter(slug=team).first()
    held = people.roles_held(actor, row) if row else frozenset()
    if row is None or not held:
        raise NotVisible(f"There is no team {team} in which you hold a role.", needs="Ask its administrators.")
    if not held & PINNERS:
        raise NotPermitted(
            f"The reference build of {row.name} is pinned by its board or its administrators.", needs="Ask one of them."
        )
    wellformed.require_text(build, "build", longest=BUILD, code="no_build")
    wellformed.require_text(reason, "reason", longest=2000, code="no_reason")
    made = ReferenceBuild.objects.create(
        team=row, build=build.strip(), reason=reason, by=actor, by_name=events.name_of(actor), at=timezone.now()
    )
    events.append(row, actor, "pin_reference", build=made.build, reason=reason)
    return made
