"""plotly.js comes from the installed plotly."""

import re
from pathlib import Path

import plotly
import pytest
from django.contrib.staticfiles import finders
from plotly.offline import get_plotlyjs_version

from reviews.finders import PLOTLY, PackageFinder


def test_the_pages_get_the_plotly_script_that_the_package_was_made_for() -> None:
    found = finders.find(PLOTLY)

    assert found is not None
    head = Path(found).read_text(encoding="utf-8")[:200]
    assert re.search(r"plotly\.js v(\S+)", head)[1] == get_plotlyjs_version()  # type: ignore[index]
    assert Path(found).is_relative_to(Path(plotly.__file__).parent)


def test_collecting_static_files_takes_that_script_along() -> None:
    ((name, storage),) = PackageFinder().list(None)

    assert f"{storage.prefix}/{name}" == PLOTLY  # type: ignore[attr-defined]
    assert storage.exists(name)


def test_other_names_are_left_to_other_finders() -> None:
    assert finders.find("vendor/other.js") is None
    assert PackageFinder().find(PLOTLY, find_all=True) == [finders.find(PLOTLY)]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviews.finders.find_spec", lambda _name: None)

    with pytest.raises(FileNotFoundError, match="plotly"):
        PackageFinder().find(PLOTLY)
