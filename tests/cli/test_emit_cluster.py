"""The runs of a plan for a cluster: every run once, in the drawn order, on its placement, whatever it is called."""

import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from reviews.plan_content import plan_to_json
from tests import cases
from tests.cli.typed import Typed, typed

Type = Callable[..., Typed]
POD = ("--image", "registry.example/bench@sha256:ab", "--claim", "results")
STUB = 'countersign() { for word in "$@"; do printf "%s|" "$word"; done; echo; return 3; }\n'


@pytest.fixture
def emit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Type:
    """`countersign plan --emit <words>` of six runs in three blocks; placed: where the runs of each arm are planned."""

    def run(*words: object, placed: dict[str, str] | None = None, renamed: str = "") -> Typed:
        content: Any = plan_to_json(cases.plan_content())
        for one in content["runs"]:
            one["placement"] = (placed or {}).get(one["arm"], "")
            one["run"] += renamed
        path = tmp_path / "plan.json"
        path.write_bytes(msgspec.json.encode({"nonce": "the nonce", "content": content}))
        return typed(capsys, "plan", "--registered", path, "--emit", *words)

    return run


def drawn(emit: Type, **more: Any) -> list[str]:
    return [job["run"] for job in json.loads(emit("json", **more).out)]


def submitted(script: str, tmp_path: Path) -> list[str]:
    """What a script hands to sbatch, array by array."""
    stub = f"sbatch() {{ cat > {tmp_path}/$(ls {tmp_path} | wc -l).sh; }}\n"
    folder = tmp_path / "arrays"
    folder.mkdir()
    subprocess.run(["sh", "-c", stub.replace(str(tmp_path), str(folder)) + script], check=True)
    return [path.read_text() for path in sorted(folder.iterdir())]


def words_of(script: str, variable: str, index: int) -> tuple[list[str], int]:
    """The words of the run that an array makes for an index, and the exit status that comes back."""
    done = subprocess.run(
        ["sh", "-c", STUB + script], env={variable: str(index)}, capture_output=True, text=True, check=False
    )
    return done.stdout.rstrip("\n").rstrip("|").split("|"), done.returncode


def test_slurm_runs_every_run_once_in_the_drawn_order(emit: Type, tmp_path: Path) -> None:
    [array] = submitted(emit("slurm", "--command", "bench --out {run}").out, tmp_path)
    made = [words_of(array, "SLURM_ARRAY_TASK_ID", index) for index in range(1, 7)]

    assert "#SBATCH --array=1-6%1" in array.splitlines()
    assert "nodelist" not in array
    assert [words[2] for words, _ in made] == [f"--run={run}" for run in drawn(emit)]
    assert all(words[:2] == ["run", "--plan=the nonce"] for words, _ in made)
    assert all(words[-2:] == ["--out", words[2].removeprefix("--run=")] for words, _ in made)
    assert {code for _, code in made} == {3}


def test_slurm_has_an_array_for_each_placement_on_its_host(emit: Type, tmp_path: Path) -> None:
    placed = {"baseline": "host-a GPU-1", "candidate": "host-b"}
    arrays = submitted(emit("slurm", "--command", "bench", placed=placed).out, tmp_path)

    assert sorted(line for array in arrays for line in array.splitlines() if "nodelist" in line) == [
        "#SBATCH --nodelist=host-a", "#SBATCH --nodelist=host-b",
    ]  # fmt: skip
    assert all("#SBATCH --array=1-3%1" in array for array in arrays)
    assert len({line for array in arrays for line in array.splitlines() if "job-name" in line}) == 2


def test_kubernetes_runs_every_run_once_in_the_drawn_order(emit: Type) -> None:
    [job] = yaml.safe_load_all(emit("k8s", "--command", "bench", *POD, "--gpus", "2").out)
    spec = job["spec"]
    [container] = spec["template"]["spec"]["containers"]
    made = [words_of(container["command"][2], "JOB_COMPLETION_INDEX", index) for index in range(6)]

    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    assert job["metadata"]["annotations"]["countersign/plan"] == "the nonce"
    assert {key: spec[key] for key in ("completions", "parallelism", "completionMode", "backoffLimitPerIndex")} == {
        "completions": 6, "parallelism": 1, "completionMode": "Indexed", "backoffLimitPerIndex": 0,
    }  # fmt: skip
    assert spec["template"]["spec"]["restartPolicy"] == "Never"
    assert container["image"] == POD[1]
    assert container["resources"] == {"limits": {"nvidia.com/gpu": 2}}
    assert [words[2] for words, _ in made] == [f"--run={run}" for run in drawn(emit)]
    assert {code for _, code in made} == {3}


def test_kubernetes_writes_results_to_the_claim_and_asks_for_no_gpu_unless_told(emit: Type) -> None:
    [job] = yaml.safe_load_all(emit("k8s", "--command", "bench", *POD).out)
    pod = job["spec"]["template"]["spec"]
    [container] = pod["containers"]

    assert pod["volumes"] == [{"name": "results", "persistentVolumeClaim": {"claimName": "results"}}]
    assert container["volumeMounts"] == [{"name": "results", "mountPath": container["workingDir"]}]
    assert "resources" not in container
    assert "nodeSelector" not in pod


def test_kubernetes_has_a_job_for_each_placement_on_its_host(emit: Type) -> None:
    placed = {"baseline": "host-a GPU-1", "candidate": "host-b"}
    jobs = list(yaml.safe_load_all(emit("k8s", "--command", "bench", *POD, placed=placed).out))
    hosts = [job["spec"]["template"]["spec"]["nodeSelector"]["kubernetes.io/hostname"] for job in jobs]

    assert sorted(hosts) == ["host-a", "host-b"]
    assert len({job["metadata"]["name"] for job in jobs}) == 2
    assert all(job["spec"]["completions"] == 3 for job in jobs)


@pytest.mark.parametrize("renamed", [" $(touch x)", "'; false; '", " ;; esac", "\nEND", "| * ?"])
def test_whatever_a_run_is_called_it_stays_one_word(emit: Type, tmp_path: Path, renamed: str) -> None:
    command = ("--command", "bench {run}")
    [array] = submitted(emit("slurm", *command, renamed=renamed).out, tmp_path)
    [job] = yaml.safe_load_all(emit("k8s", *command, *POD, renamed=renamed).out)
    script = job["spec"]["template"]["spec"]["containers"][0]["command"][2]
    [first, *_] = drawn(emit, renamed=renamed)

    for text, variable, index in ((array, "SLURM_ARRAY_TASK_ID", 1), (script, "JOB_COMPLETION_INDEX", 0)):
        done = subprocess.run(
            ["sh", "-c", STUB + text], env={variable: str(index)}, capture_output=True, text=True, check=False
        )
        assert f"|--run={first}|" in done.stdout
        assert done.stdout.rstrip("\n").endswith(f"|{first}|")
    assert shlex.quote(first) in array


@pytest.mark.parametrize("form", [("slurm",), ("k8s", *POD)])
@pytest.mark.parametrize("placement", ["--wrap=x", "host;b", " ", "a" * 254])
def test_a_placement_that_names_no_host_is_refused(emit: Type, form: tuple[str, ...], placement: str) -> None:
    answer = emit(*form, "--command", "bench", placed={"baseline": placement})

    assert (answer.code, "[bad_placement]" in answer.err) == (4, True)
