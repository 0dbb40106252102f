"""A headless browser that may load nothing but the file it is given."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def _lacking(what: str) -> NoReturn:
    if os.environ.get("LOGSCOPE_REQUIRE_BROWSER") == "1":
        pytest.fail(f"{what}, and LOGSCOPE_REQUIRE_BROWSER is 1")
    pytest.skip(f"{what}: the report was not looked at in a browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _lacking("playwright is not installed")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        _lacking("there is no chromium on the PATH")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def visit(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Open a page from disk; at the end, it must have asked for nothing and complained about nothing."""
    asked: list[str] = []
    told: list[str] = []
    contexts = []

    def open_page(html: str, width: int = 1280, **options: str) -> Page:
        path = tmp_path / "report.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900}, offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("dialog", lambda dialog: told.append(f"dialog: {dialog.message}"))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [url for url in asked if not url.endswith("/report.html")] == []
    assert told == []
