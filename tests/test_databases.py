"""The databases and servers that tests are given."""

import urllib.error
import urllib.request
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection

from tests import databases
from tests.cast import a_person


def test_each_test_has_a_database_of_its_own(either_database: str) -> None:
    assert str(connection.settings_dict["NAME"]) in either_database
    assert not User.objects.exists()
    a_person("ann")


def test_what_another_test_committed_is_not_there(either_database: str) -> None:
    assert not User.objects.exists()
    a_person("ann")


def test_the_usual_database_comes_back(db: None) -> None:
    assert connection.vendor == "sqlite"
    assert "own-" not in str(connection.settings_dict["NAME"])


def test_a_database_of_its_own_and_the_usual_one_are_not_mixed(db: None, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="not for both"), databases.using(f"sqlite:///{tmp_path / 'x'}"):
        pass


def test_a_live_server_answers(served: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as answer:
        urllib.request.urlopen(f"{served}/there/is/no/such/page/")  # noqa: S310

    answer.value.close()
    assert answer.value.code == 404


def test_each_test_has_a_store_of_its_own(own_store: Path) -> None:
    assert not own_store.exists()
