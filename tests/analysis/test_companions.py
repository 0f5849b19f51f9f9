"""Files beside a run: what each is, to which runs it belongs, and what it says of their settings."""

from dataclasses import replace
from fractions import Fraction

import pytest

from analysis.assess import assess
from analysis.beside import Beside, with_companions
from analysis.companions import Companion, captured, role_of
from analysis.heard import alike, heard
from analysis.inputs import Explained, LabelledRun
from analysis.results import inputs_json
from analysis.work import AuditRow
from tests.analysis.joined import log, node, smi, spl, telemetry
from tests.analysis.props import a_plan, a_request, a_run, interleaved
from tests.evidence import make

SERVER = (
    "INFO 01-01 12:00:00 [api_server.py:1] vLLM API server version 0.12.0\n"
    "INFO 01-01 12:00:01 [core.py:2] Initializing a V1 LLM engine (v0.12.0) with config: model='acme/tiny', "
    "dtype=torch.bfloat16, tensor_parallel_size=2, seed=0, enable_prefix_caching=True\n"
)


def server(text: str = SERVER, name: str = "server.log", run: str = "") -> Companion:
    return log(text, name, run=run)


@pytest.mark.parametrize(
    ("content", "role"),
    [
        (smi([1, 2]), "power"),
        (spl([1, 2]), "power"),
        (node([1, 2]), "power"),
        (telemetry([1, 2]), "power"),
        (SERVER, "settings"),
        (make.vllm(), ""),
        (make.text("aiperf/requests.jsonl"), ""),
        (make.text("aiperf/current.json"), ""),
    ],
    ids=["nvidia-smi", "ptdaemon", "training", "telemetry", "server", "vllm", "aiperf requests", "aiperf"],
)
def test_what_a_file_is_beside_a_result_follows_from_what_it_holds(content: object, role: str) -> None:
    assert role_of(make.read(content)) == role


def test_a_file_is_beside_the_runs_that_carry_its_labels() -> None:
    runs = [
        a_run("baseline", 1, 1.0, block="k1"), a_run("baseline", 2, 1.0, block="k2"),
        a_run("candidate", 1, 1.0, block="k1", placement="host-2"),
    ]  # fmt: skip
    files = (
        Beside(server(name="all.log")),
        Beside(server(name="arm.log"), arm="baseline"),
        Beside(server(name="block.log"), arm="baseline", block="k2"),
        Beside(server(name="host.log"), placement="host-2"),
        Beside(log(smi([1, 2]), "nowhere.csv"), arm="candidate", block="k9"),
    )
    found, unused = with_companions(runs, files)

    assert [[one.name for one in run.companions] for run in found] == [
        ["all.log", "arm.log"], ["all.log", "arm.log", "block.log"], ["all.log", "host.log"],
    ]  # fmt: skip
    assert [file.companion.name for file in unused] == ["nowhere.csv"]


def test_a_label_of_a_run_is_of_the_result_or_of_a_part_of_the_file() -> None:
    twice = log(smi([1, 2]) + smi([3, 4]).partition("\n")[2], "power.csv")
    run = a_run("baseline", 1, 1.0)
    other = replace(run, run=replace(run.run, key="r7"))

    ((part,), _) = with_companions([run], [Beside(twice, run="1")])
    ((of_other, of_none), _) = with_companions([other, run], [Beside(twice, run="r7")])

    assert part.companions[0].run == "1"
    assert [one.run for one in of_other.companions] == [""]
    assert of_none.companions == ()


def test_a_log_of_a_server_tells_settings_under_their_usual_names_with_its_own_as_source() -> None:
    run = replace(a_run("baseline", 1, 1.0, settings=[("dtype", "TORCH.bfloat16")]), companions=(server(),))
    said = {one.name: (one.value, one.source) for one in heard(run)}

    assert said["vllm_version"] == ("0.12.0", "server log server.log")
    assert said["tensor_parallel_size"] == ("2", "server log server.log")
    assert said["enable_prefix_caching"] == ("True", "server log server.log")
    assert said["server_seed"] == ("0", "server log server.log")
    assert "seed" not in said
    assert said["dtype"] == ("TORCH.bfloat16", "file field")


def test_a_chosen_start_of_a_server_tells_its_settings_alone() -> None:
    twice = server(SERVER + SERVER.replace("0.12.0", "0.13.0"), run="1")
    said = {one.name: one.value for one in heard(replace(a_run("baseline", 1, 1.0), companions=(twice,)))}

    assert said["vllm_version"] == "0.13.0"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("true", "True", True), ("1", "1.0", True), ("a", "b", False), ("1", "2", False), ("1", "one", False)],
)
def test_texts_that_say_the_same_are_alike(one: str, other: str, *, same: bool) -> None:
    assert alike(one, other) is same


def rows(runs: list[LabelledRun], **parts: object) -> dict[str, AuditRow]:
    return {row.setting: row for row in assess(a_request(runs, a_plan(required=()), **parts)).audit}


def with_logs(candidate: str = SERVER, own: tuple[tuple[str, str], ...] = ()) -> list[LabelledRun]:
    logs = {"baseline": SERVER, "candidate": candidate}
    return [
        replace(run, companions=(server(logs[run.arm], f"{run.label}.log"),))
        for run in interleaved([1.0, 1.1], [1.0, 1.1], settings=own)
    ]


def test_logs_of_servers_feed_the_audit_of_the_runs_beside_them() -> None:
    same, other = rows(with_logs())["dtype"], rows(with_logs(SERVER.replace("bfloat16", "float16")))["dtype"]

    assert (same.state, same.baseline) == ("same", ("torch.bfloat16",))
    assert "server log b0.log" in same.sources
    assert (other.state, other.blocks) == ("differs", True)


def test_two_sources_that_disagree_are_both_shown_and_block_though_both_arms_are_alike() -> None:
    row = rows(with_logs(own=(("tensor_parallel_size", "4"),)))["tensor_parallel_size"]

    assert (row.state, row.blocks) == ("differs", True)
    assert row.baseline == row.candidate == ("4, 2",)
    assert "disagree: 4 (file field) and 2 (server log b0.log)" in row.sentence


def test_a_disagreement_that_is_explained_and_accepted_widens() -> None:
    told = Explained("tensor_parallel_size", Fraction("0.5"), accepted=True, text="typed wrongly", by="ann")
    runs = with_logs(own=(("tensor_parallel_size", "4"),))
    row = rows(runs, explained=(told,))["tensor_parallel_size"]
    waiting = rows(runs, explained=(replace(told, accepted=False),))["tensor_parallel_size"]

    assert not row.blocks
    assert row.greatest_effect == Fraction(2)
    assert waiting.blocks


def test_what_was_captured_is_a_setting_with_its_source() -> None:
    facts = {"sharing": captured("capture", "sha", {"sharing": ("MIG", "captured"), "image": ("i", "typed by user")})}
    runs = [replace(run, companions=(facts["sharing"],)) for run in interleaved([1.0, 1.1], [1.0, 1.1])]
    row = rows(runs)["sharing"]

    assert (row.state, row.baseline, row.sources) == ("same", ("MIG",), ("captured",))


def test_the_files_beside_a_run_are_among_the_inputs_and_what_was_captured_by_what_it_says() -> None:
    facts = captured("capture", "sha", {"sharing": ("MIG", "captured")})
    run = replace(a_run("baseline", 1, 1.0), companions=(server(), facts), clock="UTC")
    bare = a_run("candidate", 1, 1.0)
    told = {one["label"]: one for one in inputs_json(a_request([run, bare]))["runs"]}  # type: ignore[attr-defined]

    assert told["b1"]["clock"] == "UTC"
    assert {one["artifact"]: one.get("settings") for one in told["b1"]["companions"]} == {
        "sha-server.log": None, "sha": {"sharing": "MIG"},
    }  # fmt: skip
    assert {"clock", "companions"}.isdisjoint(told["c1"])
