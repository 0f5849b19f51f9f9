"""An imported text over the content that it was exported from."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from reviews import sections as s
from reviews.memo_text import onto, render
from tests.memo_text.contents import BATCH, contents, read
from tests.memo_text.test_difference import COMPARISON, MEMO

RESOLUTION = s.HypothesisResolution(state="refuted", reason="the replay")
NOTE = s.EvidenceNote(refers_to="C1", bearing="against", note="")
PREDICTION = s.Prediction(key="P1", metric="ttft", stat="p99", condition="", low="0.9", high="1")
REGISTERED = replace(PREDICTION, plan="nonce", registered_at="2026-11-01T00:00:00Z")
SET = s.SealedSet(number=1, title="", plan="", sealed_at="", sealed_by="", attachments=())
ASSESSED = replace(
    COMPARISON,
    plan="nonce",
    evidence_set=1,
    assessment="ab" * 32,
    stated=(s.StatedSetting(setting="seed", arm="baseline", value="7", by="ann"),),
    explanations=(s.Explanation(setting="driver", text="", greatest_effect="1.01", by="ann"),),
)
DIFFERENCE = s.ChangeRow(name="driver", baseline="1", candidate="2", on_purpose=True, source="capture")
FIRST, *RIVALS = MEMO.hypotheses.hypotheses
BASE = replace(
    MEMO,
    evidence=s.Evidence(sets=(SET,)),
    change=s.Change(rows=(DIFFERENCE,)),
    comparisons=s.Comparisons(comparisons=(ASSESSED,)),
    hypotheses=s.Hypotheses(
        hypotheses=(*RIVALS, replace(FIRST, resolution=RESOLUTION, evidence=(NOTE,), predictions=(REGISTERED,)))
    ),
)


def imported(old: str = "", new: str = "") -> s.MemoContent:
    """The export of BASE with `old` edited to `new`, over BASE."""
    text = render(BASE, BATCH)
    assert old in text
    return onto(read(text.replace(old, new, 1)).content, BASE)


def test_an_unchanged_export_changes_nothing() -> None:
    assert imported() == BASE


def test_a_changed_statement_keeps_its_evidence_and_loses_its_resolution() -> None:
    changed = imported("mechanism: H1 (other): a", "mechanism: H1 (other): z").hypotheses.hypotheses[-1]

    assert (changed.statement, changed.evidence, changed.resolution) == ("z", (NOTE,), s.HypothesisResolution())


def test_a_changed_prediction_is_not_registered() -> None:
    assert imported("0.9..1", "0.8..1").hypotheses.hypotheses[-1].predictions == (replace(PREDICTION, low="0.8"),)


def test_a_changed_comparison_keeps_what_was_stated_and_loses_its_assessment() -> None:
    changed = imported("margin: 1.05", "margin: 1.10").comparisons.comparisons

    assert changed == (replace(ASSESSED, margin="1.10", assessment=""),)


def test_a_changed_difference_is_typed() -> None:
    assert imported("candidate: 2", "candidate: 3").change.rows == (replace(DIFFERENCE, candidate="3", source="typed"),)


def test_new_records_stand_as_the_text_has_them() -> None:
    content = imported("Comparison: C1", "Comparison: C9 | metric: ttft p99\n   - Comparison: C1")

    assert [c.key for c in content.comparisons.comparisons] == ["C9", "C1"]
    assert content.comparisons.comparisons[0].assessment == ""


def test_new_hypotheses_come_last() -> None:
    keys = [h.key for h in imported("thermal c", "thermal c, cache d").hypotheses.hypotheses]

    assert keys == ["H2", "H3", "H1", "H4"]


@settings(max_examples=50, deadline=None)
@given(contents(), st.data())
def test_what_a_text_cannot_say_survives_export_and_import(content: s.MemoContent, data: st.DataObject) -> None:
    rows = tuple(
        replace(c, plan="n", evidence_set=3, assessment=data.draw(st.sampled_from(["", "ab" * 32])))
        for c in content.comparisons.comparisons
    )
    resolved = tuple(
        replace(h, resolution=RESOLUTION, evidence=(NOTE,)) for h in reversed(content.hypotheses.hypotheses)
    )
    base = replace(
        content,
        evidence=s.Evidence(sets=(SET,)),
        comparisons=s.Comparisons(comparisons=rows),
        hypotheses=replace(content.hypotheses, hypotheses=resolved),
    )

    assert onto(read(render(base, BATCH)).content, base) == base
