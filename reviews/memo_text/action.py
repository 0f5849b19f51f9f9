"""The section action from its fields: the change, where it should move the metrics, how to go back, the risks."""

import re
from collections.abc import Iterator
from typing import Final

from reviews.memo_text.findings import Findings, Source
from reviews.memo_text.lists import split_list
from reviews.memo_text.metrics import Found, Lexicon
from reviews.memo_text.movements import movement_of
from reviews.memo_text.naming import metric_cells
from reviews.memo_text.placeholders import says_none
from reviews.memo_text.reader import Field, Part
from reviews.memo_text.text import fold
from reviews.sections import ExpectedMovement, ProposedAction, Risk
from reviews.vocabulary import RiskKind

EXPECTED: Final = "action.expected"
EXPECTED_CELLS: Final = ("metric", "stat", "ratio")
RISKS: Final = "action.risks"
RISK_CELLS: Final = ("checked", "result")

_FEW_WORDS: Final = 3
_KINDS: Final = {kind.label: kind.value for kind in RiskKind}
_RISK: Final = re.compile(
    rf"(?:\[[ xX]\]\s*)?(?P<kind>{'|'.join(_KINDS).replace(' ', '[ _-]+')})\b"
    r"(?:\s*[:=–—]\s*|\s+-\s+|\s*(?=\()|\s*(?=\||$)|\s+(?=[a-z]))",
    re.IGNORECASE,
)


def action_of(source: Source, lexicon: Lexicon) -> ProposedAction:
    """The action that the text proposes."""
    movement = source.text("action.expected_movement")
    return ProposedAction(
        smallest_reversible_change=source.text("action.smallest_reversible_change"),
        expected_movement=movement,
        expected=_expected(source, movement, lexicon),
        rollback_target=source.text("action.rollback_target"),
        rollback_boundary=source.text("action.rollback_boundary"),
        rollback_owner=source.text("action.rollback_owner"),
        risks=_risks(source),
    )


def _expected(source: Source, movement: str, lexicon: Lexicon) -> tuple[ExpectedMovement, ...]:
    """What the words mean, unless rows "Expected ratio" say it."""
    if rows := source.rows(EXPECTED):
        stated = [_expected_row(source, found, part, lexicon) for found, part in rows if not says_none(part.text)]
        return tuple(row for row in stated if row.metric or row.said)
    line = next((f.line for f in source.document.all("action.expected_movement")), 0)
    return tuple(expected_movements(movement, lexicon, source.findings, line))


def _expected_row(source: Source, found: Field, part: Part, lexicon: Lexicon) -> ExpectedMovement:
    row = source.row(found, part.text, EXPECTED_CELLS)
    metric, stat = metric_cells(source, found, row, lexicon)
    low, high = source.findings.interval(EXPECTED, row.get("ratio"), found)
    return ExpectedMovement(
        metric=metric, stat=stat, low=low, high=high, said=source.findings.value(EXPECTED, row.first)
    )


def expected_movements(movement: str, lexicon: Lexicon, findings: Findings, line: int) -> Iterator[ExpectedMovement]:
    """The movements that words name, one for each metric."""
    for item in split_list(movement, ("and", "while", "but"), lexicon.whole):
        named = lexicon.first(item)
        if named.choices or len(item.split()) <= _FEW_WORDS:
            yield _movement(item, named, findings, line)


def _movement(item: str, named: Found, findings: Findings, line: int) -> ExpectedMovement:
    moved = movement_of(f"{item[: named.start]} {item[named.end :]}" if named.choices else item, named.better)
    if moved.doubt:
        findings.note(line, f'"{item}": {moved.doubt}.')
    if not named.metric:
        findings.note(line, f'"{item}" names no single metric of the template; say it with "Expected ratio".')
    return ExpectedMovement(metric=named.metric, stat=named.stat, low=moved.low, high=moved.high, said=item)


def _risks(source: Source) -> tuple[Risk, ...]:
    found = source.field_at(RISKS)
    return tuple(risk for text in _risk_texts(found) for risk in _risk(source, found, text)) if found else ()


def _risk_texts(found: Field) -> list[str]:
    """One text for each risk: what follows a comma and names no risk belongs to the one before it."""
    inline = found.inline.text if found.inline else ""
    texts: list[str] = []
    for item in [inline] if "|" in inline else split_list(inline, ("and", "or")):
        if texts and not _RISK.match(item):
            texts[-1] = f"{texts[-1]}, {item}"
        else:
            texts.append(item)
    return [*texts, *(item.text for item in found.items)]


def _risk(source: Source, found: Field, text: str) -> Iterator[Risk]:
    row = source.row(found, text, RISK_CELLS)
    m = _RISK.match(row.first)
    if m is None:
        if not says_none(text) and not source.findings.value(RISKS, row.first):
            return
        source.findings.keep(found, f'"{row.first}" is none of the risks {", ".join(_KINDS)}; the line is kept.')
        return
    kind = _KINDS[fold(m["kind"])]
    said = row.get("checked") if "checked" in row.cells else row.first[m.end() :].strip()
    checked = said[1:-1].strip() if re.fullmatch(r"\([^()]*\)", said) and "checked" not in row.cells else said
    yield Risk(
        kind=kind,
        checked=source.findings.value(RISKS, checked),
        result=source.findings.value(RISKS, row.get("result")),
    )
