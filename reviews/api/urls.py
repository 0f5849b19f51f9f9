"""The addresses of the API, under /api/v1/."""

from typing import Final

from django.urls import URLPattern, URLResolver, path, re_path, register_converter
from django.urls.converters import StringConverter
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView

from reviews.api.views import (
    account,
    after,
    batch_policy,
    bounds,
    comments,
    comparisons,
    evidence,
    fairness,
    memos,
    notifications,
    people,
    planner,
    planning,
    rollouts,
    rules,
    sampling,
    signoff,
    tail_drivers,
    texts,
    traces,
    triage,
)
from reviews.vocabulary import DecisionKind


class MemoNumber(StringConverter):
    regex = r"[A-Z]{2,5}-\d{4}-\d{4,9}"


class Digest(StringConverter):
    regex = "[0-9a-f]{64}"


class Key(StringConverter):
    regex = "[A-Za-z0-9_.-]{1,64}"


class Kind(StringConverter):
    regex = "|".join(DecisionKind.values)


for name, converter in (("memo", MemoNumber), ("sha256", Digest), ("key", Key), ("decision", Kind)):
    register_converter(converter, name)

ONE: Final = "memos/<memo:number>/"
COMPARISON: Final = f"{ONE}comparisons/<key:key>/"
SET: Final = f"{ONE}evidence-sets/<int:evidence_set>/"
PLAN: Final = f"{ONE}plans/<key:nonce>/"
DECISION: Final = f"{ONE}decisions/<int:decision>/"
WAIVER: Final = f"{ONE}waivers/<int:waiver>/"
FILE: Final = "artifacts/<sha256:sha256>/"

Schema = extend_schema(exclude=True)(SpectacularAPIView)

app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = [
    path("schema/", Schema.as_view(), name="schema"),
    path("me/", account.Me.as_view()),
    path("tokens/", account.Tokens.as_view()),
    path("tokens/<int:token>/", account.OneToken.as_view()),
    path("jobs/<int:job>/", account.OneJob.as_view()),
    path("jobs/<int:job>/cancel/", account.CancelJob.as_view()),
    path("templates/", texts.Templates.as_view()),
    path("templates/<slug:slug>/", texts.OneTemplate.as_view()),
    path("templates/<slug:slug>/versions/<int:version>/", texts.OneTemplateVersion.as_view()),
    path("templates/<slug:slug>/drafts/", rules.Drafts.as_view()),
    path("templates/drafts/<int:draft>/", rules.OneDraft.as_view()),
    path("templates/drafts/<int:draft>/activate/", rules.DraftActivation.as_view()),
    path("teams/<slug:team>/reference-builds/", rules.ReferenceBuilds.as_view()),
    path("memo-text/check", texts.TextCheck.as_view()),
    path("artifacts/", evidence.Artifacts.as_view()),
    path(FILE, evidence.OneArtifact.as_view()),
    path(f"{FILE}content/", evidence.ArtifactContent.as_view()),
    path(f"{FILE}format/", evidence.ArtifactFormat.as_view()),
    path(f"{FILE}recalls/", rollouts.Recalls.as_view()),
    path(f"{FILE}redactions/", rollouts.Redactions.as_view()),
    path("memos/", memos.Memos.as_view()),
    path(ONE, memos.OneMemo.as_view()),
    path(f"{ONE}text/", memos.MemoText.as_view()),
    path(f"{ONE}submit/", memos.Submit.as_view()),
    path(f"{ONE}return/", memos.Return.as_view()),
    path(f"{ONE}withdraw/", memos.Withdraw.as_view()),
    path(f"{ONE}revisions/", texts.Revisions.as_view()),
    path(f"{ONE}revisions/<int:revision>/", texts.OneRevision.as_view()),
    path(f"{ONE}difference/", texts.Difference.as_view()),
    path(f"{ONE}plans/", evidence.Plans.as_view()),
    path(PLAN, evidence.OnePlan.as_view()),
    path(f"{PLAN}run-accounts/", evidence.RunAccounts.as_view()),
    path(f"{ONE}evidence-sets/", evidence.EvidenceSets.as_view()),
    path(SET, evidence.OneEvidenceSet.as_view()),
    path(f"{SET}attachments/", evidence.Attachments.as_view()),
    path(f"{SET}seal/", evidence.Seal.as_view()),
    path(f"{SET}seal/stale-after/", people.StaleAfterSeal.as_view()),
    path(f"{ONE}hypotheses/", comparisons.Hypotheses.as_view()),
    path(f"{ONE}hypotheses/<key:hypothesis>/resolution/", comparisons.HypothesisResolutions.as_view()),
    path(f"{ONE}comparisons/", comparisons.Comparisons.as_view()),
    path(COMPARISON, comparisons.OneComparison.as_view()),
    path(f"{COMPARISON}compute/", comparisons.Compute.as_view()),
    path(f"{COMPARISON}compute/stale-after/", people.StaleAfterCompute.as_view()),
    path(f"{COMPARISON}explanations/", comparisons.Explanations.as_view()),
    path(f"{COMPARISON}explanations/stale-after/", people.StaleAfterExplanation.as_view()),
    path(f"{COMPARISON}explanations/accept/", comparisons.Acceptance.as_view()),
    path(f"{COMPARISON}statements/", comparisons.Statements.as_view()),
    path(f"{COMPARISON}absence/", comparisons.Absence.as_view()),
    path(f"{ONE}together/", comparisons.Together.as_view()),
    path(f"{ONE}assessments/<sha256:digest>/", comparisons.OneAssessment.as_view()),
    path(f"{ONE}traces/", traces.Traces.as_view()),
    path(f"{ONE}traces/<int:evidence_set>/", traces.OneSet.as_view()),
    path(f"{ONE}next-measurement/", planning.NextOfMemo.as_view()),
    path(f"{ONE}triage/", triage.Triage.as_view()),
    path(f"{ONE}triage/marks/", triage.Marks.as_view()),
    path(f"{ONE}replays/", triage.Replays.as_view()),
    path(f"{ONE}replays/<int:replay>/steps/", triage.ReplaySteps.as_view()),
    path(f"{ONE}fairness/", fairness.Fairness.as_view()),
    path(f"{ONE}tail-drivers/", tail_drivers.TailDrivers.as_view()),
    path(f"{ONE}batch-policy/", batch_policy.BatchPolicy.as_view()),
    path(f"{ONE}gate/", comparisons.Gate.as_view()),
    path(f"{ONE}gate/<decision:kind>/", comparisons.GateOfOne.as_view()),
    path(f"{ONE}signatures/", signoff.Signatures.as_view()),
    path(f"{ONE}stale-after/", people.StaleAfter.as_view()),
    path(f"{ONE}who-may/", people.WhoMay.as_view()),
    path(f"{ONE}objections/", people.Objections.as_view()),
    path(f"{ONE}objections/<int:objection>/answers/", people.ObjectionAnswers.as_view()),
    path(f"{ONE}delegations/", people.Delegations.as_view()),
    path(f"{ONE}delegations/<int:delegation>/end/", people.DelegationEnds.as_view()),
    path(f"{ONE}decisions/", signoff.Decisions.as_view()),
    path(DECISION, signoff.OneDecision.as_view()),
    path(f"{DECISION}dossier/", signoff.Dossier.as_view()),
    path(f"{DECISION}pdf/", signoff.Pdf.as_view()),
    path(f"{ONE}waivers/", signoff.Waivers.as_view()),
    path(f"{WAIVER}approval/", signoff.Approval.as_view()),
    path(f"{WAIVER}decline/", signoff.Decline.as_view()),
    path(f"{ONE}comments/", comments.Comments.as_view()),
    path(f"{ONE}comments/<int:comment>/", comments.OneComment.as_view()),
    path(f"{ONE}comments/<int:comment>/resolve/", comments.Resolve.as_view()),
    path(f"{ONE}comments/<int:comment>/reopen/", comments.Reopen.as_view()),
    path(f"{ONE}observations/", after.Observations.as_view()),
    path(f"{ONE}rechecks/", after.Rechecks.as_view()),
    path(f"{ONE}production-events/", after.ProductionEvents.as_view()),
    path(f"{ONE}rollout/", rollouts.OfMemo.as_view()),
    path(f"{ONE}outcomes/", after.Outcomes.as_view()),
    path(f"{ONE}trail/", after.Trail.as_view()),
    path("notifications/", notifications.Notifications.as_view()),
    path("notifications/read/", notifications.ReadNotifications.as_view()),
    path("notification-preferences/", notifications.Preferences.as_view()),
    path("channels/", notifications.Channels.as_view()),
    path("channels/<int:channel>/", notifications.OneChannel.as_view()),
    path("channels/<int:channel>/deliveries/", notifications.Deliveries.as_view()),
    path("permit/", rollouts.Permit.as_view()),
    path("production-events/", rollouts.ProductionEvents.as_view()),
    path("deployments/", rollouts.Deployments.as_view()),
    path("event-sources/", rollouts.EventSources.as_view()),
    path("event-sources/<int:source>/", rollouts.OneEventSource.as_view()),
    path("planner/", planner.Planner.as_view()),
    path("sampling-lab/", sampling.Lab.as_view()),
    path("bounds/ratio/", bounds.Ratio.as_view()),
    path("bounds/histogram-quantile/", bounds.HistogramQuantile.as_view()),
    path("comparison-of-summaries/", planning.Summaries.as_view()),
    path("next-measurement/", planning.NextMeasurement.as_view()),
    re_path(r"^.*$", extend_schema(exclude=True)(account.Nowhere).as_view()),
]
