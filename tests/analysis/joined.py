"""Runs with logs of power beside them, from small files of real tools, as the tests of joining need them."""

import json
from collections.abc import Sequence
from typing import Any

from analysis.assess import LabelledRun
from analysis.companions import Companion
from analysis.inputs import Arm
from analysis.joining import JoinedPower
from analysis.reading import Reading
from analysis.run_energy import RunEnergy
from tests.evidence import make

EPOCH_OF_NOON = 1767268800
"""2026-01-01T12:00:00Z."""
SESSION = "2026-01-01_12-00-00"


def smi(watts: Sequence[float], *, first: str = "12:00:00", gpus: int = 1, index: bool = True) -> str:
    """A log of nvidia-smi on 2026-01-01, a row for each GPU each second; GPU i draws 100 i W more."""
    hours, minutes, seconds = (int(part) for part in first.split(":"))
    lines = ["timestamp, index, power.draw [W]" if index else "timestamp, uuid, power.draw [W]"]
    for number, watt in enumerate(watts):
        at = 3600 * hours + 60 * minutes + seconds + number
        clock = f"{int(at) // 3600:02}:{int(at) % 3600 // 60:02}:{at % 60:02}.000"
        for gpu in range(gpus):
            name = gpu if index else f"GPU-{gpu}"
            lines.append(f"2026/01/01 {clock}, {name}, {watt + 100 * gpu:.2f} W")
    return "\n".join(lines) + "\n"


def spl(watts: Sequence[float], *, first: int = 0, kind: str = "testing") -> str:
    """Samples of PTDaemon from 12:00 on, one a second, with a channel that makes up the whole."""
    return "".join(
        f"Time,01-01-2026 12:{(first + i) // 60:02}:{(first + i) % 60:02}.000,Watts,{watt:.6f},Volts,239.1,Amps,0.4,"
        f"PF,0.96,Mark,{SESSION}_{kind},Ch1,Watts,{watt:.6f},Volts,239.3,Amps,0.3,PF,0.96\n"
        for i, watt in enumerate(watts)
    )


def detail(begin: str = "12:00:02.000", end: str = "12:00:06.000", **said: object) -> str:
    """A detail log of LoadGen with a window of power."""
    lines: dict[str, object] = {
        "loadgen_version": "4.1", "effective_scenario": "Offline", "effective_test_mode": "PerformanceOnly",
        "power_begin": f"01-01-2026 {begin}", "power_end": f"01-01-2026 {end}", "result_validity": "VALID",
        "result_samples_per_second": 50.0, **said,
    }  # fmt: skip
    return "".join(
        ":::MLLOG " + json.dumps({"key": key, "value": value, "time_ms": 1.0, "metadata": {"is_error": False}}) + "\n"
        for key, value in lines.items()
        if value is not ...
    )


def telemetry(
    watts: Sequence[float], *, first: int = EPOCH_OF_NOON, counted: Sequence[float] = (), uuid: str = "GPU-a"
) -> str:
    """Telemetry of AIPerf, one sample a second, and the counter in J beside it."""
    rows = []
    for i, watt in enumerate(watts):
        data = {"gpu_power_usage": watt} | ({"energy_consumption": counted[i] / 1e6} if counted else {})
        rows.append(
            {"timestamp_ns": (first + i) * 10**9, "dcgm_url": "http://h:9400/metrics", "gpu_uuid": uuid,
             "gpu_index": 0, "gpu_model_name": "x", "telemetry_data": data}
        )  # fmt: skip
    return "".join(json.dumps(row) + "\n" for row in rows)


def node(watts: Sequence[float], *, first: int = EPOCH_OF_NOON) -> str:
    """A power log of a node in training, in epoch time."""
    entries: list[tuple[str, float | None, int]] = [("power_measurement_start", None, first)]
    entries += [("power_reading", watt, first + i) for i, watt in enumerate(watts)]
    return "".join(
        "0: :::MLLOG " + json.dumps({"namespace": "", "time_ms": at * 1000, "event_type": "POINT_IN_TIME", "key": key,
                                     "value": value, "metadata": {}}) + "\n"
        for key, value, at in entries
    )  # fmt: skip


def log(content: object, name: str = "power.csv", *, run: str = "", clock: str = "") -> Companion:
    reading = make.read(content, name=name)
    return Companion(name, f"sha-{name}", reading, run, clock)


def beside(
    reading: Reading, *logs: Companion, arm: Arm = "baseline", number: int = 1, clock: str = "", **labels: Any
) -> LabelledRun:
    """The one run of a file, with its logs."""
    label = f"{arm[0]}{number}"
    ordinary: dict[str, Any] = {"block": "", "placement": "host-1", "placement_verified": True, "excluded": ""}
    return LabelledRun(
        reading.runs[0], reading, f"sha-{label}", label, arm, **{**ordinary, **labels}, companions=logs, clock=clock
    )


def of_loadgen(*logs: Companion, clock: str = "", **said: Any) -> LabelledRun:
    return beside(make.read(detail(**said), name="mlperf_log_detail.txt"), *logs, clock=clock)


def of_vllm(*logs: Companion, clock: str = "", **fields: object) -> LabelledRun:
    """A result of vLLM that ended at 12:00:06 of its wall clock, after 4 s."""
    ordinary: dict[str, object] = {"date": "20260101-120006", "duration": 4.0}
    return beside(make.read(make.vllm(**{**ordinary, **fields}), name="result.json"), *logs, clock=clock)


def of_ours(*logs: Companion, clock: str = "", arm: Arm = "baseline", number: int = 1, **fields: Any) -> LabelledRun:
    """A result in our own format, in epoch time, from 12:00:02 to 12:00:06 in UTC."""
    ordinary: dict[str, Any] = {
        "started_at": "2026-01-01T12:00:02Z", "ended_at": "2026-01-01T12:00:06Z", "work": {"output_tokens": 100},
        "measurements": [{"metric": "latency", "unit": "s", "values": [0.5]}],
    }  # fmt: skip
    reading = make.read(make.measurements(**{**ordinary, **fields}))
    return beside(reading, *logs, clock=clock, arm=arm, number=number)


def told(found: RunEnergy) -> JoinedPower:
    assert found.joined is not None
    return found.joined
