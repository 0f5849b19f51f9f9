"""What the repository must not hold: paths of a machine, addresses of package hosts, work of others."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.house.sources import place, tracked

# Joined here, so that this file holds none of them.
A_MACHINE = re.compile(
    "|".join(["/" + "work/", "/" + "root/", "/" + r"home/(?!user\b)\w+", "/" + "tmp/cs", "/" + r"Users/\w+"]).encode()
)
HOSTS = [
    "pypi" + ".org",
    "files.python" + "hosted.org",
    "deb.debian" + ".org",
    "security.debian" + ".org",
    "archive.ubuntu" + ".com",
    "registry.npm" + "js.org",
    "unpkg" + ".com",
    "cdn.jsdelivr" + ".net",
    "cdnjs.cloudflare" + ".com",
    "fonts.google" + "apis.com",
    "proxy.golang" + ".org",
]
A_PACKAGE_HOST = re.compile("|".join(re.escape(host) for host in HOSTS).encode())
CARRIED_BY_PACKAGES = re.compile(r"\.(?:woff2?|ttf|otf|eot|whl|jar|so|dll|exe|wasm|map)$|\.min\.(?:js|css)$")
A_BANNER_OF_OTHERS = re.compile(
    rb"/\*!|@licen[sc]e\b|SPDX-License-Identifier|Copyright \(c\) (?!2026 The Countersign authors)"
)


def machine_paths(content: bytes) -> list[str]:
    return sorted({found.decode(errors="replace") for found in A_MACHINE.findall(content)})


def package_hosts(content: bytes) -> list[str]:
    return sorted({found.decode() for found in A_PACKAGE_HOST.findall(content)})


def banners(content: bytes) -> list[str]:
    return sorted({found.decode() for found in A_BANNER_OF_OTHERS.findall(content)})


BREAKS = [
    (machine_paths, b'"cwd": "/' + b'home/ann/runs"', b"/srv/countersign, /usr/bin and homework/ are nobody's"),
    (machine_paths, b"see /" + b"root/x", b"the root/ of a tree"),
    (package_hosts, b"https://pypi" + b".org/simple", b"the registry"),
    (banners, b"/*" + b"! normalize v8 */", b"/* Ours. */"),
    (banners, b"Copyright (c)" + b" 2020 Somebody", b"Copyright (c) 2026 The Countersign authors"),
]


@pytest.mark.parametrize(("finder", "bad", "_good"), BREAKS)
def test_what_must_not_be_there_is_found(finder: Callable[[bytes], list[str]], bad: bytes, _good: bytes) -> None:
    assert finder(bad) != []


@pytest.mark.parametrize(("finder", "_bad", "good"), BREAKS)
def test_the_like_of_it_may_be_there(finder: Callable[[bytes], list[str]], _bad: bytes, good: bytes) -> None:
    assert finder(good) == []


@pytest.mark.parametrize("finder", [machine_paths, package_hosts, banners])
def test_no_tracked_file_holds_it(finder: Callable[[bytes], list[str]]) -> None:
    this = Path(__file__)

    assert [
        (place(path), finder(path.read_bytes())) for path in tracked() if path != this and finder(path.read_bytes())
    ] == []


def test_fonts_bundles_and_programs_come_from_installed_packages() -> None:
    assert [place(path) for path in tracked() if CARRIED_BY_PACKAGES.search(path.name)] == []


def test_scripts_and_styles_are_of_a_size_that_we_wrote() -> None:
    large = [place(path) for path in tracked() if path.suffix in {".js", ".css"} and path.stat().st_size > 60_000]

    assert large == []


def test_the_top_level_is_the_one_agreed_on() -> None:
    top = {place(path).split("/")[0] for path in tracked()}

    assert (
        top
        - {
            *{".ci", ".dockerignore", ".gitignore", "CHANGELOG.md", "Dockerfile", "LICENSE", "Makefile", "README.md"},
            *{
                "analysis",
                "benchmarks",
                "config",
                "docker-compose.yml",
                "docs",
                "examples",
                "manage.py",
                "pyproject.toml",
            },
            *{"requirements", "reviews", "scripts", "templates", "tests"},
        }
        == set()
    )
