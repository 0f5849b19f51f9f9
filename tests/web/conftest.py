"""A real browser that asks this very process.

`open_page` gives a Chromium page whose every request is answered by Django's test client inside the test's own
transaction: no server, no port, no thread, and nothing beyond this process can be reached.
"""

import mimetypes
import os
import shutil
from collections.abc import Callable, Iterator
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.test import Client
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, sync_playwright

ORIGIN = "http://localhost"
WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
_LONELY = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium for the whole session."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert found, "These tests need a Chromium: install chromium-headless-shell, or name one in CHROMIUM."
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=found, args=_LONELY)


@dataclass
class Site:
    """Answers a browser's requests from this process.

    context: that of the test. Django keeps its database connections by context, and Playwright answers in another one.
    """

    client: Client
    context: Context
    refused: list[str] = field(default_factory=list)

    def answer(self, route: Route) -> None:
        """The answer of the site to one request; addresses of other hosts are aborted and kept in `refused`."""
        url = urlsplit(route.request.url)
        if url.scheme in {"data", "blob"}:
            route.continue_()
        elif f"{url.scheme}://{url.netloc}" != ORIGIN:
            self.refused.append(route.request.url)
            route.abort()
        elif url.path.startswith("/static/"):
            self._static(route, url.path.removeprefix("/static/"))
        else:
            self._page(route, f"{url.path}?{url.query}" if url.query else url.path)

    def _static(self, route: Route, name: str) -> None:
        path = finders.find(name)
        if path is None:
            route.fulfill(status=404, body=name)
        else:
            route.fulfill(path=path, content_type=mimetypes.guess_type(name)[0] or "application/octet-stream")

    def _page(self, route: Route, path: str) -> None:
        """Redirects become a page that goes there at once: a browser does not ask the test again after a real one."""
        asked = route.request
        headers = {name: value for name, value in asked.all_headers().items() if name not in {"cookie", "host"}}
        got = self.context.run(
            self.client.generic,
            asked.method,
            path,
            asked.post_data_buffer or b"",
            content_type=headers.pop("content-type", "application/octet-stream"),
            headers=headers,
        )
        body = b"".join(got.streaming_content) if got.streaming else got.content  # type: ignore[attr-defined]
        given = {name: value for name, value in got.headers.items() if name.lower() != "set-cookie"}
        if got.status_code in {301, 302, 303} and "location" in got.headers:
            refresh = f'<meta http-equiv="refresh" content="0;url={got.headers["location"]}">'
            route.fulfill(status=200, content_type="text/html", body=f"<!doctype html><title>moved</title>{refresh}")
        else:
            route.fulfill(status=got.status_code, headers=given, body=body)


@dataclass(frozen=True)
class Opened:
    """A page in the browser; `complaints` are what its console reported: blocked scripts, styles and errors."""

    page: Page
    site: Site
    complaints: list[str]

    def is_accessible(self) -> None:
        """Fails with axe's report when the page breaks WCAG 2.2 AA."""
        found = Axe().run(self.page, options=WCAG)
        assert found.violations_count == 0, found.generate_report()

    def fits(self) -> None:
        """Fails when the page itself scrolls sideways."""
        wider = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0, f"The page is {wider} px wider than its window."


OpenPage = Callable[..., Opened]


@pytest.fixture
def open_page(browser: Browser, db: None) -> Iterator[OpenPage]:
    """open_page("/memos/", person=ann, width=390, dark=True, javascript=False) -> Opened."""
    contexts = []

    def opened(
        path: str, *, person: User | None = None, width: int = 1280, dark: bool = False, javascript: bool = True
    ) -> Opened:
        client = Client(enforce_csrf_checks=True, raise_request_exception=False, headers={"host": "localhost"})
        if person is not None:
            client.force_login(person)
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=javascript,
            bypass_csp=False,
        )
        contexts.append(context)
        site, complaints = Site(client, copy_context()), list[str]()

        def listen(message: ConsoleMessage) -> None:
            if message.type in {"error", "warning"}:
                complaints.append(message.text)

        context.route("**/*", site.answer)
        page = context.new_page()
        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{ORIGIN}{path}", wait_until="load")
        page.locator("html[lang]").wait_for(state="attached")  # pages say their language, a redirect's does not
        page.wait_for_load_state("load")
        return Opened(page, site, complaints)

    yield opened
    for context in contexts:
        context.close()
