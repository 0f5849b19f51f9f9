"""Files beside runs: joined by their labels, refused where they fit none, frozen with what was computed."""

from dataclasses import replace

import pytest

from reviews.errors import BadInput
from reviews.services import assessments, evidence, requests
from tests import cases
from tests.analysis.test_companions import SERVER
from tests.services import beside, deeds, metered
from tests.services.deeds import RUN, refused

pytestmark = pytest.mark.django_db
LOG = replace(RUN, kind="power_log", clock="UTC+01:00")
BOTH = (replace(LOG, arm="baseline"), replace(LOG, arm="candidate"))


def test_one_log_of_both_arms_is_joined_to_every_run_by_its_stated_zone() -> None:
    memo, row = beside.a_set()
    beside.attach(row, "power.csv", beside.power(), *BOTH)

    result = beside.computed(memo, row)
    first = next(run for run in result["energy"]["runs"] if run["label"].endswith("b1-baseline"))

    assert sorted(float(run["joules"]) for run in result["energy"]["runs"]) == [
        3000 + 30 * minute for minute in range(6)
    ]
    assert first["joined"]["logs"][0]["name"] == "power.csv"
    assert first["joined"]["logs"][0]["how"] == "by epoch clock, with the stated zone UTC+01:00"
    assert first["joined"]["logs"][0]["offset_s"] == "-3600"
    assert result["interval"] is not None


def test_a_log_without_a_stated_clock_is_joined_to_nothing() -> None:
    memo, row = beside.a_set()
    beside.attach(row, "power.csv", beside.power(), *(replace(one, clock="") for one in BOTH))

    result = beside.computed(memo, row)

    assert result["refusal"]["code"] == "clock_not_stated"
    assert "the field Clock" in result["refusal"]["needs"]


def test_a_log_of_one_block_is_of_the_runs_of_that_block() -> None:
    memo, row = beside.a_set()
    for at, block in enumerate(cases.BLOCKS):
        labels = (replace(one, block=block) for one in BOTH)
        beside.attach(row, f"{block}.csv", beside.power(100 + at), *labels)

    result = beside.computed(memo, row)

    assert {run["joined"]["logs"][0]["name"][:2] == run["label"].rpartition(":")[2][:2]
            for run in result["energy"]["runs"]} == {True}  # fmt: skip


def test_a_log_may_name_the_run_beside_which_it_stands() -> None:
    memo, row = beside.a_set()
    for arm in ("baseline", "candidate"):
        for at, block in enumerate(cases.BLOCKS):
            name = f"{block}-{arm}"
            content = beside.power(100 + at + (0.5 if arm == "candidate" else 0))
            beside.attach(row, f"{name}.csv", content, replace(LOG, arm=arm, run=name))

    result = beside.computed(memo, row)

    assert {run["joined"]["logs"][0]["name"] == f"{run['label'].rpartition(':')[2]}.csv"
            for run in result["energy"]["runs"]} == {True}  # fmt: skip


def test_a_log_that_fits_no_run_keeps_the_set_open_and_says_its_labels() -> None:
    _, row = beside.a_set()
    beside.attach(row, "power.csv", beside.power(), replace(BOTH[0], block="b9", placement="host-1",
                                                           placement_source="typed"))  # fmt: skip

    with refused(BadInput, "log_of_no_run", "power.csv") as caught:
        evidence.seal(actor=cases.person("sam"), set_id=row.pk)

    assert "baseline, block b9, host-1" in caught.value.message
    row.refresh_from_db()
    assert row.state == "open"


def test_logs_alone_are_runs_of_their_own() -> None:
    memo, _ = beside.a_set()
    row = deeds.open_set(cases.again(memo), title="Logs")
    beside.attach(row, "power.csv", beside.power(), BOTH[0])

    evidence.seal(actor=cases.person("sam"), set_id=row.pk)

    assert [part.run for part in deeds.content(memo).evidence.sets[0].attachments] == ["0"]


def test_a_result_is_not_attached_twice_but_a_log_is_of_both_arms() -> None:
    _, row = beside.a_set()
    log = beside.attach(row, "power.csv", beside.power(), *BOTH)

    with refused(BadInput, "attached_already"):
        deeds.attach(row, log, BOTH[0])


def test_a_log_that_is_not_read_yet_is_of_both_arms_too() -> None:
    _, row = beside.a_set()
    unread = deeds.file_of(beside.power(), "power.csv", read=False)
    notes = deeds.file_of(b"neither a log nor a result", "notes.txt", read=False)
    deeds.attach(row, unread, *BOTH)
    deeds.attach(row, notes, BOTH[0])

    assert row.attachments.filter(artifact=unread).count() == 2
    with refused(BadInput, "attached_already"):
        deeds.attach(row, notes, BOTH[1])


@pytest.mark.parametrize("clock", ["noon", "Europe/Berlin", "+1e5"])
def test_a_clock_that_says_nothing_is_refused_at_the_label(clock: str) -> None:
    _, row = beside.a_set()

    with refused(BadInput, "bad_clock", "clock"):
        beside.attach(row, "power.csv", beside.power(), replace(LOG, arm="baseline", clock=clock))


def test_a_log_of_a_server_feeds_the_audit_of_the_arm_that_it_is_labelled_with() -> None:
    memo, row = beside.a_set()
    beside.attach(row, "power.csv", beside.power(), *BOTH)
    server = replace(RUN, kind="server_log")
    beside.attach(row, "base.log", SERVER.encode(), replace(server, arm="baseline"))
    other = SERVER.replace("enable_prefix_caching=True", "enable_prefix_caching=False")
    beside.attach(row, "cand.log", other.encode(), replace(server, arm="candidate"))

    result = beside.computed(memo, row)
    rows = {one["setting"]: one for one in result["audit"]}

    assert rows["dtype"]["state"] == "same"
    assert rows["dtype"]["sources"] == ["server log base.log", "server log cand.log"]
    assert (rows["enable_prefix_caching"]["state"], rows["enable_prefix_caching"]["blocks"]) == ("differs", True)
    assert result["outcome"] == "not_comparable"


def test_what_was_captured_of_a_file_feeds_the_audit_of_its_runs() -> None:
    memo = cases.a_draft()
    metered.registered(memo, cases.plan_content())
    row = deeds.open_set(cases.again(memo))
    for arm, driver in (("baseline", "590.1"), ("candidate", "595.2")):
        labels = [one for one in deeds.arms() if one.arm == arm]
        content = beside.runs() if arm == "baseline" else beside.runs() + b" "
        beside.attach(row, f"{arm}.json", content, *labels, driver=driver, sharing="MIG", host="host-1", job="7")

    rows = {one["setting"]: one for one in beside.computed(memo, row)["audit"]}

    assert (rows["driver"]["state"], rows["driver"]["blocks"]) == ("differs", True)
    assert (rows["sharing"]["state"], rows["sharing"]["sources"]) == ("same", ["captured"])
    assert {"host", "job"}.isdisjoint(rows)


def test_an_assessment_with_files_beside_its_runs_comes_out_again_digit_by_digit() -> None:
    memo, row = beside.a_set()
    beside.attach(row, "power.csv", beside.power(), *BOTH)
    beside.computed(memo, row)

    assert assessments.recompute(memo.assessments.get())


def test_another_log_is_another_look_and_how_it_is_read_is_not() -> None:
    log = {"artifact": "l", "format": "nvidia-smi", "parser_version": 1, "run": "", "clock": "UTC"}
    run = dict.fromkeys(requests.DATA, "x")
    beside_it = requests.data_state([{**run, "companions": [log]}])

    assert requests.data_state([{**run, "companions": [{**log, "parser_version": 2}]}]) == beside_it
    assert requests.data_state([{**run, "companions": [{**log, "clock": "+5"}]}]) != beside_it
    assert requests.data_state([{**run, "companions": [{**log, "format": "capture"}]}]) == requests.data_state([run])
