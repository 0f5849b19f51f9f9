"""The curve pack of the story: asked for as on its page, made by the worker, and what the gate says of it."""

from typing import Final

from reviews.demo.personas import as_person
from reviews.demo.worker import Worker
from reviews.models import EvidenceSet, Memo
from reviews.queries import demo, gate
from reviews.services import batch_policy
from reviews.vocabulary import DecisionKind

WISH: Final = {
    "limits": "throughput=2000,p99=50ms",
    "warmup": "50",
    "offered": "1000",
    "arrivals": "500,1000,2000",
    "waits": "0,2ms",
}
ARTIFACTS: Final = "required_artifacts_are_attached"


def make(memo: Memo, found: EvidenceSet, worker: Worker) -> str:
    """The pack asked for by Sam, made of the runs of the set and attached there by the worker; what happened."""
    if demo.pack_of(found) is None:
        batch_policy.request(actor=as_person("sam"), memo_id=memo.pk, wish=WISH, set_number=found.number)
        worker.wait_until(lambda: demo.pack_of(found) is not None, "making the curve pack")
    pack = demo.pack_of(found)
    digests = [] if pack is None else [pack.artifact.sha256]
    worker.wait_until(lambda: demo.unread(digests) == 0, "reading the curve pack")
    return f"By one click the worker makes the curve pack for {WISH['limits']}, and attaches it."


def gate_says(memo: Memo) -> str:
    """The line of the gate on the artifacts that a ship needs."""
    ship = next(one for one in gate.preview(memo.pk).outlooks if one.kind is DecisionKind.SHIP)
    return next(line.sentence for line in ship.requirements if line.rule == ARTIFACTS)
