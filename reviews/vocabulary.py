"""The words of the trade, each once. The same words stand in docs/glossary.md.

Values are what the database, the API and the dossier hold; labels are what people read.
"""

from typing import Final

from django.db.models import TextChoices


class Intent(TextChoices):
    """Why a memo exists."""

    REGRESSION = "regression", "regression"
    PLANNED_CHANGE = "planned_change", "planned change"
    QUALIFICATION = "qualification", "qualification"
    INCIDENT = "incident", "incident"


class State(TextChoices):
    """Where a memo stands."""

    DRAFT = "draft", "draft"
    IN_REVIEW = "in_review", "in review"
    ROLLING_OUT = "rolling_out", "rolling out"
    ESCALATED = "escalated", "escalated"
    SHIPPED = "shipped", "shipped"
    ROLLED_BACK = "rolled_back", "rolled back"
    CLOSED = "closed", "closed"
    WITHDRAWN = "withdrawn", "withdrawn"


class DecisionKind(TextChoices):
    """What a board can record."""

    SHIP = "ship", "ship"
    BOUNDED = "bounded", "bounded rollout"
    ROLLBACK = "rollback", "rollback"
    ESCALATE = "escalate", "escalate"


class StandingRole(TextChoices):
    """Roles that are not named by a template."""

    AUTHOR = "author", "author"
    CONTRIBUTOR = "contributor", "contributor"
    BOARD = "board", "review board"
    ESCALATION_OWNER = "escalation_owner", "escalation owner"
    ROLLBACK_OWNER = "rollback_owner", "rollback owner"
    AUDITOR = "auditor", "auditor"
    ADMINISTRATOR = "administrator", "administrator"


class Action(TextChoices):
    """What can be done to a memo: the rows of the lifecycle."""

    EDIT = "edit", "edit"
    OPEN_SET = "open_set", "open an evidence set"
    ATTACH = "attach", "attach evidence"
    SEAL = "seal", "seal an evidence set"
    COMMENT = "comment", "comment"
    RESOLVE_COMMENT = "resolve_comment", "resolve a comment"
    SUBMIT = "submit", "submit"
    RETURN = "return", "return to the author"
    SIGN = "sign", "sign"
    WITHDRAW_SIGNATURE = "withdraw_signature", "withdraw a signature"
    CLEAR_CONDITION = "clear_condition", "clear a condition"
    ANSWER_OBJECTION = "answer_objection", "answer an objection"
    RESOLVE_OBJECTION = "resolve_objection", "resolve an objection"
    WITHDRAW = "withdraw", "withdraw"
    SHIP = "ship", "ship"
    ROLL_OUT = "roll_out", "roll out"
    ADVANCE_STAGE = "advance_stage", "advance a stage"
    ROLL_BACK = "roll_back", "roll back"
    EMERGENCY_ROLLBACK = "emergency_rollback", "emergency rollback"
    ESCALATE = "escalate", "escalate"
    EXPIRE = "expire", "expire"
    OBSERVE = "observe", "observe"
    RECORD_OUTCOME = "record_outcome", "record the outcome"
    WAIVE = "waive", "waive"
    DELEGATE = "delegate", "delegate"
    RECALL = "recall", "recall"
    REDACT = "redact", "redact"


class Position(TextChoices):
    """What a signer says."""

    APPROVE = "approve", "approve"
    APPROVE_WITH_CONDITIONS = "approve_with_conditions", "approve with conditions"
    OBJECT = "object", "object"
    ABSTAIN = "abstain", "abstain"
    RECUSE = "recuse", "recuse"


class SectionName(TextChoices):
    """The sections of a revision, in the order of the page."""

    HEADER = "header", "header"
    SYMPTOM = "symptom", "symptom"
    CHANGE = "change", "change"
    HYPOTHESES = "hypotheses", "hypotheses"
    EVIDENCE = "evidence", "evidence"
    COMPARISONS = "comparisons", "comparisons"
    ACTION = "action", "action"
    ROLLOUT = "rollout", "rollout"
    SIGNOFF = "signoff", "signoff"


class RequirementState(TextChoices):
    """What a gate rule answers."""

    MET = "met", "met"
    UNMET = "unmet", "missing"
    WAIVED = "waived", "waived"
    ERROR = "error", "could not be checked"
    NOT_APPLICABLE = "not_applicable", "not applicable"


class MechanismClass(TextChoices):
    """Kinds of mechanism that a hypothesis can name."""

    COMPUTE = "compute", "compute"
    MEMORY = "memory", "memory"
    SCHEDULING = "scheduling", "scheduling"
    PRECISION = "precision", "precision"
    THERMAL = "thermal", "thermal"
    INPUT = "input", "input"
    COMMUNICATION = "communication", "communication"
    MAPPING = "mapping", "mapping / dataflow"
    LOAD_IMBALANCE = "load_imbalance", "load imbalance"
    CACHE = "cache", "cache"
    SPECULATION = "speculation", "speculation"
    HOST_OVERHEAD = "host_overhead", "host overhead"
    OTHER = "other", "other"


class ObservationWindow(TextChoices):
    """Which part of a run's life was observed."""

    STEADY = "steady", "steady state"
    STARTUP = "startup", "startup"
    CHECKPOINT = "checkpoint", "checkpoint"
    MIXED = "mixed", "mixed"


class HypothesisRank(TextChoices):
    """Exactly one hypothesis is primary."""

    PRIMARY = "primary", "primary"
    COMPETING = "competing", "competing"


class Bearing(TextChoices):
    """How a piece of evidence bears on a hypothesis."""

    FOR = "for", "for"
    AGAINST = "against", "against"
    NEUTRAL = "neutral", "neutral"


class Resolution(TextChoices):
    """What became of a hypothesis."""

    SUPPORTED = "supported", "supported"
    REFUTED = "refuted", "refuted"
    OPEN = "open", "open"


class Arm(TextChoices):
    """The two sides of a comparison."""

    BASELINE = "baseline", "baseline"
    CANDIDATE = "candidate", "candidate"


class EvidenceUse(TextChoices):
    """Motivating evidence raised the question; confirming evidence tests the answer."""

    MOTIVATING = "motivating", "motivating"
    CONFIRMING = "confirming", "confirming"


class ComparisonRole(TextChoices):
    """What a comparison is for the decision."""

    PRIMARY = "primary", "primary"
    GUARDRAIL = "guardrail", "guardrail"
    CLAIM = "claim", "claim"
    SCREENING = "screening", "screening"


class Purpose(TextChoices):
    """Why runs were made."""

    SYMPTOM = "symptom", "symptom"
    REPLAY = "replay", "replay"
    FIX_CHECK = "fix_check", "fix check"
    RECHECK = "recheck", "recheck"


class StageTimes(TextChoices):
    """What the times of stages are."""

    EXCLUSIVE = "exclusive", "exclusive of each other"
    CUMULATIVE = "cumulative", "cumulative, each with all before it"
    SUMMED = "summed", "exclusive, and their sum is the number of the run"


class Match(TextChoices):
    """How the arms are made comparable."""

    SAME_REQUESTS = "same_requests", "same requests"
    TRAFFIC_SPLIT = "traffic_split", "randomised traffic split"


class Scale(TextChoices):
    """On which scale a metric is compared."""

    RATIO = "ratio", "ratio"
    DIFFERENCE = "difference", "difference"
    PROPORTION = "proportion", "proportion"
    COUNT = "count", "count"


class Better(TextChoices):
    """In which direction a metric improves."""

    HIGHER = "higher", "higher is better"
    LOWER = "lower", "lower is better"


class RiskKind(TextChoices):
    """The four regression risks that an action must answer."""

    CORRECTNESS = "correctness", "correctness"
    QUALITY = "quality", "quality"
    THERMAL = "thermal", "thermal"
    SOFTWARE_COMPATIBILITY = "software_compatibility", "software compatibility"


class Source(TextChoices):
    """Where a stated value comes from."""

    FILE = "file", "file"
    CAPTURE = "capture", "capture"
    TYPED = "typed", "typed, not verified"


class SetState(TextChoices):
    """An evidence set is open while files arrive, and sealed once."""

    OPEN = "open", "open"
    SEALED = "sealed", "sealed"


class ParseState(TextChoices):
    """What became of reading an artifact."""

    PARSED = "parsed", "parsed"
    REFUSED = "refused", "refused"
    UNRECOGNISED = "unrecognised", "kept as plain attachment"


class JobState(TextChoices):
    """A job's row is the truth; the message is only a nudge."""

    WAITING = "waiting", "waiting"
    RUNNING = "running", "running"
    DONE = "done", "done"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"


class WaiverState(TextChoices):
    """A waiver counts only when approved and not yet expired."""

    REQUESTED = "requested", "requested"
    APPROVED = "approved", "approved"
    DECLINED = "declined", "declined"


class ProductionEventKind(TextChoices):
    """What happened in production."""

    DEPLOYED = "deployed", "deployed"
    ADVANCED = "advanced", "advanced"
    ROLLED_BACK = "rolled_back", "rolled back"


class AuditState(TextChoices):
    """What the work audit says of one setting."""

    SAME = "same", "same"
    DIFFERS_AS_DECLARED = "differs_as_declared", "differs as declared"
    DIFFERS = "differs", "differs"
    NOT_RECORDED = "not_recorded", "not recorded"


OPEN_STATES: Final = (State.DRAFT, State.IN_REVIEW, State.ROLLING_OUT, State.ESCALATED)
