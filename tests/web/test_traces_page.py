"""The page of traces: what was found, asked for by anybody who sees the memo, and never computed while it loads."""

import csv
import io

import pytest
from django.urls import reverse

from analysis import trace_answer
from reviews import tasks
from reviews.models import EvidenceSet, Job, Memo
from reviews.vocabulary import JobState
from tests import cases
from tests.services import traced
from tests.web.asking import as_, follow, page

pytestmark = pytest.mark.django_db


def path(memo: Memo, query: str = "") -> str:
    return reverse("traces", args=[memo.number]) + query


def asked(row: EvidenceSet, name: str = "bea", **more: str) -> str:
    response = as_(name).post(
        reverse("traces-compare", args=[row.memo.number]), {"set": str(row.number), "margin": "2", **more}
    )
    return follow(response)


def test_without_traces_it_says_what_to_attach() -> None:
    memo = cases.a_draft()

    assert "No evidence set holds a trace with an arm." in page("bea", path(memo))
    assert path(memo) in page("bea", reverse("memo", args=[memo.number]))


def test_an_arm_without_a_trace_is_named() -> None:
    row = traced.a_set(cases.a_draft(), [traced.trace(20)], [])

    said = page("bea", path(row.memo, "?set=1"))

    assert "Set 1 holds no trace of the candidate." in said
    assert "Compare the traces" not in said


def test_asking_starts_a_job_and_the_page_shows_what_came_of_it() -> None:
    row = traced.one_of_each(cases.a_draft())

    where = asked(row)
    waiting = page("bea", where)
    tasks.compare_traces(Job.objects.get(kind="traces").pk)
    found = page("bea", where)

    assert "A worker compares the traces" in waiting
    assert "Look again" in waiting
    assert "compute stands apart from every step of the baseline" in found
    assert "This is a description of two runs, and no verdict." in found
    assert "<dt>Excluded</dt><dd>host operators</dd>" in found
    assert 'id="chart-timeline"' in found
    assert "Numbers of: Timeline of the middle step of each arm" in found
    assert "void gemm" in found
    assert "Compare again" in found


def test_several_runs_have_their_intervals_in_a_table() -> None:
    row = traced.several(cases.a_draft())
    traced.compared(row)

    said = page("aud", path(row.memo))

    for words in (
        "The run is the unit of every interval.",
        '<th scope="col">standing</th>',
        "established",
        "6 runs per arm",
        "A whole step of the candidate takes",
        "noise of the baseline, run to run",
    ):
        assert words in said, words
    assert "no verdict" not in said


def test_loading_the_page_computes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    row = traced.one_of_each(cases.a_draft())
    traced.compared(row)
    monkeypatch.setattr(trace_answer, "answer", lambda *_, **__: pytest.fail("computed"))
    monkeypatch.setattr("reviews.services.store.open_artifact", lambda _: pytest.fail("read"))

    assert "compute stands apart" in page("bea", path(row.memo))


def test_asking_again_for_the_same_says_so() -> None:
    row = traced.one_of_each(cases.a_draft())
    traced.compared(row)

    client = as_("bea")
    answer = client.post(reverse("traces-compare", args=[row.memo.number]), {"set": str(row.number)}, follow=True)

    assert "These traces are compared already" in answer.content.decode()
    assert Job.objects.filter(kind="traces").count() == 1


def test_traces_that_came_later_make_the_answer_old() -> None:
    row = traced.one_of_each(cases.a_draft())
    traced.compared(row)
    cases.attach(row, "later.json", traced.trace(22), [cases.labels("profile", arm="baseline")])

    assert "have changed since they were compared" in page("bea", path(row.memo))


def test_a_job_that_failed_says_why() -> None:
    row = traced.a_set(
        cases.a_draft(),
        [traced.trace(20)],
        [b'[{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "pid": 0, "tid": 1}]'],
    )
    where = asked(row)
    tasks.compare_traces(Job.objects.get(kind="traces").pk)

    said = page("bea", where)

    assert "The last comparison failed: A trace of the candidate marks no steps" in said
    assert Job.objects.get(kind="traces").state == JobState.FAILED


def kernels(said: str) -> list[str]:
    part = said[said.index('id="kernels"') :]
    return [
        row.partition("</th>")[0]
        for row in part.partition("<tbody>")[2].partition("</tbody>")[0].split('scope="row">')[1:]
    ]


def test_kernels_stand_in_the_order_that_is_asked_for_and_all_of_them_behind_a_link(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = traced.one_of_each(cases.a_draft())
    traced.compared(row)
    monkeypatch.setattr("reviews.trace_words.KERNELS", 1)

    usual, whole = (page("bea", path(row.memo, query)) for query in ("", "?set=1&all=1&by=name"))

    assert kernels(usual) == ["void gemm"]
    assert "All kernels: 1 more row" in usual
    assert kernels(whole) == ["ncclDevKernel_AllReduce", "void gemm"]
    assert kernels(page("bea", path(row.memo, "?by=baseline"))) == ["ncclDevKernel_AllReduce"]
    assert kernels(page("bea", path(row.memo, "?by=nonsense"))) == ["void gemm"]


def test_all_kernels_are_a_csv_in_which_no_name_is_a_formula() -> None:
    content = traced.trace(20).replace(b"void gemm<float>(float*)", b"=HYPERLINK")
    row = traced.a_set(cases.a_draft(), [content], [traced.trace(40)])
    address = reverse("trace-kernels", args=[row.memo.number, row.number])

    assert as_("bea").get(address).status_code == 404
    traced.compared(row)
    response = as_("bea").get(address)
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))

    assert response.headers["Content-Disposition"].startswith("attachment;")
    assert {row["kernel"] for row in rows} == {"'=HYPERLINK", "void gemm", "ncclDevKernel_AllReduce"}
    assert float(rows[0]["difference_s"]) == pytest.approx(40.5e-6, rel=1e-6)


def test_sets_are_chosen_by_their_number() -> None:
    memo = cases.a_draft()
    traced.compared(traced.one_of_each(memo, "First"))
    traced.several(memo)

    newest, first = (page("bea", path(memo, query)) for query in ("", "?set=1"))

    assert "Set 2, Runs" in newest
    assert "Set 1, First" in first
    assert as_("bea").get(path(memo, "?set=9")).status_code == 404
    assert as_("bea").get(path(memo, "?set=x")).status_code == 422


def test_strangers_see_nothing() -> None:
    row = traced.one_of_each(cases.a_draft())

    assert as_("eve").get(path(row.memo)).status_code == 404


def test_a_comparison_leads_to_the_traces_of_its_evidence() -> None:
    memo = cases.a_memo_with_evidence()

    said = page("aud", reverse("comparison", args=[memo.number, "C1"]))

    assert path(memo, "?set=1") in said
    assert "Set 1 holds no trace of the baseline and of the candidate." in page("aud", path(memo, "?set=1"))


def test_the_margin_that_was_chosen_is_shown_and_offered_again() -> None:
    row = traced.several(cases.a_draft())
    asked(row, margin="7.5")
    tasks.compare_traces(Job.objects.get(kind="traces").pk)

    said = page("bea", path(row.memo))

    assert "<dt>Margin of a stage</dt><dd>7.5 %</dd>" in said
    assert 'inputmode="decimal" value="7.5"' in said


def test_tables_of_stages_have_no_timeline_and_say_what_they_do_not_record() -> None:
    row = traced.tables(cases.a_draft())
    traced.compared(row)

    said = page("bea", path(row.memo))

    assert "6 tables of the baseline with 18 repetitions" in said
    assert "are not recorded" in said
    assert "chart-timeline" not in said
