"""The rows that a sealed set holds: one per run of each file that has an arm, else one for the file."""

from collections.abc import Iterable, Iterator
from typing import Final

from django.contrib.auth.models import User
from django.utils import timezone

from analysis.companions import POWER_LOGS, SERVER_LOGS, role_of
from analysis.reading import Reading
from reviews.errors import BadInput, Unreadable, WrongState
from reviews.models import Attachment, EvidenceSet, Parse
from reviews.sections import AttachmentRow, SealedSet, digest_of, to_json
from reviews.sections.measured import Evidence
from reviews.services import events, parsing, runs
from reviews.services.placements import placement_of
from reviews.vocabulary import SetState

TAKE_OUT: Final = "take this attachment out of the set, with a reason"


def rows_of(attachments: Iterable[Attachment]) -> tuple[AttachmentRow, ...]:
    """The rows of the attachments, in their order.

    Raises:
        WrongState: a file is still being read.
        Unreadable: a file with an arm has no measurements.
        BadInput: a label names a run that the file does not hold.
    """
    return tuple(row for attachment in attachments for row in _rows(attachment))


def set_of(stored: EvidenceSet) -> SealedSet:
    """The sealed set as a section holds it. Raises as `rows_of`."""
    attached = stored.attachments.filter(detachment__isnull=True).select_related("artifact").order_by("pk")
    return SealedSet(
        number=stored.number,
        title=stored.title,
        plan=stored.plan.nonce if stored.plan else "",
        sealed_at=stored.sealed_at.isoformat() if stored.sealed_at else "",
        sealed_by=events.name_of(stored.sealed_by) if stored.sealed_by else "",
        attachments=rows_of(attached),
    )


def close(stored: EvidenceSet, actor: User) -> SealedSet:
    """The set, sealed now by `actor`, as a section holds it. Raises as `rows_of`, and WrongState when it is empty."""
    stored.state, stored.sealed_by, stored.sealed_at = SetState.SEALED, actor, timezone.now()
    sealed = set_of(stored)
    if not sealed.attachments:
        raise WrongState(
            "An empty set cannot be sealed.", needs="Attach a file first.", code="empty_set", where="attachments"
        )
    _require_beside(stored, sealed.attachments)
    stored.digest = digest_of_rows(sealed.attachments)
    stored.save(update_fields=["state", "sealed_by", "sealed_at", "digest"])
    return sealed


def _require_beside(stored: EvidenceSet, rows: Iterable[AttachmentRow]) -> None:
    """Nothing, when every log of the set stands beside a run. Raises BadInput."""
    attached = stored.attachments.filter(detachment__isnull=True).exclude(arm="").select_related("artifact")
    parses = {one.artifact.sha256: parsing.newest(one.artifact) for one in attached}
    if any(parse is not None and parse.format in POWER_LOGS | SERVER_LOGS for parse in parses.values()):
        runs.require_runs(rows, {sha256: parsing.reading_of(parse) for sha256, parse in parses.items() if parse})


def digest_of_rows(rows: Iterable[AttachmentRow]) -> str:
    """The digest of what a set holds; the order in which it was attached does not matter."""
    sealed = SealedSet(number=0, title="", plan="", sealed_at="", sealed_by="", attachments=tuple(rows))
    (written,) = to_json(Evidence(sets=(sealed,)))["sets"]
    return digest_of(sorted(written["attachments"], key=digest_of))


def _rows(attachment: Attachment) -> Iterator[AttachmentRow]:
    parse = parsing.newest(attachment.artifact)
    if parse is None:
        raise WrongState(
            f"{attachment.name} is still being read.",
            needs=f"Wait a moment, then seal; if it lasts, see whether a worker is running, or {TAKE_OUT}.",
            code="still_reading",
            where=attachment.name,
        )
    if not attachment.arm:
        yield _row(attachment, attachment.run, attachment.placement, attachment.placement_source)
        return
    reading = _reading(parse)
    for key in _keys(attachment, reading):
        placement, source = placement_of(reading, key, attachment.placement, attachment.placement_source)
        yield _row(attachment, key, placement, source)


def _reading(parse: Parse) -> Reading:
    """What the parse read. Raises Unreadable that says how the set is sealed nevertheless."""
    try:
        return parsing.reading_of(parse)
    except Unreadable as refusal:
        needs = f"{TAKE_OUT[0].upper()}{TAKE_OUT[1:]}; or choose its format by hand on its page."
        raise Unreadable(refusal.message, needs=needs, code=refusal.code, where=refusal.where) from refusal


def _keys(attachment: Attachment, reading: Reading) -> list[str]:
    """The runs of the file that the attachment means; a log may name the run beside which it stands instead."""
    held = [run.key for run in reading.runs]
    if attachment.run and attachment.run not in held and role_of(reading):
        return [attachment.run]
    if attachment.run and attachment.run not in held:
        raise BadInput(
            f"{attachment.name} holds no run {attachment.run}.",
            needs=f"It holds: {', '.join(held[:20])}. Attach one of them, and {TAKE_OUT}.",
            code="unknown_run",
            where=attachment.name,
        )
    return [attachment.run] if attachment.run else held


def _row(attachment: Attachment, run: str, placement: str, source: str) -> AttachmentRow:
    return AttachmentRow(
        artifact=attachment.artifact.sha256,
        name=attachment.name,
        kind=attachment.kind,
        arm=attachment.arm,
        run=run,
        block=attachment.block,
        placement=placement,
        placement_source=source,
        use=attachment.use,
        attached_by=attachment.attached_by_name,
        excluded=attachment.excluded,
        clock=attachment.clock,
    )
