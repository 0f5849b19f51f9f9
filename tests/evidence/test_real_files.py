from pathlib import Path

import pytest

from analysis import evidence
from analysis.errors import MalformedEvidence, UnknownFormat
from tests.evidence import real
from tests.evidence.real import Expected


@pytest.mark.parametrize("expected", real.EXPECTED, ids=lambda e: e.path)
def test_a_real_file_is_read_right(real_evidence: Path, expected: Expected) -> None:
    reading = real.read(real_evidence, expected.path)

    found = (reading.format, len(reading.runs), len(reading.measurements))
    assert found == (expected.format, expected.runs, expected.measurements)
    for spot, written in expected.spots:
        value = real.value_at(reading, spot)
        assert value is None if written == "none" else value == pytest.approx(float(written), rel=1e-12)


@pytest.mark.parametrize(("path", "code"), real.REFUSED.items())
def test_a_real_file_that_holds_nothing_is_refused(real_evidence: Path, path: str, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        real.read(real_evidence, path)

    assert refusal.value.code == code


def test_every_other_real_file_is_unknown(real_evidence: Path) -> None:
    ours = {*real.REFUSED, *(expected.path for expected in real.EXPECTED)}
    others = sorted(
        p for p in real_evidence.rglob("*") if p.is_file() and str(p.relative_to(real_evidence)) not in ours
    )

    codes = {}
    for path in others:
        name = str(path.relative_to(real_evidence))
        try:
            codes[name] = evidence.recognise(real.document(real_evidence, name)).format.name
        except UnknownFormat as refusal:
            codes[name] = refusal.code

    assert others
    assert {name: code for name, code in codes.items() if code != "unknown_format"} == {}


def test_a_physics_file_with_the_name_of_a_benchmark_is_unknown(real_evidence: Path) -> None:
    with pytest.raises(UnknownFormat) as refusal:
        real.read(real_evidence, "hyperfine/NOT_hyperfine_physics.json")

    assert refusal.value.code == "unknown_format"
