"""Shapes of the triage board."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from reviews.api.shapes.common import DIGEST, Lines, Shape
from reviews.api.shapes.planning import RankingOfMemoShape
from reviews.api.shapes.together import AttributionShape
from reviews.queries.replays import ReplayView
from reviews.services.triage import MOST_BUILDS, MOST_RUNS

STATES: Final = ("answered", "partly", "open")
STANDINGS: Final = ("as_the_base", "moved", "undecided")


class NewMark(Shape):
    step = serializers.IntegerField(min_value=1, max_value=10**6, help_text="Of the template's playbook, from 1.")
    done = serializers.BooleanField(default=True, help_text="false takes an earlier mark back.")
    note = Lines(max_length=2000, help_text="What answers the step.")
    artifact = serializers.RegexField(
        DIGEST, required=False, allow_blank=True, default="", help_text="A file of the memo that shows it."
    )


class NewReplay(Shape):
    effect = serializers.CharField(max_length=64, help_text="Key of the comparison that it explains.")
    builds = serializers.ListField(
        child=serializers.CharField(max_length=200),
        min_length=2,
        max_length=MOST_BUILDS,
        help_text="In their order, the base first, the candidate last. Two are a replay, more a bisection.",
    )
    inputs = Lines(max_length=2000, help_text="What is the same in every run.")
    condition = serializers.CharField(
        max_length=200,
        required=False,
        allow_blank=True,
        default="",
        help_text="Under which a replay runs; predictions under it are registered with its runs.",
    )
    runs_each = serializers.IntegerField(min_value=2, max_value=MOST_RUNS, help_text="Of each arm in a step.")


class BeginStep(Shape):
    build = serializers.CharField(max_length=200)


class RecordShape(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=["comparison", "hypothesis", "section", "traces"])
    ref = serializers.CharField(help_text="Key of a comparison or hypothesis, name of a section, number of a set.")
    said = serializers.CharField()


class PartShape(serializers.Serializer[Any]):
    asks = serializers.CharField(help_text="What the step asks for.")
    records = RecordShape(many=True, help_text="What shows it; empty while nothing does.")


class MarkShape(serializers.Serializer[Any]):
    step = serializers.CharField(help_text="Its text in the template.")
    done = serializers.BooleanField()
    note = serializers.CharField()
    artifact = serializers.SerializerMethodField()
    by = serializers.CharField(source="by_name")
    at = serializers.DateTimeField()

    @extend_schema_field({"type": "string"})
    def get_artifact(self, mark: Any) -> str:
        """The digest of its file, "" without one."""
        return mark.artifact.sha256 if mark.artifact else ""


class PlaybookStepShape(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    text = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES, help_text="By the records of the memo alone.")
    parts = PartShape(many=True, help_text="Empty for a step that only a person can answer.")
    marks = MarkShape(many=True, help_text="The newest first; it counts.")


class JudgedCellShape(serializers.Serializer[Any]):
    comparison = serializers.CharField()
    outcome = serializers.CharField()
    post_hoc = serializers.BooleanField()


class PredictedEndsShape(serializers.Serializer[Any]):
    key = serializers.CharField()
    low = serializers.CharField(allow_blank=True)
    high = serializers.CharField(allow_blank=True)
    plan = serializers.CharField(allow_blank=True, help_text='Nonce of the plan that registered it, "" for none.')


class CellShape(serializers.Serializer[Any]):
    hypothesis = serializers.CharField()
    predictions = PredictedEndsShape(many=True)
    judged = JudgedCellShape(many=True)


class MatrixLineShape(serializers.Serializer[Any]):
    metric = serializers.CharField()
    stat = serializers.CharField()
    condition = serializers.CharField(allow_blank=True)
    cells = CellShape(many=True, help_text="One for each hypothesis.")
    observed = serializers.SerializerMethodField()

    @extend_schema_field({"type": "object", "additionalProperties": {"type": "string"}})
    def get_observed(self, line: Any) -> dict[str, str]:
        """Comparison -> its interval in numbers."""
        return dict(line.observed)


class UnsettledShape(serializers.Serializer[Any]):
    comparison = serializers.CharField()
    about = serializers.CharField(help_text='"verdict", or the prediction: "P1 of H1".')
    said = serializers.CharField()
    needs = serializers.ListField(child=serializers.CharField(), help_text="What would settle it.")


class BisectionShape(serializers.Serializer[Any]):
    after = serializers.CharField(help_text="The last build that is as the base within the margin.")
    upto = serializers.CharField(help_text="The first that is beyond it.")
    left = serializers.ListField(child=serializers.CharField(), help_text="The effect begins at one of them.")
    next = serializers.CharField(allow_null=True, help_text="The build to run against the base.")
    again = serializers.BooleanField(help_text="It was run, and is undecided.")
    located = serializers.BooleanField()
    steps_most = serializers.IntegerField()
    steps_expected = serializers.FloatField()
    runs_most = serializers.IntegerField()
    runs_expected = serializers.FloatField()
    wrong_at_most = serializers.FloatField(help_text="The chance that any step is judged wrongly.")
    sentence = serializers.CharField()


class StepBegunShape(serializers.Serializer[Any]):
    """A step. Its runs go into the set, and name the plan."""

    build = serializers.CharField()
    comparison = serializers.CharField()
    evidence_set = serializers.IntegerField(source="evidence_set.number")
    plan = serializers.CharField(source="plan.nonce")
    by = serializers.CharField(source="by_name")
    at = serializers.DateTimeField()


class ReplayStepShape(serializers.Serializer[Any]):
    build = serializers.CharField(source="row.build")
    comparison = serializers.CharField(source="row.comparison")
    evidence_set = serializers.IntegerField(source="row.evidence_set.number")
    plan = serializers.CharField(source="row.plan.nonce")
    standing = serializers.ChoiceField(choices=STANDINGS, allow_null=True, help_text="null while it is not computed.")
    said = serializers.CharField()


class ReplayShape(serializers.Serializer[Any]):
    """A replay, or a bisection. bisection: null for two builds, and where `refused` says why there is none."""

    number = serializers.IntegerField(source="row.number")
    effect = serializers.CharField(source="row.effect")
    builds = serializers.ListField(source="row.builds", child=serializers.CharField())
    inputs = serializers.CharField(source="row.inputs")
    condition = serializers.CharField(source="row.condition", allow_blank=True)
    runs_each = serializers.IntegerField(source="row.runs_each")
    runs_advised = serializers.IntegerField(
        allow_null=True, help_text="Of each arm: they decide a step with a chance of 80 %."
    )
    minutes_expected = serializers.FloatField(allow_null=True)
    steps = ReplayStepShape(many=True)
    bisection = BisectionShape(allow_null=True)
    refused = serializers.SerializerMethodField()
    by = serializers.CharField(source="row.by_name")
    at = serializers.DateTimeField(source="row.at")

    @extend_schema_field({"type": "string"})
    def get_refused(self, view: ReplayView) -> str:
        """Why no place can be told, with the code; "" where one can."""
        return "" if view.refused is None else f"{view.refused} [{view.refused.code}]"


class TriageShape(serializers.Serializer[Any]):
    """The triage board. next: an order of work to be done, and no evidence."""

    playbook = PlaybookStepShape(source="steps", many=True)
    matrix = MatrixLineShape(source="matrix.lines", many=True, help_text="The measurement that tells most first.")
    next_measurement = RankingOfMemoShape(source="next")
    unsettled = UnsettledShape(many=True)
    replays = ReplayShape(many=True, help_text="The newest first.")
    attribution = AttributionShape(source="attributed")
