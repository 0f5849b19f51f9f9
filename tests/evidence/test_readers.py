"""The shared readers: JSON, text, tables, and what they take without guessing."""

import pytest

from analysis.errors import MalformedEvidence
from analysis.evidence import csv_reader, json_reader, limits, text_reader
from analysis.evidence.format import Document
from analysis.evidence.values import Json, Numeral

ONE, TWO = Numeral("1"), Numeral("2")


def doc(content: str | bytes) -> Document:
    return Document(content if isinstance(content, bytes) else content.encode(), "x.json")


LENIENT: list[tuple[str, tuple[Json, ...], tuple[str, ...]]] = [
    ('{"a": 1}', ({"a": ONE},), ()),
    ('{"a": NaN, "b": -Infinity}', ({"a": Numeral("NaN"), "b": Numeral("-Infinity")},), (json_reader.CONSTANTS,)),
    ('{"a": -nan, "b": -inf}', ({"a": Numeral("NaN"), "b": Numeral("-Infinity")},), (json_reader.LOWER_CASE,)),
    ('{"a": "nan and inf"}{"a": 1}', ({"a": "nan and inf"}, {"a": ONE}), ("2 values stand one after the other",)),
    ('{"a": 1}\n{"a": 2}\n', ({"a": ONE}, {"a": TWO}), ("2 values stand one after the other",)),
    ('loading model\n{"a": 1}', ({"a": ONE},), (json_reader.BEFORE,)),
    ('[INFO] loading\n[{"a": 1}]\n', ([{"a": ONE}],), (json_reader.BEFORE,)),
    ('{"a": 1}\nmain: error: it broke', ({"a": ONE},), (json_reader.AFTER,)),
    ('{"a": "C:\\data"}', ({"a": "C:\\data"},), (json_reader.ESCAPES,)),
    ('{"a": "C:\\\\data \\udead", "b": "\\c"}', ({"a": "C:\\data \udead", "b": "\\c"},), (json_reader.ESCAPES,)),
    ('{"a": "\\u12"}', ({"a": "\\u12"},), (json_reader.ESCAPES,)),
    ('{"a": "one\ntwo"}', ({"a": "one\ntwo"},), (json_reader.CONTROLS,)),
    ('[{"a": 1}, {"a": 2}, {"a', ([{"a": ONE}, {"a": TWO}],), (json_reader.CUT,)),
    ('[{"a": 1}', ([{"a": ONE}],), (json_reader.CUT,)),
    ('{"a": [1, 2, 3', ({"a": [ONE, TWO]},), (json_reader.CUT,)),
    ('{"a": {"b": [{"c": "unclosed ] }', (), ()),
    ('{"a": 1}\n{"a": 2', ({"a": ONE},), (json_reader.LAST_CUT,)),
]


@pytest.mark.parametrize(("text", "values", "leniences"), [case for case in LENIENT if case[1]])
def test_what_a_file_really_holds_is_read_and_said(
    text: str, values: tuple[Json, ...], leniences: tuple[str, ...]
) -> None:
    read = json_reader.read(doc(text))

    assert (read.values, read.leniences) == (values, leniences)
    assert read.incomplete == (json_reader.CUT in leniences)


REFUSED = [
    ("", "empty"),
    (" \n", "empty"),
    ("no JSON at all", "malformed_json"),
    ('{"a": {"b": [{"c": "unclosed ] }', "malformed_json"),
    ('{"a": 12%}', "malformed_json"),
    ('{"a": 1]', "malformed_json"),
    ("{[{}", "malformed_json"),
    ('{"name": "say "hello" twice"}', "malformed_json"),
    ('{"a": 1}\nnoise\n{"a": 2}', "malformed_json"),
    ('{"a": 1, "a": 2}', "duplicate_key"),
    ('{"a": 1}{"b": 1, "b": 2}', "duplicate_key"),
    ("[" * 61 + "]" * 61, "too_deep"),
    ('[{"a" 1}, {"b": 2', "malformed_json"),
    ('{"a":' * 61 + "1" + "}" * 61, "too_deep"),
    ("[" * 100_000, "too_deep"),
    ("[{}]\n[\n[" + "[" * 100_000, "too_deep"),
]


@pytest.mark.parametrize(("text", "code"), REFUSED, ids=lambda value: str(value)[:24])
def test_nothing_else_is_guessed(text: str, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        json_reader.read(doc(text))

    assert (refusal.value.code, refusal.value.where) == (code, "x.json")


def test_a_value_inside_a_line_is_read_up_to_its_end() -> None:
    assert json_reader.value_at_start('{"a": nan} and more', "x:1") == (
        {"a": Numeral("NaN")},
        (json_reader.LOWER_CASE,),
    )


def test_json_lines_are_read_alike_whether_all_of_them_are_strict_or_not() -> None:
    strict, lenient = ('{"a": 1}\n\n{"a": "\\u00e9"}\r\n', '{"a": 1}\n\n{"a": "\\u00e9"} \n ')

    assert json_reader.read(doc(strict)) == json_reader.read(doc(f" {lenient}"))
    assert json_reader.read(doc(strict + '{"a": NaN}')).leniences == (
        json_reader.CONSTANTS,
        "3 values stand one after the other",
    )
    with pytest.raises(MalformedEvidence, match="a key stands twice"):
        json_reader.read(doc(strict + '{"a": 1, "a": 2}'))


@pytest.mark.parametrize(
    ("text", "code"), [("{", "malformed_json"), ("[" * 5000, "too_deep"), ("[" * 70 + "]" * 70, "too_deep")]
)
def test_a_bad_value_inside_a_line_is_refused(text: str, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        json_reader.value_at_start(text, "x:1")

    assert refusal.value.code == code


ENCODED = [
    ("día".encode(), ()),
    (b"\xef\xbb\xbfd\xc3\xada", ("the text is UTF-8 with a byte order mark",)),
    (b"\xff\xfed\x00\xed\x00a\x00", ("the text is UTF-16 (little endian)",)),
    (b"\xfe\xff\x00d\x00\xed\x00a", ("the text is UTF-16 (big endian)",)),
    (b"d\xeda", ("the text is no UTF-8: read as Windows-1252",)),
]


@pytest.mark.parametrize(("content", "leniences"), ENCODED)
def test_the_encoding_is_found(content: bytes, leniences: tuple[str, ...]) -> None:
    assert text_reader.decode(doc(content)) == text_reader.Text("día", leniences)


@pytest.mark.parametrize("content", [b"a\x00b", b"\x81\x8d", b"\xff\xfea"])
def test_bytes_that_are_no_text_are_refused(content: bytes) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        text_reader.decode(doc(content))

    assert refusal.value.code == "not_text"


def test_lines_lose_their_ends_colours_and_ranks() -> None:
    found, _ = text_reader.lines(
        doc("\x1b[32mone\x1b[0m\r\n 3: two\r[1,0]<stdout>:three [1,1]<stderr>: x\n[rank0]: four")
    )

    assert [(line.number, line.text) for line in found] == [(1, "one"), (2, "two"), (3, "three x"), (4, "four")]


def test_a_file_over_the_limit_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BYTES", 3)

    with pytest.raises(MalformedEvidence) as refusal:
        text_reader.decode(doc("1234"))

    assert refusal.value.code == "too_large"


@pytest.mark.parametrize("content", ["1\n2\n3\n4\n", "{}{}{}{}"])
def test_too_many_lines_or_values_are_refused(monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    monkeypatch.setattr(limits, "ROWS", 3)
    read = json_reader.read if content.startswith("{") else text_reader.lines

    with pytest.raises(MalformedEvidence) as refusal:
        read(doc(content))

    assert refusal.value.code == "too_many_rows"


COLUMNS = ("name", "time")


def rows(content: str) -> list[dict[str, str]]:
    return [row.cells for row in csv_reader.read(doc(content), COLUMNS).rows]


@pytest.mark.parametrize(
    ("content", "leniences"),
    [
        ("name,time\na,1\n", ()),
        ("time;name\r\n1;a\r\n", (csv_reader.SEMICOLONS,)),
        ("name\ttime\na\t1\n", (csv_reader.TABS,)),
        ("starting\n\nname,time\na,1\n", (csv_reader.PREAMBLE,)),
        ("name,time\n\na,1\n\n", (csv_reader.BLANK,)),
        ("name,time\na,1\nb", (csv_reader.CUT,)),
        ('"name", time\n" a ",1\n', ()),
    ],
)
def test_a_table_is_found_and_what_it_took_is_said(content: str, leniences: tuple[str, ...]) -> None:
    table = csv_reader.read(doc(content), COLUMNS)

    assert [row.cells for row in table.rows] == [{"name": "a", "time": "1"}]
    assert table.leniences == leniences
    assert table.incomplete == (csv_reader.CUT in leniences)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("a,b\n1,2\n", "no_header"),
        ('"name,time"\n1,2\n', "no_header"),
        ("name,time,time\na,1,2\n", "repeated_column"),
        ("name,time\n", "no_rows"),
        ("name,time\na,1,2\n", "ragged_row"),
        ("name,time\na\n", "ragged_row"),
        ('name,time\n"a" b,1\n', "malformed_csv"),
    ],
)
def test_a_bad_table_is_refused(content: str, code: str) -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        csv_reader.read(doc(content), COLUMNS)

    assert refusal.value.code == code


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROWS", 2)

    with pytest.raises(MalformedEvidence) as refusal:
        csv_reader.read(doc("name,time\na,1\nb,2\nc,3\n"), COLUMNS)

    assert refusal.value.code == "too_many_rows"


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("name;time\na;33,09\n", Numeral("33.09")),
        ('name,time\na,"1,525.00"\n', Numeral("1525.00")),
        ("name,time\na,33.09 W\n", "33.09 W"),
    ],
)
def test_a_cell_is_read_as_spreadsheets_write_numbers(content: str, value: Json) -> None:
    [row] = csv_reader.read(doc(content), COLUMNS).rows

    assert (row.number("time"), row.place("time"), row.text("absent")) == (value, "x.json:2.time", "")


def test_a_text_that_breaks_before_its_end_is_not_taken_for_one_that_is_cut_off() -> None:
    with pytest.raises(MalformedEvidence) as refusal:
        json_reader.read(Document(b'[{"a" 1},\n{"b": 2},\n', "x"))

    assert refusal.value.code == "malformed_json"
