import json
from pathlib import Path

import pytest

from analysis import evidence
from tests.evidence import golden


@pytest.mark.parametrize("case", golden.CASES, ids=lambda p: p.relative_to(golden.HERE).as_posix())
def test_a_case_is_read_as_expected(case: Path) -> None:
    reading = evidence.read(golden.document(case))

    assert golden.as_json(reading) == json.loads(golden.expected(case).read_text(encoding="utf-8"))


def test_every_format_has_cases() -> None:
    assert {case.relative_to(golden.HERE).parts[0] for case in golden.CASES} == {f.name for f in evidence.FORMATS}


def test_no_expectation_is_left_without_its_case() -> None:
    expectations = set(golden.HERE.rglob(f"*{golden.ENDING}"))

    assert expectations == {golden.expected(case) for case in golden.CASES}
