"""Each service of docker-compose.yml, started for real by its own command on free ports."""

import os
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from celery import Celery

from tests import databases
from tests.house import servers
from tests.house.sources import ROOT

pytestmark = [pytest.mark.services, pytest.mark.xdist_group("services")]

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())


def command_of(service: str) -> list[str]:
    """What the container runs: the image's entry point with the arguments of the service."""
    return [str(ROOT / "scripts/service.sh"), *COMPOSE["services"][service]["command"]]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What compose gives to every service, with servers of our own; the database is migrated by its own service."""
    folder = tmp_path_factory.mktemp("services")
    (folder / "secret_key").write_text("only-for-tests\n")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("COUNTERSIGN_")}
    with servers.redis(folder) as broker, databases.postgresql_server() as server:
        (folder / "database_url").write_text(f"{server}/postgres\n")
        given = {
            **inherited,
            "COUNTERSIGN_BROKER_URL": broker,
            "COUNTERSIGN_DATABASE_URL_FILE": str(folder / "database_url"),
            "COUNTERSIGN_SECRET_KEY_FILE": str(folder / "secret_key"),
            "COUNTERSIGN_DATA_DIR": str(folder / "data"),
            "PORT": str(databases.free_port()),
        }
        subprocess.run(command_of("migrate"), env=given, check=True, timeout=servers.PATIENCE_S * 2)
        yield given


def test_the_web_server_answers_and_its_health_check_says_so(environment: dict[str, str], tmp_path: Path) -> None:
    port, log = int(environment["PORT"]), tmp_path / "web.log"
    with servers.running(command_of("web"), log=log, environment=environment) as process:
        servers.until(lambda: servers.listens(port), process=process, log=log)

        with urllib.request.urlopen(f"http://localhost:{port}/healthz", timeout=20) as answer:
            assert (answer.status, answer.read()) == (200, b"ok")
        check = COMPOSE["services"]["web"]["healthcheck"]["test"][1:]
        subprocess.run(check, cwd=ROOT, env=environment, check=True, timeout=servers.PATIENCE_S)


def test_the_health_check_of_the_web_server_fails_where_none_listens(environment: dict[str, str]) -> None:
    check = COMPOSE["services"]["web"]["healthcheck"]["test"][1:]
    nowhere = {**environment, "PORT": str(databases.free_port())}

    assert subprocess.run(check, cwd=ROOT, env=nowhere, check=False, capture_output=True).returncode != 0


def test_the_worker_takes_a_task_through_redis_and_stops_when_told(environment: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    with servers.running(command_of("worker"), log=log, environment=environment) as process:
        servers.until(lambda: " ready." in log.read_text(), process=process, log=log)
        with Celery(broker=environment["COUNTERSIGN_BROKER_URL"], set_as_current=False) as sender:
            sent = sender.send_task("celery.backend_cleanup", ignore_result=True).id
        servers.until(lambda: f"{sent}] succeeded" in log.read_text(), process=process, log=log)
        check = COMPOSE["services"]["worker"]["healthcheck"]["test"][1:]
        subprocess.run(check, cwd=ROOT, env=environment, check=True, capture_output=True, timeout=servers.PATIENCE_S)

        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=servers.PATIENCE_S) == 0


def test_the_sweeper_runs_until_told_to_stop(environment: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "sweeper.log"
    check = COMPOSE["services"]["sweeper"]["healthcheck"]["test"][1:]
    with servers.running(command_of("sweeper"), log=log, environment=environment) as process:
        subprocess.run(check, cwd=ROOT, env=environment, check=True, capture_output=True, timeout=servers.PATIENCE_S)

        assert process.poll() is None, log.read_text()


def test_every_service_of_ours_is_started_here() -> None:
    ours = {name for name, service in COMPOSE["services"].items() if "build" in service}

    assert ours == {"migrate", "web", "worker", "sweeper"}
