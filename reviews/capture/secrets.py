"""Secrets in words and in files: found by the shapes that their issuers gave them, and masked. None is ever printed."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

MASK: Final = "***"
SHAPES: Final = (
    ("a token of Hugging Face", r"(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{30,}"),
    ("an access key of AWS", r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])"),
    ("an API key (sk-…)", r"(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20,}"),
    ("a token of GitHub", r"(?<![A-Za-z0-9_])(?:gh[opsur]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})"),
    ("a token of GitLab", r"(?<![A-Za-z0-9_-])glpat-[A-Za-z0-9_-]{20,}"),
    ("a key of Google", r"(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    ("a key of NVIDIA", r"(?<![A-Za-z0-9_-])nvapi-[A-Za-z0-9_-]{40,}"),
    ("a token of Slack", r"(?<![A-Za-z0-9_-])xox[abprs]-[A-Za-z0-9-]{20,}"),
    ("a token of this product", r"(?<![A-Za-z0-9_-])cs_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])"),
    ("a bearer token", r"(?i:\bbearer)\s+[A-Za-z0-9._~+/-]{20,}=*"),
    ("a private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
)
IN_TEXT: Final = tuple((kind, re.compile(shape)) for kind, shape in SHAPES)
IN_BYTES: Final = tuple((kind, re.compile(shape.encode())) for kind, shape in SHAPES)
NAMED: Final = re.compile(
    r"(?i)(?:^|[-_.])(?:token|(?:api|access|secret|private|license)[-_]?key|secret|password|passwd|auth|credentials?)$"
)
ASSIGNED: Final = re.compile(r"^(-{0,2}[A-Za-z][\w.-]*)=(.+)$", re.DOTALL)
OPTION: Final = re.compile(r"^--?([A-Za-z][\w.-]*)$")
OF_ADDRESS: Final = re.compile(r"(?<=://)[^/@\s]+(?=@)")


@dataclass(frozen=True, slots=True)
class Found:
    """A secret in a file: what it is, and the line it begins on."""

    kind: str
    line: int


def found_in(content: bytes) -> Iterator[Found]:
    """The secrets of a file, each kind at its first place."""
    for kind, shape in IN_BYTES:
        if match := shape.search(content):
            yield Found(kind, content.count(b"\n", 0, match.start()) + 1)


def masked(words: Iterable[str]) -> tuple[str, ...]:
    """The words of a command line; what names itself a secret or has the shape of one is replaced by ***."""
    told, hidden = [], False
    for word in words:
        option = OPTION.match(word)
        if hidden and not word.startswith("--"):
            told.append(MASK)
        else:
            told.append(_masked(word))
        hidden = bool(option and NAMED.search(option[1]))
    return tuple(told)


def _masked(word: str) -> str:
    assigned = ASSIGNED.match(word)
    if assigned and NAMED.search(assigned[1]):
        return f"{assigned[1]}={MASK}"
    for _, shape in IN_TEXT:
        word = shape.sub(MASK, word)
    return OF_ADDRESS.sub(MASK, word)
