"""The evidence page: sets, files, labels, what was read, planned runs; and what is done on it."""

import html
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from reviews.models import Artifact, EvidenceSet, Memo
from reviews.plan_content import plan_to_json
from reviews.services import evidence, parsing
from tests import cases
from tests.services import deeds
from tests.web.asking import Answer, as_, follow, page

pytestmark = pytest.mark.django_db
RUN = (
    b'{"countersign": "measurements/1", "tool": "t", "runs": [{"run": "r", "status": "completed", "measurements": []}]}'
)


def path(memo: Memo, name: str = "evidence", *more: object) -> str:
    return reverse(name, args=[memo.number, *more])


def an_empty_set(memo: Memo) -> EvidenceSet:
    return evidence.open_set(actor=cases.person("sam"), memo_id=memo.pk, title="Runs", plan="")


def send(memo: Memo, *files: tuple[str, bytes], who: str = "sam", **labels: Any) -> Answer:
    """The files sent to set 1 of the memo as by its form."""
    uploads = [SimpleUploadedFile(name, content) for name, content in files]
    said = {"kind": "benchmark_run", "use": "confirming", "arm": "baseline"} | labels
    return as_(who).post(path(memo, "evidence-attach", 1), {**said, "uploads": uploads})


def test_a_set_is_opened_under_its_plan() -> None:
    memo = cases.a_memo_in_review()
    nonce = f"plan-of-{memo.number}"

    got = as_("sam").post(path(memo, "evidence-open"), {"title": "Three blocks", "plan": nonce})

    assert follow(got) == f"{path(memo)}#set-1"
    assert memo.evidence_sets.get().plan == memo.plans.get()


def test_several_files_are_labelled_from_their_names() -> None:
    memo = cases.a_memo_in_review()
    an_empty_set(memo)
    named = [f"b{block}-{arm}.json" for block in "12" for arm in ("baseline", "candidate")]
    files = [(name, RUN + name.encode()) for name in named]

    send(memo, *files, pattern="b{block}-{arm}.json", arm="", placement="host-9")

    rows = memo.evidence_sets.get().attachments.order_by("pk")
    assert [(row.name, row.block, row.arm) for row in rows] == [
        ("b1-baseline.json", "1", "baseline"),
        ("b1-candidate.json", "1", "candidate"),
        ("b2-baseline.json", "2", "baseline"),
        ("b2-candidate.json", "2", "candidate"),
    ]
    assert "typed, not verified" in page("sam", path(memo))


def test_the_clock_of_a_log_is_typed_kept_and_shown() -> None:
    memo = cases.a_memo_in_review()
    an_empty_set(memo)

    send(memo, ("power.csv", RUN), clock="UTC+01:00")
    send(memo, ("other.csv", RUN + b" "), clock="noon")

    assert memo.evidence_sets.get().attachments.get().clock == "UTC+01:00"
    assert "clock: UTC+01:00" in page("sam", path(memo))


def test_a_name_that_does_not_fit_the_pattern_stores_nothing() -> None:
    memo = cases.a_memo_in_review()
    an_empty_set(memo)

    got = send(memo, ("b1-baseline.json", RUN), ("notes.txt", b"x"), pattern="b{block}-{arm}.json")

    assert got.status_code == 422
    assert "notes.txt does not fit" in got.content.decode()
    assert not Artifact.objects.filter(name="b1-baseline.json").exists()


def test_a_file_over_the_limit_is_refused_in_words_and_the_others_are_kept(settings: Any) -> None:
    memo = cases.a_memo_in_review()
    an_empty_set(memo)
    settings.ARTIFACT_LIMIT_BYTES = 200

    send(memo, ("large.json", b"x" * 201), ("small.json", b"y"))

    said = page("sam", path(memo))
    assert [row.name for row in memo.evidence_sets.get().attachments.all()] == ["small.json"]
    assert "At most 200" in said


def test_what_was_refused_is_said_for_each_file(settings: Any) -> None:
    memo = cases.a_memo_in_review()
    an_empty_set(memo)
    settings.ARTIFACT_LIMIT_BYTES = 200
    client = as_("sam")
    labels = {"kind": "benchmark_run", "use": "confirming", "arm": "baseline"}
    uploads = [SimpleUploadedFile("large.json", b"x" * 201), SimpleUploadedFile("a.json", b"y")]

    client.post(path(memo, "evidence-attach", 1), {**labels, "uploads": uploads})
    said = client.get(path(memo)).content.decode()
    again = client.post(path(memo, "evidence-attach", 1), {**labels, "uploads": [SimpleUploadedFile("b.json", b"y")]})

    assert "large.json: The file is larger than the limit of 200 bytes." in said
    assert "Attached 1 file: a.json." in said
    assert follow(again)
    assert "a.json is in this set already." in client.get(path(memo)).content.decode()


def test_a_file_with_texts_is_refused_in_words_dropped_or_kept_with_a_reason() -> None:
    memo = cases.a_memo_in_review()
    row = an_empty_set(memo)
    client, content = as_("sam"), b'{"prompt": "hello", "runs": []}'

    def sent(name: str, **said: str) -> str:
        labels = {"kind": "benchmark_run", "use": "confirming", "arm": "baseline", **said}
        client.post(path(memo, "evidence-attach", 1), {**labels, "uploads": [SimpleUploadedFile(name, content)]})
        return html.unescape(client.get(path(memo)).content.decode())

    assert "a.json, line 1: texts in the field prompt." in sent("a.json")
    assert not row.attachments.exists()

    sent("b.json", drop_texts="on")
    sent("c.json", kept_because="A public prompt.")
    found = {one.name: sorted(one.artifact.provenance) for one in row.attachments.all()}
    assert found == {"b.json": ["texts_dropped"], "c.json": ["kept_because"]}

    kept = row.attachments.get(name="c.json").artifact.sha256
    said = html.unescape(client.get(reverse("artifact", args=[kept])).content.decode())
    assert "<dt>Kept because</dt><dd>A public prompt." in said


def test_an_empty_form_says_what_is_missing() -> None:
    memo = cases.a_memo_in_review()
    an_empty_set(memo)

    got = send(memo)

    assert got.status_code == 422
    assert "Files: This field is required." in got.content.decode()


def test_whoever_may_not_attach_stores_nothing() -> None:
    memo = cases.a_memo_in_review()
    an_empty_set(memo)

    assert send(memo, ("mine.json", RUN), who="olga").status_code == 403
    assert not Artifact.objects.filter(name="mine.json").exists()
    assert "Attach files" not in page("olga", path(memo))


def test_another_run_of_a_file_is_attached_by_its_key() -> None:
    memo = cases.a_memo_in_review()
    an_empty_set(memo)
    send(memo, ("both.json", RUN), run="r1")
    sha256 = Artifact.objects.get(name="both.json").sha256

    labels = {"artifact": sha256, "kind": "benchmark_run", "arm": "candidate", "run": "r2", "block": "1"}
    got = as_("sam").post(path(memo, "evidence-label", 1), {**labels, "use": "confirming"})

    assert follow(got)
    assert [(row.run, row.arm) for row in memo.evidence_sets.get().attachments.order_by("pk")] == [
        ("r1", "baseline"),
        ("r2", "candidate"),
    ]


def test_a_file_is_taken_out_with_a_reason_and_stays_struck() -> None:
    memo = cases.a_memo_in_review()
    row = an_empty_set(memo)
    send(memo, ("wrong.json", RUN))
    assert "Take out" in page("sam", path(memo))
    assert "Take out" not in page("olga", path(memo))

    wish = {"attachment": row.attachments.get().pk, "reason": "It is of another host."}
    got = as_("sam").post(path(memo, "evidence-detach", 1), wish)

    said = page("aud", path(memo))
    struck = said[said.index("<s>") : said.index("</li>", said.index("<s>"))]
    assert follow(got) == f"{path(memo)}#set-1"
    assert "wrong.json" in struck
    assert "taken out by Sam" in struck
    assert "It is of another host." in struck
    assert "No file is attached." in said


@pytest.mark.parametrize("special", [{"reason": ""}, {"attachment": "0"}])
def test_a_file_is_not_taken_out_without_a_reason_or_when_it_is_not_in_the_set(special: dict[str, str]) -> None:
    memo = cases.a_memo_in_review()
    row = an_empty_set(memo)
    send(memo, ("wrong.json", RUN))
    wish = {"attachment": row.attachments.get().pk, "reason": "Wrong."} | special

    assert as_("sam").post(path(memo, "evidence-detach", 1), wish).status_code == 422
    assert not row.attachments.filter(detachment__isnull=False).exists()


def test_sealing_makes_one_revision_and_ends_the_forms() -> None:
    memo = cases.a_memo_in_review()
    cases.an_open_set(memo)
    before = memo.revisions.count()
    assert "Seal set 1" in page("sam", path(memo))

    got = as_("sam").post(path(memo, "evidence-seal", 1))

    said = page("sam", path(memo))
    assert follow(got) == f"{path(memo)}#set-1"
    assert memo.revisions.count() == before + 1
    assert "Seal set 1" not in said
    assert "Attach files" not in said
    assert "from the file" in said


def test_the_page_says_what_each_file_is_read_as() -> None:
    said = page("aud", path(cases.a_memo_with_evidence()))

    assert "countersign-measurements" in said
    assert "6 runs, 12 rows" in said
    assert "kept as plain attachment" in said
    assert "still to be read" not in said


def test_a_file_that_nobody_has_read_waits_and_the_list_renews_itself() -> None:
    memo = cases.a_memo_in_review()
    an_empty_set(memo)
    send(memo, ("new.json", RUN))

    said = page("sam", path(memo))

    assert "1 file still to be read" in said
    assert 'hx-trigger="every 3s"' in said


def test_planned_runs_that_are_missing_are_accounted_for() -> None:
    memo = cases.a_memo_in_review()
    said = page("sam", path(memo))
    assert said.count("neither attached nor accounted for") == 6
    plan = memo.plans.get()

    got = as_("sam").post(
        path(memo, "evidence-account", plan.pk), {"run": "b1-baseline", "reason": "The host went down."}
    )

    said = page("sam", path(memo))
    assert follow(got).endswith("#plans")
    assert said.count("neither attached nor accounted for") == 5
    assert "The host went down. (Sam)" in said


def test_runs_in_an_open_or_sealed_set_are_not_missing() -> None:
    memo = cases.a_memo_in_review()
    cases.an_open_set(memo)
    assert page("sam", path(memo)).count("in the open set 1") == 6

    as_("sam").post(path(memo, "evidence-seal", 1))

    assert page("sam", path(memo)).count("in set 1") == 6


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("evidence-attach", [7]),
        ("evidence-seal", [7]),
        ("evidence-label", [7]),
        ("evidence-detach", [7]),
        ("evidence-account", [7000]),
    ],
)
def test_what_the_memo_has_not_is_not_found(name: str, more: list[int]) -> None:
    memo = cases.a_memo_in_review()

    assert as_("sam").post(path(memo, name, *more)).status_code == 404


def test_a_stranger_finds_neither_page_nor_acts() -> None:
    memo = cases.a_memo_in_review()
    an_empty_set(memo)

    assert as_("eve").get(path(memo)).status_code == 404
    assert send(memo, ("mine.json", RUN), who="eve").status_code == 404
    assert as_("eve").post(path(memo, "evidence-open"), {"title": "x"}).status_code == 404


def test_htmx_is_sent_on_by_its_own_header() -> None:
    memo = cases.a_memo_in_review()

    got = as_("sam").post(path(memo, "evidence-open"), {"title": "Runs"}, headers={"HX-Request": "true"})

    assert (got.status_code, got.headers["HX-Redirect"]) == (204, f"{path(memo)}#set-1")


def test_htmx_on_the_page_itself_loads_it_anew_because_an_anchor_loads_nothing() -> None:
    memo = cases.a_memo_in_review()
    headers = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{path(memo)}"}

    got = as_("sam").post(path(memo, "evidence-open"), {"title": "Runs"}, headers=headers)

    assert got.headers["HX-Refresh"] == "true"
    assert "HX-Redirect" not in got.headers


def test_a_recalled_file_says_so() -> None:
    memo = cases.a_memo_with_evidence()
    stored = Artifact.objects.get(name="curve-pack.json")
    stored.recalls.create(reason="Wrong axis.", by=cases.person("sam"), by_name="Sam", at=timezone.now())

    assert "Recalled by Sam: Wrong axis." in page("aud", path(memo))


def test_a_refused_file_says_why_and_where() -> None:
    memo = cases.a_memo_in_review()
    row = an_empty_set(memo)
    broken = cases.runs_file(cases.AS_MEASURED, timezone.now() - timedelta(hours=1)).replace(b"1000.5", b'"fast"')
    send(memo, ("broken.json", broken))
    parsing.parse(row.attachments.get().artifact, asked="")

    said = page("sam", path(memo))

    assert "refused" in said
    assert "runs[0]" in said


def a_plan(**special: Any) -> str:
    return json.dumps(plan_to_json(cases.plan_content()) | special)


def test_the_author_registers_a_plan_and_is_told_its_nonce() -> None:
    memo = cases.a_draft()
    client = as_("ann")
    assert "Register the plan" in client.get(path(memo)).content.decode()

    got = client.post(path(memo, "plan-register"), {"plan": a_plan()})

    plan = memo.plans.get()
    said = client.get(path(memo)).content.decode()
    assert follow(got) == f"{path(memo)}#plans"
    assert (plan.title, plan.witnessed) == (cases.plan_content().title, True)
    assert f"for the metadata of the runs: {plan.nonce}" in said
    assert "witnessed here" in said
    assert [c.key for c in deeds.content(memo).comparisons.comparisons if c.plan == plan.nonce] == ["C1", "C2"]


def test_a_plan_of_elsewhere_keeps_its_nonce_and_its_stated_time() -> None:
    memo = cases.a_draft()

    as_("ann").post(
        path(memo, "plan-register"), {"plan": a_plan(), "nonce": "n-1", "registered_at": "2026-01-02T03:04"}
    )

    plan = memo.plans.get()
    assert (plan.nonce, plan.witnessed) == ("n-1", False)
    assert plan.registered_at == datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    assert "imported: the time is stated, not witnessed" in page("ann", path(memo))


@pytest.mark.parametrize(
    ("special", "said"),
    [
        ({"plan": ""}, "This field is required."),
        ({"plan": "{"}, "This is no JSON: "),
        ({"plan": '{"looks": NaN}'}, "NaN is no JSON number"),
        ({"plan": '{"looks": 9999999999999999}'}, "a number is too large to be exact"),
        ({"plan": "[" * 100_000}, "This is no JSON: "),
        ({"plan": '{"title": 1}'}, "The plan does not fit: "),
        ({"plan": "LOOKS"}, "At plan.looks: A plan has at least one look."),
        ({"registered_at": "2999-01-01T00:00"}, "A plan is not registered in the future."),
        ({"registered_at": "soon"}, "Enter a valid date/time."),
        ({"nonce": "n" * 65}, "at most 64 characters"),
    ],
)
def test_a_plan_that_is_refused_is_refused_at_the_form_and_stays_typed(special: dict[str, str], said: str) -> None:
    memo = cases.a_draft()
    wish = {"plan": a_plan()} | special
    wish["plan"] = wish["plan"].replace("LOOKS", a_plan(looks=0))

    got = as_("ann").post(path(memo, "plan-register"), wish)

    shown = html.unescape(got.content.decode())
    assert got.status_code == 422
    assert said in shown
    assert wish["plan"] in shown
    assert not memo.plans.exists()


def test_a_contributor_registers_a_plan_without_predictions_alone() -> None:
    memo = cases.a_draft()

    assert as_("sam").post(path(memo, "plan-register"), {"plan": a_plan()}).status_code == 403
    assert follow(as_("sam").post(path(memo, "plan-register"), {"plan": a_plan(predictions=[])}))
    assert memo.plans.get().registered_by_name == "Sam"


def test_whoever_may_not_edit_is_neither_offered_the_form_nor_registers() -> None:
    memo = cases.a_draft()

    assert "Register the plan" not in page("olga", path(memo))
    assert as_("olga").post(path(memo, "plan-register"), {"plan": a_plan()}).status_code == 403
    assert as_("eve").post(path(memo, "plan-register"), {"plan": a_plan()}).status_code == 404
    assert not memo.plans.exists()
