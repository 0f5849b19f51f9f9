"""Template tags: what they add to the pure printing."""

import pytest
from django.template import engines

DIGEST = "0123456789abcdef" * 4


def rendered(text: str, **context: object) -> str:
    return engines["django"].from_string("{% load numbers ui %}" + text).render(context)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{{ 0.0412|quantity:"s" }}', "41.20\u00a0ms"),
        ("{{ 1234567|size }}", "1.235\u00a0MB"),
        ("{{ 12345|count }}", "12,345"),
        ("{{ ratio|percent_change }}", "−9.20\u00a0%"),
        ("{{ ratio|change_in_words }}", "9.20\u00a0% lower"),
        ("{{ ratio|significant }}", "0.9080"),
        ("{{ 0.95|confidence }}", "95\u00a0%"),
        ("{{ 0.05|percent }}", "5\u00a0%"),
        ('{% plural 2 "run" %}', "2 runs"),
        ('{% bounds "0.8" "0.9" %}', "[0.8, 0.9] (rounded outward), bounds; no confidence level"),
        ("{% range_of 0.8 0.9 %}", "[0.8000, 0.9000]"),
        (
            '{% interval ratio 0.8971 0.919 level=0.95 method="m" replicates="5 blocks" scope="here" %}',
            "0.9080 [0.8971, 0.9190], 95\u00a0% confidence, m, 5 blocks, here",
        ),
    ],
)
def test_tags_print_as_the_printing_module_does(text: str, said: str) -> None:
    assert rendered(text, ratio="0.9079690783") == said


def test_a_short_digest_carries_the_full_one() -> None:
    assert rendered("{{ d|digest }}", d=DIGEST) == f'<code class="digest" title="{DIGEST}">0123456789ab</code>'


def test_a_full_digest_may_break_and_loses_nothing() -> None:
    said = rendered("{{ d|digest_wrapped }}", d=DIGEST)

    assert said.count("<wbr>") == 7
    assert DIGEST in said.replace("<wbr>", "")


def test_a_time_is_for_machines_too() -> None:
    said = rendered("{{ t|utc }}", t="2026-03-01T15:05:09+01:00")

    assert said == (
        '<time datetime="2026-03-01T14:05:09+00:00" title="2026-03-01 14:05:09 UTC">2026-03-01 14:05 UTC</time>'
    )


def test_an_age_carries_its_time() -> None:
    assert 'title="2020-01-01 00:00:00 UTC"' in rendered("{{ t|age }}", t="2020-01-01T00:00:00Z")


def test_a_badge_is_a_word_a_shape_and_a_tone() -> None:
    said = rendered('{% badge "requirement" "unmet" %}')

    assert 'class="badge tone-bad"' in said
    assert 'aria-hidden="true">✕</span>missing' in said
