"""Evidence files: which format a file has, and what is in it. A file that two formats claim is refused, not guessed."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final, NoReturn

from analysis.errors import MalformedEvidence, UnknownFormat
from analysis.evidence import (
    aiperf,
    all_reduce_bench,
    archives,
    batch_policy_curve_pack,
    chrome_trace,
    containers,
    countersign_bounds,
    countersign_measurements,
    dcgmi_dmon,
    deepspeed_text,
    genai_perf,
    go_bench,
    google_benchmark,
    gpu_burn,
    guidellm,
    hyperfine,
    inference_perf,
    jax_xplane,
    lighteval_details,
    lighteval_results,
    limits,
    llama_bench,
    lm_eval_results,
    lm_eval_samples,
    lmbench_request_csv,
    megatron_golden,
    ml_energy,
    mlperf_loadgen,
    mlperf_power,
    mlperf_training,
    model_analyzer,
    nccl_tests,
    ncu,
    nsys_sqlite,
    nsys_stats,
    nvbench,
    nvidia_smi,
    nvidia_smi_dmon,
    onnxruntime_perf_test,
    openvino_benchmark_app,
    optimum_benchmark,
    perf_analyzer,
    prometheus_text,
    pyperf,
    pytest_benchmark,
    pytorch_trace,
    rocm_smi,
    rocpd,
    rocprof,
    serving_cases_csv,
    sglang_bench_serving,
    step_loss_text,
    superbench,
    superbench_monitor,
    tensorboard_csv,
    tensorboard_events,
    torch_benchmark,
    tpu_microbench,
    trainer_log,
    trainer_state,
    training_step_log,
    trtexec,
    trtllm_bench,
    vllm_bench_latency,
    vllm_bench_serve,
    vllm_bench_serve_text,
    vllm_bench_throughput,
    vllm_multiturn_csv,
    vllm_server_log,
    wandb_csv,
    xprof_json,
    zeus_csv,
)
from analysis.evidence.containers import Opened
from analysis.evidence.format import Document, Format
from analysis.reading import Reading

FORMATS: Final[tuple[Format, ...]] = (
    vllm_bench_serve.FORMAT,
    sglang_bench_serving.FORMAT,
    lmbench_request_csv.FORMAT,
    vllm_bench_throughput.FORMAT,
    vllm_bench_latency.FORMAT,
    vllm_bench_serve_text.FORMAT,
    vllm_multiturn_csv.FORMAT,
    serving_cases_csv.FORMAT,
    vllm_server_log.FORMAT,
    inference_perf.FORMAT,
    guidellm.FORMAT,
    trtexec.FORMAT,
    llama_bench.FORMAT,
    onnxruntime_perf_test.FORMAT,
    openvino_benchmark_app.FORMAT,
    trtllm_bench.FORMAT,
    optimum_benchmark.FORMAT,
    aiperf.FORMAT,
    genai_perf.FORMAT,
    perf_analyzer.FORMAT,
    model_analyzer.FORMAT,
    mlperf_loadgen.FORMAT,
    mlperf_power.FORMAT,
    mlperf_training.FORMAT,
    hyperfine.FORMAT,
    pytest_benchmark.FORMAT,
    pytorch_trace.FORMAT,
    chrome_trace.FORMAT,
    jax_xplane.FORMAT,
    xprof_json.FORMAT,
    nsys_stats.FORMAT,
    nsys_sqlite.FORMAT,
    ncu.FORMAT,
    rocprof.FORMAT,
    rocpd.FORMAT,
    google_benchmark.FORMAT,
    pyperf.FORMAT,
    go_bench.FORMAT,
    nccl_tests.FORMAT,
    all_reduce_bench.FORMAT,
    nvbench.FORMAT,
    torch_benchmark.FORMAT,
    superbench.FORMAT,
    gpu_burn.FORMAT,
    tpu_microbench.FORMAT,
    lm_eval_results.FORMAT,
    lm_eval_samples.FORMAT,
    lighteval_results.FORMAT,
    lighteval_details.FORMAT,
    countersign_measurements.FORMAT,
    countersign_bounds.FORMAT,
    batch_policy_curve_pack.FORMAT,
    training_step_log.FORMAT,
    deepspeed_text.FORMAT,
    step_loss_text.FORMAT,
    megatron_golden.FORMAT,
    trainer_state.FORMAT,
    trainer_log.FORMAT,
    tensorboard_csv.FORMAT,
    tensorboard_events.FORMAT,
    wandb_csv.FORMAT,
    nvidia_smi.FORMAT,
    nvidia_smi_dmon.FORMAT,
    dcgmi_dmon.FORMAT,
    prometheus_text.FORMAT,
    rocm_smi.FORMAT,
    zeus_csv.FORMAT,
    ml_energy.FORMAT,
    superbench_monitor.FORMAT,
)


TWIN: Final = re.compile(rb'"benchmark_values"\s*:\s*\[')
"""What vLLM and others write as `*.pytorch.json` beside their result: the same run again, so never a second one."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """The one format that claims a file, and why, in words. inside: what the file holds, opened once."""

    format: Format
    reason: str
    inside: Opened

    def read(self) -> Reading:
        """All that the file holds. Raises MalformedEvidence: the content breaks the format; `where` names the place."""
        reading = self._whole()
        if not self.inside.container:
            return reading
        return replace(reading, leniences=(f"the file is packed as {self.inside.container}", *reading.leniences))

    def _whole(self) -> Reading:
        form, documents = self.format, self.inside.documents
        if len(documents) == 1:
            return form.parse(documents[0])
        chosen = [one for one in documents if form.looks_right(one) is not None]
        left_out = [one.name for one in documents if one not in chosen]
        readings = {one.name.removeprefix(f"{self.inside.name}/"): form.parse(one) for one in chosen or documents}
        return archives.joined(readings, left_out=left_out if chosen else ())


def recognise(document: Document, format_name: str | None = None) -> Recognised:
    """The one format that claims the content; the name of the file is not looked at. A container is looked into.

    format_name: the format that somebody chose, whatever the content looks like.

    Raises:
        UnknownFormat: "unknown_format" when none claims it, or for a name that is none; "ambiguous_format" when several
            do; "twin_of_a_result".
        MalformedEvidence: too_large, several_formats, and those of containers.opened.
    """
    document.watch.at(0, document.size)
    inside = containers.opened(document, _greatest)
    if format_name is None:
        found = _claim(inside)
    else:
        found = Recognised(_named(format_name, document.name), f"chosen by hand: {format_name}", inside)
    for one in inside.documents:
        limits.refuse_many_bytes(one.size, one.name, found.format.greatest_bytes)
    return found


def read(document: Document, format_name: str | None = None) -> Reading:
    """All that the file holds, in the format that it is recognised as, or in the one named. Raises as both."""
    return recognise(document, format_name).read()


def _greatest(head: Document) -> int:
    """The most bytes that are read of a file that begins like this."""
    streamed = any(form.streams and form.looks_right(head) is not None for form in FORMATS)
    return limits.STREAMED_BYTES if streamed else limits.BYTES


def _claim(inside: Opened) -> Recognised:
    """The one format that claims all of what is known in the file."""
    found = list(_known(inside))
    if not found:
        _refuse_unknown(inside)
    if len({claim.format.name for claim in found}) > 1:
        raise _several_formats(inside.name, sorted({claim.format.name for claim in found}))
    reason = found[0].reason
    return replace(found[0], reason=f"inside {inside.container}, {reason}") if inside.container else found[0]


def _known(inside: Opened) -> Iterator[Recognised]:
    """The format of each document that one claims. Raises UnknownFormat(ambiguous_format)."""
    for document in inside.documents:
        asked = ((form, form.looks_right(document)) for form in FORMATS)
        claims = [Recognised(form, reason, inside) for form, reason in asked if reason is not None]
        if len(claims) > 1:
            names = " and ".join(f"{claim.format.name} ({claim.reason})" for claim in claims)
            message = f"it could be {names}: split it, or say which it is"
            raise UnknownFormat(message, where=document.name, code="ambiguous_format")
        if claims:
            yield claims[0]


def _refuse_unknown(inside: Opened) -> NoReturn:
    if any(TWIN.search(one.head) for one in inside.documents):
        message = "it is the twin of a result, in the schema of PyTorch's benchmarks: attach the result itself"
        raise UnknownFormat(message, where=inside.name, code="twin_of_a_result")
    if all(not one.head.strip() and not one.tail.strip() for one in inside.documents):
        raise UnknownFormat("the file is empty: export it again", where=inside.name)
    message = "no format recognises this file: it can be kept as an attachment, without numbers"
    raise UnknownFormat(message, where=inside.name)


def _several_formats(where: str, names: Collection[str]) -> MalformedEvidence:
    return MalformedEvidence(f"its files are of {' and '.join(names)}", where=where, code="several_formats")


def _named(name: str, where: str) -> Format:
    for form in FORMATS:
        if form.name == name:
            return form
    known = ", ".join(form.name for form in FORMATS)
    raise UnknownFormat(f'"{name}" is no format; known are {known}', where=where)
