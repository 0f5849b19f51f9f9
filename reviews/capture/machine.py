"""What this machine says of itself: devices, host, packages of the command's interpreter, commit and CI job."""

import json
import platform
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from config import env
from reviews.capture import nvidia, rocm
from reviews.capture.nvidia import Log, Usable
from reviews.capture.record import Device

ANSWERS_WITHIN_S: Final = 30.0
LIST_PACKAGES: Final = (
    "import importlib.metadata as m, json, sys; "
    "print(json.dumps({**{d.metadata['Name']: d.version for d in m.distributions() if d.metadata['Name']}, "
    "'python': sys.version.split()[0]}))"
)
COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
CONTAINERS: Final = (Path("/.dockerenv"), Path("/run/.containerenv"))
JOBS: Final = (
    ("GITHUB_RUN_ID", "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}"),
    ("CI_JOB_URL", "{CI_JOB_URL}"),
    ("BUILDKITE_BUILD_URL", "{BUILDKITE_BUILD_URL}"),
    ("BUILD_URL", "{BUILD_URL}"),
    ("SLURM_JOB_ID", "Slurm job {SLURM_JOB_ID}"),
)
COMMITS: Final = ("GITHUB_SHA", "CI_COMMIT_SHA", "BUILDKITE_COMMIT", "GIT_COMMIT")
"""In which GitHub Actions, GitLab, Buildkite and Jenkins say of which commit a job is."""
NO_TOOL: Final = (
    "Neither nvidia-smi nor rocm-smi answers on this machine: devices, sharing, clocks, power cap, ECC and driver "
    "are not known."
)


@dataclass(frozen=True, slots=True)
class Accelerators:
    """What the tool of the devices says. not_seen: of what it says nothing, in sentences."""

    driver: str
    devices: tuple[Device, ...]
    not_seen: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Software:
    """packages: name -> version, of the interpreter that runs the command. changed: there are changes to the commit."""

    packages: Mapping[str, str]
    commit: str
    changed: bool
    not_seen: tuple[str, ...]


def accelerators() -> Accelerators:
    """The devices that a command started from here may use."""
    log = _log(nvidia.read_log, ("nvidia-smi", "-q", "-x"))
    if log is not None and log.devices:
        visible, order = env.outside("CUDA_VISIBLE_DEVICES"), env.outside("CUDA_DEVICE_ORDER") or ""
        slices = nvidia.read_list(_answer(("nvidia-smi", "-L")) or "")
        seen = nvidia.usable(log, slices, visible=visible, order=order)
        return _told(log, seen)
    log = _log(rocm.read_log, ("rocm-smi", *rocm.WORDS))
    if log is not None and log.devices:
        said = ("rocm-smi is not asked for processes, partitions, clocks and ECC.",)
        return _told(log, Usable(log.devices, said))
    return Accelerators("", (), (NO_TOOL,))


def sharing_of(devices: Sequence[Device]) -> tuple[str, ...]:
    """How the devices are shared, as far as it is seen; clients of MPS are told as MPS."""
    found = []
    if any(device.partition for device in devices):
        found.append("MIG")
    if any(device.served for device in devices) or env.outside("CUDA_MPS_PIPE_DIRECTORY"):
        found.append("MPS")
    if any(device.processes and not device.served for device in devices):
        found.append("other processes")
    return tuple(found)


def software(command: Sequence[str]) -> Software:
    """The packages of the interpreter that runs the command, and the commit of the current folder."""
    commit = (_answer(("git", "rev-parse", "HEAD")) or "").strip()
    changed = bool(commit and (_answer(("git", "status", "--porcelain", "--untracked-files=no")) or "").strip())
    commit = commit or commit_of_job()
    interpreter = _interpreter(command[0])
    packages = _packages(interpreter) if interpreter else {}
    not_seen = []
    if not packages:
        not_seen.append(f"{command[0]} is not run by a Python that could be asked for its packages.")
    if not commit:
        not_seen.append("The current folder is in no git repository, and no CI job says the commit: it is not known.")
    return Software(packages, commit, changed, tuple(not_seen))


def host() -> str:
    """The name of this machine."""
    return socket.gethostname()


def system() -> str:
    """The operating system and its kernel."""
    return f"{platform.system()} {platform.release()} {platform.machine()}"


def job() -> str:
    """The CI job or batch job that this runs in, as an address where there is one; "" outside of one."""
    for name, words in JOBS:
        if env.outside(name):
            return words.format_map(_Outside())
    return ""


def commit_of_job() -> str:
    """The commit that the CI job is of, as its environment says; "" outside of one. BUILDKITE_COMMIT may be HEAD."""
    said = (env.outside(name) or "" for name in COMMITS)
    return next((commit for commit in said if COMMIT.fullmatch(commit)), "")


def of_job() -> Mapping[str, str]:
    """What the environment of a CI job says of it, by the names of a provenance; nothing outside of one."""
    return {name: value for name, value in (("commit", commit_of_job()), ("job", job())) if value}


class _Outside(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return env.outside(name) or ""


def _told(log: Log, seen: Usable) -> Accelerators:
    not_seen = list(seen.not_seen)
    if any(place.exists() for place in CONTAINERS):
        not_seen.append("Inside a container, processes outside of it on the same devices are not seen.")
    return Accelerators(log.driver, seen.devices, tuple(not_seen))


def _log(reader: Callable[[str], Log | None], words: Sequence[str]) -> Log | None:
    text = _answer(words)
    return reader(text) if text is not None else None


def _interpreter(program: str) -> str:
    """The Python that runs a program: itself, or the one that its first line names; "" for any other program."""
    path = shutil.which(program)
    if path is None:
        return ""
    if Path(path).name.startswith("python"):
        return path
    with Path(path).open("rb") as file:
        first = file.readline(500)
    if not first.startswith(b"#!") or b"python" not in first:
        return ""
    words = first[2:].decode(errors="replace").split()
    named = words[1] if Path(words[0]).name == "env" and len(words) > 1 else words[0]
    return shutil.which(named) or ""


def _packages(interpreter: str) -> Mapping[str, str]:
    text = _answer((interpreter, "-c", LIST_PACKAGES))
    try:
        found = json.loads(text or "")
    except ValueError:
        return {}
    return {str(name): str(version) for name, version in sorted(found.items())}


def _answer(words: Sequence[str]) -> str | None:
    """What a tool of this machine answers; None when it is not there, fails, or takes too long."""
    path = shutil.which(words[0])
    if path is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - fixed words; the program is found on the path
            [path, *words[1:]], capture_output=True, timeout=ANSWERS_WITHIN_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None
