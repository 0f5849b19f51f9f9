"""scripts/coverage_limits.py: the numbers that `make test` insists on."""

import json
from pathlib import Path

import pytest

from scripts import coverage_limits

File = dict[str, dict[str, int]]


def a_file(*, lines: int, covered: int, branches: int = 0, taken: int = 0) -> File:
    return {
        "summary": {
            "num_statements": lines,
            "covered_lines": covered,
            "num_branches": branches,
            "covered_branches": taken,
        }
    }


FULL = {
    "analysis/bounds.py": a_file(lines=10, covered=10, branches=4, taken=4),
    "reviews/policies/gate.py": a_file(lines=10, covered=10),
    "reviews/queries.py": a_file(lines=10, covered=9),
}


def report(tmp_path: Path, files: dict[str, File]) -> str:
    path = tmp_path / "coverage.json"
    path.write_text(json.dumps({"files": files}))
    return str(path)


def test_a_covered_tree_passes_and_prints_three_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert coverage_limits.main(report(tmp_path, FULL)) == 0
    assert capsys.readouterr().out.splitlines() == [
        "coverage analysis: 100.00 % (limit 100 %)",
        "coverage reviews/policies: 100.00 % (limit 100 %)",
        "coverage overall: 97.05 % (limit 95 %)",
    ]


def test_a_share_is_never_rounded_up() -> None:
    assert str(coverage_limits.share({"analysis/a.py": a_file(lines=30_000, covered=29_999)}, "analysis/")) == "99.99"


@pytest.mark.parametrize("path", ["analysis/bounds.py", "reviews/policies/gate.py"])
def test_one_branch_not_taken_fails_and_names_its_file(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {**FULL, path: a_file(lines=100, covered=100, branches=2, taken=1)}

    assert coverage_limits.main(report(tmp_path, files)) == 1
    assert f"99.01 %  {path}" in capsys.readouterr().out


def test_less_than_the_limit_overall_fails(tmp_path: Path) -> None:
    files = {**FULL, "reviews/queries.py": a_file(lines=100, covered=90)}

    assert coverage_limits.main(report(tmp_path, files)) == 1


def test_nothing_measured_is_not_a_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert coverage_limits.main(report(tmp_path, {})) == 1
    assert "coverage analysis: nothing was measured" in capsys.readouterr().out
