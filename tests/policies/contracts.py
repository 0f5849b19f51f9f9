"""A contract of two stages in its first, soaked, whose threshold continues, so that a test can break one thing."""

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction

from reviews.policies.contract import AdvanceFacts, Contract, ThresholdFacts
from reviews.policies.facts import ProductionEventFacts

from .open_gate import CONTENT, NOW

HOUR = timedelta(hours=1)


def says(answer: str, sentence: str = "So it is.") -> ThresholdFacts:
    """What the threshold on the latency of C2 says."""
    return ThresholdFacts(comparison="C2", metric="latency", stat="p99", answer=answer, sentence=sentence)


RUNNING = Contract(
    decision=1,
    digest="d",
    rollout=CONTENT.rollout,
    scope_percent=Fraction(20),
    began_at=NOW - 14 * HOUR,
    advances=(),
    thresholds=(says("continue"),),
    refused_by=(),
    superseded=False,
    now=NOW,
)
IN_STAGE_2 = replace(RUNNING, advances=(AdvanceFacts(stage=2, by="Kim", at=NOW - HOUR),))


def event(kind: str, *, hours: float = 1, ratified_by: str = "") -> ProductionEventFacts:
    """What production did, so many hours after the rollout began."""
    return ProductionEventFacts(
        kind=kind, what="b", by="argo", ratified_by=ratified_by, at=RUNNING.began_at + hours * HOUR
    )
