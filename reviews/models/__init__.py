"""All rows, one aspect a file."""

from reviews.models.appendonly import AppendOnly, WrittenOnce
from reviews.models.artifact import Artifact, Measurements, Parse, Recall, Redaction
from reviews.models.assessment import Assessment, AssessmentRequest
from reviews.models.comment import Comment, CommentReopening, CommentResolution, CommentVersion
from reviews.models.decision import Decision, DecisionPdf, FollowUp, FollowUpDone, Outcome
from reviews.models.delegation import Delegation, DelegationEnd
from reviews.models.event import AggregateKind, Event
from reviews.models.evidence import Attachment, Detachment, EvidenceSet
from reviews.models.idempotency import KeyedRequest
from reviews.models.job import Job
from reviews.models.memo import Memo, NumberSeries, Revision
from reviews.models.notification import Notification, NotificationPreference, Outbox, TeamChannel
from reviews.models.objection import ObjectionAnswer, ObjectionHearing, ObjectionResolution
from reviews.models.observation import Observation, ProductionEvent, Ratification
from reviews.models.passkey import Passkey, PasskeyRemoval
from reviews.models.plan import Plan, RunAccount
from reviews.models.provenance import ProvenanceStatement
from reviews.models.rollout import EventSource, StageAdvance
from reviews.models.rules import ReferenceBuild, TemplateActivation, TemplateDraft
from reviews.models.signature import Condition, ConditionClearance, Signature, SignatureWithdrawal
from reviews.models.team import Assignment, AssignmentEnd, Team, in_force
from reviews.models.template import MemoTemplate, TemplateVersion
from reviews.models.token import ApiToken
from reviews.models.trace import TraceComparison
from reviews.models.triage import Replay, ReplayStep, TriageMark
from reviews.models.waiver import Waiver, WaiverApproval

__all__ = [
    "AggregateKind",
    "ApiToken",
    "AppendOnly",
    "Artifact",
    "Assessment",
    "AssessmentRequest",
    "Assignment",
    "AssignmentEnd",
    "Attachment",
    "Comment",
    "CommentReopening",
    "CommentResolution",
    "CommentVersion",
    "Condition",
    "ConditionClearance",
    "Decision",
    "DecisionPdf",
    "Delegation",
    "DelegationEnd",
    "Detachment",
    "Event",
    "EventSource",
    "EvidenceSet",
    "FollowUp",
    "FollowUpDone",
    "Job",
    "KeyedRequest",
    "Measurements",
    "Memo",
    "MemoTemplate",
    "Notification",
    "NotificationPreference",
    "NumberSeries",
    "ObjectionAnswer",
    "ObjectionHearing",
    "ObjectionResolution",
    "Observation",
    "Outbox",
    "Outcome",
    "Parse",
    "Passkey",
    "PasskeyRemoval",
    "Plan",
    "ProductionEvent",
    "ProvenanceStatement",
    "Ratification",
    "Recall",
    "Redaction",
    "ReferenceBuild",
    "Replay",
    "ReplayStep",
    "Revision",
    "RunAccount",
    "Signature",
    "SignatureWithdrawal",
    "StageAdvance",
    "Team",
    "TeamChannel",
    "TemplateActivation",
    "TemplateDraft",
    "TemplateVersion",
    "TraceComparison",
    "TriageMark",
    "Waiver",
    "WaiverApproval",
    "WrittenOnce",
    "in_force",
]
