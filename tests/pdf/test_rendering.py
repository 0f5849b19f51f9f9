"""The file: its kind, fonts, attachment and bytes, and that nothing runs over the edge."""

import gc
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from reviews.pdf import AssetRefused, Paper, render, rendering
from reviews.pdf.record import record_of
from tests.pdf.conftest import Dossier, compared
from tests.pdf.reading import said, text_of, words_of

ROOT = Path(__file__).resolve().parents[2]
MARGIN_POINTS = 40
ELSEWHERE = """
import hashlib, json, sys
import django
django.setup()
from reviews.pdf import render
print(hashlib.sha256(render(json.load(sys.stdin))).hexdigest())
"""


def test_the_same_dossier_gives_the_same_bytes_in_another_process(dossier_text: str, pdf: Path) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONHASHSEED": "4711",
        "TZ": "Asia/Tokyo",
    }
    elsewhere = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], cwd=ROOT, env=environment, input=dossier_text, capture_output=True,
        text=True, check=True,
    )  # fmt: skip

    assert elsewhere.stdout.strip() == hashlib.sha256(pdf.read_bytes()).hexdigest()


def test_the_order_of_the_members_of_a_dossier_changes_no_byte_of_its_attachment(dossier: Dossier) -> None:
    turned = dict(reversed(dossier.items()))

    assert record_of(turned).text == record_of(dossier).text


def test_the_attachment_is_the_dossier_to_the_byte(dossier_text: str, pdf: Path) -> None:
    with pikepdf.open(pdf) as opened:
        assert list(opened.attachments) == ["dossier.json"]
        assert opened.attachments["dossier.json"].get_file().read_bytes() == dossier_text.encode()
        assert len(opened.Root.AF) == 1


def test_it_declares_pdf_a_3a_and_is_tagged(pdf: Path) -> None:
    with pikepdf.open(pdf) as opened, opened.open_metadata() as metadata:
        assert (metadata["pdfaid:part"], metadata["pdfaid:conformance"]) == ("3", "A")
        assert opened.Root.MarkInfo.Marked
        assert opened.Root.Lang == "en"
    kinds = set(re.findall(r"^\s*(\w+)", said("pdfinfo", "-struct", pdf), re.MULTILINE))
    assert {"Document", "H1", "H2", "Table", "TR", "TH", "TD", "Figure"} <= kinds


def test_qpdf_finds_no_fault(pdf: Path) -> None:
    assert "No syntax or stream encoding errors" in said("qpdf", "--check", pdf)


def test_its_fonts_are_inter_and_dejavu_and_lie_inside(pdf: Path) -> None:
    fonts = [line.split() for line in said("pdffonts", pdf).splitlines()[2:]]
    names = {re.sub(r"^[A-Z]{6}\+", "", row[0]).partition("-")[0] for row in fonts}

    assert names == {"Inter", "DejaVu"}
    assert all(row[-5] == "yes" for row in fonts), "a font is not embedded"


def test_its_dates_are_those_of_the_record(dossier: Dossier, pdf: Path) -> None:
    stamp = re.sub(r"\D", "", dossier["decision"]["recorded_at"][:19])

    with pikepdf.open(pdf) as opened:
        found = {str(opened.docinfo[name])[2:16] for name in ("/CreationDate", "/ModDate")}
        parameters = opened.Root.AF[0].EF.F.Params
        found |= {str(parameters[name])[2:16] for name in ("/CreationDate", "/ModDate")}
    assert found == {stamp}


def test_its_sections_are_bookmarks(pdf: Path) -> None:
    with pikepdf.open(pdf) as opened, opened.open_outline() as outline:
        titles = [str(item.title) for item in outline.root]

    assert titles == [
        "Symptom", "Change", "Hypotheses", "Comparisons", "All comparisons together", "Evidence", "Action",
        "Risks", "Rollout contract", "Signatures", "Waivers and dissent", "Rules in force", "Trail",
    ]  # fmt: skip


def test_every_page_has_its_number_and_the_digest(dossier_text: str, pdf: Path) -> None:
    with pikepdf.open(pdf) as opened:
        pages = len(opened.pages)

    assert 6 <= pages <= 16
    for page in range(1, pages + 1):
        text = text_of(pdf, page)
        assert f"Page {page} of {pages}" in text
        assert hashlib.sha256(dossier_text.encode()).hexdigest() in text


@pytest.mark.parametrize("paper", Paper)
def test_nothing_runs_over_the_edge_however_long_a_word_is(dossier: Dossier, paper: Paper, tmp_path: Path) -> None:
    long = "x" * 300
    dossier["memo"]["title"] = long
    dossier["sections"]["symptom"]["workload_slice"] = long
    dossier["sections"]["change"]["rows"][0]["name"] = long
    dossier["evidence"][0]["name"] = long
    dossier["gate"][0]["code"] = f"a_rule:{long}"
    compared(dossier, "C1")["result"]["runs"][0]["placement"] = long
    compared(dossier, "C1")["result"]["audit"][0]["candidate"] = [long]
    pdf = tmp_path / "long.pdf"
    pdf.write_bytes(render(dossier, paper))

    over = [w for w in words_of(pdf) if w.left < MARGIN_POINTS or w.right > w.page_width - MARGIN_POINTS]
    assert over == []
    assert all(w.bottom < w.page_height for w in words_of(pdf))
    width = {round(w.page_width) for w in words_of(pdf)}
    assert width == {{Paper.A4: 595, Paper.LETTER: 612}[paper]}


def test_the_head_of_a_table_stands_on_every_page_that_it_covers(dossier: Dossier, tmp_path: Path) -> None:
    (event, *_) = dossier["trail"]["events"]
    dossier["trail"]["events"] = [{**event, "sequence": place} for place in range(1, 120)]
    pdf = tmp_path / "long.pdf"
    pdf.write_bytes(render(dossier))

    with pikepdf.open(pdf) as opened:
        pages = range(1, len(opened.pages) + 1)
    with_events = [text for page in pages if event["hash"][:24] in (text := text_of(pdf, page))]
    assert len(with_events) > 2
    assert all("Event When Who What Hash" in text for text in with_events[1:])


def test_a_picture_from_outside_is_refused(dossier: Dossier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "html_of", lambda *_: '<img src="file:///etc/hostname" alt="">')

    with pytest.raises(AssetRefused, match="dossier alone"):
        render(dossier)


@pytest.mark.parametrize("collecting", [True, False])
def test_the_collector_of_garbage_is_left_as_it_was(
    dossier: Dossier, monkeypatch: pytest.MonkeyPatch, *, collecting: bool
) -> None:
    monkeypatch.setattr(rendering, "html_of", lambda *_: "<p>short</p>")
    before = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        render(dossier)
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if before else gc.disable)()


def test_a_dossier_of_another_shape_is_refused(dossier: Dossier) -> None:
    broken: dict[str, Any] = json.loads(json.dumps(dossier))
    del broken["decision"]

    with pytest.raises(KeyError):
        render(broken)
