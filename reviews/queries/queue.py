"""What waits for a person, why, and since when. Each rule looks through the open memos for one kind of waiting."""

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import chain
from operator import attrgetter
from typing import Final

from django.contrib.auth.models import User
from django.utils import timezone

from reviews.queries import queue_production as production
from reviews.queries import queue_signatures as signatures
from reviews.queries import queue_work as work
from reviews.queries.queue_items import QueueGroup, QueueItem
from reviews.queries.queue_rows import Waiting, waiting

Rule = Callable[[Waiting], Iterator[QueueItem]]

RULES: Final[tuple[tuple[str, tuple[Rule, ...]], ...]] = (
    (
        "In production",
        (production.thresholds_passed, production.rollbacks_to_ratify, production.live_without_authority),
    ),
    ("Recalled evidence", (production.recalled_evidence,)),
    ("Redacted evidence", (production.redacted_evidence,)),
    ("Objections to answer", (signatures.objections_to_answer,)),
    ("Escalated to you, or by your board", (work.escalations_to_answer,)),
    ("Overdue and running out", (work.follow_ups_owed, signatures.waivers_running_out, work.rollouts_ending)),
    ("Stages to begin", (production.stages_to_begin,)),
    ("Signed, and changed since", (signatures.signatures_gone_stale,)),
    ("Your signature is wanted", (signatures.signatures_wanted, signatures.signatures_lent)),
    ("Conditions to meet", (signatures.conditions_to_meet,)),
    ("Ready to decide", (signatures.ready_to_decide,)),
    ("Waivers to answer", (signatures.waivers_to_answer,)),
    (
        "Evidence",
        (work.evidence_missing, work.comparisons_without_runs, work.sets_left_open, work.explanations_to_accept),
    ),
    ("Your drafts", (work.drafts,)),
)


def queue_of(person: User, now: datetime | None = None) -> tuple[QueueGroup, ...]:
    """What waits for the person at `now`, by kind, the most pressing first; kinds without anything are left out."""
    seen = waiting(person, now or timezone.now())
    groups = (QueueGroup(title, _found(rules, seen)) for title, rules in RULES)
    return tuple(group for group in groups if group.items)


def _found(rules: tuple[Rule, ...], seen: Waiting) -> tuple[QueueItem, ...]:
    """The longest waiting first."""
    return tuple(sorted(chain.from_iterable(rule(seen) for rule in rules), key=attrgetter("since")))
