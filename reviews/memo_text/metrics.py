"""Which metrics a sentence names, under which condition, and which ratio a movement means."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from reviews.memo_text.lists import split_list
from reviews.memo_text.text import fold, tidy
from reviews.sections import FailingMetric
from reviews.template_content import TemplateContent, TemplateMetric

_CONDITION: Final = re.compile(
    r"\b(?:across|under|at|during|when|while|whenever|for|over|with|within|on|in|after|if|above|below)\b", re.IGNORECASE
)
_AND: Final = ("and", "or", "&", "plus", "as well as")
_FEW_WORDS: Final = 3


@dataclass(frozen=True, slots=True)
class Found:
    """A metric that a text names. metric, stat: "" when the choices differ in it, or when there are none."""

    said: str
    choices: tuple[TemplateMetric, ...]
    start: int
    end: int

    @property
    def metric(self) -> str:
        return _only({c.metric for c in self.choices})

    @property
    def stat(self) -> str:
        return _only({c.stat for c in self.choices})

    @property
    def better(self) -> str:
        return _only({c.better for c in self.choices})


def _only(values: set[str]) -> str:
    return next(iter(values)) if len(values) == 1 else ""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """How the texts of one template name its metrics."""

    phrases: Mapping[str, tuple[TemplateMetric, ...]]
    pattern: re.Pattern[str]

    def find(self, text: str) -> Iterator[Found]:
        """The metrics named in the text, the longest name first at each place."""
        for m in self.pattern.finditer(text):
            yield Found(m.group(), self.phrases[fold(m.group())], m.start(), m.end())

    def first(self, text: str) -> Found:
        """The first metric named in the text, or one without choices."""
        return next(self.find(text), Found(text, (), 0, len(text)))


def lexicon_of(template: TemplateContent) -> Lexicon:
    """The names of the template's metrics: what texts say, and the canonical names."""
    phrases: dict[str, tuple[TemplateMetric, ...]] = {}
    for metric in template.metrics:
        for said in sorted({fold(s) for s in (*metric.said, f"{metric.metric} {metric.stat}")}):
            phrases[said] = (*phrases.get(said, ()), metric)
    longest_first = sorted(phrases, key=len, reverse=True)
    names = "|".join(r"[\s_‐-―−-]+".join(map(re.escape, said.split())) for said in longest_first)
    return Lexicon(phrases, re.compile(rf"(?<![\w-])(?:{names})(?![\w-])", re.IGNORECASE))


def failing_metrics(text: str, lexicon: Lexicon) -> tuple[FailingMetric, ...]:
    """The metrics that a symptom names; a text that names none is one metric without a name."""
    sentence = tidy(text).rstrip(" .;")
    found = list(lexicon.find(sentence))
    if not found:
        return (FailingMetric(said=sentence, metric="", stat="", condition=""),) if sentence else ()
    head, shared = _cut_at_condition(sentence, found[-1].end)
    return tuple(_failing(item, shared, lexicon) for item in split_list(head, _AND) if _names_a_metric(item, lexicon))


def _cut_at_condition(sentence: str, start: int) -> tuple[str, str]:
    if m := _CONDITION.search(sentence, start):
        return sentence[: m.start()], sentence[m.start() :]
    return sentence, ""


def _names_a_metric(item: str, lexicon: Lexicon) -> bool:
    return bool(lexicon.first(item).choices) or len(item.split()) <= _FEW_WORDS


def _failing(item: str, shared: str, lexicon: Lexicon) -> FailingMetric:
    found = lexicon.first(item)
    _, own = _cut_at_condition(item, found.end)
    return FailingMetric(said=found.said, metric=found.metric, stat=found.stat, condition=own or shared)
