"""Databases for tests that really commit: a fresh copy of a prepared one each, on SQLite or PostgreSQL.

Append-only triggers forbid the DELETE and TRUNCATE with which Django's own transaction tests clean up.
"""

import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
from django.core.management import call_command
from django.db import connections

from config.settings import database

SERVER_USER = "postgres"
BINARIES = ("initdb", "pg_ctl")
_numbers = itertools.count(1)


@contextmanager
def using(url: str) -> Iterator[str]:
    """The default connection of every thread leads to `url` meanwhile."""
    usual, usual_settings = connections["default"], connections.settings["default"]
    assert not usual.in_atomic_block, "ask for a database of the test's own, or for pytest-django's db, not for both"
    connections.settings["default"] = connections.configure_settings({"default": database(url)})["default"]
    connections["default"] = connections.create_connection("default")
    try:
        yield url
    finally:
        connections["default"].close()
        connections.settings["default"] = usual_settings
        connections["default"] = usual


def prepare_sqlite(folder: Path) -> Path:
    """A migrated SQLite file."""
    file = folder / "prepared.sqlite3"
    with using(f"sqlite:///{file}"):
        call_command("migrate", verbosity=0)
    return file


@contextmanager
def copy_of_sqlite(prepared: Path, folder: Path) -> Iterator[str]:
    """The URL of a copy, which is the default database meanwhile."""
    file = folder / f"own-{next(_numbers)}.sqlite3"
    shutil.copyfile(prepared, file)
    with using(f"sqlite:///{file}") as url:
        yield url


def prepare_postgresql(server: str) -> str:
    """The URL of a migrated database on the server."""
    _ask(server, 'CREATE DATABASE "prepared"')
    with using(f"{server}/prepared") as url:
        call_command("migrate", verbosity=0)
    return url


@contextmanager
def copy_of_postgresql(server: str, template: str = "prepared") -> Iterator[str]:
    """The URL of a copy of the prepared (or another) database, which is the default database meanwhile."""
    name = f"own{next(_numbers)}"
    _ask(server, f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    with using(f"{server}/{name}") as url:
        yield url
    _ask(server, f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def postgresql_server() -> Iterator[str]:
    """The URL, without a database name, of a server of our own on a free loopback port; stopped and removed after."""
    folder = Path(tempfile.mkdtemp(prefix="countersign-pg-"))
    run = _runner(folder)
    try:
        port = free_port()
        run("initdb", "-D", str(folder / "data"), "-U", "countersign", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        run("pg_ctl", "-D", str(folder / "data"), "-l", str(folder / "log"), "-o", options, "-w", "start")
        try:
            yield f"postgresql://countersign@127.0.0.1:{port}"
        finally:
            run("pg_ctl", "-D", str(folder / "data"), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)


def _runner(folder: Path) -> Callable[..., None]:
    """Runs a program of PostgreSQL, which refuses root: then as the server's own user, who gets the folder."""
    as_root = os.geteuid() == 0
    if as_root:
        owner = pwd.getpwnam(SERVER_USER)
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    programs = {name: _program(name) for name in BINARIES}

    def run(name: str, *arguments: str) -> None:
        done = subprocess.run(
            [programs[name], *arguments],
            user=SERVER_USER if as_root else None,
            group=SERVER_USER if as_root else None,
            extra_groups=[] if as_root else None,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        assert done.returncode == 0, f"{name} failed with {done.returncode}"

    return run


def _program(name: str) -> str:
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    found = shutil.which(name) or (str(versions[-1]) if versions else None)
    assert found, f"{name} was not found: install postgresql, or leave these tests out with -m 'not postgres'"
    return found


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _ask(server: str, sql: str) -> None:
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(sql)
