"""Plans, registered before the runs, and what became of the runs that were started under them."""

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, sha256
from reviews.models.memo import Memo
from reviews.models.team import Team


class Plan(AppendOnly):
    """What will be run and how it will be judged. content: JSON of `plan_content.PlanContent`; digest: of that JSON.

    nonce: goes into the metadata of the runs. memo: None while the plan waits for its memo.
    registered_at: when it was registered; witnessed: False when it was imported with a time that somebody states.
    """

    nonce = models.CharField(max_length=64, unique=True)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="plans")
    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="plans", null=True)
    title = models.CharField(max_length=300)
    content = models.JSONField()
    digest = models.CharField(max_length=64)
    witnessed = models.BooleanField()
    registered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    registered_by_name = models.CharField(max_length=200)
    registered_at = models.DateTimeField()
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = (
            *filled("nonce", "title", "registered_by_name"),
            sha256("digest"),
        )

    def __str__(self) -> str:
        return self.title


class RunAccount(AppendOnly):
    """Why a run that was started under a plan is not attached: what happened to it, said by a person."""

    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="accounts")
    run = models.CharField(max_length=300)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["plan", "run"], name="runaccount_is_one_per_run"),
            *filled("run", "reason", "by_name"),
        )

    def __str__(self) -> str:
        return f"{self.run} of {self.plan}"
