"""The owner of a rollout stands by it with a signature, and nobody objects."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.policies.consent import refused_by
from reviews.policies.facts import Condition, SignatureFacts

from .open_gate import CONTENT, NOW, OLGA

KIM = replace(
    OLGA, signer="kim", role="rollback_owner", position="approve", kinds=("bounded",), rollout_digest="d", at=NOW
)
OBJECTION = replace(OLGA, position="object", objection="p50 rose.", resolved_by="", withdrawn=False)


def codes(*signatures: SignatureFacts, keepers: tuple[str, ...] = ("kim",)) -> list[str]:
    return [one.code for one in refused_by(signatures, keepers, CONTENT.rollout, "d")]


def test_an_acceptance_that_stands_is_enough() -> None:
    assert codes(KIM, OLGA) == []
    assert codes(replace(KIM, conditions=(Condition(text="Watch it.", cleared_by="kim"),))) == []
    assert codes(replace(KIM, position="abstain", at=NOW.replace(year=2025)), KIM) == []


@pytest.mark.parametrize(
    "special",
    [
        {"signer": "rob"},
        {"role": "platform"},
        {"withdrawn": True},
        {"rollout_digest": "another"},
        {"position": "abstain"},
        {"kinds": ("rollback",)},
        {"conditions": (Condition(text="Watch it.", cleared_by=""),)},
    ],
)
def test_an_acceptance_that_is_none_any_more(special: dict[str, Any]) -> None:
    assert codes(replace(KIM, **special)) == ["acceptance"]
    assert codes() == ["acceptance"]


def test_an_owner_without_the_role_and_one_who_said_otherwise_later() -> None:
    assert codes(KIM, keepers=("rob",)) == ["acceptance"]
    assert codes(KIM, replace(KIM, position="abstain", at=NOW.replace(year=2027))) == ["acceptance"]


@pytest.mark.parametrize(
    ("special", "stands"), [({}, True), ({"withdrawn": True}, False), ({"resolved_by": "bea"}, False)]
)
def test_an_objection_stands_until_it_is_withdrawn_or_resolved(special: dict[str, Any], stands: bool) -> None:
    assert codes(KIM, replace(OBJECTION, **special)) == (["objection"] if stands else [])
