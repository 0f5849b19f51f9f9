"""Evidence comes in once, is labelled in the words of the trade, and is sealed for ever."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews.errors import BadInput, NotPermitted, NotVisible, TooLarge, Unreadable, WrongState
from reviews.models import Artifact, Attachment, Detachment, Job, Parse
from reviews.services import events, evidence, memos, parsing, store, tokens
from reviews.vocabulary import ParseState, SetState
from tests import cases
from tests.services import deeds
from tests.services.deeds import RUN, refused

pytestmark = pytest.mark.django_db

BROKEN = b'{"countersign": "measurements/1", "tool": "x", "runs": [{"run": 1}]}'


def runs(**identity: str) -> bytes:
    document = json.loads(cases.runs_file(cases.AS_MEASURED, timezone.now()))
    for run in document["runs"]:
        run["identity"] = identity
    return json.dumps(document).encode()


def test_bytes_are_taken_in_once_and_their_reading_is_asked_for() -> None:
    cases.set_up()
    first = deeds.file_of(b"hello", "a.txt", read=False)
    again = deeds.file_of(b"hello", "b.txt", read=False)

    assert (again.pk, again.name, again.size) == (first.pk, "a.txt", 5)
    assert Job.objects.filter(kind="parse", subject_id=first.pk).count() == 1
    assert [event.action for event in events.chain_of(first)] == ["take_in"]


def test_the_same_bytes_from_two_people_at_once_are_one_artifact(monkeypatch: pytest.MonkeyPatch) -> None:
    cases.set_up()
    keep = store.keep

    def meanwhile(arrived: store.Received) -> store.Stored:
        monkeypatch.setattr(store, "keep", keep)
        stored = keep(arrived)
        first = Artifact.objects.filter

        def not_yet(**asked: Any) -> Any:
            monkeypatch.setattr(Artifact.objects, "filter", first)
            rows = first(**asked)
            rows.first()
            deeds.file_of(b"hello", "theirs.txt", read=False)
            monkeypatch.setattr(rows, "first", lambda: None)
            return rows

        monkeypatch.setattr(Artifact.objects, "filter", not_yet)
        return stored

    monkeypatch.setattr(store, "keep", meanwhile)

    assert deeds.file_of(b"hello", "ours.txt", read=False).name == "theirs.txt"


@pytest.mark.parametrize(
    ("name", "content", "code"), [(" ", b"x", "no_name"), ("x" * 301, b"x", "too_long"), ("a", b"", "empty_file")]
)
def test_what_is_no_file_is_refused(name: str, content: bytes, code: str) -> None:
    cases.set_up()
    with refused(BadInput, code):
        deeds.file_of(content, name)


def test_a_file_beyond_the_limit_is_refused(settings: Any) -> None:
    cases.set_up()
    settings.ARTIFACT_LIMIT_BYTES = 4
    with refused(TooLarge):
        deeds.file_of(b"hello")


def test_a_provenance_with_a_time_that_is_none_is_refused() -> None:
    cases.set_up()
    provenance = {"ended_at": {"value": "yesterday", "source": "typed"}}
    with refused(BadInput, where="provenance.ended_at"):
        evidence.take_in(actor=cases.person("sam"), name="a", chunks=[b"x"], provenance=provenance)


def test_a_set_needs_a_title_and_a_plan_of_this_memo() -> None:
    memo, other = cases.a_planned_draft(), cases.a_planned_draft()

    assert (deeds.open_set(memo, plan="").number, deeds.open_set(memo).number) == (1, 2)
    with refused(BadInput, "no_title"):
        deeds.open_set(memo, title=" ")
    with refused(NotVisible, where="plan"):
        deeds.open_set(memo, plan=f"plan-of-{other.number}")


@pytest.mark.parametrize(
    ("special", "where"),
    [
        ({"arm": "left"}, "arm"),
        ({"use": "decoration"}, "use"),
        ({"placement": "host-1", "placement_source": "file"}, "placement_source"),
        ({"placement": "host-1"}, "placement_source"),
        ({"kind": " "}, "kind"),
        ({"kind": "k" * 81}, "kind"),
        ({"run": "r" * 301}, "run"),
        ({"block": "b" * 201}, "block"),
        ({"placement": "p" * 501, "placement_source": "typed"}, "placement"),
        ({"excluded": "it looked odd"}, "excluded"),
    ],
)
def test_labels_that_are_no_words_of_the_trade_are_refused(special: dict[str, str], where: str) -> None:
    row = deeds.open_set(cases.a_planned_draft())

    with refused(BadInput, where=where):
        deeds.attach(row, deeds.file_of(b"hello"), replace(RUN, **special))
    assert not row.attachments.exists()


def test_without_a_plan_no_run_is_left_out() -> None:
    row = deeds.open_set(cases.a_planned_draft(), plan="")

    with refused(BadInput, "no_such_exclusion_rule", "excluded"):
        deeds.attach(row, deeds.file_of(b"hello"), replace(RUN, excluded="no run is left out"))


def test_a_run_is_attached_once_alone_or_with_its_file() -> None:
    memo = cases.a_planned_draft()
    first, second = deeds.open_set(memo), deeds.open_set(memo)
    artifact = deeds.file_of(runs(), "runs.json")
    one, whole = replace(RUN, run="b1-baseline"), RUN

    deeds.attach(first, artifact, one, replace(RUN, arm="", kind="raw_file"))
    deeds.attach(second, artifact, whole)
    for row, labels in ((first, one), (first, whole), (second, one), (second, whole)):
        with refused(BadInput, "attached_already", "artifact"):
            deeds.attach(row, artifact, labels)


def test_an_unknown_artifact_or_set_is_refused() -> None:
    row = deeds.open_set(cases.a_planned_draft())

    with refused(NotVisible, where="artifact"):
        evidence.attach(actor=cases.person("sam"), set_id=row.pk, artifact="f" * 64, labels=RUN, token=None)
    with refused(NotVisible):
        evidence.seal(actor=cases.person("sam"), set_id=row.pk + 1)
    with refused(NotVisible):
        evidence.seal(actor=cases.person("eve"), set_id=row.pk)


def test_a_token_attaches_and_is_named() -> None:
    row = deeds.open_set(cases.a_planned_draft())
    soon = timezone.now() + timedelta(days=1)
    token, _ = tokens.issue(actor=cases.person("olga"), name="ci", scopes=("attach",), expires_at=soon)
    artifact = deeds.file_of(b"hello").sha256

    with refused(NotPermitted):
        evidence.attach(actor=cases.person("olga"), set_id=row.pk, artifact=artifact, labels=RUN, token=None)
    made = evidence.attach(actor=cases.person("olga"), set_id=row.pk, artifact=artifact, labels=RUN, token=token)

    assert made.token_name == "ci"
    assert events.chain_of(row.memo).last().actor_name == "token ci of Olga"  # type: ignore[union-attr]


def test_a_seal_waits_until_every_file_is_read() -> None:
    row = deeds.open_set(cases.a_planned_draft())
    with refused(WrongState, "empty_set"):
        evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    artifact = deeds.file_of(b"A picture.", "a.txt", read=False)
    deeds.attach(row, artifact, replace(RUN, arm=""))

    with refused(WrongState, "still_reading", "a.txt"):
        evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    row.refresh_from_db()
    assert row.state == SetState.OPEN
    parsing.parse(artifact, asked="")
    assert evidence.seal(actor=cases.person("sam"), set_id=row.pk).said == "Sealed evidence set 1: Runs."


@pytest.mark.parametrize("content", [b"no format at all", BROKEN])
def test_a_file_with_an_arm_that_cannot_be_read_is_not_sealed(content: bytes) -> None:
    row = deeds.open_set(cases.a_planned_draft())
    deeds.attach(row, deeds.file_of(content), RUN)

    with refused(Unreadable) as caught:
        evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    assert "has no measurements" in caught.value.message
    assert "Take this attachment out of the set, with a reason" in caught.value.needs


def detach(attachment: Attachment, reason: str = "Wrong file.", who: str = "sam") -> None:
    evidence.detach(actor=cases.person(who), attachment_id=attachment.pk, reason=reason)


def test_an_unreadable_file_is_taken_out_and_the_set_is_sealed_without_it() -> None:
    memo = cases.a_planned_draft()
    row = deeds.open_set(memo)
    deeds.attach(row, deeds.file_of(BROKEN, "broken.json"), RUN)
    deeds.attach(row, deeds.file_of(runs()), RUN)
    wrong = row.attachments.get(name="broken.json")

    detach(wrong)
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)

    (sealed,) = deeds.content(memo).evidence.sets
    assert {part.name for part in sealed.attachments} == {"runs.json"}
    assert (wrong.detachment.by_name, wrong.detachment.reason) == ("Sam", "Wrong file.")
    (event,) = [event for event in events.chain_of(memo) if event.action == "detach"]
    assert (event.detail["name"], event.detail["reason"]) == ("broken.json", "Wrong file.")


def test_a_set_of_which_all_is_taken_out_is_empty() -> None:
    row = deeds.open_set(cases.a_planned_draft())
    deeds.attach(row, deeds.file_of(BROKEN), RUN)
    detach(row.attachments.get())

    with refused(WrongState, "empty_set"):
        evidence.seal(actor=cases.person("sam"), set_id=row.pk)


def test_a_file_that_was_taken_out_can_be_attached_again_and_once_only() -> None:
    row = deeds.open_set(cases.a_planned_draft())
    artifact = deeds.file_of(runs())
    deeds.attach(row, artifact, replace(RUN, arm="candidate"))
    detach(row.attachments.get(), "Wrong arm.")

    deeds.attach(row, artifact, RUN)

    assert [(one.arm, one.turn) for one in row.attachments.order_by("pk")] == [("candidate", 1), ("baseline", 2)]
    with refused(BadInput, "attached_already"):
        deeds.attach(row, artifact, RUN)


def test_taking_out_needs_a_reason_and_is_done_once() -> None:
    row = deeds.open_set(cases.a_planned_draft())
    deeds.attach(row, deeds.file_of(runs()), RUN)
    attachment = row.attachments.get()

    with refused(BadInput, "no_reason", "reason"):
        detach(attachment, " ")
    assert not Detachment.objects.exists()
    detach(attachment)
    with refused(WrongState, "taken_out_already"):
        detach(attachment)


def test_nothing_is_taken_out_of_a_sealed_set() -> None:
    row = deeds.sealed(cases.a_planned_draft(), runs(), RUN)

    with refused(WrongState, "set_is_sealed"):
        detach(row.attachments.get())


def test_only_who_may_attach_takes_out_and_a_stranger_finds_nothing() -> None:
    row = deeds.open_set(cases.a_planned_draft())
    deeds.attach(row, deeds.file_of(runs()), RUN)

    with refused(NotPermitted):
        detach(row.attachments.get(), who="olga")
    with refused(NotVisible):
        detach(row.attachments.get(), who="eve")
    with refused(NotVisible):
        evidence.detach(actor=cases.person("sam"), attachment_id=0, reason="x")


def test_a_run_that_the_file_does_not_hold_is_not_sealed() -> None:
    row = deeds.open_set(cases.a_planned_draft())
    deeds.attach(row, deeds.file_of(runs()), replace(RUN, run="b9-baseline"))

    with refused(BadInput, "unknown_run", "runs.json") as caught:
        evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    assert "b1-baseline" in caught.value.needs


def test_a_whole_file_is_sealed_as_its_runs() -> None:
    memo = cases.a_planned_draft()
    row = deeds.sealed(memo, runs(), RUN)

    (sealed,) = deeds.content(memo).evidence.sets
    assert [part.run for part in sealed.attachments] == [
        f"{b}-{a}" for b in cases.BLOCKS for a in ("baseline", "candidate")
    ]
    assert (sealed.sealed_by, sealed.plan, row.state) == ("Sam", f"plan-of-{memo.number}", SetState.SEALED)


def test_a_sealed_set_is_closed() -> None:
    memo = cases.a_planned_draft()
    row = deeds.sealed(memo, runs())

    with refused(WrongState, "set_is_sealed"):
        deeds.attach(row, deeds.file_of(b"late"), RUN)
    with refused(WrongState, "set_is_sealed"):
        evidence.seal(actor=cases.person("sam"), set_id=row.pk)


def test_comparisons_of_the_plan_read_the_newest_set_with_runs() -> None:
    memo = cases.a_memo_with_evidence()
    deeds.sealed(memo, b"A picture.", replace(RUN, arm="", kind="picture"), name="late.txt")

    assert {c.key: c.evidence_set for c in deeds.content(memo).comparisons.comparisons} == {"C1": 1, "C2": 1, "C3": 0}
    deeds.sealed(memo, runs())
    rows = deeds.content(memo).comparisons.comparisons
    assert {c.key: c.evidence_set for c in rows} == {"C1": 3, "C2": 3, "C3": 0}
    assert {c.assessment for c in rows} == {""}


def test_the_digest_of_a_set_does_not_know_the_order_of_attachment() -> None:
    content = runs()
    digests = set()
    for labels in (deeds.arms(), tuple(reversed(deeds.arms()))):
        digests.add(deeds.sealed(cases.a_planned_draft(), content, *labels).digest)

    assert len(digests) == 1
    assert deeds.sealed(cases.a_planned_draft(), content, *deeds.arms(("b1", "b2"))).digest not in digests


@pytest.mark.parametrize(
    ("identity", "said", "expected"),
    [
        ({"host": "h1", "devices": "GPU-b, GPU-a"}, ("typed-host", "typed"), ("h1 GPU-a GPU-b", "file")),
        ({"host": "h1"}, ("", ""), ("h1", "file")),
        ({}, ("h2", "typed"), ("h2", "typed")),
        ({}, ("h2", "capture"), ("h2", "capture")),
        ({}, ("", ""), ("", "")),
    ],
)
def test_a_placement_comes_from_the_file_before_what_somebody_says(
    identity: dict[str, str], said: tuple[str, str], expected: tuple[str, str]
) -> None:
    memo = cases.a_planned_draft()
    deeds.sealed(memo, runs(**identity), replace(RUN, placement=said[0], placement_source=said[1]))

    (sealed,) = deeds.content(memo).evidence.sets
    assert {(part.placement, part.placement_source) for part in sealed.attachments} == {expected}


def test_a_format_is_chosen_by_hand_by_those_who_attach() -> None:
    memo = cases.a_planned_draft()
    row = deeds.open_set(memo)
    artifact = deeds.file_of(b"run,metric\n", "odd.csv", read=False)
    deeds.attach(row, artifact, RUN)
    asked = (
        "countersign-measurements-csv"
        if "countersign-measurements-csv" in parsing.format_names()
        else parsing.format_names()[0]
    )

    with refused(WrongState, "still_reading"):
        evidence.override_format(actor=cases.person("sam"), artifact=artifact.sha256, name=asked)
    Job.objects.update(state="done")
    with refused(NotPermitted):
        evidence.override_format(actor=cases.person("aud"), artifact=artifact.sha256, name=asked)
    with refused(NotVisible):
        evidence.override_format(actor=cases.person("eve"), artifact=artifact.sha256, name=asked)
    with refused(NotVisible):
        evidence.override_format(actor=cases.person("sam"), artifact=artifact.sha256, name="no-such-format")
    evidence.override_format(actor=cases.person("sam"), artifact=artifact.sha256, name=asked)
    assert Job.objects.get(state="waiting").arguments == {"format": asked}


def test_a_parse_by_hand_counts_before_later_ones() -> None:
    cases.set_up()
    artifact = deeds.file_of(runs())
    by_hand = parsing.parse(artifact, asked=parsing.reading_of(parsing.parse(artifact, asked="")).format)
    row = parsing.parse(artifact, asked="")

    assert parsing.newest(artifact) == by_hand
    assert (row.asked_format, row.state) == ("", ParseState.PARSED)
    assert Parse.objects.filter(artifact=artifact).count() == 2


def test_evidence_is_closed_with_the_memo() -> None:
    memo = cases.a_planned_draft()
    row = deeds.open_set(memo)
    memos.withdraw(actor=cases.person("ann"), memo_id=memo.pk, reason="")

    with refused(WrongState):
        deeds.attach(row, deeds.file_of(b"late"), RUN)


def test_labels_are_what_they_are_in_the_row() -> None:
    labels = replace(RUN, kind="run", arm="candidate", block="b", placement_source="typed", use="motivating")
    row = deeds.open_set(cases.a_planned_draft())
    deeds.attach(row, deeds.file_of(b"hello"), labels)

    made = row.attachments.get()
    assert (made.kind, made.arm, made.block, made.use, made.placement_source) == (
        "run",
        "candidate",
        "b",
        "motivating",
        "",
    )
