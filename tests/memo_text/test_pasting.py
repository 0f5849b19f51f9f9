"""The ways in which people really paste a memo."""

import re

import pytest

from reviews import sections as s
from reviews.errors import BadInput, TooLarge
from reviews.memo_text import Note, blank, render
from reviews.memo_text.text import LIMIT_BYTES, LIMIT_LINES
from tests.memo_text.contents import BATCH, OURS, read

BLANK = render(blank(BATCH, team="team", intent="regression"), BATCH)
FILLED = """ACCELERATOR REVIEW MEMO - Scheduling & Workload Mapping / Batch Size Effects

1. Symptom
   - Failing metric: Throughput under evening traffic
   - Workload or traffic slice: chat, “EU” peak
   - First failing layer or stage: runtime
   - Build and runtime tags: nvcc 12.4/vbios 96/CUDA 12.4/H100

2. Mechanism hypothesis
   - Primary mechanism: The queue is too short for the evening.
   - Competing hypotheses: memory stalls, thermal limits
   - Missing evidence: queue trace

3. Proposed action
   - Smallest reversible change: Set max_batch to 16.
   - Expected movement: throughput up 5 to 20 %
   - Regression risk: correctness, quality, thermal, software compatibility

4. Signoff
   - Required artifact: Batch policy curve pack showing feasible operating regions for throughput, latency, and power.
   - Required owners: OWNERS
   - Final decision: ship, bounded rollout, rollback, or escalate
""".replace("OWNERS", ", ".join(owner.title for owner in OURS))
EXPECTED = read(FILLED).content


def each_field(pattern: str, text: str = FILLED) -> str:
    return re.sub(r"^   - ([^:]+): (.*)$", pattern, text, flags=re.MULTILINE)


def each_heading(pattern: str, text: str = FILLED) -> str:
    return re.sub(r"^(\d)\. (.*)$", pattern, text, flags=re.MULTILINE)


def wrapped(indent: str) -> str:
    def fold(m: re.Match[str]) -> str:
        return re.sub(r"(.{30,}?) ", rf"\1\n{indent}", m.group())

    return re.sub(r"^   - .*$", fold, FILLED, flags=re.MULTILINE)


def blocks(text: str) -> list[str]:
    return text.strip().split("\n\n")


WAYS = {
    "as it is": FILLED,
    "stars": each_field(r"   * \1: \2"),
    "dots": each_field(r"   • \1: \2"),
    "dashes as bullets": each_field(r"   – \1: \2"),
    "numbered fields": each_field(r"   1. \1: \2"),
    "lettered fields": each_field(r"   a) \1: \2"),
    "numbers in brackets": each_field(r"   (1) \1: \2"),
    "check boxes": each_field(r"   - [ ] \1: \2"),
    "no bullets": each_field(r"\1: \2"),
    "bold labels, colon inside": each_field(r"- **\1:** \2"),
    "bold labels, colon outside": each_field(r"- **\1**: \2"),
    "bold fields": each_field(r"**\1: \2**"),
    "label - value": each_field(r"   - \1 - \2"),
    "label – value": each_field(r"   - \1 – \2"),
    "label — value": each_field(r"   - \1—\2"),
    "a tab between": each_field(r"\1\t\2"),
    "a table": each_field(r"| \1 | \2 |"),
    "value on the next line": each_field(r"   - \1:\n     \2"),
    "label as a heading": each_field(r"### \1\n\n\2\n"),
    "bold label above": each_field(r"**\1**\n\2\n"),
    "bare label above": each_field(r"\1\n\2\n"),
    "other case": each_field(lambda m: f"   - {m[1].upper()}: {m[2]}"),  # type: ignore[arg-type]
    "markdown headings": each_heading(r"## \1. \2"),
    "closed markdown headings": each_heading(r"## \2 ##"),
    "bold headings": each_heading(r"**\2**"),
    "shouted headings": each_heading(lambda m: f"{m[2].upper()}:"),  # type: ignore[arg-type]
    "renumbered": each_heading(lambda m: f"{int(m[1]) + 4}) {m[2]}"),  # type: ignore[arg-type]
    "roman numbers": each_heading(r"I. \2"),
    "without headings": each_heading(""),
    "underlined headings": each_heading(r"\2\n-------"),
    "CRLF": FILLED.replace("\n", "\r\n"),
    "CR": FILLED.replace("\n", "\r"),
    "line separators": FILLED.replace("\n", "\u2028"),
    "tabs": FILLED.replace("   - ", "\t-\t"),
    "hard blanks": FILLED.replace("   - ", "\u00a0\u00a0 -\u00a0").replace(": ", ":\u00a0"),
    "byte order mark": "\ufeff" + FILLED,
    "no empty lines": FILLED.replace("\n\n", "\n"),
    "double empty lines": FILLED.replace("\n", "\n\n"),
    "rules between": FILLED.replace("\n\n", "\n\n---\n\n"),
    "quoted mail": re.sub(r"^", "> ", FILLED, flags=re.MULTILINE),
    "twice quoted mail": re.sub(r"^", "> > ", FILLED, flags=re.MULTILINE),
    "in a fence": f"```\n{FILLED}```\n",
    "no indents": re.sub(r"^ +", "", FILLED, flags=re.MULTILINE),
    "deeper indents": re.sub(r"^   ", "          ", FILLED, flags=re.MULTILINE),
    "wrapped and indented": wrapped("     "),
    "wrapped at the margin": wrapped(""),
    "reordered": "\n\n".join(reversed(blocks(FILLED))),
    "title with a long dash": FILLED.replace("MEMO - ", "MEMO — "),
    "title as markdown": f"# **{FILLED.splitlines()[0]}**\n" + "\n".join(FILLED.splitlines()[1:]),
}


@pytest.mark.parametrize("way", WAYS)
def test_however_it_is_pasted_the_records_are_the_same(way: str) -> None:
    assert read(WAYS[way]).content == EXPECTED


def test_the_filled_memo_has_its_words_in_its_fields() -> None:
    assert EXPECTED.header.kept == ()
    assert EXPECTED.header.unfilled == ()
    assert EXPECTED.symptom.workload_slice == "chat, “EU” peak"
    assert EXPECTED.symptom.build_tags == s.BuildTags(
        compiler="nvcc 12.4", firmware="vbios 96", runtime="CUDA 12.4", hardware="H100"
    )
    assert [(h.key, h.mechanism) for h in EXPECTED.hypotheses.hypotheses] == [
        ("H1", "scheduling"),
        ("H2", "memory"),
        ("H3", "thermal"),
    ]


def test_extra_headings_and_their_texts_are_kept_with_their_numbers() -> None:
    text = FILLED.replace("\n2. Mech", "\n## Background\n\nA longer story.\n- with a point\n\n2. Mech")

    header = read(text).content.header

    assert header.kept == (
        s.KeptText(line=9, text="## Background"),
        s.KeptText(line=11, text="A longer story."),
        s.KeptText(line=12, text="- with a point"),
    )
    assert read(text).content.hypotheses == EXPECTED.hypotheses


def test_an_unknown_label_beside_the_others_is_kept_and_glued_to_nothing() -> None:
    text = FILLED.replace("   - First failing", "   - Customer impact: high\n   - First failing")

    content = read(text).content

    assert content.header.kept == (s.KeptText(line=6, text="   - Customer impact: high"),)
    assert content.symptom == EXPECTED.symptom


def test_a_missing_section_is_noted_and_leaves_its_fields_empty() -> None:
    parsed = read("\n\n".join(block for block in blocks(FILLED) if "Proposed" not in block))

    assert parsed.content.action == s.ProposedAction()
    assert [note.sentence for note in parsed.notes if note.line == 0] == [
        'The text has no "Smallest reversible change".',
        'The text has no "Expected movement".',
        'The text has no "Regression risk".',
    ]


def test_an_empty_text_has_the_template_s_title_and_owners() -> None:
    parsed = read("")

    assert parsed.content.header.title == "Batch Size Effects"
    assert parsed.content.signoff.required_owners == OURS
    assert parsed.notes[0] == Note(0, 'The text has no title; it has the template\'s, "Batch Size Effects".')


@pytest.mark.parametrize("first", ["# H100 batch policy", "H100 batch policy"])
def test_without_a_memo_line_the_first_line_is_the_title(first: str) -> None:
    parsed = read(f"{first}\n\n1. Symptom\n   - Failing metric: Throughput")

    assert parsed.content.header.title == "H100 batch policy"
    assert parsed.content.header.kept == ()
    assert Note(1, 'The first line is taken as the title: "H100 batch policy".') in parsed.notes


def test_a_long_first_line_is_no_title() -> None:
    assert read("word " * 40).content.header.title == "Batch Size Effects"


def test_a_second_memo_line_is_kept() -> None:
    content = read("REVIEW MEMO: one\nREVIEW MEMO\nREVIEW MEMO: two\n").content

    assert content.header.title == "one"
    assert content.header.kept == (s.KeptText(line=3, text="REVIEW MEMO: two"),)


def test_a_label_said_twice_counts_once_and_the_second_is_kept() -> None:
    text = "- Workload slice: one\n- Workload slice: two\n  more of two\n"

    parsed = read(text)

    assert parsed.content.symptom.workload_slice == "one"
    assert [row.text for row in parsed.content.header.kept] == ["- Workload slice: two", "  more of two"]
    assert Note(2, '"Workload or traffic slice" was said before; this one is kept as text.') in parsed.notes


def test_paragraphs_and_points_of_prose_stay_paragraphs() -> None:
    text = "- Final decision: ship\n\n  if the board agrees\n  today\n  - first point\n  2. second point\n\nNot this."

    content = read(text).content

    assert content.signoff.final_decision == "ship\nif the board agrees today\nfirst point\n2. second point"
    assert content.header.kept == (s.KeptText(line=8, text="Not this."),)


def test_under_a_heading_every_paragraph_belongs_to_its_label() -> None:
    assert read("## Final decision\n\nship\n\nif the board agrees").content.signoff.final_decision == (
        "ship\nif the board agrees"
    )


@pytest.mark.parametrize(
    "said",
    [
        "- Competing hypotheses: memory stalls, thermal limits",
        "- Competing hypotheses: memory stalls; thermal limits.",
        "- Competing hypotheses: memory stalls or thermal limits",
        "- Competing hypotheses: memory stalls, or thermal limits",
        "- Competing hypotheses:\n  - memory stalls\n  - thermal limits",
        "- Competing hypotheses:\n- memory stalls\n- thermal limits",
        "Competing hypotheses:\n1. memory stalls\n2. thermal limits",
        "Competing hypotheses: memory stalls\n- thermal limits",
        "- Competing hypotheses:\n  memory stalls,\n  thermal limits",
    ],
)
def test_competing_hypotheses_become_rows(said: str) -> None:
    rows = read(said).content.hypotheses.hypotheses

    assert [(h.key, h.mechanism, h.statement) for h in rows] == [
        ("H2", "memory", "memory stalls"),
        ("H3", "thermal", "thermal limits"),
    ]


def test_nothing_is_split_inside_brackets() -> None:
    rows = read("- Competing hypotheses: thermal limits (clocks, power), 1,024 stalls").content.hypotheses.hypotheses

    assert [h.statement for h in rows] == ["thermal limits (clocks, power)", "1,024 stalls"]


def test_none_is_no_hypothesis() -> None:
    parsed = read("- Competing hypotheses: none")

    assert parsed.content.hypotheses.hypotheses == ()
    assert parsed.content.header.kept == (s.KeptText(line=1, text="- Competing hypotheses: none"),)


@pytest.mark.parametrize("said", ["TBD", "todo", "???", "<fill in>", "<region>/<tier>"])
def test_words_that_stand_for_an_answer_leave_the_field_unfilled(said: str) -> None:
    content = read(f"- Workload slice: {said}").content

    assert content.symptom.workload_slice == ""
    assert {u.field for u in content.header.unfilled} == {"symptom.workload_slice"}


def test_a_placeholder_among_words_is_unfilled_and_the_words_stay() -> None:
    content = read("- Workload slice: chat on <tier> in EU").content

    assert content.symptom.workload_slice == "chat on <tier> in EU"
    assert content.header.unfilled == (s.Unfilled(field="symptom.workload_slice", wanted="tier"),)


@pytest.mark.parametrize(
    "said", ["see <https://example.org/x>", "mail <a@example.org>", "a <b>bold</b> word", "p99 <5 ms"]
)
def test_links_tags_and_limits_are_no_placeholders(said: str) -> None:
    assert read(f"- Workload slice: {said}").content.header.unfilled == ()


@pytest.mark.parametrize(("text", "line"), [("a\n\x00", 2), ("a\x1b[1m", 1), ("a\n\nb\ud800", 3), ("a \u202e b", 1)])
def test_what_is_no_text_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(BadInput) as refusal:
        read(text)

    assert (refusal.value.code, refusal.value.where) == ("not_text", f"line {line}")


@pytest.mark.parametrize("text", ["x" * (LIMIT_BYTES + 1), "ß" * (LIMIT_BYTES // 2 + 1)])
def test_more_than_a_mebibyte_is_refused(text: str) -> None:
    with pytest.raises(TooLarge) as refusal:
        read(f"a\n{text}")

    assert (refusal.value.code, refusal.value.where) == ("text_too_large", "line 2")


def test_a_line_too_many_is_refused() -> None:
    read("x\n" * (LIMIT_LINES - 1))

    with pytest.raises(TooLarge, match=f"line {LIMIT_LINES + 1}"):
        read("x\n" * (LIMIT_LINES + 1))
