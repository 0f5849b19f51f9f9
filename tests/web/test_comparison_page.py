"""The comparison page: what was found, what stands behind it, and what is done about it."""

import pytest
from django.urls import reverse

from reviews.models import Assessment, Memo
from reviews.services import assessments, evidence
from tests import cases, step_runs
from tests.services import deeds
from tests.web.asking import as_, follow, page

pytestmark = pytest.mark.django_db


def path(memo: Memo, name: str = "comparison", key: str = "C1") -> str:
    return reverse(name, args=[memo.number, key])


def stated(memo: Memo) -> None:
    """Ann states a setting for one arm only: the arms are not comparable until somebody explains it."""
    assessments.state_setting(
        actor=cases.person("ann"), memo_id=memo.pk, comparison="C1", setting="pinning", arm="baseline", value="yes"
    )
    assessments.compute(actor=cases.person("ann"), memo_id=memo.pk, comparison="C1")


def test_effect_uncertainty_and_cause_stand_apart_with_all_that_belongs_to_them() -> None:
    said = page("aud", path(cases.a_memo_with_evidence()))

    for words in (
        "better than the margin",
        "improvement established",
        "The candidate is 4.06",
        "95\u00a0% confidence, paired_log, 3 blocks, this placement only",
        "A difference is established for the change",
        "blocks are independent of each other",
        "0 of 3 candidate runs failed",
        "1 of 1 declared",
        "stated, not witnessed",
        "supported",
        "refuted",
        "differs as declared",
    ):
        assert words in said, words


def test_both_plots_have_their_tables() -> None:
    said = page("aud", path(cases.a_memo_with_evidence()))

    assert said.count("data-chart=") == 2
    assert "Numbers of: throughput rate of each run" in said
    assert "Numbers of: throughput rate, candidate against baseline" in said


def test_runs_without_rows_have_no_second_table() -> None:
    said = page("aud", path(cases.a_memo_with_evidence()))

    assert "No run brings its steps or requests." in said
    assert 'aria-label="The runs, step by step"' not in said


def test_without_a_sealed_set_it_says_what_is_missing() -> None:
    said = page("sam", path(cases.a_memo_in_review()))

    assert "No sealed evidence set holds runs for this comparison" in said
    assert "data-chart" not in said
    assert ">Compute<" not in said


def test_a_set_with_one_arm_says_which_is_missing() -> None:
    memo = cases.a_memo_in_review()
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="Half", plan=f"plan-of-{memo.number}")
    half = cases.runs_file(cases.AS_MEASURED, memo.created_at)
    cases.attach(row, "half.json", half, [cases.labels("benchmark_run", arm="baseline", run="b1-baseline", block="b1")])
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)

    assert "Set 1 holds no run of the candidate." in page("sam", path(memo))


def test_a_comparison_that_stays_uncompared_says_why() -> None:
    assert "the machine shows no power counter" in page("sam", path(cases.a_memo_with_evidence(), key="C3"))


def test_computing_shows_the_number_and_its_look() -> None:
    memo = cases.a_memo_in_review()
    evidence.seal(actor=cases.person("sam"), set_id=cases.an_open_set(memo).pk)
    assert "Computing it is look 1 of 1 declared." in page("sam", path(memo))

    got = as_("sam").post(path(memo, "comparison-compute"))

    assert follow(got) == path(memo)
    assert Assessment.objects.get().look == 1
    assert "better than the margin" in page("sam", path(memo))


def test_computing_again_from_the_stored_measurements_gives_the_same_digest() -> None:
    memo = cases.a_memo_with_evidence()
    client = as_("aud")

    client.post(path(memo, "comparison-again"))

    said = client.get(path(memo)).content.decode()
    assert f"Computed again: the same digest {Assessment.objects.get(comparison='C1').digest}" in said


def test_another_result_on_computing_again_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = cases.a_memo_with_evidence()
    monkeypatch.setattr(assessments, "recompute", lambda _: False)
    client = as_("aud")

    client.post(path(memo, "comparison-again"))

    assert "Computed again: another result." in client.get(path(memo)).content.decode()


def test_there_is_nothing_to_compute_again_before_the_first_time() -> None:
    memo = cases.a_memo_in_review()
    client = as_("sam")

    client.post(path(memo, "comparison-again"))

    assert "not computed yet" in client.get(path(memo)).content.decode()


def test_a_difference_is_explained_accepted_and_computed_again() -> None:
    memo = cases.a_memo_with_evidence()
    stated(memo)
    said = page("ann", path(memo))
    assert "not comparable" in said
    assert "What would settle it" in said
    assert "blocks a verdict" in said

    explanation = {"setting": "pinning", "text": "Both pin by default.", "greatest_effect": "1.01"}
    assert follow(as_("ann").post(path(memo, "comparison-explain"), explanation)) == path(memo)
    said = page("ann", path(memo))
    assert "Out of date" in said
    assert "Not accepted yet" in said
    assert "Accept the explanation" not in said
    assert "Accept the explanation" in page("sam", path(memo))
    assert as_("ann").post(path(memo, "comparison-accept"), {"setting": "pinning"}).status_code == 403

    as_("sam").post(path(memo, "comparison-accept"), {"setting": "pinning"})
    as_("sam").post(path(memo, "comparison-compute"))

    said = page("aud", path(memo))
    assert "Accepted by sam." in said
    assert "widened by stated differences" in said
    assert "Out of date" not in said


def test_a_setting_that_is_not_recorded_is_stated_for_its_arm() -> None:
    memo = cases.a_memo_with_evidence()
    stated(memo)

    got = as_("sam").post(path(memo, "comparison-state"), {"setting": "pinning", "arm": "candidate", "value": "yes"})
    as_("sam").post(path(memo, "comparison-compute"))

    assert follow(got) == path(memo)
    assert "better than the margin" in page("aud", path(memo))


def test_a_bad_effect_is_refused_in_words() -> None:
    memo = cases.a_memo_with_evidence()
    stated(memo)

    got = as_("ann").post(
        path(memo, "comparison-explain"), {"setting": "pinning", "text": "x", "greatest_effect": "large"}
    )

    assert got.status_code == 422
    assert "greatest_effect" in got.content.decode()


def test_an_explanation_without_text_names_the_field() -> None:
    memo = cases.a_memo_with_evidence()

    got = as_("ann").post(path(memo, "comparison-explain"), {"setting": "seed"})

    assert got.status_code == 422
    assert "Why it does not matter: This field is required." in got.content.decode()


def test_why_there_will_be_no_number_is_recorded() -> None:
    memo = cases.a_memo_in_review()

    got = as_("ann").post(path(memo, "comparison-leave"), {"reason": "the counter is broken"})

    assert follow(got) == path(memo)
    assert "There will be no number: the counter is broken." in page("aud", path(memo))


def test_a_reader_has_no_button_that_changes_anything() -> None:
    memo = cases.a_memo_with_evidence()
    stated(memo)

    said = page("olga", path(memo))

    for words in ("comparison-compute", "/compute/", "/explain/", "/accept/", "/state/", "/leave/"):
        assert words not in said
    assert as_("olga").post(path(memo, "comparison-compute")).status_code == 403


def test_failed_runs_are_counted_exactly() -> None:
    memo = cases.a_memo_in_review()
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="Runs", plan=f"plan-of-{memo.number}")
    content = cases.runs_file(cases.AS_MEASURED, memo.created_at)
    broken = content.replace(
        b'"run": "b2-candidate", "status": "completed"',
        b'"run": "b2-candidate", "status": "failed", "reason": "out of memory"',
    )
    labels = [
        cases.labels("benchmark_run", arm=arm, run=f"{b}-{arm}", block=b)
        for b in cases.BLOCKS
        for arm in ("baseline", "candidate")
    ]
    cases.attach(row, "runs.json", broken, labels)
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)
    as_("sam").post(path(memo, "comparison-compute"))

    said = page("aud", path(memo))

    assert "failed to serve" in said
    assert "1 of 3 candidate runs failed" in said
    assert "candidate runs, among completed runs." in said
    assert "If the failed candidate runs count as the worst there is" in said


def test_the_runs_say_what_was_cut_how_they_went_and_what_a_longer_cut_would_give() -> None:
    memo = step_runs.a_draft_of_steps(warmup_seconds="2.5")
    deeds.sealed(memo, step_runs.steps_file(memo.created_at))
    deeds.compute(memo)
    said = page("aud", path(memo))
    runs, text = said.partition('id="steps"')[2].partition("</section>")[0], said.partition('id="as-text"')[2]

    for words in (
        "2.5 s declared, from the start of every run; rows cut from a run: 16 to 17, 2.5",
        "cut the effect would be 1.0",
        "paired_log, 3 blocks, this placement only. It governs nothing.",
        "warmup, then steady, from step 4",
    ):
        assert words in runs, words
    assert runs.count("<tr>") == 7
    assert "With a longer cut: With " in text
    assert "Beyond it" not in runs


def test_a_value_of_too_small_a_tail_is_shown_greyed_and_without_an_interval() -> None:
    memo = step_runs.a_draft_of_steps(stat="p95")
    deeds.sealed(memo, step_runs.steps_file(memo.created_at, length=150))
    deeds.compute(memo)
    said = page("aud", path(memo))
    runs = said.partition('id="steps"')[2].partition("</section>")[0]

    assert runs.count("shown only") == 6
    assert '<td class="right soft">' in runs
    assert "7.50" in runs
    assert "No interval, and so no statement about an effect." in said


def test_the_text_to_copy_says_what_the_page_says() -> None:
    said = page("aud", path(cases.a_memo_with_evidence()))
    text = said.partition('id="as-text"')[2].partition("</pre>")[0]

    for words in (
        "Improvement beyond the 2% margin established.",
        "paired_log",
        "Prediction P2 of H2: refuted.",
        "Assessment ",
    ):
        assert words in text


def test_more_looks_than_were_declared_are_said() -> None:
    memo = cases.a_memo_with_evidence()
    row = evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="More", plan=f"plan-of-{memo.number}")
    again = cases.runs_file(cases.Runs(baseline=("1000.25", "1011.5", "996.5")), memo.created_at)
    labels = [
        cases.labels("benchmark_run", arm=arm, run=f"{b}-{arm}", block=b)
        for b in cases.BLOCKS
        for arm in ("baseline", "candidate")
    ]
    cases.attach(row, "again.json", again, labels)
    evidence.seal(actor=cases.person("sam"), set_id=row.pk)

    assert "look 2 of 1 declared: more looks than were declared." in page("sam", path(memo))


MORE = cases.Runs(baseline=("1001.5", "1008.25", "997.75"), candidate=("1040.5", "1049.75", "1040.25"))
SIX = ("b1", "b2", "b3", "b4", "b5", "b6")


def test_a_look_that_was_not_declared_is_judged_by_every_look_and_the_plain_interval_is_struck() -> None:
    memo = cases.a_memo_with_evidence()
    deeds.sealed(memo, deeds.more_blocks(memo.created_at, MORE), *deeds.arms(SIX), name="more.json")
    result = deeds.compute(memo).result
    said = page("aud", path(memo))
    claims, text = said.partition("What is claimed")[2].partition("</section>")[0], said.partition('id="as-text"')[2]

    assert (result["outcome"], result["interval"]["method"]) == ("verdict", "anytime_paired_log")
    assert "anytime_paired_log, 6 blocks, this placement only" in claims
    assert claims.count("<s ") == 1
    assert "valid only if this was the only look, and this is look 2" in claims
    assert "has been looked at 2 times while runs were added" in said
    assert "more looks than were declared; the interval holds at every look" in said
    assert "Struck, valid only if this was the only look: [" in text


def test_where_no_interval_holds_at_every_look_only_the_struck_one_is_shown() -> None:
    memo = cases.a_memo_with_evidence()
    deeds.sealed(memo, cases.runs_file(MORE, memo.created_at), *deeds.arms(), name="again.json")
    result = deeds.compute(memo).result
    claims = page("aud", path(memo)).partition("What is claimed")[2].partition("</section>")[0]

    assert (result["outcome"], result["refusal"]["code"]) == ("withheld", "too_few_for_anytime")
    assert "No interval, and so no statement about an effect." in claims
    assert claims.count("<s ") == 1
    assert "Go on to 5 blocks" in claims


def test_the_limit_of_the_metric_is_answered_beside_the_verdict() -> None:
    deeds.published_with_limit("900")
    memo = cases.a_memo_with_evidence()
    said = page("aud", path(memo))

    assert "against a limit of 900 1/s: kept. next_run_prediction_bound_log, 3 candidate runs" in said
    assert "Beside the verdict, and no part of it." in said
    assert "another run of this arm" in said
    assert "Limit, beside the verdict: The 95 % bound" in said.partition('id="as-text"')[2]


def test_an_unknown_comparison_and_a_stranger_find_nothing() -> None:
    memo = cases.a_memo_with_evidence()

    assert as_("sam").get(path(memo, key="C9")).status_code == 404
    assert as_("eve").get(path(memo)).status_code == 404
    assert as_("eve").post(path(memo, "comparison-compute")).status_code == 404
