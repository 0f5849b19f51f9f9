"""CRC-32C (Castagnoli) as TFRecord files keep it, masked: of short texts byte by byte, of long ones in blocks."""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

POLYNOMIAL: Final = 0x82F63B78
ALL: Final = 0xFFFFFFFF
MASK: Final = 0xA282EAD8
BLOCK: Final = 1024

Words = NDArray[np.uint32]


def masked(content: bytes | memoryview) -> int:
    """The checksum as a record has it: rotated by 15 bits, and moved by a constant.

    >>> hex(masked(b"123456789"))
    '0xc78ab0e5'
    """
    crc = checksum(content)
    return ((crc >> 15 | crc << 17) + MASK) & ALL


def checksum(content: bytes | memoryview) -> int:
    """The checksum itself.

    >>> hex(checksum(b"123456789"))
    '0xe3069283'
    """
    register, table = ALL, _table()
    first = len(content) % BLOCK
    for byte in content[:first]:
        register = table[(register ^ byte) & 0xFF] ^ register >> 8
    if first == len(content):
        return register ^ ALL
    rows, places = _powers(), np.arange(BLOCK)
    for block in np.frombuffer(content, dtype=np.uint8, offset=first).reshape(-1, BLOCK):
        mixed = block.copy()
        mixed[:4] ^= np.frombuffer(register.to_bytes(4, "little"), dtype=np.uint8)
        register = int(np.bitwise_xor.reduce(rows[places, mixed]))
    return register ^ ALL


@cache
def _table() -> tuple[int, ...]:
    """What each byte does to the register."""
    found = []
    for byte in range(256):
        register = byte
        for _ in range(8):
            register = register >> 1 ^ (POLYNOMIAL if register & 1 else 0)
        found.append(register)
    return tuple(found)


@cache
def _powers() -> Words:
    """What each byte at each place of a block does to the register at its end."""
    table = np.array(_table(), dtype=np.uint32)
    found = [table]
    for _ in range(BLOCK - 1):
        found.append(table[found[-1] & 0xFF] ^ found[-1] >> np.uint32(8))
    return np.stack(found[::-1])
