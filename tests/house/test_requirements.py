"""The lock files: every package pinned by version and hash, no host named, one version of each in all."""

import re
import tomllib

import pytest

from tests.house.sources import ROOT

FILES = ["app", "bench", "dev", "hta", "otava", "uv"]


def entries(name: str) -> list[str]:
    """One string for each requirement: its first line and the hashes that follow."""
    text = (ROOT / f"requirements/{name}.txt").read_text()
    return [entry for entry in re.split(r"^(?=\S)", text, flags=re.MULTILINE) if entry.strip()]


def pins(name: str) -> dict[str, str]:
    """Package (with its marker) -> version."""
    matches = [re.match(r"([\w.\-\[\]]+)==(\S+?)( ;.*?)? \\$", entry, re.MULTILINE) for entry in entries(name)]
    return {f"{m[1]}{m[3] or ''}": m[2] for m in matches if m}


@pytest.mark.parametrize("name", FILES)
def test_every_requirement_is_pinned_by_version_and_hash(name: str) -> None:
    assert len(pins(name)) == len(entries(name)) > 0
    assert [entry for entry in entries(name) if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("name", FILES)
def test_a_lock_file_names_no_host(name: str) -> None:
    text = (ROOT / f"requirements/{name}.txt").read_text()

    assert re.findall(r"\w+://\S*|--(?:extra-)?index-url|--find-links|--trusted-host", text) == []


def test_what_the_product_runs_with_is_what_the_tests_run_with() -> None:
    assert pins("app").items() <= pins("dev").items()


def test_what_the_product_runs_with_is_what_the_benchmarks_measure() -> None:
    assert pins("app").items() <= pins("bench").items()


def test_only_the_benchmarks_know_their_peers() -> None:
    peers = {"arch", "benchmatrix", "inference-doctor", "pyperf"}

    assert peers <= set(pins("bench"))
    assert not {*peers, "apache-otava", "holistictraceanalysis"} & {*pins("app"), *pins("dev")}
    assert "apache-otava" in pins("otava")
    assert "holistictraceanalysis" in pins("hta")


def test_everything_that_the_project_asks_for_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = [
        *project["project"]["dependencies"],
        *project["dependency-groups"]["build"],
        *project["dependency-groups"]["dev"],
    ]
    names = {re.split(r"[\[><=~!; ]", line)[0].lower() for line in asked}
    locked = {re.split(r"[\[ ]", pin)[0].lower() for pin in pins("dev")}

    assert {name.replace("_", "-") for name in names} - locked == set()


def test_what_builds_the_project_is_what_the_lock_holds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = {re.split(r"[><=]", line)[0] for line in project["build-system"]["requires"]}

    assert needed <= {re.split(r"[ ;]", pin)[0] for pin in pins("app")}
