"""A user in a browser: opens pages, fills forms, and records browser errors."""

from __future__ import annotations

import re
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from playwright.sync_api import expect

from tests.interfaces.console.running_console import KEY, RunningConsole
from tests.support.running_sandbox import HOST_TOKEN

SENDS = re.compile("^(Send now|Ask for approval|Send a second time)$")
TIMEOUT_MS = 40_000
expect.set_options(timeout=TIMEOUT_MS)
SCREENSHOTS = Path(__file__).parents[3] / "build" / "screenshots"
"""Screenshots for inspection after a run, not committed."""

# Nothing was built for a quarter of a second; what is watched live may go on for ever.
BUILT = """() => new Promise((done) => {
  let waiting = setTimeout(done, 250);
  new MutationObserver(() => { clearTimeout(waiting); waiting = setTimeout(done, 250); })
    .observe(document.body, {subtree: true, childList: true});
  setTimeout(done, 3000);
})"""


class Visitor:
    """On exit, asserts no browser error, no request to other hosts and no secret in received data."""

    def __init__(
        self,
        console: RunningConsole,
        browser: Any,
        screenshots: Path,
        *,
        locale: str,
        width: int,
        zone: str | None = None,
        token: str = "",
    ) -> None:
        """`token` signs in instead of a one-time link, and `zone` is the browser's time zone."""
        self.console, self._screenshots, self._token = console, screenshots, token
        view = {"width": width, "height": 900}
        self.context = browser.new_context(locale=locale, viewport=view, timezone_id=zone)
        self.context.set_default_timeout(TIMEOUT_MS)
        self.complaints: list[str] = []
        self._elsewhere: list[str] = []
        self._received: list[str] = []
        self.context.on("page", self._listen)
        self.page = self.context.new_page()

    def _listen(self, page: Any) -> None:
        page.on("console", lambda said: said.type == "error" and self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._note_request)
        page.on("websocket", lambda socket: socket.on("framereceived", self._note_frame))

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith((self.console.base, "data:", "blob:")):
            self._elsewhere.append(request.url)

    def _note_frame(self, frame: Any) -> None:
        self._received.append(frame if isinstance(frame, str) else frame.decode("latin-1"))

    def __enter__(self) -> Self:
        """Sign in by the form of the one-time link; no page is open yet."""
        self.sign_in(self._token or self.console.state.issue_login_token())
        return self

    def sign_in(self, token: str) -> None:
        """Sign in with a token, instead of whoever was signed in before."""
        self.context.request.get(f"{self.console.url}/leave")
        login = {"form": {"token": token}, "headers": {"origin": self.console.base}}
        assert self.context.request.post(f"{self.console.url}/login", **login).ok

    def follow_link(self) -> None:
        """Sign in as a person does, by a one-time link, which leads to the overview."""
        self.page.goto(self.console.link())
        self.page.locator("form button").click()  # a link alone signs nobody in
        self.page.locator("main h1").wait_for()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shown = "".join(page.content() for page in self.context.pages) + "".join(self._received)
        self.context.close()
        if kind is None:
            assert not self.complaints
            assert not self._elsewhere
            assert KEY not in shown
            assert HOST_TOKEN not in shown

    def last_seen(self) -> str:
        """Describe all open pages, for the report of a failed test."""
        pages = (f"{page.url}\n{page.locator('body').aria_snapshot()}" for page in self.context.pages)
        return "\n".join([*pages, "The browser's complaints:", *self.complaints])

    def open(self, place: str, page: Any = None) -> Any:
        """Open a console page and wait until it has loaded."""
        page = page or self.page
        page.goto(f"{self.console.url}/{place}")
        page.locator("main h1").wait_for()
        return page

    def wait_until_built(self) -> None:
        """Wait until the page is connected and shows what it will."""
        self.page.wait_for_function("window.did_handshake")
        self.page.wait_for_function("!document.querySelector('[aria-busy=true]')")
        self.page.evaluate(BUILT)

    def choose(self, label: str, option: str, page: Any = None) -> None:
        """Choose a dropdown option by part of its text; the list closes, and the focus comes back to the dropdown."""
        page = page or self.page
        field = page.get_by_role("combobox", name=label)
        field.click()
        page.get_by_role("option").filter(has_text=option).first.click()
        page.get_by_role("listbox").wait_for(state="detached")
        page.wait_for_function("field => field === document.activeElement", arg=field.element_handle())

    def press(self, name: str, page: Any = None) -> None:
        """Click a button."""
        (page or self.page).get_by_role("button", name=name, exact=True).first.click()

    def send(self, page: Any = None, *, times: int = 1) -> None:
        """Open the review of a filled form and press what sends it."""
        page = page or self.page
        self.press("Review", page)
        page.locator(".review").get_by_role("button", name=SENDS).click(click_count=times, delay=5)

    def sees(self, text: str | re.Pattern[str], page: Any = None) -> None:
        """Wait until a text is visible."""
        (page or self.page).get_by_text(text).filter(visible=True).first.wait_for()

    def sees_value(self, label: str, value: str) -> None:
        """Wait until a field holds a value."""
        field = self.page.get_by_label(label, exact=True).element_handle()
        self.page.wait_for_function("([field, value]) => field.value === value", arg=[field, value])

    def picture(self, name: str, page: Any = None) -> None:
        """Save a screenshot."""
        (page or self.page).screenshot(path=str(self._screenshots / f"{name}.png"), full_page=True)
