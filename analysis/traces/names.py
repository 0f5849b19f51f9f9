"""Names without what differs from build to build (template arguments, addresses, suffixes of generators).

And without what differs from vendor to vendor: libraries that do the same under another name.
"""

import re
from typing import Final

ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]+")
TRITON: Final = re.compile(r"(?:_\d+d[\ddec]*)+$")
CLONE: Final = re.compile(r"\s*\[clone [^\]]*\]|\.kd$")
ANONYMOUS: Final = "(anonymous namespace)"
OPENING: Final = {"<": ">", "(": ")"}
VENDORS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("<dnn>", re.compile(r"cudnn|miopen", re.IGNORECASE)),
    ("<blas>", re.compile(r"(?:cu|hip|roc)blas(?:lt)?", re.IGNORECASE)),
    ("<ccl>", re.compile(r"(?<![a-z])(?:nccl|rccl)", re.IGNORECASE)),
    ("<fft>", re.compile(r"(?:cu|hip|roc)fft", re.IGNORECASE)),
    ("<sparse>", re.compile(r"(?:cu|hip|roc)sparse(?:lt)?", re.IGNORECASE)),
    ("<solver>", re.compile(r"(?:cu|hip|roc)solver", re.IGNORECASE)),
    ("<device>", re.compile(r"(?<![A-Za-z])(?:cuda|hip|rocm)(?![a-z])")),
)
"""Libraries by what they do; angle brackets do not occur in a normalised name."""


def normalised(name: str) -> str:
    """The name of a kernel, alike for all its instantiations.

    >>> normalised("void gemm<float, 4>(float*, int) [clone .kd]")
    'void gemm'
    >>> normalised("fused_add_0d1d2de")
    'fused_add'
    """
    name = ADDRESS.sub("", CLONE.sub("", CLONE.sub("", name))).replace(ANONYMOUS, "")
    return TRITON.sub("", _without_brackets(name)).strip() or name


def neutral(name: str) -> str:
    """A normalised name without the vendor of the library in it.

    >>> neutral("aten::miopen_convolution") == neutral("aten::cudnn_convolution")
    True
    """
    for word, vendors in VENDORS:
        name = vendors.sub(word, name)
    return name


def _without_brackets(name: str) -> str:
    """The text outside angle brackets and parentheses; all of it where they do not match."""
    closing: list[str] = []
    kept: list[str] = []
    for letter in name:
        if closing and letter == closing[-1]:
            closing.pop()
        elif letter in OPENING:
            closing.append(OPENING[letter])
        elif not closing:
            kept.append(letter)
    return name if closing else "".join(kept)
