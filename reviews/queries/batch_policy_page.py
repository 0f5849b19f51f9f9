"""What of the batch policy page stands in rows: the newest job, the open sets, the gate, and what the person may do."""

from dataclasses import dataclass
from typing import Any

import msgspec
from django.contrib.auth.models import User

from analysis.policy_table import PolicyTable, under_limit
from reviews.batch_policy import words
from reviews.models import Job, Memo
from reviews.policies import lifecycle
from reviews.policies.answers import Requirement
from reviews.queries import gate, people
from reviews.vocabulary import Action, DecisionKind, JobState, SetState, State

LIVE = (JobState.WAITING, JobState.RUNNING)
ARTIFACTS = "required_artifacts_are_attached"


@dataclass(frozen=True, slots=True)
class JobView:
    """The newest job of the memo's batch policy. tables: of its policy tables, in words; pack: SHA-256, or ""."""

    job: Job
    live: bool
    mine: bool
    tables: tuple[dict[str, Any], ...]
    pack: str


@dataclass(frozen=True, slots=True)
class BatchPolicyPage:
    """open_sets: (number, title). may_ask: simulate; may_attach: make the pack.

    gate: what the gate says of the artifacts that a ship needs, as the memo stands.
    """

    memo: Memo
    job: JobView | None
    gate: tuple[Requirement, ...]
    open_sets: tuple[tuple[int, str], ...]
    may_ask: bool
    may_attach: bool


def batch_policy_page(
    person: User, memo: Memo, limit: float | None = None, *, gate_too: bool = True
) -> BatchPolicyPage:
    """The page's rows. limit: of the p99 in seconds, under which the simulated policies are chosen anew.

    gate_too: the gate is asked; it does not follow the limits, so that a page that has its answer keeps it.
    """
    roles = people.roles_on(person, memo)
    allowed = lifecycle.allowed(State(memo.state), roles)
    job = Job.objects.filter(kind="batch_policy", subject_kind="memo", subject_id=memo.pk).order_by("-pk").first()
    open_sets = memo.evidence_sets.filter(state=SetState.OPEN).order_by("number").values_list("number", "title")
    return BatchPolicyPage(
        memo=memo,
        job=_view(job, person, limit) if job is not None else None,
        gate=_artifacts(memo) if gate_too else (),
        open_sets=tuple(open_sets),
        may_ask=bool(roles & lifecycle.WRITERS),
        may_attach=Action.ATTACH in allowed,
    )


def _artifacts(memo: Memo) -> tuple[Requirement, ...]:
    ship = next(one for one in gate.preview(memo.pk).outlooks if one.kind is DecisionKind.SHIP)
    return tuple(line for line in ship.requirements if line.rule == ARTIFACTS)


def _under(table: dict[str, Any], limit: float | None) -> dict[str, Any]:
    """A policy table of the job in words, chosen anew under the limit where its simulations were kept."""
    if limit is None or "table" not in table:
        return table
    found = under_limit(msgspec.convert(table["table"], PolicyTable), limit)
    heads, rows = words.policy_rows(found)
    return {**table, "heads": heads, "rows": rows, "said": list(words.policy_lines(found))}


def _view(job: Job, person: User, limit: float | None) -> JobView:
    found = job.result or {}
    live = job.state in LIVE
    tables, pack = tuple(_under(table, limit) for table in found.get("tables", ())), str(found.get("pack", ""))
    return JobView(job, live, live and job.requested_by_id == person.pk, tables, pack)
