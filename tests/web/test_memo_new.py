"""Filing a memo from its text."""

import pytest

from reviews.models import Memo
from tests import cases
from tests.web.asking import Answer, as_, follow, page

pytestmark = pytest.mark.django_db
FORM = {"team": "serving", "template": "batch-size-effects", "intent": "planned_change"}


@pytest.fixture(autouse=True)
def _the_team() -> None:
    cases.set_up()


def post(path: str, name: str = "ann", **fields: str) -> Answer:
    return as_(name).post(path, FORM | {"text": cases.memo_text()} | fields)


def test_a_pasted_text_becomes_a_draft() -> None:
    client = as_("ann")
    path = follow(client.post("/memos/new/", FORM | {"text": cases.memo_text()}))

    memo = Memo.objects.get()
    assert path == f"/memos/{memo.number}/"
    assert (memo.title, memo.state, memo.intent) == ("Larger batches for chat", "draft", "planned_change")
    assert f"{memo.number} is filed as a draft." in client.get(path).content.decode()


def test_a_preview_shows_records_line_by_line_and_files_nothing() -> None:
    html = post("/memos/new/preview/").content.decode()

    assert "chat, 1024 fixed prompts in turn" in html
    assert "Line by line" in html
    assert "Smallest reversible change" in html
    assert "<html" in html
    assert not Memo.objects.exists()


def test_a_preview_for_htmx_is_a_part_of_the_page() -> None:
    response = as_("ann").post(
        "/memos/new/preview/", FORM | {"text": cases.memo_text()}, headers={"HX-Request": "true"}
    )

    assert response.status_code == 200
    assert "<html" not in response.content.decode()
    assert "Line by line" in response.content.decode()


def test_what_is_left_open_and_what_is_kept_is_named_with_its_line() -> None:
    text = (
        cases.memo_text().replace("chat, 1024 fixed prompts in turn", "<name>") + "\n## Appendix\nA line of its own.\n"
    )
    html = post("/memos/new/preview/", text=text).content.decode()

    assert "<code>symptom.workload_slice</code> wants: name" in html
    assert "kept as it stands" in html
    assert "A line of its own." in html


def test_the_template_can_be_found_from_the_text() -> None:
    start = as_("ann").get("/memos/new/?start=throughput-regression").context["form"].initial["text"]

    follow(post("/memos/new/", text=start, template=""))

    assert Memo.objects.get().template_version.template.slug == "throughput-regression"


def test_a_text_that_names_no_template_asks_for_one_and_loses_nothing() -> None:
    response = post("/memos/new/", text="Something is slow.", template="")

    assert response.status_code == 422
    assert "The text names no single template. Choose one." in response.content.decode()
    assert "Something is slow." in response.content.decode()


def test_a_text_that_cannot_be_read_says_where_and_stays_in_the_form() -> None:
    for path in ("/memos/new/", "/memos/new/preview/"):
        response = post(path, text="A title\nwith \x07 a bell")
        assert response.status_code == 422
        assert "Line 2 holds the character U+0007" in response.content.decode()
        assert "with \x07 a bell" in response.content.decode()


def test_a_preview_without_a_text_says_what_is_missing() -> None:
    response = as_("ann").post("/memos/new/preview/", FORM | {"text": ""}, headers={"HX-Request": "true"})

    assert "This field is required." in response.content.decode()


def test_each_template_offers_its_own_text_to_start_from() -> None:
    html = page("ann", "/memos/new/")
    assert "?start=batch-size-effects" in html
    assert "?start=throughput-regression" in html

    assert "Workload or traffic slice: &lt;name&gt;" in page("ann", "/memos/new/?start=batch-size-effects")


def test_nobody_files_who_is_no_author() -> None:
    for name in ("eve", "bea"):
        assert as_(name).get("/memos/new/").status_code == 404
        assert post("/memos/new/", name=name).status_code == 404
        assert post("/memos/new/preview/", name=name).status_code == 404
    assert not Memo.objects.exists()
