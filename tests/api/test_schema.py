"""The schema is kept as a file, is current, and every operation is described on the page of the API."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.urls import URLPattern

from reviews.api import urls
from tests.api.asking import ROOT, as_nobody
from tests.house.documentation import missing_from
from tests.house.sources import ROOT as CHECKOUT

SCHEMA = CHECKOUT / "docs" / "openapi.yaml"
METHODS = ("get", "post", "put", "patch", "delete")


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """(METHOD, path under /api/v1/, operation)."""
    paths = yaml.safe_load(SCHEMA.read_text())["paths"]
    return [
        (method.upper(), path.removeprefix(ROOT), operation)
        for path, methods in paths.items()
        for method, operation in methods.items()
        if method in METHODS
    ]


def test_the_file_is_what_the_code_says(tmp_path: Path) -> None:
    fresh = tmp_path / "openapi.yaml"

    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(fresh))

    assert SCHEMA.read_text() == fresh.read_text(), "run: manage.py spectacular --file docs/openapi.yaml"


@pytest.mark.django_db
def test_the_schema_is_served_to_everybody() -> None:
    response = as_nobody().get("schema/")

    assert response.status_code == 200
    assert yaml.safe_load(response.content)["openapi"].startswith("3.1")


def test_every_operation_is_described_on_the_page() -> None:
    said = {f"{method} /api/v1/{path}" for method, path, _ in operations()}

    assert len(said) > 60
    assert missing_from("docs/api.md", said) == []


def test_the_page_describes_no_operation_that_is_none() -> None:
    said = {f"{method} /api/v1/{path}" for method, path, _ in operations()}
    page = set(re.findall(r"`((?:GET|POST|PUT|PATCH|DELETE) /api/v1/[^`]*)`", (CHECKOUT / "docs/api.md").read_text()))

    assert page - said == {"GET /api/v1/schema/"}


def test_the_page_names_the_scope_of_every_operation() -> None:
    lines = (CHECKOUT / "docs/api.md").read_text().splitlines()
    rows = {line.split("`")[1]: line for line in lines if line.startswith("| `")}
    wrong = [
        (method, path)
        for method, path, operation in operations()
        if f"| {operation['x-scope']} |" not in rows[f"{method} /api/v1/{path}"]
    ]

    assert wrong == []


def test_every_post_takes_a_key_and_every_operation_refuses_with_a_problem() -> None:
    for method, path, operation in operations():
        names = {parameter["name"] for parameter in operation.get("parameters", [])}
        assert ("Idempotency-Key" in names) is (method == "POST"), path
        assert "application/problem+json" in operation["responses"]["default"]["content"], path


def test_every_post_is_done_once() -> None:
    views = [vars(one.callback)["view_class"] for one in urls.urlpatterns if isinstance(one, URLPattern)]
    posts = [view.post for view in views if hasattr(view, "post")]

    assert len(posts) > 25
    assert [post.__qualname__ for post in posts if not hasattr(post, "__wrapped__")] == []


def test_no_operation_signs_decides_or_approves() -> None:
    writing = {path for method, path, _ in operations() if method != "GET"}

    assert not [path for path in writing if re.search(r"signatures|decisions|approval", path)]


def test_no_route_of_the_api_is_hidden_from_the_schema() -> None:
    known = {re.sub(r"\{\w+\}", "", path) for _, path, _ in operations()}
    routes = {
        re.sub(r"<[^>]+>", "", str(pattern.pattern))
        for pattern in urls.urlpatterns
        if not str(pattern.pattern).startswith("^")
    }

    assert routes - known == {"schema/"}
