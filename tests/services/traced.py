"""Memos with traces in an evidence set."""

import json
from collections.abc import Sequence

from reviews import tasks
from reviews.models import EvidenceSet, Job, Memo, TraceComparison
from reviews.services import evidence, trace_comparisons
from tests import cases

NOISE = (0.0, 0.13, 0.31, 0.22, 0.08, 0.27)
EVERY = 300


def trace(
    kernel: float, *, host: float = 20.0, name: str = "aten::mm", steps: int = 5, rank: int | None = None
) -> bytes:
    """Steps of one operator and one kernel, as PyTorch writes them."""
    events = []
    for n in range(steps):
        at = EVERY * n
        events += [
            _event("user_annotation", f"ProfilerStep#{n}", at, 200 + kernel),
            _event("cpu_op", name, at, host + n % 2),
            _event("kernel", "void gemm<float>(float*)", at + 40, kernel + n % 2, pid=0, tid=7),
            _event("kernel", "ncclDevKernel_AllReduce", at + 60, 20 + n % 2, pid=0, tid=20),
        ]
    told = {} if rank is None else {"distributedInfo": {"rank": rank}}
    return json.dumps({"schemaVersion": 1, "traceEvents": events} | told).encode()


def _event(cat: str, name: str, ts: float, dur: float, pid: int = 1, tid: int = 1) -> dict[str, object]:
    return {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "pid": pid, "tid": tid}


def a_set(memo: Memo, baseline: Sequence[bytes], candidate: Sequence[bytes], title: str = "Traces") -> EvidenceSet:
    """An open set of Sam's with these traces."""
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title=title, plan="")
    for arm, contents in (("baseline", baseline), ("candidate", candidate)):
        for n, content in enumerate(contents):
            cases.attach(row, f"{arm}-{n}.pt.trace.json", content, [cases.labels("profile", arm=arm)])
    return row


def one_of_each(memo: Memo, title: str = "Traces") -> EvidenceSet:
    """A set with one trace of each arm, of which the kernel of the candidate is slower."""
    return a_set(memo, [trace(20)], [trace(40)], title)


def several(memo: Memo, count: int = 6) -> EvidenceSet:
    """A set with several runs of each arm; the kernel of the candidate is slower."""
    baseline, candidate = ([trace(kernel + more, host=20 + more / 3) for more in NOISE[:count]] for kernel in (20, 30))
    return a_set(memo, baseline, candidate, "Runs")


def compared(row: EvidenceSet, *, margin: str = "2") -> TraceComparison:
    """The set compared, and the job done."""
    asked = trace_comparisons.request(
        actor=cases.person("sam"), memo_id=row.memo_id, set_number=row.number, margin=margin
    )
    assert isinstance(asked, Job)
    tasks.compare_traces(asked.pk)
    return TraceComparison.objects.order_by("-pk")[0]


def table(forward: float) -> bytes:
    """A table of two stages, of three repetitions."""
    rows = (
        f"r,step_time,value,{value + n / 100},ms,raw,{n},{stage}\n"
        for n in range(3)
        for stage, value in (("load", 1 + forward % 0.1 / 9), ("forward", forward))
    )
    return ("run,metric,stat,value,unit,kind,index,stage\n" + "".join(rows)).encode()


def tables(memo: Memo) -> EvidenceSet:
    """A set with several tables of each arm; a stage of the candidate is slower."""
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="Tables", plan="")
    for arm, forward in (("baseline", 2.0), ("candidate", 2.4)):
        for n, more in enumerate(NOISE):
            content = table(forward + more / 10)
            cases.attach(row, f"{arm}-{n}.csv", content, [cases.labels("measurement", arm=arm)])
    return row
