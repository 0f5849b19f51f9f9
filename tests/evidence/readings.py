"""What a reading says, and where a file is refused."""

import pytest

from analysis.errors import MalformedEvidence
from analysis.reading import Reading
from tests.evidence import make


def settings(reading: Reading) -> dict[str, str]:
    return {setting.name: setting.value for setting in reading.settings}


def refused(content: object, form: str | None = None, name: str = "x.json") -> tuple[str, str]:
    """Code and place of the refusal."""
    with pytest.raises(MalformedEvidence) as refusal:
        make.read(content, form, name)
    return refusal.value.code, refusal.value.where


def values_of(reading: Reading, metric: str, stat: str = "value") -> list[float | None]:
    return [m.value for m in reading.measurements if (m.metric, m.stat) == (metric, stat)]
