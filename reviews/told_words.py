"""The words of being told, each once: why, by which way, and what became of a comment's place. See docs/glossary.md."""

from django.db.models import TextChoices


class Reason(TextChoices):
    """Why somebody is told."""

    SIGNATURE_WANTED = "signature_wanted", "your signature is asked for"
    SIGNATURE_STALE = "signature_stale", "what you signed has changed"
    OBJECTION = "objection", "an objection, and what is said to it"
    CONDITION = "condition", "a condition of an approval"
    WAIVER = "waiver", "a waiver that is asked for, answered or runs out"
    ESCALATION = "escalation", "a question that is escalated to you"
    DECISION = "decision", "a memo that is submitted, returned, withdrawn or decided"
    SIGNED = "signed", "a signature given or taken back"
    RECALL = "recall", "a file that was recalled or redacted"
    ROLLOUT = "rollout", "a rollout that ends, or what production reports"
    DELEGATION = "delegation", "a role that is delegated to you"
    MENTION = "mention", "somebody names you in a comment"
    COMMENT = "comment", "a comment on your memo or in your thread"


class MailWay(TextChoices):
    """When a mail is sent for a reason."""

    AT_ONCE = "at_once", "at once"
    DIGEST = "digest", "once a day, in one mail"
    NEVER = "never", "never"


class Channel(TextChoices):
    """By which way something leaves the house."""

    MAIL = "mail", "mail"
    WEBHOOK = "webhook", "webhook"
    SLACK = "slack", "Slack-compatible webhook"


class ChannelKind(TextChoices):
    """What kind of address a team is told at."""

    WEBHOOK = "webhook", "webhook"
    SLACK = "slack", "Slack-compatible webhook"


class Anchored(TextChoices):
    """What became of the text that a comment is about."""

    STANDS = "stands", "the text stands"
    CHANGED = "changed", "the text has changed since"
    OUTDATED = "outdated", "what it was about is gone"


def gap(requirement: str, subject: str = "") -> str:
    """What a waiver sets aside: “the symptom is complete: energy_per_request.mean”."""
    said = requirement.replace("_", " ")
    return f"“{said}: {subject}”" if subject else f"“{said}”"
