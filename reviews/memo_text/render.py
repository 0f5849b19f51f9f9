"""Records as the memo text that says them: the exchange format, the inverse of `parse`."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Final

from reviews.memo_text.action import EXPECTED, RISKS, action_of
from reviews.memo_text.findings import Source
from reviews.memo_text.hypotheses import COMPETING, MISSING, PRIMARY, hypotheses_of, items_of
from reviews.memo_text.labels import BY_PATH
from reviews.memo_text.lists import join_row
from reviews.memo_text.meant import METRICS_MEANT, lexicon_of_text
from reviews.memo_text.metrics import Lexicon, lexicon_of
from reviews.memo_text.optional_blocks import optional_blocks
from reviews.memo_text.placeholders import placeholders
from reviews.memo_text.reader import read_lines
from reviews.memo_text.signoff import OWNERS, signoff_of
from reviews.memo_text.symptom import TAGS, symptom_of
from reviews.memo_text.writing import (
    Cells,
    field_lines,
    item_lines,
    list_lines,
    none_line,
    numbered,
    read_back,
    row_lines,
    wanted_at,
)
from reviews.sections import (
    BuildTags,
    ExpectedMovement,
    FailingMetric,
    Hypotheses,
    Hypothesis,
    HypothesisResolution,
    MemoContent,
    ProposedAction,
    Risk,
    Signoff,
    Symptom,
    Unfilled,
)
from reviews.template_content import TemplateContent
from reviews.vocabulary import HypothesisRank

_TAGS_PATH: Final = "symptom.build_tags"


def render(content: MemoContent, template: TemplateContent, *, base: str = "") -> str:
    """The memo text of a content. base: digest of the exported revision, "" when there is none.

    Everything that a text can say stands in it: `parse` gives it back. What a text cannot say (evidence, assessments,
    resolutions, registrations) is put back by `onto`.
    """
    unfilled, lexicon = content.header.unfilled, lexicon_of(template)
    symptom = _symptom(content.symptom, unfilled, lexicon)
    own = read_back(symptom, partial(lexicon_of_text, lexicon=lexicon))
    lines = [
        f"ACCELERATOR REVIEW MEMO - {content.header.title}",
        *numbered(
            (
                ("symptom", symptom),
                ("hypotheses", _hypotheses(content.hypotheses, unfilled, template)),
                ("action", _action(content.action, unfilled, own)),
                ("signoff", _signoff(content.signoff, unfilled, template)),
                *optional_blocks(content),
            )
        ),
    ]
    trailer = ["", f"Template: {template.slug} {template.version}", f"Base: {base}"] if base else []
    return "\n".join([*lines, *trailer]) + "\n"


def _symptom(symptom: Symptom, unfilled: Iterable[Unfilled], lexicon: Lexicon) -> list[str]:
    metric = field_lines("symptom.failing_metric", symptom.failing_metric, unfilled)
    checks = [join_row(check.name, [("result", check.result)]) for check in symptom.quality_checks]
    return [
        *metric,
        *_metrics_meant(symptom, unfilled, metric, lexicon),
        *field_lines("symptom.workload_slice", symptom.workload_slice, unfilled),
        *field_lines("symptom.first_failing_layer", symptom.first_failing_layer, unfilled),
        *_build_tags(symptom.build_tags, unfilled),
        *field_lines("symptom.observation_window", symptom.observation_window.replace("_", " "), unfilled),
        *list_lines("symptom.quality_checks", checks, unfilled, lambda _: not checks),
    ]


def _metrics_meant(symptom: Symptom, unfilled: Iterable[Unfilled], sentence: list[str], lexicon: Lexicon) -> list[str]:
    """Rows for the metrics that the sentence does not say; else "none" and then every one."""
    metrics, heard = symptom.failing_metrics, partial(symptom_of, lexicon=lexicon)
    every = row_lines(METRICS_MEANT, [_metric_meant(m) for m in metrics], unfilled)
    own = read_back(every, partial(lexicon_of_text, lexicon=lexicon))
    said = set(read_back(sentence, heard).failing_metrics)
    nameless = {m for m in read_back(sentence, partial(symptom_of, lexicon=own)).failing_metrics if not m.metric}
    for known in (said | {m for m in nameless if placeholders(m.said)}, nameless):
        lines = row_lines(METRICS_MEANT, [_metric_meant(m) for m in metrics if m not in known], unfilled)
        if read_back([*sentence, *lines], heard).failing_metrics == metrics:
            return lines
    return [*none_line(METRICS_MEANT), *every]


def _metric_meant(metric: FailingMetric) -> tuple[str, Cells]:
    return metric.said, [("metric", metric.metric), ("stat", metric.stat), ("when", metric.condition)]


def _build_tags(tags: BuildTags, unfilled: Iterable[Unfilled]) -> list[str]:
    label = BY_PATH[_TAGS_PATH]
    said = {tag: getattr(tags, tag) or _wanted_tag(tag, unfilled) for tag in TAGS}
    if said == {tag: f"<{tag}>" for tag in TAGS}:
        return [f"   - {label.printed}: <{label.wanted}>"]
    listed = [line for tag, value in said.items() if value for line in item_lines(f"{tag}: {value}")]
    return [f"   - {label.printed}:", *listed]


def _wanted_tag(tag: str, unfilled: Iterable[Unfilled]) -> str:
    return " ".join(f"<{u.wanted}>" for u in unfilled if u.field == f"{_TAGS_PATH}.{tag}")


def _hypotheses(hypotheses: Hypotheses, unfilled: Iterable[Unfilled], template: TemplateContent) -> list[str]:
    """The statements alone when keys and classes follow from them, else "H2 (memory): …"."""
    plain = _statements(hypotheses, unfilled, [h.statement for h in hypotheses.hypotheses])
    heard = read_back(plain, partial(_read_hypotheses, template=template))
    if heard != _said(hypotheses).hypotheses:
        named = [f"{h.key} ({h.mechanism.replace('_', ' ')}): {h.statement}" for h in hypotheses.hypotheses]
        plain = _statements(hypotheses, unfilled, named)
    return [*plain, *_missing(hypotheses, unfilled, template)]


def _read_hypotheses(source: Source, template: TemplateContent) -> tuple[Hypothesis, ...]:
    return hypotheses_of(source, lexicon_of(template), template.mechanism).hypotheses


def _said(hypotheses: Hypotheses) -> Hypotheses:
    """The hypotheses with what their own lines say."""
    stated = (replace(h, predictions=(), evidence=(), resolution=HypothesisResolution()) for h in hypotheses.hypotheses)
    return replace(hypotheses, hypotheses=tuple(stated))


def _statements(hypotheses: Hypotheses, unfilled: Iterable[Unfilled], texts: list[str]) -> list[str]:
    ranked = list(zip(hypotheses.hypotheses, texts, strict=True))
    primary = [text for h, text in ranked if h.rank == HypothesisRank.PRIMARY]
    competing = [text for h, text in ranked if h.rank != HypothesisRank.PRIMARY]
    every = [*primary, *wanted_at(PRIMARY, unfilled, "\n".join(primary))] or [""]
    lines = [line for text in every for line in field_lines(PRIMARY, text, ())]
    return [*lines, *list_lines(COMPETING, competing, unfilled, partial(_same_items, competing))]


def _same_items(items: list[str], lines: list[str]) -> bool:
    """Whether the items stand beside their label as they are, with nothing but placeholders added."""
    found = read_lines(lines).fields[0]
    return items_of(found)[: len(items)] == items and not any("|" in item for item in items)


def _missing(hypotheses: Hypotheses, unfilled: Iterable[Unfilled], template: TemplateContent) -> list[str]:
    missing = hypotheses.missing_evidence
    plain = list_lines(MISSING, [m.what for m in missing], unfilled, lambda _: True)
    if "\n" not in "".join(m.what for m in missing):
        heard = read_back(plain, partial(hypotheses_of, lexicon=lexicon_of(template), mechanism=""))
        if heard.missing_evidence == missing:
            return plain
    rows = [join_row(m.what, [("owner", m.owner)]) for m in missing]
    return list_lines(MISSING, rows, unfilled, lambda _: False)


def _action(action: ProposedAction, unfilled: Iterable[Unfilled], lexicon: Lexicon) -> list[str]:
    movement = field_lines("action.expected_movement", action.expected_movement, unfilled)
    said = read_back(movement, partial(action_of, lexicon=lexicon)).expected
    return [
        *field_lines("action.smallest_reversible_change", action.smallest_reversible_change, unfilled),
        *movement,
        *_expected(action, unfilled, said),
        *_risks(action.risks, unfilled, lexicon),
        *field_lines("action.rollback_target", action.rollback_target, unfilled),
        *field_lines("action.rollback_boundary", action.rollback_boundary, unfilled),
        *field_lines("action.rollback_owner", action.rollback_owner, unfilled),
    ]


def _expected(action: ProposedAction, unfilled: Iterable[Unfilled], said: tuple[ExpectedMovement, ...]) -> list[str]:
    """Rows for the movements, unless the sentence alone says them."""
    if said == action.expected and not wanted_at(EXPECTED, unfilled):
        return []
    rows = [
        (e.said, [("metric", e.metric), ("stat", e.stat), ("ratio", f"{e.low}..{e.high}")]) for e in action.expected
    ]
    return row_lines(EXPECTED, rows, unfilled) or none_line(EXPECTED)


def _risks(risks: tuple[Risk, ...], unfilled: Iterable[Unfilled], lexicon: Lexicon) -> list[str]:
    kinds = [risk.kind.replace("_", " ") for risk in risks]
    plain = list_lines(RISKS, kinds, unfilled, lambda _: True)
    if read_back(plain, partial(action_of, lexicon=lexicon)).risks == risks:
        return plain
    rows = [
        join_row(kind, [("checked", risk.checked), ("result", risk.result)])
        for kind, risk in zip(kinds, risks, strict=True)
    ]
    return list_lines(RISKS, rows, unfilled, lambda _: False)


def _signoff(signoff: Signoff, unfilled: Iterable[Unfilled], template: TemplateContent) -> list[str]:
    titles = [owner.title for owner in signoff.required_owners]

    def same(lines: list[str]) -> bool:
        return read_back(lines, partial(signoff_of, template=template)).required_owners == signoff.required_owners

    return [
        *field_lines("signoff.required_artifact", signoff.required_artifact, unfilled),
        *list_lines(OWNERS, titles, unfilled, same),
        *field_lines("signoff.final_decision", signoff.final_decision, unfilled),
    ]
