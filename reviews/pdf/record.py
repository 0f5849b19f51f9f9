"""The dossier as the templates of the PDF print it: the same content, typed, joined and in the order of the pages."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import rfc8785

from analysis.hypothesis import Judgement
from reviews import printing
from reviews.authentication import METHODS
from reviews.pdf.comparisons import ComparisonSheet, sheet_of, title_of
from reviews.pdf.traces import TraceSheet, trace_sheet
from reviews.sections import Hypothesis, MemoContent, Prediction, content_from_json
from reviews.signs import Sign, sign_of
from reviews.template_content import TemplateContent, template_from_json
from reviews.vocabulary import (
    ComparisonRole,
    DecisionKind,
    HypothesisRank,
    Intent,
    MechanismClass,
    ObservationWindow,
    Position,
    RiskKind,
)

JSON = Mapping[str, Any]

ORDER: Final = (*ComparisonRole.values, "")
ABOUT_SCOPE: Final = "evidence_reaches_the_scope"


@dataclass(frozen=True, slots=True)
class PredictionLine:
    """A prediction beside what the comparisons made of it. judged: None while no comparison has judged it."""

    prediction: Prediction
    title: str
    range: str
    judged: Judgement | None
    sign: Sign | None


@dataclass(frozen=True, slots=True)
class HypothesisSheet:
    """A hypothesis with its predictions. resolution: None while it is not resolved."""

    hypothesis: Hypothesis
    rank: str
    mechanism: str
    predictions: tuple[PredictionLine, ...]
    resolution: Sign | None


@dataclass(frozen=True, slots=True)
class Record:
    """Everything that the pages print.

    raw: the dossier itself. text: its canonical JSON, which is attached. sha256: of that text.
    gate: every line with its rule in words. blockers: the lines that block, as an emergency rollback may leave them.
    outlooks: per decision, its name and what it lacked. labels: words for single values, by their field.
    """

    raw: JSON
    text: bytes
    sha256: str
    content: MemoContent
    template: TemplateContent
    decision: str
    scope: str
    comparisons: tuple[ComparisonSheet, ...]
    headline: ComparisonSheet | None
    traces: tuple[TraceSheet, ...]
    hypotheses: tuple[HypothesisSheet, ...]
    gate: tuple[tuple[JSON, str], ...]
    blockers: tuple[JSON, ...]
    outlooks: tuple[tuple[str, JSON], ...]
    against_ship: tuple[str, ...]
    waivers: tuple[JSON, ...]
    files: tuple[JSON, ...]
    events: tuple[JSON, ...]
    signatures: tuple[JSON, ...]
    risks: tuple[tuple[str, str, str], ...]
    expected: tuple[tuple[str, str, str], ...]
    thresholds: tuple[tuple[str, str, str], ...]
    labels: Mapping[str, str]


def record_of(dossier: JSON) -> Record:
    """The record of a dossier.

    Raises:
        KeyError, msgspec.ValidationError: the dossier has not the shape that services/dossiers.py writes.
    """
    text = rfc8785.dumps(dossier)
    content, template = content_from_json(dossier["sections"]), template_from_json(dossier["template"])
    rows = zip(dossier["comparisons"], content.comparisons.comparisons, strict=True)
    sheets = [sheet_of(part, row, template, content.hypotheses.hypotheses) for part, row in rows]
    comparisons = tuple(sorted(sheets, key=lambda sheet: ORDER.index(sheet.row.role)))
    return Record(
        raw=dossier,
        text=text,
        sha256=hashlib.sha256(text).hexdigest(),
        content=content,
        template=template,
        decision=DecisionKind(dossier["decision"]["kind"]).label,
        scope=_scope(dossier["decision"]),
        comparisons=comparisons,
        headline=next((c for c in comparisons if c.row.key == dossier["headline"]["comparison"]), None),
        traces=tuple(trace_sheet(cited) for cited in dossier.get("traces", ())),
        hypotheses=tuple(_hypothesis(row, comparisons, template) for row in content.hypotheses.hypotheses),
        gate=tuple((line, _in_words(line["code"])) for line in dossier["gate"]),
        blockers=tuple(line for line in dossier["gate"] if line["blocks"]),
        outlooks=tuple((DecisionKind(o["kind"]).label, o) for o in dossier["preview"]["decisions"]),
        against_ship=_against_ship(dossier),
        waivers=tuple({**waiver, "said": _in_words(waiver["requirement"])} for waiver in dossier["waivers"]),
        files=tuple({**file, "kind_said": file["kind"].replace("_", " ")} for file in _by_name(dossier)),
        events=tuple({**event, "said": event["action"].replace("_", " ")} for event in dossier["trail"]["events"]),
        signatures=tuple(_signature(given) for given in dossier["signatures"]),
        risks=tuple((RiskKind(risk.kind).label, risk.checked, risk.result) for risk in content.action.risks),
        expected=_expected(content, template),
        thresholds=_thresholds(content, template),
        labels=_labels(content, dossier),
    )


def _by_name(dossier: JSON) -> list[JSON]:
    return sorted(dossier["evidence"], key=lambda file: (file["name"], file["sha256"]))


def _scope(decision: JSON) -> str:
    percent = decision["scope_percent"]
    return f"up to {percent}{printing.SPACE}% of the traffic or hosts named in the rollout" if percent else ""


def _in_words(code: str) -> str:
    """ "rule_name:subject" as people read it."""
    rule, _, subject = code.partition(":")
    return f"{rule.replace('_', ' ')}: {subject}" if subject else rule.replace("_", " ")


def _against_ship(dossier: JSON) -> tuple[str, ...]:
    """Why the evidence does not carry a ship, when another decision was taken."""
    if dossier["decision"]["kind"] == DecisionKind.SHIP:
        return ()
    ships = (o for o in dossier["preview"]["decisions"] if o["kind"] == DecisionKind.SHIP)
    return tuple(line["sentence"] for ship in ships for line in ship["blockers"] if line["rule"] == ABOUT_SCOPE)


def _labels(content: MemoContent, dossier: JSON) -> dict[str, str]:
    window = content.symptom.observation_window
    return {
        "intent": Intent(content.header.intent).label,
        "window": ObservationWindow(window).label if window in ObservationWindow.values else window,
        "method": _method(dossier["decision"]["authentication"]),
        "rollback_owner": _person(content.action.rollback_owner, dossier),
        "rollout_owner": _person(content.rollout.owner, dossier),
    }


def _person(name: str, dossier: JSON) -> str:
    return str(dossier["people"].get(name, name))


def _method(authentication: JSON) -> str:
    method = str(authentication["method"])
    signed = ", which signed the statement" if "passkey" in authentication else ""
    return f"{METHODS.get(method, method)}{signed}"


def _hypothesis(
    row: Hypothesis, comparisons: tuple[ComparisonSheet, ...], template: TemplateContent
) -> HypothesisSheet:
    judged = {
        judgement.key: judgement for sheet in comparisons if sheet.result for judgement in sheet.result.judgements
    }
    return HypothesisSheet(
        row,
        HypothesisRank(row.rank).label,
        MechanismClass(row.mechanism).label if row.mechanism in MechanismClass.values else row.mechanism,
        tuple(_prediction(prediction, judged.get(prediction.key), template) for prediction in row.predictions),
        sign_of("resolution", row.resolution.state) if row.resolution.state else None,
    )


def _prediction(row: Prediction, judged: Judgement | None, template: TemplateContent) -> PredictionLine:
    sign = sign_of("judgement", judged.outcome) if judged else None
    return PredictionLine(row, title_of(row.metric, row.stat, template), _range(row.low, row.high), judged, sign)


def _range(low: str, high: str) -> str:
    """Two ends of a ratio, either of them open."""
    if not low and not high:
        return "not given"
    return f"at most {high}" if not low else f"{low} to {high}" if high else f"at least {low}"


def _signature(given: JSON) -> JSON:
    """A signature with its words: the decisions that it is for, how far, and how the signer was known."""
    position = Position(given["position"])
    kinds = [str(DecisionKind(kind).label) for kind in given["kinds"]]
    percent = given["scope_percent"]
    return {
        **given,
        "kinds_said": ", ".join(kinds) or "no decision",
        "scope_said": f"up to {percent}{printing.SPACE}%" if percent else "",
        "method_said": _method(given["authentication"]),
        "sign": sign_of("position", position),
        "standing": "counts" if given["counts"] else given["lapse"],
        "conditions": [_condition(one) for one in given["conditions"]],
    }


def _condition(one: JSON | str) -> JSON:
    """A condition; a dossier from before conditions had owners holds its text alone."""
    return {"text": one} if isinstance(one, str) else one


def _expected(content: MemoContent, template: TemplateContent) -> tuple[tuple[str, str, str], ...]:
    rows = content.action.expected
    return tuple((title_of(row.metric, row.stat, template), _range(row.low, row.high), row.said) for row in rows)


def _thresholds(content: MemoContent, template: TemplateContent) -> tuple[tuple[str, str, str], ...]:
    rows = content.rollout.abort_thresholds
    return tuple((row.comparison, title_of(row.metric, row.stat, template), row.limit) for row in rows)
