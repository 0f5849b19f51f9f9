"""Requests that leave the house: to public addresses alone, so that nobody reaches our own network through us.

The name is resolved once, every address that it has is looked at, and the connection is made to the one that was looked
at. Redirects are not followed. What an installation allows besides stands in COUNTERSIGN_PRIVATE_NETWORKS.
"""

import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import urllib3
from django.conf import settings

from reviews.errors import BadInput

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
PORTS: Final = {"https": 443, "http": 80}
READ_BYTES: Final = 2000


@dataclass(frozen=True, slots=True)
class Place:
    """An address in its parts. target: path and query."""

    scheme: str
    host: str
    port: int
    target: str


def place_of(address: str) -> Place:
    """The parts of an address to which something may be sent, as far as it can be told without asking for its name.

    Raises:
        BadInput: no http or https address, one with a password in it ("bad_address"), or a private one
            ("private_address"). Plain http is for private networks that are allowed.
    """
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
        host.encode("idna")  # a name with an empty or an endless part resolves to nothing
    except ValueError:
        raise _no_address(address) from None
    plain = address.isascii() and address.isprintable() and " " not in address
    if parts.scheme not in PORTS or not host or parts.username is not None or not plain:
        raise _no_address(address)
    literal = _literal(host)
    if literal is not None:
        refuse_private(literal)
    if parts.scheme == "http" and not (literal is not None and _allowed(literal)):
        raise _no_address(address)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Place(parts.scheme, host, port or PORTS[parts.scheme], target)


def refuse_private(address: Address) -> None:
    """Raises BadInput for an address that is not on the public internet, unless this installation allows it."""
    if _allowed(address):
        return
    inner = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    hidden = inner is not None or (address.version == 6 and address in NAT64)  # an IPv4 address inside
    if hidden or not address.is_global or address.is_multicast or address.is_reserved:
        raise BadInput(
            f"{address} is no public address.",
            needs="Give one, or ask the operator to allow that network: COUNTERSIGN_PRIVATE_NETWORKS.",
            code="private_address",
            where="address",
        )


def post(address: str, body: bytes, headers: Mapping[str, str]) -> int:
    """The status of the answer to a POST.

    Raises:
        BadInput: the address, or one that its name resolves to, may not be asked.
        OSError, urllib3.exceptions.HTTPError: nothing came back.
    """
    place = place_of(address)
    found = [_address(row) for row in socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)]
    for one in found:
        refuse_private(one)
    timeout = urllib3.Timeout(total=settings.SEND_SECONDS)
    name = place.host if ":" not in place.host else f"[{place.host}]"
    sent = {**headers, "Host": name if place.port == PORTS[place.scheme] else f"{name}:{place.port}"}
    with _pool(place, str(found[0]), timeout) as pool:
        answer = pool.urlopen("POST", place.target, body, sent, retries=False, redirect=False, preload_content=False)
        answer.read(READ_BYTES)
        answer.release_conn()
        return answer.status


def _pool(place: Place, ip: str, timeout: urllib3.Timeout) -> urllib3.HTTPConnectionPool:
    if place.scheme == "http":
        return urllib3.HTTPConnectionPool(ip, place.port, timeout=timeout, maxsize=1)
    return urllib3.HTTPSConnectionPool(
        ip,
        place.port,
        timeout=timeout,
        maxsize=1,
        cert_reqs="CERT_REQUIRED",
        server_hostname=place.host,
        assert_hostname=place.host,
    )


def _literal(host: str) -> Address | None:
    """The address that the host is written as; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _address(row: tuple[object, ...]) -> Address:
    where = row[4]
    assert isinstance(where, tuple)  # noqa: S101 (as getaddrinfo answers)
    return ipaddress.ip_address(str(where[0]).partition("%")[0])


def _allowed(address: Address) -> bool:
    networks = (ipaddress.ip_network(network) for network in settings.PRIVATE_NETWORKS)
    return any(address.version == network.version and address in network for network in networks)


def _no_address(address: str) -> BadInput:
    return BadInput(
        f"“{address[:80]}” is no address that something can be sent to.",
        needs="Give one that begins with https:// and holds no user name and no password.",
        code="bad_address",
        where="address",
    )
