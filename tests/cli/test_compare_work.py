"""What `countersign compare` says of the work: the way out per unit, and what only follows from the speed."""

import json
from pathlib import Path

import pytest

from tests.cli.typed import typed


def served(folder: Path, name: str, tokens: int, *times: float) -> Path:
    """A file of runs that each took so long for so many tokens."""
    runs = [
        {
            "run": f"{name}{i}",
            "settings": {"image": "one"},
            "work": {"output_tokens": tokens},
            "measurements": [{"metric": "wall_time", "value": time, "unit": "s"}],
        }
        for i, time in enumerate(times)
    ]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"countersign": "measurements/1", "runs": runs}))
    return path


def test_the_offer_of_the_refusal_can_be_typed_as_it_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arms = (
        served(tmp_path, "base", 1000, 10.0, 10.1, 10.2),
        "--candidate",
        served(tmp_path, "cand", 2000, 24.0, 24.2, 24.4),
    )

    refused = typed(capsys, "compare", *arms)
    answer = typed(capsys, "compare", *arms, "--metric", "wall_time_per_output_token")

    assert refused.code == 3
    assert "compare wall_time_per_output_token, which divides the size out." in refused.out
    assert answer.code == 1, answer.out
    assert "Regression of at least 2% established" in answer.out
    assert "The metric is per unit of it, so its size divides out." in answer.out
