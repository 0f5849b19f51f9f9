"""The file of options that `vllm serve --config` reads: a line of YAML for each, named as on the command line."""

import re
from collections.abc import Iterator
from typing import Final

OPTION: Final = re.compile(r"([a-z][a-z0-9-]*): (\S.*?)\s*")
BLANK: Final = re.compile(r"\s*(?:#.*)?")
KNOWN: Final = (
    "async-scheduling", "block-size", "compilation-config", "cudagraph-capture-sizes", "data-parallel-size", "dtype",
    "enable-chunked-prefill", "enable-prefix-caching", "enforce-eager", "gpu-memory-utilization", "kv-cache-dtype",
    "max-cudagraph-capture-size", "max-model-len", "max-num-batched-tokens", "max-num-seqs",
    "no-enable-prefix-caching", "pipeline-parallel-size", "quantization", "served-model-name", "tensor-parallel-size",
    "tokenizer-mode", "trust-remote-code",
)  # fmt: skip
ENOUGH: Final = 2  # one option alone could be of any program


def looks_right(text: str) -> bool:
    """Whether a text is nothing but options, and at least two of them are known to be those of vLLM."""
    lines = [line for line in text.splitlines() if not BLANK.fullmatch(line)]
    found = [OPTION.fullmatch(line) for line in lines]
    return all(found) and sum(one is not None and one[1] in KNOWN for one in found) >= ENOUGH


def option(line: str) -> Iterator[tuple[str, str]]:
    """The option of a line with its value without quotes; nothing for a comment."""
    found = OPTION.fullmatch(line)
    if found:
        value = found[2]
        quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
        yield found[1].replace("-", "_"), value[1:-1] if quoted else value
