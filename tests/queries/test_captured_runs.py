"""A file that was captured under a plan is the run that the capture names."""

import pytest

from reviews.plan_content import plan_to_json
from reviews.queries import facts_of_evidence
from reviews.sections import AttachmentRow, MemoContent, SealedSet
from reviews.sections.measured import Evidence
from reviews.sections.narrative import Header
from tests import cases

FILE = "a" * 64


def a_memo() -> MemoContent:
    """One sealed set of the plan "n", with one run of a file that calls it "0"."""
    row = AttachmentRow(
        artifact=FILE, name="r.json", kind="benchmark_run", arm="baseline", run="0", block="", placement="",
        placement_source="", use="confirming", attached_by="Sam",
    )  # fmt: skip
    sealed = SealedSet(number=1, title="t", plan="n", sealed_at="", sealed_by="", attachments=(row,))
    header = Header(title="t", team="serving", intent="planned_change", template=cases.TEMPLATE, template_version=1)
    return MemoContent(header=header, evidence=Evidence(sets=(sealed,)))


@pytest.mark.parametrize(
    ("provenance", "attached"),
    [
        ({"plan": ("n", "capture"), "run": ("b1-baseline", "capture")}, {"b1-baseline"}),
        ({"plan": ("other", "capture"), "run": ("b1-baseline", "capture")}, {"0"}),
        ({"plan": ("n", "typed"), "run": ("b1-baseline", "typed")}, {"0"}),
        ({}, {"0"}),
    ],
)
def test_the_run_of_a_file(provenance: dict[str, tuple[str, str]], attached: set[str]) -> None:
    said = {name: {"value": value, "source": source} for name, (value, source) in provenance.items()}
    plan = {
        "nonce": "n",
        "title": "t",
        "registered_at": "2026-11-30T10:00:00+00:00",
        "content": plan_to_json(cases.plan_content()),
    }

    (facts,) = facts_of_evidence.plans(a_memo(), [plan], [], [{"sha256": FILE, "provenance": said}])

    assert {run.run for run in facts.runs if run.attached} == attached
