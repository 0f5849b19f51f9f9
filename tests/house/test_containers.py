"""docker-compose.yml and Dockerfile, as far as that can be judged without an engine."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.house.sources import ROOT

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
SERVICE_SCRIPT = (ROOT / "scripts/service.sh").read_text()


def test_compose_schema_and_dockerfile_checks_pass() -> None:
    done = subprocess.run(["scripts/containers.sh"], cwd=ROOT, check=False, capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "containers: clean\n"), done.stderr


@pytest.mark.parametrize("name", [name for name, service in SERVICES.items() if service.get("restart") != "no"])
def test_every_lasting_service_says_how_its_health_is_asked(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"][0] == "CMD"


@pytest.mark.parametrize("name", [name for name, service in SERVICES.items() if "build" in service])
def test_a_service_of_ours_runs_what_the_script_knows_and_holds_no_secret_in_its_environment(name: str) -> None:
    service = SERVICES[name]
    known = set(re.findall(r"^    ([\w-]+)\)", SERVICE_SCRIPT, re.MULTILINE))

    assert set(service["command"]) <= known
    assert {key for key in service["environment"] if key.endswith(("SECRET_KEY", "DATABASE_URL", "PASSWORD"))} == set()
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]


def test_every_secret_that_a_service_uses_is_made_by_the_script() -> None:
    script = (ROOT / "scripts/secrets.sh").read_text()

    assert set(COMPOSE["secrets"]) == set(re.findall(r"^\[\[ -s \$folder/(\w+) \]\]", script, re.MULTILINE))


def test_secrets_are_made_once_and_never_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    for _ in range(2):
        subprocess.run([ROOT / "scripts/secrets.sh", folder], check=True, capture_output=True)
        made = {path.name: path.read_text() for path in folder.iterdir()}
        (folder / "secret_key").write_text("changed by hand\n")

    assert made["secret_key"] == "changed by hand\n"
    assert made["postgres_password"].strip() in made["database_url"]
    assert folder.stat().st_mode & 0o077 == 0


def test_the_image_installs_the_libraries_that_a_checkout_needs() -> None:
    script = (ROOT / "scripts/system.sh").read_text()
    needed = set(re.findall(r"\|\| echo (\S+)", script.partition("$purpose == test")[0])) - {"python3-venv"}

    assert "libharfbuzz-subset0" in needed
    assert needed <= set(DOCKERFILE.split())


def test_the_image_runs_as_nobody_special() -> None:
    assert re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE) == ["10001:10001"]


def test_the_image_installs_only_what_the_lock_names() -> None:
    commands = re.split(r"&&|^RUN", DOCKERFILE.replace("\\\n", " "), flags=re.MULTILINE)
    installs = [command for command in commands if "pip install" in command and "--editable" not in command]

    assert len(installs) == 2
    assert [line for line in installs if "--require-hashes" not in line] == []
