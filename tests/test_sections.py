"""A section is written so that what came later and says nothing moves no digest."""

from dataclasses import replace

from reviews.sections import Evidence, SealedSet, from_json, to_json
from reviews.sections.measured import AttachmentRow

ROW = AttachmentRow(
    artifact="a" * 64, name="r.json", kind="benchmark_run", arm="baseline", run="", block="1", placement="h",
    placement_source="typed", use="confirming", attached_by="Sam",
)  # fmt: skip


def section(row: AttachmentRow) -> Evidence:
    return Evidence(sets=(SealedSet(number=1, title="Runs", plan="", sealed_at="", sealed_by="", attachments=(row,)),))


def test_a_clock_that_is_not_stated_is_left_out_and_one_that_is_stays() -> None:
    silent, stated = section(ROW), section(replace(ROW, clock="+3600"))

    assert "clock" not in to_json(silent)["sets"][0]["attachments"][0]
    assert to_json(stated)["sets"][0]["attachments"][0]["clock"] == "+3600"
    assert [from_json("evidence", to_json(one)) for one in (silent, stated)] == [silent, stated]
