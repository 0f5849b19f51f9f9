"""Rollouts, permits, and what happens in production."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.after import NewProductionEvent, ProductionEventShape
from reviews.api.shapes.common import JsonObject, MissingShape, Shape


class PermitWanted(Shape):
    """What somebody wants to deploy."""

    image = serializers.CharField(max_length=300, help_text="sha256: and 64 digits, alone or after name@.")
    scope = serializers.CharField(max_length=300, help_text="Hosts or traffic, as the stage of the rollout names them.")
    percent = serializers.CharField(max_length=10, help_text="Of that scope, above 0 and at most 100.")


class PermitShape(serializers.Serializer[Any]):
    """permitted: by a decision that stands. memo: which; reasons: sentences, at least one."""

    permitted = serializers.BooleanField()
    memo = serializers.CharField(allow_blank=True)
    reasons = serializers.ListField(child=serializers.CharField())


class NewReport(NewProductionEvent):
    """A production event of a build whose memo is found by its digest."""

    team = serializers.CharField(
        max_length=80, required=False, default="", allow_blank=True,
        help_text="Whose build it is where no memo names it; needed only by who works for several teams.",
    )  # fmt: skip


class ReportedEvent(ProductionEventShape):
    """memo: the one that the event belongs to, null for none."""

    memo = serializers.CharField(source="memo.number", default=None, allow_null=True)
    team = serializers.CharField(source="team.slug", default=None, allow_null=True)
    ratified_by = serializers.CharField(source="ratification.by_name", default=None, allow_null=True)


class ThresholdShape(serializers.Serializer[Any]):
    """What one abort threshold says now. interval: null where there is none; balances: of each look."""

    comparison = serializers.CharField()
    metric = serializers.CharField()
    stat = serializers.CharField()
    limit = serializers.CharField()
    answer = serializers.ChoiceField(choices=("continue", "abort", "hold"))
    sentence = serializers.CharField()
    interval = JsonObject(allow_null=True)
    balances = serializers.ListField(child=JsonObject())


class RolloutShape(serializers.Serializer[Any]):
    """The latest bounded rollout as it was decided. answer: of all thresholds; missing: before the next stage."""

    decision = serializers.IntegerField(source="contract.decision")
    stands = serializers.CharField()
    stage = serializers.IntegerField(source="contract.stage")
    stage_began_at = serializers.DateTimeField(source="contract.stage_began_at")
    soaked_at = serializers.DateTimeField(source="contract.soaked_at")
    ends_at = serializers.DateTimeField(source="contract.ends_at")
    is_running = serializers.BooleanField()
    answer = serializers.ChoiceField(choices=("continue", "abort", "hold"))
    thresholds = ThresholdShape(many=True)
    missing = MissingShape(many=True, source="gaps")


class LiveShape(serializers.Serializer[Any]):
    memo = serializers.CharField(source="memo.number")
    ended_at = serializers.DateTimeField(source="live.ended_at")
    last_reported = serializers.CharField(source="live.last", allow_blank=True)


class UnknownShape(serializers.Serializer[Any]):
    """A deployment without a memo. named_since: the memos that name its image by now."""

    event = ReportedEvent()
    named_since = serializers.SerializerMethodField()

    def get_named_since(self, row: Any) -> list[str]:
        return [memo.number for memo in row.named_since]


class EmergencyShape(serializers.Serializer[Any]):
    team = serializers.CharField()
    decisions = serializers.IntegerField()
    open_follow_ups = serializers.IntegerField(source="open")
    overdue_follow_ups = serializers.IntegerField(source="overdue")


class DeploymentsShape(serializers.Serializer[Any]):
    """live: rollouts still live without authority. waiting: reported rollbacks that nobody has ratified."""

    live = LiveShape(many=True)
    waiting = ReportedEvent(many=True)
    unknown = UnknownShape(many=True)
    emergencies = EmergencyShape(many=True)
    events = ReportedEvent(many=True)


class NewEventSource(Shape):
    team = serializers.CharField(max_length=80)
    name = serializers.CharField(max_length=200)


class EventSourceShape(serializers.Serializer[Any]):
    """A webhook. path: where its deliveries go."""

    id = serializers.IntegerField()
    team = serializers.CharField(source="team.slug")
    name = serializers.CharField()
    path = serializers.SerializerMethodField()
    made_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)

    def get_path(self, row: Any) -> str:
        return f"/webhooks/production/{row.key}/"


class MadeEventSource(EventSourceShape):
    """secret: signs the deliveries; shown this once."""

    secret = serializers.CharField(allow_blank=True)
