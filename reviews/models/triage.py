"""Triage: steps of the playbook that people marked, and replays with the run set of each of their steps."""

from django.conf import settings
from django.db import models
from django.db.models import UniqueConstraint

from reviews.models.appendonly import AppendOnly
from reviews.models.artifact import Artifact
from reviews.models.constraints import filled, positive
from reviews.models.evidence import EvidenceSet
from reviews.models.memo import Memo
from reviews.models.plan import Plan


class TriageMark(AppendOnly):
    """What a person says of a step of the playbook; the newest of a step counts. step: its text in the template.

    done: False takes an earlier mark back. artifact: the file that shows it, None for none.
    """

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="triage_marks")
    step = models.TextField()
    done = models.BooleanField()
    note = models.TextField()
    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="+", null=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("step", "note", "by_name")

    def __str__(self) -> str:
        return f"{'done' if self.done else 'open'}: {self.step}"


class Replay(AppendOnly):
    """A plan to run the same inputs on builds in their order: two are a replay, more are a bisection.

    effect: key of the comparison that it explains. builds: texts, the base first, the candidate last. inputs: what is
    the same in every run. condition: under which predictions are tested, "" for none. runs_each: of each arm in a step.
    """

    memo = models.ForeignKey(Memo, on_delete=models.PROTECT, related_name="replays")
    number = models.PositiveIntegerField()
    effect = models.CharField(max_length=64)
    builds = models.JSONField()
    inputs = models.TextField()
    condition = models.CharField(max_length=300, blank=True)
    runs_each = models.PositiveIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = (
            UniqueConstraint(fields=["memo", "number"], name="replay_is_one_per_number_of_a_memo"),
            positive("number"),
            positive("runs_each"),
            *filled("effect", "inputs", "by_name"),
        )

    def __str__(self) -> str:
        return f"Replay {self.number} of {self.memo}"

    @property
    def bisects(self) -> bool:
        """Whether builds lie between its ends."""
        return len(self.builds) > 2


class ReplayStep(AppendOnly):
    """One build of a replay run against its base, under a plan of its own, with a run set of its own.

    comparison: key of the memo's comparison that judges it.
    """

    replay = models.ForeignKey(Replay, on_delete=models.PROTECT, related_name="steps")
    build = models.CharField(max_length=200)
    comparison = models.CharField(max_length=64)
    plan = models.OneToOneField(Plan, on_delete=models.PROTECT, related_name="+")
    evidence_set = models.OneToOneField(EvidenceSet, on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("build", "comparison", "by_name")

    def __str__(self) -> str:
        return f"{self.build} in {self.replay}"
