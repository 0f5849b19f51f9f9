"""The section symptom from its fields."""

import re
from typing import Final

from reviews.memo_text.findings import Source
from reviews.memo_text.lists import split_list
from reviews.memo_text.meant import lexicon_of_text, meant_of, resolved
from reviews.memo_text.metrics import Lexicon, failing_metrics
from reviews.memo_text.placeholders import says_none
from reviews.memo_text.reader import Field
from reviews.memo_text.text import fold
from reviews.sections import BuildTags, FailingMetric, QualityCheck, Symptom
from reviews.vocabulary import ObservationWindow

TAGS: Final = ("compiler", "firmware", "runtime", "hardware")

_KEYED: Final = re.compile(r"\b(compiler|firmware|runtime|hardware)(?:\s+(?:tag|version))?\s*[:=]\s*", re.IGNORECASE)
_PATH: Final = "symptom.build_tags"


def symptom_of(source: Source, lexicon: Lexicon) -> Symptom:
    """The symptom that the text states."""
    sentence = source.text("symptom.failing_metric")
    return Symptom(
        failing_metric=sentence,
        failing_metrics=_failing_metrics(source, sentence, lexicon),
        workload_slice=source.text("symptom.workload_slice"),
        first_failing_layer=source.text("symptom.first_failing_layer"),
        build_tags=_build_tags(source),
        observation_window=_observation_window(source),
        quality_checks=_quality_checks(source),
    )


def _failing_metrics(source: Source, sentence: str, lexicon: Lexicon) -> tuple[FailingMetric, ...]:
    """What the sentence names, as the rows "Metric meant" resolve it, and what they add."""
    meant, own = meant_of(source), lexicon_of_text(source, lexicon)
    metrics = resolved(() if meant.alone else failing_metrics(sentence, own), meant.rows)
    line = next((f.line for f in source.document.all("symptom.failing_metric")), 0)
    lines = {row.metric: row.line for row in meant.rows}
    for metric in metrics:
        if not metric.metric:
            source.findings.note(lines.get(metric, line), _which_metric(metric, own))
    return metrics


def _which_metric(metric: FailingMetric, lexicon: Lexicon) -> str:
    choices = list(dict.fromkeys(c.metric for c in lexicon.first(metric.said).choices))
    names = ", ".join(choices) if choices else "no metric of the template"
    stat = metric.stat or "…"
    return (
        f'"{metric.said}" can mean: {names}. Say it once: '
        f"Metric meant: {metric.said} | metric: {choices[0] if choices else '…'} | stat: {stat}"
    )


def _build_tags(source: Source) -> BuildTags:
    found = source.field_at(_PATH)
    if found is None:
        return BuildTags()
    tags: dict[str, str] = {}
    loose = _inline_tags(found, tags) if found.inline else []
    loose += _listed_tags(found, tags)
    if loose and not tags and len(loose) == len(TAGS):
        tags, loose = dict(zip(TAGS, loose, strict=True)), []
    if loose:
        names = "/".join(TAGS)
        source.findings.keep(found, f'"{"; ".join(loose)}" cannot be told apart as {names}; the lines are kept.')
    return BuildTags(**{tag: source.findings.value(f"{_PATH}.{tag}", said) for tag, said in tags.items()})


def _inline_tags(found: Field, tags: dict[str, str]) -> list[str]:
    """Fills `tags` from the line and returns what it does not name."""
    assert found.inline is not None  # noqa: S101 - asked only when it is there
    text = found.inline.text
    if fold(text).strip("<> ") == "/".join(TAGS):
        tags.update({tag: f"<{tag}>" for tag in TAGS})
        return []
    keys = list(_KEYED.finditer(text))
    if not keys:
        return next(
            (parts for split in (" / ", "/") if len(parts := _split(text, split)) == len(TAGS)), split_list(text)
        )
    ends = [*(m.start() for m in keys[1:]), len(text)]
    loose = [text[: keys[0].start()].strip(" ,;/")]
    for m, end in zip(keys, ends, strict=True):
        _take_tag(m.group(1), text[m.end() : end].strip(" ,;/\n"), tags, loose)
    return [said for said in loose if said]


def _split(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator)]


def _listed_tags(found: Field, tags: dict[str, str]) -> list[str]:
    loose: list[str] = []
    for item in found.items:
        if m := _KEYED.match(item.text):
            _take_tag(m.group(1), item.text[m.end() :], tags, loose)
        else:
            loose.append(item.text)
    return loose


def _take_tag(name: str, said: str, tags: dict[str, str], loose: list[str]) -> None:
    tag = name.casefold()
    if tags.get(tag):
        loose.append(f"{name}: {said}")
    else:
        tags[tag] = said


def _observation_window(source: Source) -> str:
    path = "symptom.observation_window"
    found = source.field_at(path)
    return source.findings.choice(path, found.text, ObservationWindow.choices, found) if found else ""


def _quality_checks(source: Source) -> tuple[QualityCheck, ...]:
    found = source.field_at("symptom.quality_checks")
    if found is None:
        return ()
    inline = [found.inline.text] if found.inline else []
    said = [item for text in inline for item in ([text] if "|" in text else split_list(text))]
    said += [item.text for item in found.items]
    checks = [_quality_check(source, found, text) for text in said if not says_none(text)]
    return tuple(check for check in checks if check.name or check.result)


def _quality_check(source: Source, found: Field, text: str) -> QualityCheck:
    path = "symptom.quality_checks"
    row = source.row(found, text, ("result",))
    name, result = row.first, row.get("result")
    if "result" not in row.cells:
        name, _, result = name.partition(": ")
    return QualityCheck(name=source.findings.value(path, name), result=source.findings.value(path, result))
