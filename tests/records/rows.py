"""Bare rows for the tests of the records. Tests of services make memos through services."""

from datetime import timedelta

from reviews.models import Artifact, Memo, MemoTemplate, Revision, TemplateVersion
from reviews.vocabulary import Intent, State
from tests.cast import LONG_AGO, a_person, a_team

DIGEST = "a" * 64
LATER = LONG_AGO + timedelta(days=30)


def a_template_version(version: int = 1) -> TemplateVersion:
    template = MemoTemplate.objects.get_or_create(slug="t", defaults={"title": "T", "created_at": LONG_AGO})[0]
    return TemplateVersion.objects.create(
        template=template, version=version, content={}, digest=DIGEST, rules_version="1", published_at=LONG_AGO
    )


def a_memo(number: str = "ARM-2026-0001") -> Memo:
    """The memo of that number, made when it is asked for first."""
    if standing := Memo.objects.filter(number=number).first():
        return standing
    version = TemplateVersion.objects.first() or a_template_version()
    return Memo.objects.create(
        number=number,
        title="Larger batches",
        team=a_team(),
        template_version=version,
        intent=Intent.PLANNED_CHANGE,
        state=State.DRAFT,
        created_by=a_person("ann"),
        created_at=LONG_AGO,
    )


def a_revision(memo: Memo, number: int = 1) -> Revision:
    if standing := memo.revisions.filter(number=number).first():
        return standing
    return Revision.objects.create(
        memo=memo,
        number=number,
        sections={},
        section_digests={},
        digest=DIGEST,
        contributor=a_person("ann"),
        contributor_name="Ann",
        said="first text",
        created_at=LONG_AGO,
    )


def an_artifact(sha256: str = DIGEST) -> Artifact:
    if standing := Artifact.objects.filter(sha256=sha256).first():
        return standing
    return Artifact.objects.create(
        sha256=sha256,
        name="run.json",
        size=2,
        sniffed_type="application/json",
        provenance={},
        taken_in_by=a_person("sam"),
        taken_in_by_name="Sam",
        taken_in_at=LONG_AGO,
    )
