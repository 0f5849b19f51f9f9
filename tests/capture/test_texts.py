"""Prompts and generated texts go, and every other byte stays."""

from pathlib import Path

import pytest

from analysis import evidence
from analysis.evidence.format import Document
from reviews.capture import texts
from reviews.errors import Refusal

DETAILED = (
    Path("tests/evidence/vllm-bench-serve/detailed.json"),
    Path("tests/evidence/sglang-bench-serving/sglang_0415_5_random.jsonl"),
)


@pytest.mark.parametrize(
    ("content", "fields", "kept"),
    [
        ('{"a": 1.50, "prompts": ["Grüße, ]", "b"], "c": NaN}', ("prompts",), '{"a": 1.50, "prompts": [], "c": NaN}'),
        ('{"prompt" : "a \\"b\\" c"}\n{"prompt":"d"}', ("prompt",), '{"prompt" : ""}\n{"prompt":""}'),
        ('{"prompts": [{"role": "user", "content": "x"}]}', ("prompts",), '{"prompts": []}'),
        ('{"output_text": "b", "prompt": "a"}', ("output_text", "prompt"), '{"output_text": "", "prompt": ""}'),
    ],
)  # fmt: skip
def test_texts_are_found_and_taken_out(content: str, fields: tuple[str, ...], kept: str) -> None:
    assert texts.fields_in(content.encode()) == fields
    assert texts.without(content.encode(), "x") == kept.encode()
    assert texts.fields_in(kept.encode()) == ()


@pytest.mark.parametrize(
    "content",
    [
        b'{"prompts": 100, "num_prompts": 5, "prompt": null}',
        b'{"prompts": [128, [64]], "generated_texts": ["", " "]}',
        b'{"note": "say \\"prompt\\": \\"x\\""}',
        b'prompt: "x"',
        b"\x00\xff",
    ],
)
def test_a_file_without_texts_stays_as_it_is(content: bytes) -> None:
    assert texts.fields_in(content) == ()
    assert texts.without(content, "x") == content


def test_a_text_that_breaks_off_is_found_and_cannot_be_taken_out() -> None:
    content = b'{"generated_texts": ["a", "b'

    assert texts.fields_in(content) == ("generated_texts",)
    with pytest.raises(Refusal) as refused:
        texts.without(content, "r.json")
    assert (refused.value.code, refused.value.where) == ("texts_not_dropped", "r.json")


@pytest.mark.parametrize("path", DETAILED, ids=lambda path: path.name)
def test_a_detailed_file_is_read_the_same_without_its_texts(path: Path) -> None:
    content = path.read_bytes()
    kept = texts.without(content, path.name)

    assert len(kept) < len(content)
    assert evidence.read(Document(kept, path.name)) == evidence.read(Document(content, path.name))
