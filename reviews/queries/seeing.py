"""Who of some people sees a memo: `people.memos_visible_to` asked the other way round, in one query for each way."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from reviews.models import Assignment, Attachment, Comment, Decision, Delegation, Memo, Revision, Signature, in_force
from reviews.policies import visibility


def who_see(memo: Memo, names: Collection[str]) -> frozenset[str]:
    """Those of the user names whose account is active and who may see the memo now."""
    now = timezone.now()
    held = Assignment.objects.filter(in_force(now), team=memo.team_id).values("person")
    lent = Delegation.objects.filter(in_force(now), Q(memo=memo) | Q(memo__isnull=True, team=memo.team_id))
    deeds = (
        Revision.objects.filter(memo=memo).values("contributor"),
        Attachment.objects.filter(evidence_set__memo=memo).values("attached_by"),
        Signature.objects.filter(memo=memo).values("signer"),
        Comment.objects.filter(memo=memo).values("author"),
        Decision.objects.filter(memo=memo).values("decider"),
        lent.values("delegate"),
    )
    took_part = Q()
    for deed in deeds:
        took_part |= Q(pk__in=deed)
    found = User.objects.filter(username__in=names, is_active=True)
    of_team = set(found.filter(pk__in=held).values_list("username", flat=True))
    part = set(found.filter(took_part).values_list("username", flat=True))
    teams = {name: frozenset({memo.team.slug} if name in of_team else ()) for name in of_team | part}
    return frozenset(
        name for name, seen in teams.items() if visibility.sees(seen, team=memo.team.slug, took_part=name in part)
    )
