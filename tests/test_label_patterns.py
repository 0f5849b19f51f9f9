"""Labels read from file names."""

import pytest

from reviews.errors import BadInput
from reviews.label_patterns import labels_in


@pytest.mark.parametrize(
    ("pattern", "name", "labels"),
    [
        ("b{block}-{arm}.json", "b01-candidate.json", {"block": "01", "arm": "candidate"}),
        ("{arm}/{placement}.csv", "baseline/host 1.csv", {"arm": "baseline", "placement": "host 1"}),
        ("run{run}.csv", "run7.csv", {"run": "7"}),
        ("*-{arm}.json", "2026-03-baseline.json", {"arm": "baseline"}),
        ("a.b({block})", "a.b(2)", {"block": "2"}),
        ("", "anything", {}),
    ],
)  # fmt: skip
def test_a_pattern_reads_labels_from_a_name(pattern: str, name: str, labels: dict[str, str]) -> None:
    assert labels_in(pattern, name) == labels


@pytest.mark.parametrize("name", ["b01-other.json", "b01-candidate_json", "x/b01-candidate.json", "b-candidate.json"])
def test_a_name_that_does_not_fit_is_refused_by_name(name: str) -> None:
    with pytest.raises(BadInput, match="does not fit") as refused:
        labels_in("b{block}-{arm}.json", name)

    assert name in refused.value.message


@pytest.mark.parametrize("pattern", ["all.json", "{colour}.json", "{arm}-{arm}.json"])
def test_a_pattern_without_a_known_label_once_is_refused(pattern: str) -> None:
    with pytest.raises(BadInput, match="no pattern of labels") as refused:
        labels_in(pattern, "baseline-baseline.json")

    assert "{arm}, {run}, {block}, {placement}" in refused.value.needs
