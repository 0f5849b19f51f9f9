"""`countersign next`: from a file of hypotheses and possible measurements to their order."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.typed import typed


def prediction(hypothesis: str, low: object, high: object) -> dict[str, object]:
    return {"hypothesis": hypothesis, "low": low, "high": high}


def question() -> dict[str, Any]:
    """Numbers as text and as numbers; the kernel replay tells less, and is cheaper."""
    return {
        "hypotheses": [
            {"key": "H1", "statement": "the clock fell", "prior": "0.5"},
            {"key": "H2", "prior": 0.3},
            {"key": "H3", "prior": 0.2},
        ],
        "measurements": [
            {
                "name": "clocks replay",
                "standard_error": 0.01,
                "minutes": 60,
                "predictions": [
                    prediction("H1", "0.93", "0.97"),
                    prediction("H2", 0.995, 1.005),
                    prediction("H3", 0.995, 1.005),
                ],
            },
            {
                "name": "kernel replay",
                "standard_error": "0.01",
                "minutes": 10,
                "predictions": [
                    prediction("H1", 1.04, 1.08),
                    prediction("H2", 1.04, 1.08),
                    prediction("H3", 0.99, 1.01),
                ],
            },
        ],
    }


def a_question(folder: Path, **changes: object) -> Path:
    """The file, with these members of its first measurement."""
    said = question()
    said["measurements"][0].update(changes)
    path = folder / "next.json"
    path.write_text(json.dumps(said))
    return path


def test_measurements_are_printed_in_their_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "next", a_question(tmp_path))

    assert answer.code == 0
    rows = [line.split() for line in answer.out.splitlines()]
    assert rows.index(["kernel", "replay", "0.687", "0.0687", "10.0", "1", "%", "–"]) < rows.index(
        ["clocks", "replay", "0.917", "0.0153", "60.0", "1", "%", "–"]
    )
    assert "by bits a minute" in answer.out
    assert "it is no evidence for any hypothesis" in answer.out
    assert "Priors: H1 0.5, H2 0.3, H3 0.2." in answer.out


def test_json_carries_the_full_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(typed(capsys, "next", a_question(tmp_path), "--json").out)

    assert [row["name"] for row in answer["measurements"]] == ["kernel replay", "clocks replay"]
    assert answer["measurements"][0]["bits"] == pytest.approx(0.6866013235748928, rel=1e-12)
    assert (answer["kind"], answer["ranked_by"]) == ("ranking_of_measurements", "bits_per_minute")


def test_without_minutes_the_order_is_by_bits_alone_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "next", a_question(tmp_path, minutes=None))

    assert "What to measure next, by bits." in answer.out
    assert "Minutes are not known for every measurement" in answer.out
    assert answer.out.index("clocks replay  0.917  –") < answer.out.index("kernel replay")
    assert "not known" in answer.out


def test_an_open_end_and_a_hypothesis_that_predicts_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = a_question(tmp_path, predictions=[{"hypothesis": "H1", "high": "1"}, {"hypothesis": "H2", "low": "1"}])

    answer = json.loads(typed(capsys, "next", path, "--json").out)

    clocks = next(row for row in answer["measurements"] if row["name"] == "clocks replay")
    assert clocks["no_prediction"] == ["H3"]
    assert "A hypothesis without a prediction may give any ratio from 0.5 to 2." in answer["assumptions"]


def test_standard_input_is_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(question())))

    assert typed(capsys, "next", "-").code == 0


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"standard_error": 0}, "not_positive"),
        ({"standard_error": "1 %"}, "not_a_number"),
        ({"standard_error": "1e399"}, "not_finite"),
        ({"standard_error": 100}, "bad_standard_error"),
        ({"minutes": -1}, "not_positive"),
        ({"name": "kernel replay"}, "named_twice"),
        ({"predictions": [prediction("H1", 1, 2), prediction("H1", 2, 3)]}, "named_twice"),
        ({"predictions": [prediction("H9", 1, 2)]}, "unknown_hypothesis"),
        ({"predictions": [prediction("H1", 2, 1)]}, "reversed"),
    ],
)
def test_what_cannot_be_ranked_is_refused_with_its_code(
    changes: dict[str, object], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = typed(capsys, "next", a_question(tmp_path, **changes))

    assert (answer.code, answer.out) == (4, "")
    assert f"[{code}]" in answer.err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"hypotheses": []}',
        json.dumps({**question(), "cost": 1}),
        '{"hypotheses": 1, "measurements": []}',
    ],
)
def test_a_file_of_another_shape_is_wrong_usage_and_says_where(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "next.json"
    path.write_text(text)

    answer = typed(capsys, "next", path)

    assert (answer.code, answer.out) == (64, "")
    assert "states no hypotheses and measurements" in answer.err


def test_a_misspelled_member_is_named_not_dropped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(capsys, "next", a_question(tmp_path, minute=5))

    assert answer.code == 64
    assert "`minute`" in answer.err
