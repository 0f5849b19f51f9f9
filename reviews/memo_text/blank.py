"""The content, and so the text, from which a memo of a template starts."""

from functools import partial
from typing import Final

from reviews.memo_text.hypotheses import COMPETING
from reviews.memo_text.labels import LABELS, Label
from reviews.memo_text.mechanisms import guess
from reviews.memo_text.metrics import lexicon_of
from reviews.memo_text.owners import template_owners
from reviews.memo_text.symptom import TAGS, symptom_of
from reviews.memo_text.writing import field_lines, read_back
from reviews.sections import Header, Hypotheses, Hypothesis, MemoContent, ProposedAction, Risk, Signoff, Unfilled
from reviews.template_content import TemplateContent
from reviews.vocabulary import HypothesisRank, RiskKind

_MENU: Final = "ship, bounded rollout, rollback, or escalate"
_TAGS_PATH: Final = "symptom.build_tags"


def blank(template: TemplateContent, *, team: str, intent: str) -> MemoContent:
    """The content from which a memo of this template starts: its own texts, and a placeholder for the rest."""
    header = Header(
        title=f"{template.area} / {template.topic}",
        team=team,
        intent=intent,
        template=template.slug,
        template_version=template.version,
        unfilled=tuple(row for label in LABELS for row in _unfilled(label, template)),
    )
    symptom = read_back(
        field_lines("symptom.failing_metric", template.failing_metric, ()),
        partial(symptom_of, lexicon=lexicon_of(template)),
    )
    primary = Hypothesis(
        key="H1", rank=HypothesisRank.PRIMARY.value, mechanism=guess(template.mechanism), statement=template.mechanism
    )
    return MemoContent(
        header=header,
        symptom=symptom,
        hypotheses=Hypotheses(hypotheses=(primary,)),
        action=ProposedAction(risks=tuple(Risk(kind=kind) for kind in RiskKind.values)),
        signoff=Signoff(
            required_artifact=template.required_artifact,
            required_owners=template_owners(template),
            final_decision=_MENU,
        ),
    )


def _unfilled(label: Label, template: TemplateContent) -> list[Unfilled]:
    """What the template leaves open at a label."""
    if label.path == _TAGS_PATH:
        return [Unfilled(field=f"{_TAGS_PATH}.{tag}", wanted=tag) for tag in TAGS]
    wanted = template.competing_placeholder if label.path == COMPETING else label.wanted
    return [Unfilled(field=label.path, wanted=wanted)] if wanted else []
