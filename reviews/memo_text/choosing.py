"""Which template a pasted text was written with."""

import re
from collections.abc import Sequence

from reviews.memo_text.grammar import classify, trailer_of
from reviews.memo_text.text import fold, lines_of
from reviews.template_content import TemplateContent


def best_template(text: str, templates: Sequence[TemplateContent]) -> TemplateContent | None:
    """The template that the text names in its trailer, its title or its words; None when that is no single one.

    Of several versions of one template the newest is meant, unless the trailer names another.
    Raises BadInput or TooLarge for what is no text.
    """
    lines = [classify(raw, "") for raw in lines_of(text)]
    trailers = {trailer_of(line)[1] for line in lines if line.kind == "trailer"}
    titles = " ".join(fold(line.text) for line in lines if line.kind == "memo")
    words = fold(text)
    named = [t for t in templates if f"{t.slug} {t.version}" in trailers]
    newest = _newest(templates)
    ways = (
        named,
        [t for t in newest if _says(titles, t.topic)],
        [t for t in newest if _says(words, t.topic) or _says(words, t.title)],
        [t for t in newest if _says(words, t.failing_metric) or _says(words, t.mechanism)],
    )
    return next((found[0] for found in ways if len(found) == 1), None)


def _newest(templates: Sequence[TemplateContent]) -> list[TemplateContent]:
    newest = {t.slug: t for t in sorted(templates, key=lambda t: t.version)}
    return list(newest.values())


def _says(words: str, phrase: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(fold(phrase))}(?!\w)", words) is not None
