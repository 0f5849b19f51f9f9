"""A pasted memo text as records, with what its author should know about it."""

from dataclasses import dataclass, replace
from typing import Final

from reviews.memo_text.action import action_of
from reviews.memo_text.blocks import change_of, comparisons_of, rollout_of
from reviews.memo_text.findings import Findings, Note, Source
from reviews.memo_text.hypotheses import hypotheses_of
from reviews.memo_text.labels import LABELS
from reviews.memo_text.meant import lexicon_of_text
from reviews.memo_text.metrics import lexicon_of
from reviews.memo_text.reader import Document, first_line_as_title, read
from reviews.memo_text.signoff import signoff_of
from reviews.memo_text.symptom import symptom_of
from reviews.sections import Header, KeptText, MemoContent, Unfilled
from reviews.template_content import TemplateContent

_ORDER: Final = {label.path: place for place, label in enumerate(LABELS)}


@dataclass(frozen=True, slots=True)
class Parsed:
    """content: the records. notes: for the author, in the order of the text.

    base: digest of the revision that the text was exported from, "" when it does not say.
    """

    content: MemoContent
    notes: tuple[Note, ...]
    base: str


def parse(text: str, template: TemplateContent, *, team: str, intent: str) -> Parsed:
    """The records that a memo text states, for a memo of `team` (slug) with `intent`.

    What no record can say is kept in `content.header.kept`; placeholders become `content.header.unfilled`.

    Raises:
        BadInput: a line holds a character that is no text; `where` names the line.
        TooLarge: more than 1 MiB or 20,000 lines; `where` names the line.
    """
    document, findings = read(text), Findings()
    title = _title(document, findings, template)
    _note_the_whole(document, findings, template)
    source = Source(document, findings)
    lexicon = lexicon_of_text(source, lexicon_of(template))
    content = MemoContent(
        header=Header(title=title, team=team, intent=intent, template=template.slug, template_version=template.version),
        symptom=symptom_of(source, lexicon),
        hypotheses=hypotheses_of(source, lexicon, template.mechanism),
        action=action_of(source, lexicon),
        signoff=signoff_of(source, template),
        change=change_of(source),
        comparisons=comparisons_of(source, lexicon, template),
        rollout=rollout_of(source),
    )
    return _with_findings(content, document, findings)


def _with_findings(content: MemoContent, document: Document, findings: Findings) -> Parsed:
    kept = sorted((*document.kept, *findings.kept), key=_line_of)
    header = replace(content.header, unfilled=tuple(sorted(findings.unfilled, key=_place_of)), kept=tuple(kept))
    notes = sorted(findings.notes, key=lambda note: note.line)
    return Parsed(replace(content, header=header), tuple(notes), document.base)


def _place_of(unfilled: Unfilled) -> int:
    """Where the field stands on the page; a build tag stands at its label."""
    field = unfilled.field
    return _ORDER[field if field in _ORDER else field.rpartition(".")[0]]


def _line_of(kept: KeptText) -> int:
    return kept.line


def _title(document: Document, findings: Findings, template: TemplateContent) -> str:
    if document.title:
        return document.title
    if title := first_line_as_title(document):
        findings.note(document.title_line, f'The first line is taken as the title: "{title}".')
        return title
    findings.note(0, f'The text has no title; it has the template\'s, "{template.title}".')
    return template.title


def _note_the_whole(document: Document, findings: Findings, template: TemplateContent) -> None:
    there = {found.label.path for found in document.fields}
    for label in LABELS:
        if label.asked and label.path not in there:
            findings.note(0, f'The text has no "{label.printed}".')
    if document.template and document.template != f"{template.slug} {template.version}":
        findings.note(0, f"The text was exported with the template {document.template}.")
