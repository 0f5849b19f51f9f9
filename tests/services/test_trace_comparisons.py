"""Traces compared in a job: once for the same files, with runs as units, and refused with a way out."""

import io
import zipfile

import pytest

from analysis import trace_answer
from reviews import tasks
from reviews.errors import BadInput, NotPermitted, NotVisible, TooLarge, WrongState
from reviews.models import Event, EvidenceSet, Job, TraceComparison
from reviews.queries.traced_sets import is_current, newest_of, sets_with_traces, trace_page
from reviews.services import evidence, trace_comparisons
from reviews.vocabulary import JobState
from tests import cases
from tests.services import traced

pytestmark = pytest.mark.django_db


def ask(row: EvidenceSet, name: str = "sam", margin: str = "2") -> Job | TraceComparison:
    return trace_comparisons.request(
        actor=cases.person(name),
        memo_id=row.memo_id,
        set_number=row.number,
        margin=margin,
    )


def test_one_trace_of_each_arm_is_described() -> None:
    row = traced.compared(traced.one_of_each(cases.a_draft()))
    found = trace_answer.from_json(row.result)

    assert (row.divergence, row.version) == ("time", trace_answer.VERSION)
    assert found.found == ("compute",)
    assert found.stages is None
    assert found.runs == (("baseline-0.pt.trace.json",), ("candidate-0.pt.trace.json",))
    assert row.inputs["margin"] == "1.02"
    assert [run["arm"] for run in row.inputs["runs"]] == ["baseline", "candidate"]


def test_several_traces_of_each_arm_have_intervals_over_runs() -> None:
    found = trace_answer.from_json(traced.compared(traced.several(cases.a_draft())).result)

    assert found.stages is not None
    assert found.stages.basis is not None
    assert (found.stages.basis.units, found.found) == (6, ("compute",))
    assert found.step is not None


def test_the_same_traces_are_compared_once() -> None:
    row = traced.one_of_each(cases.a_draft())
    kept = traced.compared(row)

    assert ask(row) == kept
    assert Job.objects.filter(kind="traces").count() == 1
    assert Event.objects.filter(action="compare_traces").count() == 1


def test_a_second_job_for_the_same_traces_keeps_what_stands() -> None:
    row = traced.one_of_each(cases.a_draft())
    first = ask(row)
    kept = traced.compared(row)
    assert isinstance(first, Job)
    again = Job.objects.create(
        kind="traces", subject_kind="evidenceset", subject_id=row.pk, arguments={"margin": "1.02"}, state="waiting",
        requested_at=first.requested_at, published_at=first.published_at,
    )  # fmt: skip

    tasks.compare_traces(again.pk)

    again.refresh_from_db()
    assert (again.state, again.result) == (JobState.DONE, {"trace_comparison": kept.pk})


def test_another_margin_or_another_file_is_another_comparison() -> None:
    row = traced.several(cases.a_draft())
    first = traced.compared(row)
    wide = traced.compared(row, margin="20")
    cases.attach(row, "more.json", traced.trace(21), [cases.labels("profile", arm="baseline")])
    more = traced.compared(row)

    assert len({one.inputs_digest for one in (first, wide, more)}) == 3
    assert [run["name"] for run in more.inputs["runs"]][-1] == "more.json"


def test_what_was_taken_out_or_excluded_does_not_count_and_makes_the_former_answer_old() -> None:
    row = traced.several(cases.a_draft())
    kept = traced.compared(row)
    (before,) = sets_with_traces(row.memo)
    assert is_current(kept, before)
    evidence.detach(
        actor=cases.person("sam"), attachment_id=row.attachments.order_by("-pk")[0].pk, reason="The wrong file."
    )

    (after,) = sets_with_traces(row.memo)

    assert before.counts == (6, 6)
    assert after.counts == (6, 5)
    assert not is_current(kept, after)


def test_files_that_are_no_traces_and_those_without_an_arm_are_left_out() -> None:
    memo = cases.a_planned_draft()
    row = cases.an_open_set(memo)
    cases.attach(row, "free.json", traced.trace(20), [cases.labels("profile")])

    assert sets_with_traces(memo) == ()
    with pytest.raises(WrongState, match="no trace of the baseline and of the candidate") as refusal:
        ask(row)
    assert refusal.value.code == "no_traces"


def test_members_of_an_archive_are_runs_and_equal_names_are_told_apart() -> None:
    memo = cases.a_draft()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for n in range(3):
            archive.writestr(f"r{n}.json", traced.trace(20 + n / 10))
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="x", plan="")
    cases.attach(row, "runs.zip", packed.getvalue(), [cases.labels("profile", arm="baseline")])
    for n in range(2):
        cases.attach(row, "same.json", traced.trace(30 + n / 10), [cases.labels("profile", arm="candidate")])

    baseline, candidate = trace_answer.from_json(traced.compared(row).result).runs

    assert baseline == ("runs.zip#r0.json:0", "runs.zip#r1.json:0", "runs.zip#r2.json:0")
    assert len(set(candidate)) == 2
    assert all(label.startswith("same.json (") for label in candidate)


def test_a_label_of_one_run_means_that_run_alone() -> None:
    memo = cases.a_draft()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for n in range(2):
            archive.writestr(f"r{n}.json", traced.trace(20 + 10 * n))
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="x", plan="")
    labels = [cases.labels("profile", arm=arm, run=f"r{n}.json:0") for n, arm in enumerate(("baseline", "candidate"))]
    cases.attach(row, "runs.zip", packed.getvalue(), labels)

    found = trace_answer.from_json(traced.compared(row).result)

    assert found.runs == (("runs.zip#r0.json:0",), ("runs.zip#r1.json:0",))


def test_a_refusal_of_the_analysis_ends_the_job_with_its_sentence() -> None:
    row = traced.a_set(cases.a_draft(), [traced.trace(20)], [b'{"schemaVersion": 1, "traceEvents": [%s]}' % (
        b'{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "pid": 0, "tid": 1}'
    )])  # fmt: skip
    asked = ask(row)
    assert isinstance(asked, Job)

    tasks.compare_traces(asked.pk)

    asked.refresh_from_db()
    assert asked.state == JobState.FAILED
    assert "A trace of the candidate marks no steps" in asked.reason
    assert trace_page(cases.person("bea"), row.memo, None).job == asked


def test_whoever_sees_the_memo_may_ask_and_no_stranger() -> None:
    row = traced.one_of_each(cases.a_draft())

    assert isinstance(ask(row, "aud"), Job)
    with pytest.raises((NotVisible, NotPermitted)):
        ask(row, "eve")


def test_no_set_of_that_number_is_no_set() -> None:
    memo = cases.a_draft()

    with pytest.raises(NotVisible, match="no evidence set 7"):
        trace_comparisons.request(actor=cases.person("sam"), memo_id=memo.pk, set_number=7)
    with pytest.raises(NotVisible, match="no evidence set 7"):
        trace_page(cases.person("sam"), memo, 7)


@pytest.mark.parametrize("margin", ["0", "-1", "101", "much", ""])
def test_a_margin_that_excludes_nothing_or_everything_is_refused(margin: str) -> None:
    row = traced.one_of_each(cases.a_draft())

    with pytest.raises(BadInput) as refusal:
        ask(row, margin=margin)

    assert (refusal.value.code, refusal.value.where) == ("bad_margin", "margin")


def test_more_traces_than_are_read_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    row = traced.one_of_each(cases.a_draft())
    monkeypatch.setattr(trace_comparisons, "MOST_BYTES", 100)

    with pytest.raises(TooLarge, match="at most 100 are compared"):
        ask(row)


def test_the_newest_comparison_of_each_set_is_the_one_that_is_printed() -> None:
    memo = cases.a_draft()
    row = traced.several(memo)
    traced.compared(row)
    newest = traced.compared(row, margin="3")
    other = traced.compared(traced.one_of_each(memo))

    assert newest_of(memo, (1, 2, 3)) == (newest, other)
    assert newest_of(memo, (2,)) == (other,)


def test_tables_of_stages_are_compared_like_traces() -> None:
    row = traced.tables(cases.a_draft())
    (found,) = sets_with_traces(row.memo)

    answered = trace_answer.from_json(traced.compared(row).result)

    assert found.counts == (6, 6)
    assert (answered.divergence, answered.found, answered.excluded) == ("time", ("forward",), ("load",))
    assert answered.tables
    assert trace_page(cases.person("sam"), row.memo, None).timeline is None


def test_a_table_that_names_no_stage_counts_as_no_trace() -> None:
    memo = cases.a_draft()
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="x", plan="")
    content = b"run,metric,stat,value,unit\nr,step_time,mean,2,s\n"
    cases.attach(row, "plain.csv", content, [cases.labels("measurement", arm="baseline")])

    assert sets_with_traces(memo) == ()
