"""The class of a mechanism, guessed only from words that name it exactly.

A statement that uses the words of one class has that class. Words of several classes, or of none, are "other":
which class is meant is then the author's to say.
"""

import re
from typing import Final

from reviews.memo_text.text import fold
from reviews.vocabulary import MechanismClass as M

WORDS: Final = (
    (M.COMPUTE, ("compute", "arithmetic", "tensor core", "tensor cores", "compute bound")),
    (M.MEMORY, ("memory", "hbm", "dram", "memory bandwidth")),
    (M.SCHEDULING, ("scheduling", "scheduler", "queue", "queueing", "queuing", "batching")),
    (M.PRECISION, ("precision", "quantisation", "quantization", "rounding")),
    (M.THERMAL, ("thermal", "thermals", "throttling", "power cap")),
    (M.INPUT, ("input", "input readiness", "data loader", "dataloader")),
    (M.COMMUNICATION, ("communication", "interconnect", "allreduce", "all-reduce")),
    (M.MAPPING, ("mapping", "dataflow", "mapping / dataflow")),
    (M.LOAD_IMBALANCE, ("load imbalance", "imbalance", "straggler", "stragglers")),
    (M.CACHE, ("cache", "caches", "cache misses")),
    (M.SPECULATION, ("speculation", "speculative decoding")),
    (M.HOST_OVERHEAD, ("host overhead", "launch overhead", "host launch")),
)

_PATTERNS: Final = tuple(
    (mechanism, re.compile(rf"\b(?:{'|'.join(re.escape(fold(word)) for word in words)})\b"))
    for mechanism, words in WORDS
)


def classes_named(statement: str) -> list[str]:
    """The classes whose words the statement uses."""
    folded = fold(statement)
    return [mechanism.value for mechanism, pattern in _PATTERNS if pattern.search(folded)]


def guess(statement: str) -> str:
    """The one class that the statement names, else "other"."""
    named = classes_named(statement)
    return named[0] if len(named) == 1 else M.OTHER.value


def class_called(name: str) -> str:
    """The class of this name or label, "" when it is none."""
    return next((m.value for m in M if fold(name) in (fold(m.value), fold(m.label))), "")
