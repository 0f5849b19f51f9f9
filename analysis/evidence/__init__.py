"""Evidence files: which format a file has, and what is in it. A file that two formats claim is refused, not guessed."""

from dataclasses import dataclass
from typing import Final

from analysis.errors import UnknownFormat
from analysis.evidence import (
    batch_policy_curve_pack,
    countersign_bounds,
    countersign_measurements,
    dcgmi_dmon,
    deepspeed_text,
    hyperfine,
    limits,
    lmbench_request_csv,
    megatron_golden,
    ml_energy,
    mlperf_training,
    nvidia_smi,
    nvidia_smi_dmon,
    prometheus_text,
    pytest_benchmark,
    rocm_smi,
    sglang_bench_serving,
    step_loss_text,
    superbench_monitor,
    tensorboard_csv,
    trainer_state,
    training_step_log,
    vllm_bench_serve,
    wandb_csv,
    zeus_csv,
)
from analysis.evidence.format import Document, Format
from analysis.reading import Reading

FORMATS: Final[tuple[Format, ...]] = (
    vllm_bench_serve.FORMAT,
    sglang_bench_serving.FORMAT,
    lmbench_request_csv.FORMAT,
    mlperf_training.FORMAT,
    hyperfine.FORMAT,
    pytest_benchmark.FORMAT,
    countersign_measurements.FORMAT,
    countersign_bounds.FORMAT,
    batch_policy_curve_pack.FORMAT,
    training_step_log.FORMAT,
    deepspeed_text.FORMAT,
    step_loss_text.FORMAT,
    megatron_golden.FORMAT,
    trainer_state.FORMAT,
    tensorboard_csv.FORMAT,
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


@dataclass(frozen=True, slots=True)
class Recognised:
    """The one format that claims a file, and why, in words."""

    format: Format
    reason: str


def recognise(document: Document) -> Recognised:
    """The one format that claims the content; the name of the file is not looked at.

    Raises:
        UnknownFormat: "unknown_format" when none claims it, "ambiguous_format" when several do.
        MalformedEvidence: too_large.
    """
    limits.refuse_many_bytes(document.content, document.name)
    claims = [Recognised(form, reason) for form in FORMATS if (reason := form.looks_right(document)) is not None]
    match claims:
        case [only]:
            return only
        case [] if not document.content or document.content.isspace():
            raise UnknownFormat("the file is empty: export it again", where=document.name)
        case []:
            message = "no format recognises this file: it can be kept as an attachment, without numbers"
            raise UnknownFormat(message, where=document.name)
        case several:
            names = " and ".join(f"{claim.format.name} ({claim.reason})" for claim in several)
            message = f"it could be {names}: split it, or say which it is"
            raise UnknownFormat(message, where=document.name, code="ambiguous_format")


def read(document: Document, format_name: str | None = None) -> Reading:
    """All that the file holds, in the format that it is recognised as, or in the one named.

    Raises:
        UnknownFormat: see recognise; "unknown_format" also for a name that is none.
        MalformedEvidence: the content breaks the format; `where` names the place.
    """
    if format_name is None:
        return recognise(document).format.parse(document)
    for form in FORMATS:
        if form.name == format_name:
            return form.parse(document)
    known = ", ".join(form.name for form in FORMATS)
    raise UnknownFormat(f'"{format_name}" is no format; known are {known}', where=document.name)
