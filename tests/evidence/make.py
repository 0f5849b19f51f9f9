"""Small files in each format, made by naming only what is special."""

import json
from collections.abc import Callable
from pathlib import Path

from analysis import evidence
from analysis.evidence.format import Document
from analysis.reading import Reading

HERE = Path(__file__).parent
Fields = dict[str, object]


def document(content: object, name: str = "x.json") -> Document:
    """A document of bytes, of text, or of anything else as JSON."""
    if isinstance(content, bytes):
        return Document(content, name)
    return Document((content if isinstance(content, str) else json.dumps(content)).encode(), name)


def read(content: object, form: str | None = None, name: str = "x.json") -> Reading:
    return evidence.read(document(content, name), form)


def _changed(case: str) -> Callable[..., Fields]:
    def change(**fields: object) -> Fields:
        """The case with fields changed; a field of `...` is left out."""
        whole = json.loads((HERE / case).read_text(encoding="utf-8")) | fields
        return {key: value for key, value in whole.items() if value is not ...}

    return change


vllm = _changed("vllm-bench-serve/current.json")
detailed = _changed("vllm-bench-serve/detailed.json")
sglang = _changed("sglang-bench-serving/current.jsonl")
throughput = _changed("vllm-bench-throughput/triton/acme_tiny_tp2.json")
latency = _changed("vllm-bench-latency/acme_tiny_tp1.json")
lifecycle = _changed("inference-perf/summary_lifecycle_metrics.json")
trtllm = _changed("trtllm-bench/report.json")


def text(case: str) -> str:
    """The text of a golden case."""
    return (HERE / case).read_text(encoding="utf-8")


def hyperfine(**fields: object) -> Fields:
    return {"results": [{"command": "sleep 1", "stddev": 0.1, "times": [0.5, 0.25]} | fields]}


def pytest_benchmark(**stats: object) -> Fields:
    entry = {"name": "a", "fullname": "b.py::a", "stats": {"rounds": 2, "mean": 0.5} | stats}
    return {"machine_info": {}, "benchmarks": [entry]}


def mllog(*events: tuple[str, int, Fields]) -> str:
    """A training log: key, time in ms, and what else the entry has."""
    return "".join(
        f":::MLLOG {json.dumps({'key': key, 'time_ms': time, 'value': None} | more)}\n" for key, time, more in events
    )


def finished(time: int = 5000) -> tuple[str, int, Fields]:
    return "run_stop", time, {"metadata": {"status": "success"}}


def measurements(**run: object) -> Fields:
    """Our own format with one run."""
    ordinary = {"run": "r1", "measurements": [{"metric": "latency", "unit": "s", "value": 1.5}]}
    kept = {key: value for key, value in (ordinary | run).items() if value is not ...}
    return {"countersign": "measurements/1", "runs": [kept]}


def measured(**entry: object) -> Fields:
    """Our own format with one measurement."""
    ordinary = {"metric": "latency", "unit": "s", "value": 1.5} | entry
    return measurements(measurements=[{key: value for key, value in ordinary.items() if value is not ...}])


def bounds(**quantity: object) -> Fields:
    ordinary = {"arm": "baseline", "metric": "duration", "low": "99", "high": "101", "unit": "ms", "assumption": "a"}
    kept = {key: value for key, value in (ordinary | quantity).items() if value is not ...}
    return {"countersign": "bounds/1", "quantities": [kept]}


def guidellm(**fields: object) -> Fields:
    """One benchmark of GuideLLM."""
    rates = {"requests_per_second": {"successful": {"mean": 2.0, "count": 3}}}
    ordinary = {"metrics": rates, "request_totals": {"successful": 4, "total": 4}, "duration": 2.0} | fields
    return {"benchmarks": [{key: value for key, value in ordinary.items() if value is not ...}]}


def llama(**fields: object) -> Fields:
    """One test of llama-bench."""
    ordinary = {"n_prompt": 512, "n_gen": 0, "avg_ts": 64.0, "samples_ns": [2.0e9], "samples_ts": [64.0]} | fields
    return {key: value for key, value in ordinary.items() if value is not ...}


def optimum(**fields: object) -> Fields:
    """One phase of Optimum-Benchmark."""
    return {"forward": {"latency": {"unit": "s", "values": [0.5, 0.25], "count": 2, "mean": 0.375}} | fields}
