"""Deeds that several tests of services need: signing, revising a section, sealing runs, impossible states."""

import json
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from reviews.authentication import Authentication
from reviews.errors import Refusal
from reviews.memo_text import shipped
from reviews.models import Artifact, EvidenceSet, Memo, Revision, Signature, TemplateVersion, guards
from reviews.queries import rules_page
from reviews.sections import MemoContent
from reviews.services import assessments, evidence, memos, parsing, revisions, signatures, templates
from reviews.services.evidence import Labels
from reviews.services.signatures import ConditionWish, SignatureWish
from reviews.template_content import TemplateContent, template_to_json
from reviews.vocabulary import State
from tests import cases, cast

RUN = Labels(
    kind="benchmark_run", arm="baseline", run="", block="", placement="", placement_source="", use="confirming",
    excluded="",
)  # fmt: skip


@contextmanager
def refused(kind: type[Refusal], code: str = "", where: str = "") -> Any:
    """What is done inside is refused so, with a message and, when asked for, that code and place."""
    with pytest.raises(Refusal) as caught:
        yield caught
    refusal = caught.value
    assert type(refusal) is kind, refusal
    assert refusal.message
    assert code in ("", refusal.code), refusal.code
    assert where in ("", refusal.where), refusal.where


def content(memo: Memo) -> MemoContent:
    """The records of the current revision."""
    return revisions.content_of(revisions.current(cases.again(memo)))


def revise(memo: Memo, sections: Mapping[str, Any], *, name: str = "ann") -> Revision:
    """A revision by `name`, made from the current one."""
    return memos.revise(
        actor=cases.person(name), memo_id=memo.pk, base=cases.base_of(memo), sections=sections, said="Changed."
    )


def sections_of(memo: Memo) -> dict[str, Any]:
    """The sections of the current revision as JSON, to be changed."""
    revision = cases.again(memo).current_revision
    assert revision is not None
    return json.loads(json.dumps(revision.sections))  # type: ignore[no-any-return]


def operator(name: str = "opal") -> User:
    """A person who operates the installation."""
    person = cast.a_person(name)
    person.is_superuser = True
    person.save()
    return person


def publish(content: TemplateContent) -> TemplateVersion:
    """The next version of the template, drafted by one operator and activated by another, who saw its replay."""
    row = templates.draft(
        actor=operator(), slug=content.slug, content=template_to_json(content), reason="For this test."
    )
    seen = rules_page.replay_of(row).digest
    return templates.activate(actor=operator("otto"), draft_id=row.pk, replay=seen, reason="It was replayed.")


def published_with_limit(slo: str) -> None:
    """The next version of the usual template, whose throughput has that limit; memos filed from now on have it."""
    cases.set_up()
    usual = next(one for one in shipped.templates() if one.slug == cases.TEMPLATE)
    metrics = tuple(replace(m, slo=slo) if m.metric == "throughput" else m for m in usual.metrics)
    publish(replace(usual, metrics=metrics))


def more_blocks(start: datetime, runs: cases.Runs = cases.AS_MEASURED) -> bytes:
    """Six blocks, b1 to b6: the usual three, and three of those runs."""
    documents = [json.loads(cases.runs_file(one, start)) for one in (cases.AS_MEASURED, runs)]
    for run in documents[1]["runs"]:
        run["run"] = f"b{int(run['run'][1]) + 3}{run['run'][2:]}"
    return json.dumps({**documents[0], "runs": [run for one in documents for run in one["runs"]]}).encode()


def put_into(memo: Memo, state: State) -> None:
    """The memo in a state that it has not come to by a deed: behind the back of the guards."""
    guards.remove(connection)
    Memo.objects.filter(pk=memo.pk).update(state=state)
    guards.install(connection)


def wish(role: str, position: str = "approve", **special: Any) -> SignatureWish:
    """A wish to approve a bounded rollout to 10 %, with what is special."""
    usual = SignatureWish(
        role=role, position=position, kinds=("bounded",), scope_percent="10", text="", would_clear_if="", conditions=()
    )
    return replace(usual, **special)


def waits(*texts: str) -> tuple[ConditionWish, ...]:
    """Conditions with those texts, which Sam sees to."""
    return tuple(ConditionWish(text=text, owner="sam", proof="A week of the dashboard.") for text in texts)


def sign(memo: Memo, name: str, wanted: SignatureWish) -> Signature:
    """Signed on the current revision, with a fresh proof."""
    return signatures.sign(
        actor=cases.person(name), memo_id=memo.pk, base=cases.base_of(memo), wish=wanted, authentication=cases.proof()
    ).signature


def sign_all(memo: Memo, kinds: tuple[str, ...], *, scope: str = "") -> None:
    """All four owners approve those decisions."""
    for name, role in cases.OWNERS.items():
        sign(memo, name, wish(role, kinds=kinds, scope_percent=scope))


def old_proof() -> Authentication:
    """A password given too long ago."""
    return Authentication(method="password", at=timezone.now() - timedelta(seconds=301))


def file_of(content: bytes, name: str = "runs.json", *, read: bool = True) -> Artifact:
    """The artifact, read unless said otherwise."""
    artifact = evidence.take_in(actor=cases.person("sam"), name=name, chunks=[content], provenance={})
    if read:
        parsing.parse(artifact, asked="")
    return artifact


def open_set(memo: Memo, *, plan: str | None = None, title: str = "Runs") -> EvidenceSet:
    """An open set of Sam's, under the memo's plan unless said otherwise."""
    nonce = f"plan-of-{memo.number}" if plan is None else plan
    return evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title=title, plan=nonce)


def attach(row: EvidenceSet, artifact: Artifact, *labels: Labels) -> None:
    """The artifact in the set, once for each of the labels."""
    for one in labels:
        evidence.attach(actor=cases.person("sam"), set_id=row.pk, artifact=artifact.sha256, labels=one, token=None)


def arms(blocks: Iterable[str] = cases.BLOCKS, **special: str) -> tuple[Labels, ...]:
    """The labels of the runs that `cases.runs_file` makes."""
    return tuple(
        replace(RUN, arm=arm, run=f"{block}-{arm}", block=block, **special)
        for block in blocks
        for arm in ("baseline", "candidate")
    )


def on_hosts(hosts: Mapping[str, str], runs: cases.Runs = cases.AS_MEASURED, start: datetime | None = None) -> bytes:
    """The runs of the cases, each block on a host of its own. hosts: block -> host."""
    document = json.loads(cases.runs_file(runs, start or timezone.now() - timedelta(hours=1)))
    for run in document["runs"]:
        run["identity"]["host"] = hosts[run["run"].partition("-")[0]]
    return json.dumps(document).encode()


def sealed(memo: Memo, data: bytes, *labels: Labels, name: str = "runs.json") -> EvidenceSet:
    """A sealed set that holds the file with those labels, all arms and blocks unless said otherwise."""
    row = open_set(memo)
    attach(row, file_of(data, name), *(labels or arms()))
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    row.refresh_from_db()
    return row


def compute(memo: Memo, comparison: str = "C1") -> Any:
    """The assessment, computed by Sam."""
    return assessments.compute(actor=cases.person("sam"), memo_id=memo.pk, comparison=comparison)
