import pytest

from reviews.errors import BadInput, NotPermitted, NotVisible
from reviews.models import Memo
from reviews.sections import EvidenceNote, Hypothesis, HypothesisResolution
from reviews.services import hypotheses, revisions
from tests import cases

pytestmark = pytest.mark.django_db

SUPPORTED = HypothesisResolution(state="supported", reason="C1 lies inside the prediction.")


def stated(memo: Memo, key: str = "H1") -> Hypothesis:
    content = revisions.content_of(revisions.current(cases.again(memo)))
    return next(row for row in content.hypotheses.hypotheses if row.key == key)


def test_a_resolution_stands_in_a_new_revision_that_says_so() -> None:
    memo = cases.a_memo_in_review()

    revision = hypotheses.resolve(actor=cases.person("ann"), memo_id=memo.pk, hypothesis="H1", resolution=SUPPORTED)

    assert stated(memo).resolution == SUPPORTED
    assert revision.said == "Resolved H1 as supported."


@pytest.mark.parametrize(
    "resolution",
    [
        HypothesisResolution(state="perhaps", reason="who knows"),
        HypothesisResolution(state="refuted"),
        HypothesisResolution(state="open", owner="sam"),
        HypothesisResolution(state="open", owner="sam", due="soon"),
        HypothesisResolution(state="open", due="2031-01-01"),
    ],
)
def test_a_resolution_without_what_it_needs_is_refused(resolution: HypothesisResolution) -> None:
    memo = cases.a_memo_in_review()

    with pytest.raises(BadInput):
        hypotheses.resolve(actor=cases.person("ann"), memo_id=memo.pk, hypothesis="H1", resolution=resolution)


def test_an_open_hypothesis_has_an_owner_and_a_date() -> None:
    memo = cases.a_memo_in_review()
    left_open = HypothesisResolution(state="open", owner="sam", due="2031-01-01")

    hypotheses.resolve(actor=cases.person("ann"), memo_id=memo.pk, hypothesis="H2", resolution=left_open)

    assert stated(memo, "H2").resolution == left_open


def test_only_the_author_resolves() -> None:
    memo = cases.a_memo_in_review()

    with pytest.raises(NotPermitted):
        hypotheses.resolve(actor=cases.person("sam"), memo_id=memo.pk, hypothesis="H1", resolution=SUPPORTED)


def test_an_unknown_hypothesis_is_named_with_those_that_there_are() -> None:
    memo = cases.a_memo_in_review()

    with pytest.raises(NotVisible) as refusal:
        hypotheses.resolve(actor=cases.person("ann"), memo_id=memo.pk, hypothesis="H9", resolution=SUPPORTED)

    assert "H1" in refusal.value.needs


def test_evidence_bears_on_a_hypothesis_and_its_latest_note_counts() -> None:
    memo = cases.a_memo_with_evidence()
    for bearing in ("neutral", "for"):
        note = EvidenceNote(refers_to="C1", bearing=bearing, note="seen")
        hypotheses.note_evidence(actor=cases.person("ann"), memo_id=memo.pk, hypothesis="H1", note=note)

    assert [(note.refers_to, note.bearing) for note in stated(memo).evidence] == [("C1", "for")]


@pytest.mark.parametrize(("refers_to", "bearing"), [("C1", "maybe"), ("C9", "for")])
def test_a_note_that_says_nothing_known_is_refused(refers_to: str, bearing: str) -> None:
    memo = cases.a_memo_with_evidence()
    note = EvidenceNote(refers_to=refers_to, bearing=bearing, note="")

    with pytest.raises(BadInput):
        hypotheses.note_evidence(actor=cases.person("ann"), memo_id=memo.pk, hypothesis="H1", note=note)
