"""The baselines of Megatron-LM's test of MoE layers: a case, the mean times of one layer forward and backward, memory.

Each case is one run. The tool times a number of passes after some of warmup, and writes the means only.
"""

import re
from typing import Final

from analysis.evidence import collect, values
from analysis.evidence.collect import Collection, aggregate
from analysis.evidence.values import Json

CASE: Final = re.compile(rb'"backward_ms"\s*:')
LIMIT: Final = re.compile(rb'"max_regression_ratio"\s*:')
TIMES: Final = {"forward_ms": "forward_time", "backward_ms": "backward_time"}
MEMORY: Final = "max_allocated_bytes"
OF_A_LAYER: Final = (
    "Times are means over passes of one layer, made by the tool: how many passes, the file does not say."
)


def looks_right(head: bytes) -> bool:
    """Whether a file that begins like this holds such baselines."""
    return CASE.search(head) is not None and LIMIT.search(head) is not None


def read(collection: Collection, whole: dict[str, Json]) -> None:
    """Add one run for each case.

    Raises:
        MalformedEvidence: missing, and those of values.
    """
    for name, value in whole.items():
        where = f"{collection.document.name}:{name}"
        case = values.fields(value, where)
        run = collection.add(collect.completed(values.text(name, where), where))
        for key, metric in TIMES.items():
            spot = f"{where}.{key}"
            run.measured(metric, collect.positive(values.needed(case, key, spot), "ms", spot), aggregate("mean", None))
        if MEMORY in case:
            figure = collect.not_negative(case[MEMORY], "B", f"{where}.{MEMORY}")
            run.measured("memory_max_allocated", figure, aggregate("mean", None))
        run.configured("case", name, where)
        collection.leave(key for key in case if key not in (*TIMES, MEMORY))
    collection.notice(OF_A_LAYER)
