"""A version is drafted by one, replayed over the past, and activated by another; it never changes, and is a gate."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from reviews.errors import BadInput, NotPermitted, NotVisible, StalePage, WrongState
from reviews.memo_text import shipped
from reviews.models import TemplateActivation, TemplateDraft, TemplateVersion
from reviews.models.appendonly import WrittenOnce
from reviews.models.authority import OnlyByService
from reviews.queries import rules_page
from reviews.services import events, memos, templates
from reviews.template_content import DecisionRules, TemplateContent, TemplateMetric, template_to_json
from tests import cases, cast
from tests.kept import built_anew
from tests.services.deeds import operator, publish, refused

pytestmark = pytest.mark.django_db
SHIPPED = shipped.templates()[0]
SHIP, ROLLBACK = SHIPPED.decisions["ship"], SHIPPED.decisions["rollback"]
NEXT = SHIPPED.version + 1
STRICT = replace(SHIPPED, evidence_days=30)


def rules(**special: DecisionRules) -> TemplateContent:
    return replace(SHIPPED, decisions={**SHIPPED.decisions, **special})


def with_margin(margin: str) -> TemplateContent:
    metric: TemplateMetric = replace(SHIPPED.metrics[0], margin=margin)
    return replace(SHIPPED, metrics=(metric,))


def with_limit(slo: str) -> TemplateContent:
    return replace(SHIPPED, metrics=(replace(SHIPPED.metrics[0], slo=slo),))


def drafted(template: TemplateContent = STRICT, **special: Any) -> TemplateDraft:
    said = {"actor": operator(), "slug": template.slug, "content": template_to_json(template), "reason": "Fresher."}
    return templates.draft(**{**said, **special})


def activated(row: TemplateDraft, **special: Any) -> TemplateVersion:
    said = {
        "actor": operator("otto"),
        "draft_id": row.pk,
        "replay": rules_page.replay_of(row).digest,
        "reason": "Seen.",
    }
    return templates.activate(**{**said, **special})


def test_what_is_shipped_is_there_once() -> None:
    first = templates.ship()

    assert templates.ship() == first
    assert {version.published_by for version in first} == {None}
    assert TemplateVersion.objects.count() == len(shipped.templates())
    assert not TemplateDraft.objects.exists()


def test_a_newer_shipped_version_waits_as_a_draft_where_one_is_active() -> None:
    older = replace(SHIPPED, version=1, rules_version="1", minimum_runs=0)
    before = templates._make(templates._template(older), older, None)

    templates.ship()
    templates.ship()

    [row] = TemplateDraft.objects.all()
    assert memos.newest(SHIPPED.slug) == before
    assert (row.author, row.author_name, row.version) == (None, "the product", SHIPPED.version)
    assert {one.sentence for one in rules_page.changes_of(row)} == {
        "Rules version: 1 becomes 2.",
        "Minimum runs: 0 becomes 3.",
    }
    assert activated(row).rules_version == "2"


def test_a_draft_becomes_active_by_another_operator_who_saw_its_replay() -> None:
    templates.ship()
    row = drafted()
    assert memos.newest(SHIPPED.slug).version == SHIPPED.version

    version = activated(row)

    assert memos.newest(SHIPPED.slug) == version
    assert (version.version, version.published_by, row.activation.author) == (NEXT, operator("otto"), operator())
    assert [event.action for event in events.chain_of(row.template)] == [
        "publish_template", "draft_template", "publish_template", "activate_template",
    ]  # fmt: skip
    assert events.verify(row.template) == []
    assert [line.standing for one in rules_page.all_templates() for line in one.lines] == [
        "active",
        "retired",
        "active",
    ]


def test_the_same_content_is_the_same_draft() -> None:
    templates.ship()

    assert drafted() == drafted(reason="Again.")


def test_nobody_activates_what_they_wrote_and_no_team_reaches_all_templates() -> None:
    cases.set_up()
    row = drafted()

    with refused(NotPermitted, "own_draft"):
        activated(row, actor=operator())
    with refused(NotPermitted):
        activated(row, actor=cast.a_person("adi"))
    with refused(NotPermitted):
        drafted(actor=cast.a_person("ann"))
    assert drafted(replace(STRICT, evidence_days=31), actor=cast.a_person("adi")).author_name == "Adi"
    assert not TemplateActivation.objects.exists()


def test_a_replay_that_was_not_seen_activates_nothing() -> None:
    templates.ship()
    first, second = drafted(), drafted(replace(STRICT, evidence_days=31))

    with refused(StalePage, "replay_not_seen"):
        activated(first, replay=rules_page.replay_of(second).digest)
    with refused(StalePage, "replay_not_seen"):
        activated(first, replay="")


def test_a_draft_of_an_older_version_and_an_active_one_are_not_activated() -> None:
    templates.ship()
    first, second = drafted(), drafted(replace(STRICT, evidence_days=31))
    activated(first)

    with refused(WrongState, "draft_activated"):
        activated(TemplateDraft.objects.get(pk=first.pk))
    with refused(WrongState, "draft_outdated"):
        activated(second)
    with refused(NotVisible):
        activated(second, draft_id=10**6)


def test_a_draft_and_its_activation_say_why() -> None:
    templates.ship()
    row = drafted()

    with refused(BadInput, "no_reason"):
        drafted(reason=" ")
    with refused(BadInput, "no_reason"):
        activated(row, reason="")
    with refused(BadInput, "nothing_changed"):
        drafted(SHIPPED)


def test_what_was_drafted_and_activated_never_changes() -> None:
    templates.ship()
    row = drafted()
    version = activated(row)

    for written in (row, version, row.activation):
        with pytest.raises(WrittenOnce):
            written.save()
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE {written._meta.db_table} SET id = id")  # noqa: S608
    with pytest.raises(OnlyByService):
        TemplateActivation.objects.create(draft=row)


@pytest.mark.parametrize(
    ("special", "where"),
    [
        ({"quorum": "two"}, "quorum"),
        ({"metrics": [{"metric": "x"}]}, "metrics[0]"),
        ({"weather": "fine"}, "Weather"),
        ({"title": " "}, "title"),
    ],
)
def test_what_is_no_template_is_refused_with_its_place(special: dict[str, Any], where: str) -> None:
    templates.ship()

    with refused(BadInput, "bad_template", where=where):
        drafted(content={**template_to_json(STRICT), **special})


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (replace(SHIPPED, decisions={"ship": SHIP}), "decisions.bounded"),
        (rules(ship=replace(SHIP, artifacts=())), "decisions.ship"),
        (rules(escalate=replace(SHIP, roles=())), "decisions.escalate"),
        (rules(rollback=replace(ROLLBACK, roles=(*SHIP.roles, *SHIP.roles))), "decisions.rollback"),
        (rules(rollback=replace(ROLLBACK, artifacts=(*SHIP.artifacts, *SHIP.artifacts))), "decisions.rollback"),
        (replace(SHIPPED, quorum=1), "quorum"),
        (replace(SHIPPED, waiver_cap_days=0), "waiver_cap_days"),
        (replace(SHIPPED, deadlock_days=0), "deadlock_days"),
        (replace(SHIPPED, evidence_days=0), "evidence_days"),
        (replace(SHIPPED, minimum_runs=-1), "minimum_runs"),
        (replace(SHIPPED, rules_version="0"), "rules_version"),
        (replace(SHIPPED, rules={"nobody_objects": "○ ○ ○ ○ ·"}), "rules.nobody_objects"),
        (replace(SHIPPED, rollout_cap_percent="a lot"), "rollout_cap_percent"),
        (with_margin(""), ""),
        (with_margin("some"), ""),
        (with_limit("50 ms"), ""),
    ],
)
def test_a_template_that_would_be_no_gate_is_refused(content: TemplateContent, where: Any) -> None:
    with refused(BadInput, where=where):
        drafted(content)
    assert not TemplateDraft.objects.exists()


def test_a_lowered_rule_has_its_own_code() -> None:
    with refused(BadInput, "rule_not_raised"):
        drafted(replace(SHIPPED, rules={"nobody_objects": "○ ○ ○ ○ ·"}))


def test_the_first_version_of_a_new_template_is_drafted_too() -> None:
    row = drafted(replace(SHIPPED, slug="engine-upgrade", title="Engine upgrade"))

    assert (row.version, row.base) == (1, None)
    assert activated(row).template.slug == "engine-upgrade"
    with refused(BadInput, "bad_slug"):
        drafted(slug="Engine Upgrade!")


def test_the_replay_names_the_memo_that_a_stricter_version_blocks_and_what_became_of_it() -> None:
    memo = cases.a_memo_rolling_out()
    row = drafted(replace(SHIPPED, minimum_runs=4))
    before = rules_page.replay_of(row)

    assert (before.counts.decided, before.counts.blocked, before.counts.overturned) == (1, 1, 0)
    codes = [one.code for one in before.rows[0].missing]
    assert codes == ["samples_are_large_enough:C1"] * 2 + ["samples_are_large_enough:C2"] * 2
    assert before.rows[0].memo == memo.number
    assert rules_page.replay_of(drafted()).counts.open == 1


def test_a_record_from_before_the_facts_were_kept_is_not_evaluable(monkeypatch: pytest.MonkeyPatch) -> None:
    from reviews.services import dossiers  # noqa: PLC0415

    frozen = dossiers.freeze

    def without_facts(*args: Any) -> Any:
        document = json.loads(frozen(*args).text)
        del document["facts"]
        return dossiers.Frozen(json.dumps(document), frozen(*args).sha256)

    monkeypatch.setattr(dossiers, "freeze", without_facts)
    with built_anew():
        cases.a_memo_rolling_out()

    found = rules_page.replay_of(drafted())
    assert (found.counts.decided, found.counts.open, found.counts.not_evaluable) == (1, 0, 1)
    assert found.rows[0].why_not == "Its record was made before the facts of the gate were kept with it."


def test_memos_filed_before_keep_their_own_version() -> None:
    memo = cases.a_draft()
    publish(STRICT)

    assert memos.template_of(cases.again(memo)).version == SHIPPED.version
    assert memos.template_of(cases.a_draft("Another")).evidence_days == STRICT.evidence_days
