"""Numbers, times and digests in templates. All of it is `reviews.printing`; here stand only the tags."""

from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from reviews import printing
from reviews.printing import IntervalWords, Number

register = template.Library()

register.filter("bits", printing.bits)
register.filter("count", printing.count)
register.filter("quantity", printing.quantity)
register.filter("shortest", printing.shortest)
register.filter("significant", printing.significant)
register.filter("size", printing.size)
register.filter("percent", printing.percent)
register.filter("percent_change", printing.percent_change)
register.filter("change_in_words", printing.change_in_words)
register.filter("confidence", printing.confidence)
register.simple_tag(printing.plural, name="plural")
register.simple_tag(printing.bounds, name="bounds")
register.simple_tag(printing.range_of, name="range_of")


@register.simple_tag
def interval(estimate: Number, low: Number, high: Number, *, level: Number, **words: str) -> str:
    """{% interval e low high level=.. method=.. replicates="5 blocks" scope=.. %}: the whole sentence."""
    return printing.interval(estimate, low, high, IntervalWords(level=level, **words))


@register.filter
def digest(value: str) -> SafeString:
    """The short form, with the full digest on hover."""
    return format_html('<code class="digest" title="{}">{}</code>', value, printing.digest_short(value))


@register.filter
def digest_wrapped(value: str) -> SafeString:
    """The full digest, which may break between groups of eight."""
    groups = format_html_join(SafeString("<wbr>"), "{}", ((group,) for group in printing.digest_groups(value)))
    return format_html('<code class="digest digest--full">{}</code>', groups)


@register.filter
def utc(value: datetime | str) -> SafeString:
    """A time to the minute in UTC, to the second on hover."""
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        printing.moment(value).isoformat(timespec="seconds"),
        printing.utc_seconds(value),
        printing.utc(value),
    )


@register.filter
def age(value: datetime | str) -> SafeString:
    """How long ago, with the time itself on hover."""
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        printing.moment(value).isoformat(timespec="seconds"),
        printing.utc_seconds(value),
        printing.age(value, timezone.now()),
    )
