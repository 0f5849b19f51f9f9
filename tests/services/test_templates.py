"""A published template never changes, and asks for enough to be a gate."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.errors import BadInput, NotPermitted
from reviews.memo_text import shipped
from reviews.models import TemplateVersion
from reviews.services import memos, templates
from reviews.template_content import DecisionRules, TemplateContent, TemplateMetric
from tests import cast
from tests.services.deeds import operator, refused

pytestmark = pytest.mark.django_db
SHIPPED = shipped.templates()[0]
SHIP, ROLLBACK = SHIPPED.decisions["ship"], SHIPPED.decisions["rollback"]


def rules(**special: DecisionRules) -> TemplateContent:
    return replace(SHIPPED, version=2, decisions={**SHIPPED.decisions, **special})


def with_margin(margin: str) -> TemplateContent:
    metric: TemplateMetric = replace(SHIPPED.metrics[0], margin=margin)
    return replace(SHIPPED, version=2, metrics=(metric,))


def with_limit(slo: str) -> TemplateContent:
    return replace(SHIPPED, version=2, metrics=(replace(SHIPPED.metrics[0], slo=slo),))


def test_what_is_shipped_is_there_once() -> None:
    first = templates.ship()

    assert templates.ship() == first
    assert {version.published_by for version in first} == {None}
    assert TemplateVersion.objects.count() == len(shipped.templates())


def test_a_new_version_is_published_and_the_newest_one_is_taken() -> None:
    templates.ship()
    version = templates.publish(actor=operator(), content=replace(SHIPPED, version=2, quorum=3))

    assert memos.newest(SHIPPED.slug) == version
    assert (version.published_by, version.template.versions.count()) == (operator(), 2)


def test_a_version_that_stands_is_not_published_otherwise() -> None:
    templates.ship()

    with refused(BadInput, "version_exists"):
        templates.publish(actor=operator(), content=replace(SHIPPED, quorum=3))


def test_only_an_operator_publishes() -> None:
    cast.the_team()
    with refused(NotPermitted):
        templates.publish(actor=cast.a_person("adi"), content=replace(SHIPPED, version=2))


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
        (replace(SHIPPED, rules_version="0"), "rules_version"),
        (replace(SHIPPED, rollout_cap_percent="a lot"), "rollout_cap_percent"),
        (with_margin(""), ""),
        (with_margin("some"), ""),
        (with_limit("50 ms"), ""),
    ],
)
def test_a_template_that_would_be_no_gate_is_refused(content: TemplateContent, where: Any) -> None:
    with refused(BadInput, where=where):
        templates.publish(actor=operator(), content=content)
    assert not TemplateVersion.objects.exists()
