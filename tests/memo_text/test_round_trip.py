"""What a text can say comes back; nothing that an author wrote is lost; whatever the text, it is read or refused."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.errors import BadInput
from reviews.memo_text import render
from reviews.memo_text.text import LIMIT_BYTES
from reviews.sections import MemoContent
from tests.memo_text.contents import AWKWARD, BATCH, contents, read


@settings(max_examples=100, deadline=None)
@given(contents())
def test_a_written_content_is_read_back_whole(content: MemoContent) -> None:
    assert read(render(content, BATCH)).content == content


LINES = (
    "ACCELERATOR REVIEW MEMO - {}",
    "# {}",
    "**{}**",
    "{}",
    "   {}",
    "- {}",
    "     - {}",
    "1. {}",
    "  2) {}",
    "",
    "---",
    "\t{}",
    "1. Symptom",
    "## Mechanism hypothesis",
    "**Proposed action**",
    "4) SIGNOFF:",
    "5. Change",
    "6. Predictions",
    "Comparisons",
    "Rollout",
    "9. Escalation",
    "   - Failing metric: {}",
    "Failing metric - {}",
    "- Failing metric: throughput {}, P99 latency {} at {}",
    "**Workload or traffic slice:** {}",
    "Workload or traffic slice",
    "- First failing layer: <{}>",
    "- Build tags: {}/{}/{}/{}",
    "- Build tags: {}, {}",
    "- Build tags: compiler: {}, firmware: {}, {}",
    "   - compiler: {}",
    "- Observation window: {}",
    "- Observation window: steady",
    "- Quality checks: {}, {}",
    "  - {} | result: {} | more: {}",
    "- Primary mechanism: {} memory",
    "- Primary mechanism: H4 ({}): {}",
    "- Competing hypotheses: {}, {} or {}",
    "- Competing hypotheses:",
    "- Competing hypotheses: <{}>, {}",
    "- Missing evidence: {} (owner: {}), {}",
    "- Missing evidence: none",
    "- Smallest reversible change: {}",
    "- Expected movement: throughput +{} %, {} down",
    "- Expected ratio: {} | metric: {} | ratio: {}",
    "- Metric meant: {} | metric: {} | mode: {}",
    "- Metric meant: P99 latency | metric: e2e_latency | stat: p99",
    "- Metric meant: throughput {} | metric: throughput | stat: rate | when: {}",
    "- Metric meant: none",
    "- Expected movement: P99 latency up {} to {} %",
    "- Regression risk: correctness: {}, {}; quality",
    "- Regression risk: {}",
    "- Rollback target: {} <{}>",
    "- Required artifact: {}",
    "- Required owners: {}, SRE performance owner",
    "- Final decision: {}",
    "- Summary: {}",
    "- Difference: {} | baseline: {} | {}",
    "- Difference: {} | on purpose: {}",
    "- Prediction: {} | hypothesis: H1 | metric: {} | ratio: {}",
    "- Prediction: H9 | metric: {}",
    "- Comparison: {} | metric: throughput | margin: {} | role: {}",
    "- Comparison: C1 | metric: {} | margin: 0.98",
    "- Stage: {} | where: {} | soak: {}",
    "- Abort threshold: {} | metric: {} | limit: {}",
    "- Procedure: {}",
    "- Owner: {}",
    "- To: {}",
    "- Question: {}",
    "> {}",
    "| Failing metric | {} |",
    "| {} | {} |",
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=14))
def test_every_word_of_the_author_is_in_the_export(lines: list[str]) -> None:
    count = iter(range(10_000))
    text = "\n".join(re.sub(r"\{\}", lambda _: f"w{next(count)}x", line) for line in lines)

    written = render(read(text).content, BATCH)

    assert set(re.findall(r"w\d+x", text)) <= set(re.findall(r"w\d+x", written))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*LINES, *AWKWARD]), max_size=14).map("\n".join) | st.text())
def test_whatever_the_text_it_is_read_or_refused_with_its_line(text: str) -> None:
    outcome = read_or_refused(text)

    assert isinstance(outcome, MemoContent) or outcome.where.startswith("line ")


def read_or_refused(text: str) -> MemoContent | BadInput:
    """What the text says, read twice, or why it was refused."""
    try:
        content = read(text).content
    except BadInput as refusal:
        return refusal
    assert read(render(content, BATCH)).content == content
    return content


def test_a_content_longer_than_a_text_may_be_is_still_written() -> None:
    content = read("- Competing hypotheses: " + f"memory {'x' * 1035}, " * 1004).content

    assert len(render(content, BATCH)) > LIMIT_BYTES


def test_a_long_list_is_read_in_a_time_that_grows_with_its_length() -> None:
    content = read("- Competing hypotheses: " + "a," * 30_000).content

    assert content.hypotheses.hypotheses[-1].key == "H30001"
