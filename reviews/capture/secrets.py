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
NEEDLES: Final = {
    "a token of Hugging Face": (b"hf_",),
    "an access key of AWS": (b"akia", b"asia"),
    "an API key (sk-…)": (b"sk-",),
    "a token of GitHub": (b"ghp_", b"gho_", b"ghs_", b"ghu_", b"ghr_", b"github_pat_"),
    "a token of GitLab": (b"glpat-",),
    "a key of Google": (b"aiza",),
    "a key of NVIDIA": (b"nvapi-",),
    "a token of Slack": (b"xox",),
    "a token of this product": (b"cs_",),
    "a bearer token": (b"bearer",),
    "a private key": (b"private key",),
}
"""What stands in every secret of a kind, in small letters: a block without it is not looked at further."""
OVERLAP: Final = 4096
"""Bytes of a block that are looked at again with the next one; no shape needs as many to be known."""
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
    """The secrets of a file, each kind at its first place, in the order of the shapes."""
    scan = SecretScan()
    scan.feed(content, last=True)
    yield from scan.found()


class SecretScan:
    """The secrets of a file that comes in blocks, each kind at its first place. What is kept of the blocks is small."""

    def __init__(self) -> None:
        self._before = b""
        self._lines = 0
        self._whole = True
        self._lines_of: dict[str, int] = {}

    def feed(self, block: bytes, *, last: bool = False) -> None:
        """Look at the next block. last: none comes after it."""
        content = self._before + block
        small = content.lower()
        for kind, shape in IN_BYTES:
            if kind not in self._lines_of and any(needle in small for needle in NEEDLES[kind]):
                self._look(kind, shape, content, last=last)
        kept = content[-OVERLAP:]
        self._lines += content.count(b"\n", 0, len(content) - len(kept))
        self._whole = self._whole and len(kept) == len(content)
        self._before = kept

    def _look(self, kind: str, shape: re.Pattern[bytes], content: bytes, *, last: bool) -> None:
        """Note the first secret of a kind. One at an end of the block may be part of a longer word."""
        for match in shape.finditer(content):
            cut = match.end() == len(content) and not last and match.end() - match.start() < OVERLAP // 2
            if cut or (match.start() == 0 and not self._whole):
                continue
            self._lines_of[kind] = self._lines + content.count(b"\n", 0, match.start()) + 1
            return

    def found(self) -> Iterator[Found]:
        """What was found so far, in the order of the shapes."""
        for kind, _ in SHAPES:
            if kind in self._lines_of:
                yield Found(kind, self._lines_of[kind])


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
