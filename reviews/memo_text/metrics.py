"""Which metrics a sentence names, under which condition, and which ratio a movement means."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from reviews.memo_text.lists import split_list
from reviews.memo_text.placeholders import placeholders
from reviews.memo_text.text import fold, tidy
from reviews.sections import FailingMetric
from reviews.template_content import TemplateContent

_CONDITION: Final = re.compile(
    r"\b(?:across|under|at|during|when|while|whenever|for|over|with|within|on|in|after|if|above|below)\b", re.IGNORECASE
)
_AND: Final = ("and", "or", "&", "plus", "as well as")
_FEW_WORDS: Final = 3


@dataclass(frozen=True, slots=True)
class Meaning:
    """A metric that words can mean. better: "" when nobody says it."""

    metric: str
    stat: str
    better: str


@dataclass(frozen=True, slots=True)
class Found:
    """A metric that a text names. metric, stat: "" when the choices differ in it, or when there are none."""

    said: str
    choices: tuple[Meaning, ...]
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
    """How the texts of one template, or one text of it, name metrics. whole: the pattern of all names."""

    phrases: Mapping[str, tuple[Meaning, ...]]
    whole: re.Pattern[str]

    def find(self, text: str) -> Iterator[Found]:
        """The metrics named in the text, the longest name first at each place."""
        for m in self.whole.finditer(text):
            if choices := self.phrases.get(fold(m.group())):
                yield Found(m.group(), choices, m.start(), m.end())

    def first(self, text: str) -> Found:
        """The first metric named in the text, or one without choices."""
        return next(self.find(text), Found(text, (), 0, len(text)))

    def taught(self, meanings: Iterable[tuple[str, str, str]]) -> "Lexicon":
        """The same names, but for the words that (words, metric, stat) give a meaning of their own."""
        own: dict[str, tuple[Meaning, ...]] = {}
        for said, metric, stat in meanings:
            if words := fold(said):
                own[words] = tuple(dict.fromkeys((*own.get(words, ()), self._meaning(metric, stat))))
        return _lexicon({**self.phrases, **own}) if own else self

    def _meaning(self, metric: str, stat: str) -> Meaning:
        ours = {c for choices in self.phrases.values() for c in choices if c.metric == metric}
        same = {c for c in ours if c.stat == stat} or ours
        return Meaning(metric, stat, _only({c.better for c in same}))


def lexicon_of(template: TemplateContent) -> Lexicon:
    """The names of the template's metrics: what texts say, and the canonical names."""
    phrases: dict[str, tuple[Meaning, ...]] = {}
    for metric in template.metrics:
        for said in sorted({fold(s) for s in (*metric.said, f"{metric.metric} {metric.stat}")}):
            phrases[said] = (*phrases.get(said, ()), Meaning(metric.metric, metric.stat, metric.better))
    return _lexicon(phrases)


def _lexicon(phrases: Mapping[str, tuple[Meaning, ...]]) -> Lexicon:
    names = _any_of([words for said in phrases if (words := said.split())])
    return Lexicon(phrases, re.compile(rf"(?<![\w-])(?:{names})(?![\w-])", re.IGNORECASE))


def _any_of(names: Iterable[list[str]]) -> str:
    """The pattern of names (as words), the longest first; a beginning that names share is looked at once."""
    rests: dict[str, list[list[str]]] = defaultdict(list)
    for word, *rest in names:
        rests[word].append(rest)
    longest_first = sorted(rests, key=len, reverse=True)
    return "|".join(f"{re.escape(word)}{_then(rests[word])}" for word in longest_first)


def _then(rests: list[list[str]]) -> str:
    longer = [rest for rest in rests if rest]
    if not longer:
        return ""
    more = rf"[\s_‐-―−-]+(?:{_any_of(longer)})"
    return f"(?:{more})?" if len(longer) < len(rests) else more


def failing_metrics(text: str, lexicon: Lexicon) -> tuple[FailingMetric, ...]:
    """The metrics that a symptom names; a text that names none is one metric without a name."""
    sentence = tidy(text).rstrip(" .;")
    found = list(lexicon.find(sentence))
    if not found:
        return (FailingMetric(said=sentence, metric="", stat="", condition=""),) if sentence else ()
    head, shared = _cut_at_condition(sentence, found[-1].end)
    return tuple(
        _failing(item, shared, lexicon)
        for item in split_list(head, _AND, lexicon.whole)
        if _names_a_metric(item, lexicon)
    )


def _cut_at_condition(sentence: str, start: int) -> tuple[str, str]:
    if m := _CONDITION.search(sentence, start):
        return sentence[: m.start()], sentence[m.start() :]
    return sentence, ""


def _names_a_metric(item: str, lexicon: Lexicon) -> bool:
    return bool(lexicon.first(item).choices) or len(item.split()) <= _FEW_WORDS


def _failing(item: str, shared: str, lexicon: Lexicon) -> FailingMetric:
    found = lexicon.first(item)
    _, own = _cut_at_condition(item, found.end)
    condition = own or shared
    return FailingMetric(
        said=found.said, metric=found.metric, stat=found.stat, condition="" if placeholders(condition) else condition
    )
