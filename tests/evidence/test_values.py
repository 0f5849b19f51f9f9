import pytest

from analysis.errors import MalformedEvidence
from analysis.evidence import values
from analysis.evidence.values import Json, Numeral

BAD = [
    (values.fields, [], "not_an_object"),
    (values.items, {}, "not_a_list"),
    (values.text, Numeral("1"), "not_text"),
    (values.text, "a\x00b", "not_text"),
    (values.text, "\ud800", "not_text"),
    (values.text, "x" * 20_001, "not_text"),
    (values.finite, "0.2", "not_a_number"),
    (values.finite, True, "not_a_number"),
    (values.finite, None, "not_a_number"),
    (values.finite, Numeral("NaN"), "not_finite"),
    (values.finite, Numeral("-Infinity"), "not_finite"),
    (values.finite, Numeral("1e999"), "not_finite"),
    (values.finite, Numeral("1" * 401), "not_finite"),
    (values.finite, Numeral("1e-999999999"), "not_finite"),
    (values.finite, Numeral("1e99999999999999999999"), "not_finite"),
    (values.positive, Numeral("0"), "not_positive"),
    (values.positive, Numeral("-1"), "not_positive"),
    (values.positive, Numeral("1e-390"), "not_positive"),
    (values.not_negative, Numeral("-0.5"), "negative"),
    (values.count, Numeral("1.5"), "not_a_count"),
    (values.count, Numeral("-1"), "negative"),
    (values.count, Numeral("9223372036854775808"), "not_a_count"),
]


@pytest.mark.parametrize(("read", "value", "code"), BAD)
def test_a_bad_value_is_refused_by_its_place(read: object, value: Json, code: str) -> None:
    assert callable(read)

    with pytest.raises(MalformedEvidence, match=r"^x\.json:a\[1\]: ") as refusal:
        read(value, "x.json:a[1]")

    assert refusal.value.code == code


def test_a_field_that_is_missing_is_refused() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        values.needed({}, "duration", "x.json:duration")

    assert refusal.value.code == "missing"


def test_a_count_may_be_written_as_a_float() -> None:
    assert values.count(Numeral("12.0"), "x") == 12


def test_a_value_is_written_as_the_file_has_it() -> None:
    tree: Json = {"a": [Numeral("1.50"), "x", None, True], "b": {"c": Numeral("1e3")}}

    assert values.written(tree) == '{"a": [1.50, "x", null, true], "b": {"c": 1e3}}'


@pytest.mark.parametrize(("cell", "value"), [(" 1.5e3 ", Numeral("1.5e3")), ("1_000", "1_000"), ("nan", "nan")])
def test_a_cell_is_a_number_only_when_it_is_written_as_one(cell: str, value: Json) -> None:
    assert values.number_in(cell) == value


@pytest.mark.parametrize(
    ("value", "shown"), [([], "a list"), ({}, "an object"), ("x" * 90, '"' + "x" * 56 + "..."), (None, "null")]
)
def test_a_value_is_shown_shortly(value: Json, shown: str) -> None:
    assert values.shown(value) == shown
