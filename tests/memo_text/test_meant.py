"""What the rows "Metric meant" say of the symptom's metrics, and of the words for them elsewhere in the text."""

import pytest

from reviews import sections as s
from reviews.memo_text import Parsed, render
from reviews.memo_text.meant import LONGEST_WORDS, MOST_ROWS
from tests.memo_text.contents import BATCH, read

Metrics = list[tuple[str, str, str, str]]
SENTENCE = "Throughput, P99 latency, and energy per inference under load."
THROUGHPUT = ("Throughput", "throughput", "rate", "under load")
P99 = ("P99 latency", "", "p99", "under load")
ENERGY = ("energy per inference", "energy_per_request", "mean", "under load")
MEANT = "P99 latency | metric: e2e_latency | stat: p99"


def text_of(sentence: str, *rows: str) -> str:
    return "\n".join(["1. Symptom", f"- Failing metric: {sentence}", *(f"- Metric meant: {row}" for row in rows)])


def metrics(parsed: Parsed) -> Metrics:
    return [(m.said, m.metric, m.stat, m.condition) for m in parsed.content.symptom.failing_metrics]


def notes(parsed: Parsed) -> list[str]:
    return [note.sentence for note in parsed.notes if note.line]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([MEANT], [THROUGHPUT, ("P99 latency", "e2e_latency", "p99", "under load"), ENERGY]),
        (
            ["p99-LATENCY | metric: ttft | stat: p99 | when: at night"],
            [THROUGHPUT, ("p99-LATENCY", "ttft", "p99", "at night"), ENERGY],
        ),
        ([f"{MEANT} | when:"], [THROUGHPUT, ("P99 latency", "e2e_latency", "p99", ""), ENERGY]),
        (
            ["items | metric: throughput | stat: rate | when: by day"],
            [("items", "throughput", "rate", "by day"), P99, ENERGY],
        ),
        (
            ["TTFT | metric: ttft | stat: p99", "QPS | metric: request_throughput | stat: rate"],
            [THROUGHPUT, P99, ENERGY, ("TTFT", "ttft", "p99", ""), ("QPS", "request_throughput", "rate", "")],
        ),
        (["none", MEANT], [("P99 latency", "e2e_latency", "p99", "")]),
    ],
    ids=["its words", "its words folded", "an empty when", "its metric", "further rows", "none, then a row"],
)
def test_a_row_resolves_the_metric_that_it_speaks_of_and_the_others_stay(rows: list[str], expected: Metrics) -> None:
    assert metrics(read(text_of(SENTENCE, *rows))) == expected


def test_a_metric_that_no_row_resolves_keeps_its_own_note() -> None:
    parsed = read(text_of(SENTENCE, "Throughput | metric: throughput | stat: rate"))

    assert [sentence.partition(".")[0] for sentence in notes(parsed)] == [
        '"P99 latency" can mean: latency, e2e_latency, ttft, tpot, itl'
    ]


def test_a_row_without_a_metric_is_asked_for_one_on_its_own_line() -> None:
    parsed = read(text_of("throughput", "Goodput | stat: rate"))

    [note] = [note for note in parsed.notes if note.line]
    assert note.line == 3
    assert note.sentence.startswith('"Goodput" can mean: no metric of the template. Say it once: ')


def test_a_row_goes_to_the_mention_that_has_its_condition() -> None:
    text = text_of(
        "Throughput at batch 8, throughput at batch 32",
        "throughput | metric: output_throughput | stat: rate | when: at batch 32",
    )

    assert metrics(read(text)) == [
        ("Throughput", "output_throughput", "rate", "at batch 8"),
        ("throughput", "output_throughput", "rate", "at batch 32"),
    ]


def test_words_of_a_row_are_found_inside_a_sentence_that_names_no_metric_of_the_template() -> None:
    text = text_of(
        "The tail of prefill and decode grew on the chat tier during the evening",
        "tail of prefill and decode | metric: e2e_latency | stat: p99",
    )

    assert metrics(read(text)) == [
        ("tail of prefill and decode", "e2e_latency", "p99", "on the chat tier during the evening")
    ]


def test_a_letter_that_only_looks_alike_names_no_metric() -> None:
    assert metrics(read(text_of("energy per ınference"))) == [("energy per ınference", "", "", "")]


@pytest.mark.parametrize(
    "rows", [[MEANT], ["none", MEANT], [f"{MEANT} | when:", "QPS | metric: request_throughput | stat: rate"], ["none"]]
)
def test_an_export_says_which_metrics_of_the_sentence_count(rows: list[str]) -> None:
    content = read(text_of(SENTENCE, *rows)).content

    assert read(render(content, BATCH)).content == content


@pytest.mark.parametrize(
    ("sentence", "row"),
    [
        ("Throughput, <which> under load", MEANT),
        ("<which>, tail across x", "tail | metric: e2e_latency | stat: p99 | when:"),
        ("Throughput, QPS under <traffic>", "QPS | metric: request_throughput | stat: rate"),
    ],
)
def test_a_placeholder_of_the_sentence_is_exported_as_the_sentence_s_alone(sentence: str, row: str) -> None:
    content = read(text_of(sentence, row)).content

    assert [u.field for u in content.header.unfilled] == ["symptom.failing_metric"]
    assert read(render(content, BATCH)).content == content


def test_an_export_without_one_of_the_sentence_s_metrics_says_none_before_its_rows() -> None:
    content = read(text_of(SENTENCE, "none", MEANT)).content
    rows = [line.strip() for line in render(content, BATCH).splitlines() if "Metric meant" in line]

    assert rows == ["- Metric meant: none", f"- Metric meant: {MEANT} | when:"]


def moved(parsed: Parsed) -> Metrics:
    return [(e.metric, e.stat, e.low, e.high) for e in parsed.content.action.expected]


@pytest.mark.parametrize(
    ("row", "movement", "expected"),
    [
        (MEANT, "P99 latency at most 5 % higher", ("e2e_latency", "p99", "", "1.05")),
        (
            "Throughput | metric: output_throughput | stat: rate",
            "throughput up 5 to 10 %",
            ("output_throughput", "rate", "1.05", "1.1"),
        ),
        ("tail | metric: ttft | stat: p99", "the tail 5 to 10 % better", ("ttft", "p99", "0.9", "0.95")),
        ("tail | metric: ttft | stat: p50", "the tail 5 to 10 % better", ("ttft", "p50", "0.9", "0.95")),
        (
            "prefill and decode | metric: tpot | stat: p99",
            "prefill and decode 5 to 10 % lower",
            ("tpot", "p99", "0.9", "0.95"),
        ),
    ],
)
def test_a_movement_means_what_the_text_says_its_words_mean(
    row: str, movement: str, expected: tuple[str, str, str, str]
) -> None:
    parsed = read(f"{text_of('', row)}\n3. Proposed action\n- Expected movement: {movement}")

    assert (moved(parsed), notes(parsed)) == ([expected], [])


def test_words_to_which_two_rows_give_two_metrics_name_no_single_one() -> None:
    rows = [MEANT, "P99 latency | metric: ttft | stat: p99"]
    parsed = read(f"{text_of('', *rows)}\n3. Proposed action\n- Expected movement: P99 latency at most 5 % higher")

    assert moved(parsed) == [("", "p99", "", "1.05")]
    assert notes(parsed) == [
        '"P99 latency at most 5 % higher" names no single metric of the template; say it with "Expected ratio".'
    ]


def test_predictions_and_comparisons_in_words_mean_what_the_text_says() -> None:
    content = read(
        f"{text_of('', MEANT)}\n2. Mechanism hypothesis\n- Primary mechanism: memory stalls\n"
        "6. Predictions\n- Prediction: P1 | hypothesis: H1 | metric: P99 latency | ratio: ..0.9\n"
        "7. Comparisons\n- Comparison: C1 | metric: P99 latency\n- Comparison: C2 | metric: latency | stat: p99"
    ).content

    assert content.hypotheses.hypotheses[0].predictions == (
        s.Prediction(key="P1", metric="e2e_latency", stat="p99", condition="", low="", high="0.9"),
    )
    assert [(c.metric, c.stat) for c in content.comparisons.comparisons] == [("e2e_latency", "p99"), ("latency", "p99")]


def test_a_movement_in_the_text_s_own_words_is_exported_in_them() -> None:
    content = read(
        f"{text_of('', MEANT)}\n3. Proposed action\n- Expected movement: P99 latency at most 5 % higher"
    ).content
    written = render(content, BATCH)

    assert "Expected ratio" not in written
    assert read(written).content == content


@pytest.mark.parametrize(
    "rows",
    [
        [*(f"word{n} | metric: ttft | stat: p99" for n in range(MOST_ROWS)), "tail | metric: ttft | stat: p99"],
        [f"{'w' * (LONGEST_WORDS + 1)} | metric: ttft | stat: p99"],
    ],
    ids=["too many", "too long"],
)
def test_a_row_that_is_not_looked_up_elsewhere_is_a_metric_and_is_named(rows: list[str]) -> None:
    parsed = read(text_of("", *rows))

    assert [said for said, *_ in metrics(parsed)] == [row.partition(" |")[0] for row in rows]
    [note] = [note for note in parsed.notes if note.line]
    assert note.line == 2 + len(rows)
    assert note.sentence.startswith('This row "Metric meant" is not looked up in other sentences: the first 50 are')


def test_many_long_rows_are_looked_up_in_a_time_that_grows_with_the_text() -> None:
    rows = (f"{'a ' * 57}{n} | metric: ttft | stat: p99" for n in range(MOST_ROWS))
    found = metrics(read(text_of("a " * 100_000, *rows)))

    assert len(found) == 1 + MOST_ROWS
    assert found[0][1] == ""


def test_the_longest_words_of_the_rows_are_taken_at_each_place() -> None:
    text = text_of(
        "the tail, the tail of the queue, the tail.9",
        "the tail | metric: ttft | stat: p99",
        "the tail of the queue | metric: itl | stat: p99",
        "the tail.9 | metric: tpot | stat: p99",
    )

    assert [(said, metric) for said, metric, *_ in metrics(read(text))] == [
        ("the tail", "ttft"),
        ("the tail of the queue", "itl"),
        ("the tail.9", "tpot"),
    ]
