"""manage.py sweep, in this process and with the service replaced: what it does between sweeps is its own."""

import os
import signal
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import OperationalError
from pytest_django import Settings

from reviews.services import expiry, jobs, outbox, redactions, reminders

Sweeps = Callable[..., list[int]]


@pytest.fixture
def sweeps(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Sweeps:
    """Replaces the sweep by rounds: each is what it returns, an error that it raises, or a signal to this process."""
    settings.JOB_SWEEP_SECONDS = 0
    monkeypatch.setattr("reviews.management.commands.sweep.close_old_connections", lambda: None)
    monkeypatch.setattr(expiry, "sweep", list)
    monkeypatch.setattr(redactions, "sweep", list)
    monkeypatch.setattr(reminders, "sweep", int)
    monkeypatch.setattr(outbox, "waits", bool)

    def given(*rounds: list[int] | OperationalError | signal.Signals) -> list[int]:
        done: list[int] = []

        def sweep() -> list[int]:
            match rounds[len(done)]:
                case OperationalError() as error:
                    done.append(len(done))
                    raise error
                case signal.Signals() as number:
                    os.kill(os.getpid(), number)
                    again: list[int] = []
                case list() as again:
                    pass
            done.append(len(done))
            return again

        monkeypatch.setattr(jobs, "sweep", sweep)
        return done

    return given


def test_once_sweeps_once_and_names_the_jobs(sweeps: Sweeps) -> None:
    done, out = sweeps([7, 9]), StringIO()

    call_command("sweep", once=True, stdout=out)

    assert (done, out.getvalue()) == ([0], "Asked again for 2 job(s): 7, 9\n")


def test_once_fails_when_the_database_is_away(sweeps: Sweeps) -> None:
    sweeps(OperationalError("gone"))

    with pytest.raises(OperationalError, match="gone"):
        call_command("sweep", once=True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_sweeps_again_until_it_is_told_to_stop(sweeps: Sweeps, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    done = sweeps([], [], number)

    call_command("sweep")

    assert done == [0, 1, 2]
    assert signal.getsignal(number) is before


def test_a_database_that_is_away_costs_one_sweep_and_is_said(sweeps: Sweeps, caplog: pytest.LogCaptureFixture) -> None:
    done = sweeps(OperationalError("gone"), signal.SIGTERM)

    call_command("sweep")

    assert done == [0, 1]
    assert "This sweep was left out, the next one comes: gone" in caplog.text


def test_redacted_files_whose_bytes_stood_still_are_named(sweeps: Sweeps, monkeypatch: pytest.MonkeyPatch) -> None:
    sweeps([])
    monkeypatch.setattr(redactions, "sweep", lambda: ("runs.json",))
    out = StringIO()

    call_command("sweep", once=True, stdout=out)

    assert out.getvalue() == "Redacted bytes taken away: runs.json\n"


def test_it_reminds_at_its_own_pace_and_nudges_a_worker_while_the_outbox_waits(
    sweeps: Sweeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, nudged, reminded = StringIO(), list[str](), list[int]()
    sweeps([], [], signal.SIGTERM)
    monkeypatch.setattr(outbox, "waits", lambda: True)

    def remind() -> int:
        reminded.append(4)
        return 4

    monkeypatch.setattr(reminders, "sweep", remind)
    monkeypatch.setattr("reviews.jobs.nudge", nudged.append)

    call_command("sweep", stdout=out)

    assert (len(reminded), set(nudged), len(nudged)) == (1, {"deliver"}, 3)
    assert out.getvalue() == "Reminders written: 4\n"
