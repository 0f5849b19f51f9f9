"""What was seen and done after a decision, the trail, jobs, tokens and the asker."""

from typing import Any

from rest_framework import serializers

from reviews.api.shapes.common import DIGEST, JsonObject, Lines, Shape
from reviews.api.shapes.evidence import NewAttachment
from reviews.services.tokens import SCOPES
from reviews.vocabulary import JobState, ProductionEventKind


class NewObservation(Shape):
    text = Lines()
    assessment = serializers.RegexField(DIGEST, required=False, default="", help_text="Digest of one of this memo.")


class ObservationShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    text = serializers.CharField()
    decision = serializers.IntegerField(source="decision.number", default=None, allow_null=True)
    assessment = serializers.CharField(source="assessment.digest", default="", allow_blank=True)
    observed_by = serializers.CharField(source="observed_by_name")
    observed_at = serializers.DateTimeField()


class RecheckFile(NewAttachment):
    """A file that was sent before, with its labels."""


class NewRecheck(Shape):
    """A comparison repeated in ordinary execution after the decision."""

    comparison = serializers.CharField(max_length=64, help_text="Its key.")
    title = serializers.CharField(max_length=300)
    text = Lines(help_text="How it was run.")
    files = RecheckFile(many=True, allow_empty=False)
    share_percent = serializers.CharField(
        max_length=10, required=False, default="", allow_blank=True,
        help_text="During a rollout: the share of the observed traffic meant for the candidate; else the stage's.",
    )  # fmt: skip


class NewProductionEvent(Shape):
    kind = serializers.ChoiceField(choices=ProductionEventKind.choices)
    build = serializers.CharField(max_length=300, help_text="An image digest, for example.")
    scope = serializers.CharField(max_length=300, required=False, default="", allow_blank=True)
    scope_percent = serializers.CharField(max_length=10, required=False, default="", allow_blank=True)
    text = Lines(required=False, default="", allow_blank=True)
    happened_at = serializers.DateTimeField()
    event_id = serializers.CharField(
        max_length=200, required=False, default="", allow_blank=True,
        help_text="Your own name for the event: reported again under it, it is kept once.",
    )  # fmt: skip


class ProductionEventShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=ProductionEventKind.choices)
    build = serializers.CharField()
    scope = serializers.CharField(allow_blank=True)
    scope_percent = serializers.DecimalField(max_digits=7, decimal_places=4, allow_null=True)
    text = serializers.CharField(allow_blank=True)
    reported_by = serializers.CharField(source="reported_by_name")
    happened_at = serializers.DateTimeField()
    recorded_at = serializers.DateTimeField()


class NewOutcome(Shape):
    text = Lines(help_text="What came of it in ordinary execution.")


class OutcomeShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    decision = serializers.IntegerField(source="decision.number")
    text = serializers.CharField()
    assessments = serializers.ListField(child=serializers.CharField())
    movements = serializers.ListField(child=JsonObject())
    recorded_by = serializers.CharField(source="recorded_by_name")
    recorded_at = serializers.DateTimeField()


class EventShape(serializers.Serializer[Any]):
    sequence = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = serializers.CharField(source="actor_name")
    action = serializers.CharField()
    detail = JsonObject()
    previous_hash = serializers.CharField()
    hash = serializers.CharField()


class ChainFault(serializers.Serializer[Any]):
    sequence = serializers.IntegerField()
    sentence = serializers.CharField()


class TrailShape(serializers.Serializer[Any]):
    """Every event, the first first; whole: each follows the one before it and is what was written."""

    whole = serializers.BooleanField()
    faults = ChainFault(many=True)
    head = serializers.CharField()
    events = EventShape(many=True)


class JobShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    state = serializers.ChoiceField(choices=JobState.choices)
    progress_done = serializers.IntegerField()
    progress_total = serializers.IntegerField()
    progress_text = serializers.CharField(allow_blank=True)
    attempt = serializers.IntegerField()
    reason = serializers.CharField(allow_blank=True)
    cancel_requested = serializers.BooleanField()
    result = serializers.JSONField(help_text="What came of it, in the words of the kind of job.")
    requested_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class NewToken(Shape):
    name = serializers.CharField(max_length=200)
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES), min_length=1)
    expires_at = serializers.DateTimeField()


class TokenShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    start = serializers.CharField(help_text="The first characters, to tell tokens apart.")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES))
    issued_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)


class IssuedToken(TokenShape):
    """secret: shown this once and not kept."""

    secret = serializers.CharField(allow_blank=True)


class MeShape(serializers.Serializer[Any]):
    """Who asks. scopes: of the token, null for a person with a session; roles: by team."""

    username = serializers.CharField()
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField(), allow_null=True)
    roles = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))
