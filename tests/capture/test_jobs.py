"""What the environments of common CI systems say of a job: its address and its commit."""

import pytest

from reviews.capture import machine

SHA = "0123456789abcdef0123456789abcdef01234567"
OF_CI = (*machine.COMMITS, *(name for name, _ in machine.JOBS), "GITHUB_SERVER_URL", "GITHUB_REPOSITORY")
SYSTEMS = {
    "github actions": (
        {"GITHUB_RUN_ID": "5", "GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "a/b",
         "GITHUB_SHA": SHA},
        {"job": "https://git.example/a/b/actions/runs/5", "commit": SHA},
    ),
    "gitlab": (
        {"CI_JOB_URL": "https://git.example/a/b/-/jobs/7", "CI_COMMIT_SHA": SHA},
        {"job": "https://git.example/a/b/-/jobs/7", "commit": SHA},
    ),
    "jenkins": (
        {"BUILD_URL": "https://ci.example/job/bench/12/", "GIT_COMMIT": SHA},
        {"job": "https://ci.example/job/bench/12/", "commit": SHA},
    ),
    "buildkite": (
        {"BUILDKITE_BUILD_URL": "https://ci.example/a/b/builds/3", "BUILDKITE_COMMIT": SHA},
        {"job": "https://ci.example/a/b/builds/3", "commit": SHA},
    ),
    "buildkite of a branch": ({"BUILDKITE_BUILD_URL": "https://ci.example/3", "BUILDKITE_COMMIT": "HEAD"},
                              {"job": "https://ci.example/3"}),
    "slurm": ({"SLURM_JOB_ID": "99"}, {"job": "Slurm job 99"}),
    "none": ({}, {}),
}  # fmt: skip


@pytest.mark.parametrize(("environment", "said"), SYSTEMS.values(), ids=SYSTEMS)
def test_the_job_and_its_commit_are_what_the_ci_system_says(
    environment: dict[str, str], said: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in OF_CI:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert machine.of_job() == said


def test_without_a_repository_the_commit_is_that_of_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("GITHUB_SHA", SHA)

    found = machine.software(["bench"])

    assert (found.commit, found.changed) == (SHA, False)
    assert not any("commit" in sentence for sentence in found.not_seen)
