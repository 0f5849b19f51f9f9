"""The whole story in order, and what it leaves: the memo, the decision, and its PDF with both digests."""

import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from django.conf import settings

from reviews.demo import personas, recorded, story, worker
from reviews.demo.story import Case, StoryBroken
from reviews.models import Decision, DecisionPdf
from reviews.queries import demo
from reviews.services import events, store
from reviews.vocabulary import DecisionKind

Tell = Callable[[str], None]

QUESTION: Final = "May a batch policy take 16 requests at once instead of 4? One case, from the pasted memo to its PDF."


@dataclass(frozen=True, slots=True)
class Result:
    """What the story came to. memo: its number; decision: its kind; pdf: path of a copy that can be opened."""

    memo: str
    decision: str
    pdf: str
    pdf_sha256: str
    dossier_sha256: str

    def as_json(self) -> dict[str, str]:
        return asdict(self)


def play(tell: Tell) -> Result:
    """The case played to its end, or shown again when it was played before.

    Raises:
        Refusal: the services refused a step. WorkerTrouble, StoryBroken: see there.
    """
    personas.settle()
    case = story.find()
    if case is not None and (decision := demo.last_decision(case.memo)) and hasattr(decision, "pdf"):
        tell(f"The case was played here before, as {case.number}. It is shown again; nothing is changed.")
        return _result(case, decision, decision.pdf)
    with worker.running(_folder()) as running:
        return _play(case, running, tell)


def _play(case: Case | None, running: worker.Worker, tell: Tell) -> Result:
    tell(QUESTION)
    if case is None:
        case, lines = story.begin()
        _tell(tell, lines)
    else:
        tell(f"The case {case.number} was begun before, and goes on where it stopped.")
    if demo.last_decision(case.memo) is None:
        _to_the_decision(case, running, tell)
    return _to_the_pdf(case, running, tell)


def _to_the_decision(case: Case, running: worker.Worker, tell: Tell) -> None:
    _tell(tell, story.attach(case, running))
    _tell(tell, story.compute(case))
    _tell(tell, story.resolve(case))
    _tell(tell, story.refused(case, DecisionKind.BOUNDED, story.ABOUT_SYMPTOM))
    _tell(tell, story.waive(case))
    _tell(tell, story.sign(case))
    _tell(tell, story.refused(case, DecisionKind.SHIP, story.ABOUT_SCOPE))
    _tell(tell, story.decide(case))


def _to_the_pdf(case: Case, running: worker.Worker, tell: Tell) -> Result:
    running.wait_until(lambda: _pdf(case) is not None, "rendering the PDF")
    decision, pdf = demo.last_decision(case.memo), _pdf(case)
    if decision is None or pdf is None:
        raise StoryBroken(f"The worker has ended its job, and {case.number} has no PDF.")
    tell(f"The worker has rendered the record of the decision from its dossier: {pdf.size} bytes.")
    if faults := events.verify(case.memo):
        raise StoryBroken("; ".join(fault.sentence for fault in faults))
    count = events.chain_of(case.memo).count()
    tell(f"The trail of {case.number} holds: {count} events, each chained to the one before.")
    return _result(case, decision, pdf)


def _pdf(case: Case) -> DecisionPdf | None:
    decision = demo.last_decision(case.memo)
    return getattr(decision, "pdf", None)


def _result(case: Case, decision: Decision, pdf: DecisionPdf) -> Result:
    copy = _folder() / f"{case.number}-decision-{decision.number}.pdf"
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(store.path_of(pdf.pdf_sha256), copy)
    return Result(case.number, str(decision.kind), str(copy), pdf.pdf_sha256, decision.dossier_sha256)


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "demo"


def _tell(tell: Tell, lines: Iterable[str]) -> None:
    for line in lines:
        tell(line)


def may_play() -> bool:
    """Whether this installation is empty, or holds the case of the demo already."""
    return not demo.has_memos() or demo.memo_of_plan(recorded.nonce()) is not None
