"""The batch policy page: curves, the feasible region under editable limits, the simulation, and the curve pack."""

import html
import json
import re
import time
from collections.abc import Mapping
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import CDPSession, expect

from reviews import tasks
from reviews.models import Attachment, EvidenceSet, Job, Memo
from reviews.queries import gate
from reviews.services import batch_policy, evidence, jobs, parsing
from reviews.vocabulary import JobState
from tests import cases
from tests.analysis.batches import Row, measured, row
from tests.web.asking import as_, follow, page
from tests.web.conftest import Opened, OpenPage

pytestmark = pytest.mark.django_db
LIMITS = "throughput=150,p99=50ms"
Sizes = Mapping[int, list[list[Row]]]


def runs(rate: float, p99: float) -> list[list[Row]]:
    return [measured(rate * (1 + 0.01 * n), p99 + 0.5 * n) for n in range(3)]


BASE: Sizes = {1: runs(100, 20), 2: runs(180, 25), 4: runs(300, 90)}
CAND: Sizes = {1: runs(200, 15), 2: runs(220, 99), 4: runs(320, 30)}


def a_file(sizes: Sizes) -> bytes:
    found = [
        {"run": f"{size}-{n}", "settings": {"max_batch": size}, "measurements": rows}
        for size, of in sizes.items()
        for n, rows in enumerate(of)
    ]
    return json.dumps({"countersign": "measurements/1", "runs": found}).encode()


def an_open_set(memo: Memo) -> EvidenceSet:
    return evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="Sweep", plan="")


def a_swept_memo(baseline: Sizes = BASE, candidate: Sizes | None = None) -> Memo:
    """In review, with a sweep in an open set, and nothing else."""
    memo = cases.a_memo_in_review()
    row = an_open_set(memo)
    cases.attach(
        row, "sweep.json", a_file(baseline), [cases.labels("batch_sweep", arm="baseline" if candidate else "")]
    )
    if candidate:
        cases.attach(row, "new.json", a_file(candidate), [cases.labels("batch_sweep", arm="candidate")])
    return memo


def path(memo: Memo, name: str = "batch-policy", **asked: str) -> str:
    query = "&".join(f"{key}={value}" for key, value in asked.items())
    return reverse(name, args=[memo.number]) + (f"?{query}" if query else "")


def ask(memo: Memo, who: str = "sam", **fields: str) -> Any:
    return as_(who).post(path(memo, "batch-policy-ask"), {"limits": LIMITS, **fields})


def the_job() -> Job:
    return Job.objects.get(kind="batch_policy")


def done(memo: Memo, **fields: str) -> Job:
    """The job after the worker has served it."""
    ask(memo, **fields)
    tasks.simulate_batch_policy(the_job().pk)
    return the_job()


def rows_of(said: str) -> dict[str, str]:
    """Point -> the word under the limits."""
    found = re.findall(r'<tr><th scope="row">(\w+)</th>.*?</span>(\w+)</span>', said, re.DOTALL)
    return dict(found)


def test_the_page_shows_the_curves_and_what_a_limit_leaves() -> None:
    memo = a_swept_memo()

    said = page("pat", path(memo, limits=LIMITS))
    assert rows_of(said) == {"1": "infeasible", "2": "feasible", "4": "infeasible"}
    assert "sweep over max_batch" in said
    assert 'data-chart="chart-sweep-latency"' in said
    assert "Front in throughput, p99: 1, 2, 4." in said
    assert rows_of(page("pat", path(memo, limits="p99=100ms"))) == dict.fromkeys("124", "feasible")
    without = page("pat", path(memo))
    assert rows_of(without) == {}
    assert "Give a limit to see which points keep it." in without
    assert path(memo) in page("pat", reverse("memo", args=[memo.number]))


def test_single_runs_are_shown_and_never_called_feasible() -> None:
    memo = a_swept_memo({1: [measured(100.0, 20)], 2: [measured(180.0, 20)]})

    said = page("pat", path(memo, limits="p99=9s"))

    assert rows_of(said) == {"1": "undetermined", "2": "undetermined"}
    assert "cannot say what the next one would do" in said


def test_a_candidate_is_set_against_the_baseline() -> None:
    said = page("pat", path(a_swept_memo(BASE, CAND), limits=LIMITS, arms="compare"))

    assert "gained (not feasible before, feasible now): 1, 4" in said
    assert "lost (feasible before, not feasible now): 2" in said
    assert said.index("Candidate: sweep over") < said.index("Baseline: sweep over")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"limits": "speed=9"}, "is no limit"),
        ({"limits": "power=9W"}, "The sweep has no power"),
        ({"varied": "colour"}, "a curve needs two"),
        ({"warmup": "many"}, "is no number of the warmup"),
        ({"offered": "x"}, "is none of the rate"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_way_out(asked: dict[str, str], words: str) -> None:
    memo = a_swept_memo()
    answer = as_("pat").get(path(memo, **asked))

    assert answer.status_code == 422
    assert words in answer.content.decode()


def test_a_memo_without_a_sweep_says_what_to_attach() -> None:
    memo = cases.a_memo_in_review()
    answer = as_("pat").get(path(memo))

    assert answer.status_code == 422
    assert "Attach runs of at least two sizes" in answer.content.decode()


def test_files_that_are_taken_out_or_not_read_or_packs_are_no_runs() -> None:
    memo = a_swept_memo()
    row = memo.evidence_sets.get()
    cases.attach(row, "curve-pack.json", cases.CURVES, [cases.labels("batch_policy_curve_pack")])
    cases.attach(row, "notes.txt", b"only words", [cases.labels("notes")])
    cases.attach(row, "one.json", a_file(CAND), [cases.labels("batch_sweep", run="1-0")])
    evidence.take_in(actor=cases.person("sam"), name="later.json", chunks=[a_file({9: runs(1, 1)})], provenance={})

    assert len(batch_policy.sweeps_of(memo).runs) == 10
    [first, *_] = Attachment.objects.filter(name="sweep.json")
    evidence.detach(actor=cases.person("sam"), attachment_id=first.pk, reason="wrong host")
    assert [run.label for run in batch_policy.sweeps_of(memo).runs] == ["one.json#1-0"]


def a_grid_of_an_engine() -> bytes:
    """Concurrency 4 and 8 by 64 and 128 sequences at once, without the last combination."""
    found = [
        {"run": f"{load}-{seqs}-{n}", "settings": {"max_concurrency": load, "max_num_seqs": seqs}, "measurements": [
            row("output_throughput", rate * (1 + 0.001 * n), "rate", "1/s"), row("tpot", each, "mean", "ms")]}
        for load, seqs, rate, each in ((4, 64, 400.0, 8.0), (8, 64, 700.0, 10.0), (4, 128, 300.0, 9.0))
        for n in range(3)
    ]  # fmt: skip
    return json.dumps({"countersign": "measurements/1", "runs": found}).encode()


def test_an_engine_that_batches_in_flight_shows_what_a_device_and_a_user_get() -> None:
    memo = cases.a_memo_in_review()
    cases.attach(an_open_set(memo), "grid.json", a_grid_of_an_engine(), [cases.labels("batch_sweep")])

    said = page("pat", path(memo, devices="2"))

    assert "sweep over max_concurrency × max_num_seqs" in said
    assert "not measured: 8 × 128." in said
    assert 'data-chart="chart-sweep-interactivity"' in said
    assert "Output tokens per second, of one user (1 / tpot mean) and of one of 2 devices:" in said
    assert "4 × 128 is dominated by 4 × 64." in said
    refused = as_("pat").get(path(memo, devices="0"))
    assert (refused.status_code, "1 or more" in refused.content.decode()) == (422, True)


# The simulation


def test_a_simulation_is_a_job_whose_table_stands_on_the_page() -> None:
    memo = a_swept_memo()

    answer = ask(memo, arrivals="20,100", waits="0,5ms", set="")
    assert follow(answer).startswith(path(memo))
    waiting = page("sam", path(memo, limits=LIMITS))
    assert f'hx-get="{html.escape(path(memo, limits=LIMITS))}"' in waiting
    assert 'hx-trigger="every 3s"' in waiting
    assert "Cancel" in waiting
    assert "Cancel" not in page("pat", path(memo))

    tasks.simulate_batch_policy(the_job().pk)
    tasks.simulate_batch_policy(the_job().pk)
    assert (the_job().state, the_job().attempt) == (JobState.DONE, 1)
    said = page("pat", path(memo))
    assert "Policy table, baseline" in said
    assert "at most 4 at once" in said
    assert "Arrivals: Poisson. 5 replications" in said
    assert "every 3s" not in said


def test_the_job_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int, str]] = []
    monkeypatch.setattr(jobs.Running, "progress", lambda _, done, total, text="": told.append((done, total, text)))

    done(a_swept_memo(), arrivals="20", waits="0,5ms")

    assert told == [(number, 5, "policies simulated") for number in range(5)]


def test_a_running_simulation_stops_when_it_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = a_swept_memo()
    ask(memo, arrivals="20,100")
    ordinary = jobs.Running.progress

    def cancelled(running: jobs.Running, done: int, total: int, text: str = "") -> None:
        if done == 2:
            running._said_at = None
            assert follow(as_("sam").post(path(memo, "batch-policy-cancel"))).startswith(path(memo))
        ordinary(running, done, total, text)

    monkeypatch.setattr(jobs.Running, "progress", cancelled)
    tasks.simulate_batch_policy(the_job().pk)

    assert (the_job().state, the_job().result) == (JobState.CANCELLED, None)
    assert "cancelled on request" in page("sam", path(memo))


def test_a_simulation_without_a_limit_says_why_there_is_no_table() -> None:
    memo = a_swept_memo()
    done(memo, limits="throughput=1", arrivals="20")

    assert "A policy is chosen under a limit of p99." in page("pat", path(memo))


@pytest.mark.parametrize(
    ("who", "fields", "status"),
    [
        ("pat", {"arrivals": "9"}, 403),
        ("sam", {"arrivals": "nine"}, 422),
        ("sam", {"limits": "p99"}, 422),
        ("sam", {"arrivals": "9", "set": "x"}, 422),
    ],
)
def test_what_may_not_or_cannot_be_asked_starts_no_job(who: str, fields: dict[str, str], status: int) -> None:
    answer = ask(a_swept_memo(), who, **fields)

    assert answer.status_code == status, answer.content.decode()[:500]
    assert not Job.objects.filter(kind="batch_policy").exists()


def test_only_a_job_that_there_is_can_be_cancelled() -> None:
    memo = a_swept_memo()

    assert as_("sam").post(path(memo, "batch-policy-cancel")).status_code == 409
    ask(memo, arrivals="20")
    assert as_("ann").post(path(memo, "batch-policy-cancel")).status_code == 404


# The curve pack


def lacks_the_pack(memo: Memo) -> bool:
    lines = [line.sentence for outlook in gate.preview(memo.pk).outlooks for line in outlook.requirements]
    return any("Batch policy curve pack is not attached" in sentence for sentence in lines)


def test_one_click_attaches_the_pack_that_the_gate_asks_for() -> None:
    memo = a_swept_memo()
    assert lacks_the_pack(memo)

    job = done(memo, set="1", arrivals="20,100", waits="0")
    assert (job.state, job.reason) == (JobState.DONE, "")
    row = Attachment.objects.get(kind="batch_policy_curve_pack")
    assert (row.name, row.artifact.sha256) == ("batch-policy-curve-pack.zip", (job.result or {})["pack"])
    assert f'href="/artifacts/{row.artifact.sha256}/"' in page("sam", path(memo))
    assert parsing.parse(row.artifact, asked="").format == "batch-policy-curve-pack"
    evidence.seal(actor=cases.person("sam"), set_id=memo.evidence_sets.get().pk)
    assert not lacks_the_pack(memo)


@pytest.mark.parametrize(
    ("sizes", "limits"),
    [({1: [measured(100.0, 20)], 2: [measured(180.0, 20)]}, LIMITS), (BASE, "")],
)
def test_a_pack_that_would_not_count_is_refused_with_what_it_lacks(sizes: Sizes, limits: str) -> None:
    job = done(a_swept_memo(sizes), set="1", limits=limits)

    assert job.state == JobState.FAILED
    assert job.reason.startswith("The pack would not be sufficient: ")
    assert not Attachment.objects.filter(kind="batch_policy_curve_pack").exists()


def test_a_set_that_was_sealed_meanwhile_takes_no_pack() -> None:
    memo = a_swept_memo()
    ask(memo, set="1")
    evidence.seal(actor=cases.person("sam"), set_id=memo.evidence_sets.get().pk)
    tasks.simulate_batch_policy(the_job().pk)

    assert the_job().state == JobState.FAILED
    assert "sealed" in the_job().reason


# Following a limit

FOLLOWED = """async (said) => {
  const field = document.getElementById("limits-limits"), before = document.getElementById("under-limits");
  field.value = said;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  while (document.getElementById("under-limits") === before) await new Promise((go) => setTimeout(go, 1));
}"""
DELAY_MS = 40


def followed(opened: Opened, cdp: CDPSession, said: str) -> float:
    """Milliseconds until the page follows a typed limit, as on a machine that does nothing else.

    The form waits; then this process, which serves the page, and the browser work in turn. What other programs take of
    the machine meanwhile is not counted.
    """

    def busy() -> float:
        metrics = {row["name"]: row["value"] for row in cdp.send("Performance.getMetrics")["metrics"]}
        return time.process_time() + float(metrics["TaskDuration"])

    before = busy()
    opened.page.evaluate(FOLLOWED, said)
    return DELAY_MS + 1000 * (busy() - before)


TWELVE: Sizes = {size: runs(1 / (0.010 / size + 0.002), 10 + 4 * size) for size in range(1, 13)}


def test_a_table_of_before_its_simulations_were_kept_stays_as_it_is() -> None:
    memo = a_swept_memo()
    job = done(memo, arrivals="20", waits="0")
    [table] = (job.result or {})["tables"]
    kept = page("pat", path(memo, limits="p99=1ms"))
    Job.objects.filter(pk=job.pk).update(result={"tables": [{k: v for k, v in table.items() if k != "table"}]})

    assert "none keeps the limit" in kept
    assert "none keeps the limit" not in page("pat", path(memo, limits="p99=1ms"))


def test_points_that_were_meant_to_be_measured_and_are_missing_are_named() -> None:
    memo = a_swept_memo()

    refused = as_("pat").get(path(memo, grid="1,many"))

    assert "Not measured, though it was meant to be: max_batch 8, 16." in page("pat", path(memo, grid="1,2,4,8,16"))
    assert refused.status_code == 422
    assert "is none of the grid" in refused.content.decode()


def test_the_gate_says_why_a_pack_is_sufficient_and_what_one_would_lack() -> None:
    memo = a_swept_memo()

    without = page("sam", path(memo))
    assert "The pack would not be sufficient: it judges no limit" in without
    assert "Batch policy curve pack is not attached" in without
    assert "A curve pack under these limits: Sufficient: throughput and p99" in page("sam", path(memo, limits=LIMITS))
    done(memo, set="1")
    cases.attach(
        memo.evidence_sets.get(), "rollback-procedure.md", cases.PROCEDURE, [cases.labels("rollback_procedure")]
    )
    parsing.parse(Attachment.objects.get(kind="batch_policy_curve_pack").artifact, asked="")
    evidence.seal(actor=cases.person("sam"), set_id=memo.evidence_sets.get().pk)
    said = page("sam", path(memo, limits=LIMITS))
    assert (
        "batch-policy-curve-pack.zip: Sufficient: throughput and p99 at 3 values of max_batch, at least 3 runs" in said
    )
    assert "power at 0 of them; judged under throughput at least 150.0 1/s and p99 at most 0.05 s." in said


@pytest.mark.browser
def test_region_policy_table_and_gate_follow_a_changed_limit_within_300_ms(open_page: OpenPage) -> None:
    memo = a_swept_memo(TWELVE)
    done(memo, arrivals="20,60", waits="0", limits="p99=100ms")
    opened = open_page(path(memo, limits="p99=100ms"), person=cases.person("sam"))
    region = opened.page.get_by_role("region", name="Feasible region")
    policies = opened.page.get_by_role("region", name="Policy table, baseline")
    expect(region.get_by_role("row", name=re.compile("^12 "))).not_to_contain_text("infeasible")
    expect(policies).not_to_contain_text("none keeps the limit")

    cdp = opened.page.context.new_cdp_session(opened.page)
    cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
    took = [followed(opened, cdp, said) for said in ("p99=30ms", "p99=90ms", "p99=25ms", "p99=80ms", "p99=1ms")]

    assert min(took) < 300, took
    expect(region.get_by_role("row", name=re.compile("^12 "))).to_contain_text("infeasible")
    expect(policies).to_contain_text("none keeps the limit")
    expect(opened.page.locator("#would")).to_contain_text("judged under p99 at most 0.001 s")
    opened.page.evaluate(FOLLOWED, "")
    expect(opened.page.locator("#would")).to_contain_text("would not be sufficient: it judges no limit")
    opened.page.evaluate(FOLLOWED, "p99=")
    expect(opened.page.get_by_text("is no limit of p99")).to_be_visible()
    opened.page.evaluate(FOLLOWED, "p99=80ms")
    opened.page.get_by_role("button", name="Make the curve pack for set 1").click()
    expect(opened.page.get_by_role("status").first).to_be_visible()
    assert Job.objects.order_by("-pk")[0].arguments["wish"]["limits"] == "p99=80ms"


@pytest.mark.browser
def test_without_scripts_a_limit_is_followed_by_the_button(open_page: OpenPage) -> None:
    opened = open_page(path(a_swept_memo()), person=cases.person("sam"), javascript=False)

    opened.page.get_by_role("textbox", name="Limits").fill("p99=100ms")
    opened.page.get_by_role("button", name="Show").click()
    table = opened.page.get_by_role("region", name="Feasible region")
    expect(table.get_by_role("row", name=re.compile("^4 "))).not_to_contain_text("infeasible")


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_page_is_accessible_and_fits_its_window(open_page: OpenPage, width: int, dark: bool) -> None:
    memo = a_swept_memo(BASE, CAND)
    done(memo, arrivals="20,100", waits="0,5ms")
    opened = open_page(path(memo, limits=LIMITS, arms="compare"), person=cases.person("sam"), width=width, dark=dark)

    expect(opened.page.locator(".js-plotly-plot").first).to_be_visible()
    opened.fits()
    opened.is_accessible()
    assert opened.complaints == []
