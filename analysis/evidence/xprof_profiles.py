"""Profiles of XProf that are no tables: `op_profile`, a tree of operations, and `pod_viewer`, a map of cores by step.

Of a tree the shares of time and of the peak rate are read, and times in ps, each at its path. Of a map the time of each
step on each core, and how much of it the core computed, sent, received and waited for input.
"""

import re
from typing import Final

from analysis.evidence import collect, values
from analysis.evidence.collect import Collection, Run, Sample
from analysis.evidence.values import Json, Numeral

TREES: Final = ("byCategory", "byProgram", "byProvenance", "byCategoryExcludeIdle", "byProgramExcludeIdle")
TREE: Final = re.compile(rb'"by(?:Category|Program|Provenance)"\s*:\s*\{')
NODE: Final = re.compile(rb'"children"\s*:\s*\[')
MAP: Final = re.compile(rb'"podStatsSequence"\s*:\s*\{')
SHARES: Final = {"time": "time_share", "flops": "flops_utilization"}
PICOSECONDS: Final = {"rawTime": ("operation_time", "total"), "avgTimePs": ("operation_time", "mean")}
STEP: Final = {
    "totalDurationUs": "step_time", "highFlopsComputeUs": "compute_time", "crsDurationUs": "all_reduce_time",
    "sendDurationUs": "send_time", "recvDurationUs": "receive_time", "hostInfeedDurationUs": "infeed_time",
    "hostOutfeedDurationUs": "outfeed_time",
}  # fmt: skip
OF_ENVIRONMENT: Final = (
    "tpuType", "tpuCoreCount", "hostCount", "replicaCount", "numCoresPerReplica", "perCoreBatchSize"
)  # fmt: skip
NO_TIME: Final = "the tool reports 0: the core spent no time in it"
SHARED: Final = "A share of an operation is that of the whole profile, and holds those of the operations below it."
PER_CORE: Final = "Each core has its own time of a step: the step is over when the slowest core is."


def operations(collection: Collection, run: Run, whole: dict[str, Json], where: str) -> None:
    """Add what the first tree of an op_profile says of each of its operations; the others are named as not read.

    Raises:
        MalformedEvidence: those of values.
    """
    name, *others = [tree for tree in TREES if tree in whole]
    collection.leave(others)
    rest = [("", whole[name], f"{where}{name}")]
    while rest:
        above, value, place = rest.pop()
        node = values.fields(value, place)
        path = f"{above}/{_name(node, place)}" if above else _name(node, place)
        _metrics(collection, run, values.fields(node.get("metrics", {}), f"{place}.metrics"), (path, place))
        children = values.items(node.get("children", []), f"{place}.children")
        rest += [(path, child, f"{place}.children[{i}]") for i, child in reversed(list(enumerate(children)))]
    if "deviceType" in whole:
        run.configured("device_type", whole["deviceType"], f"{where}deviceType")
    collection.notice(SHARED)


def _name(node: dict[str, Json], place: str) -> str:
    return values.text(node.get("name", "unnamed"), f"{place}.name")


def _metrics(collection: Collection, run: Run, metrics: dict[str, Json], node: tuple[str, str]) -> None:
    path, place = node
    for key, value in metrics.items():
        spot = f"{place}.metrics.{key}"
        if key in SHARES:
            figure = collect.not_negative(value, "1", spot)
            run.measured(SHARES[key], figure, Sample("aggregate", "mean", None, stage=path))
        elif key in PICOSECONDS:
            metric, stat = PICOSECONDS[key]
            number = value if isinstance(value, Numeral) else values.number_in(values.written(value))
            figure = collect.positive_or_nothing(number, "ps", spot, NO_TIME)
            run.measured(metric, figure, Sample("aggregate", stat, None, stage=path))
        else:
            collection.leave([key])


def steps(collection: Collection, run: Run, whole: dict[str, Json], where: str) -> None:
    """Add the time of each step on each core of a pod_viewer.

    Raises:
        MalformedEvidence: those of values.
    """
    place = f"{where}podStatsSequence.podStatsMap"
    sequence = values.fields(whole["podStatsSequence"], f"{where}podStatsSequence")
    entries = values.items(sequence.get("podStatsMap", []), place)
    for index, value in enumerate(entries):
        spot = f"{place}[{index}]"
        entry = values.fields(value, spot)
        cores = values.fields(entry.get("podStatsPerCore", {}), f"{spot}.podStatsPerCore")
        for core, found in cores.items():
            at = f"{spot}.podStatsPerCore.{core}"
            _core(collection, run, values.fields(found, at), Sample("raw", "value", 1, index, stage=f"core {core}"), at)
        collection.leave(key for key in entry if key not in ("podStatsPerCore", "stepNum"))
    if entries:
        run.worked("steps", Numeral(str(len(entries))), place)
    environment = values.fields(whole.get("runEnvironment", {}), f"{where}runEnvironment")
    for key in OF_ENVIRONMENT:
        if key in environment:
            run.configured(key, environment[key], f"{where}runEnvironment.{key}")
    collection.notice(PER_CORE)


def _core(collection: Collection, run: Run, core: dict[str, Json], sample: Sample, where: str) -> None:
    for key, value in core.items():
        if key in STEP:
            run.measured(STEP[key], collect.positive_or_nothing(value, "us", f"{where}.{key}", NO_TIME), sample)
        elif key not in ("chipId", "nodeId", "stepNum", "hostName", "bottleneck"):
            collection.leave([key])
