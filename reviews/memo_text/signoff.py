"""The section signoff from its fields: the artifact, the owners, the decision in words, an escalation."""

import re
from collections.abc import Iterator
from typing import Final

from reviews.memo_text.findings import Source
from reviews.memo_text.lists import split_list
from reviews.memo_text.owners import template_owners
from reviews.memo_text.placeholders import says_none
from reviews.memo_text.reader import Field
from reviews.memo_text.text import fold, slug
from reviews.sections import Escalation, RequiredOwner, Signoff
from reviews.template_content import TemplateContent

OWNERS: Final = "signoff.required_owners"
ARTIFACT: Final = "signoff.required_artifact"

_LONGEST_TITLES: Final = 300
_BOX: Final = re.compile(r"^\[[ xX]\]\s+")


def signoff_of(source: Source, template: TemplateContent) -> Signoff:
    """The signoff that the text asks for, with every owner of the template."""
    artifact = source.text(ARTIFACT)
    if artifact and artifact != template.required_artifact:
        line = next(f.line for f in source.document.all(ARTIFACT))
        source.findings.note(line, f'The template asks for another artifact too: "{template.required_artifact}"')
    return Signoff(
        required_artifact=artifact,
        required_owners=_owners(source, template_owners(template)),
        final_decision=source.text("signoff.final_decision"),
        escalation=Escalation(
            to=source.text("signoff.escalation.to"),
            by=source.text("signoff.escalation.by"),
            question=source.text("signoff.escalation.question"),
        ),
    )


def _owners(source: Source, ours: tuple[RequiredOwner, ...]) -> tuple[RequiredOwner, ...]:
    """The template's owners, then those that the text adds; each difference is noted."""
    found = source.field_at(OWNERS)
    if found is None:
        return ours
    known = {fold(name): owner for owner in ours for name in (owner.title, owner.role)}
    said = [
        value
        for text in owner_titles(found, known)
        if not says_none(text) and (value := source.findings.value(OWNERS, text))
    ]
    named = {known[fold(title)].role for title in said if fold(title) in known}
    added = {slug(title): title for title in said if fold(title) not in known and slug(title)}
    for owner in ours:
        if owner.role not in named:
            source.findings.note(found.line, f"The template also requires the {owner.title}; it stays required.")
    for title in added.values():
        source.findings.note(found.line, f'"{title}" is no owner of the template; it is required in addition.')
    return (*ours, *(RequiredOwner(role=role, title=title, from_template=False) for role, title in added.items()))


def owner_titles(found: Field, known: dict[str, RequiredOwner]) -> Iterator[str]:
    """The titles in an owners' field: beside the label split at commas and semicolons, under it one an item."""
    inline = found.inline.text if found.inline else ""
    for text in split_list(inline):
        yield from _split_known(text, known)
    for item in found.items:
        bare = _BOX.sub("", item.text)
        yield bare if fold(bare) in known else item.text


def _split_known(title: str, known: dict[str, RequiredOwner]) -> list[str]:
    """ "A and B" apart when both are known; a title with "and" inside stays whole."""
    if fold(title) in known:
        return [title]
    bare = re.sub(r"^and\s+", "", title)
    if len(bare) > _LONGEST_TITLES:
        return [bare]
    for m in re.finditer(r"\s+(?:and|&)\s+", bare):
        parts = [bare[: m.start()], bare[m.end() :]]
        if all(fold(part) in known for part in parts):
            return parts
    return [bare]
