"""What is true of the assistant in a frame of another site, behind nginx with TLS.

The browser keeps the cookies of other sites out of frames, as browsers do more and more.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect
from proxy import FORWARDED, make_certificate, nginx
from web import Watch, chromium, free_port, served

from assistant.answering.assistant import Assistant
from assistant.interfaces.access.gate import SESSION_COOKIE
from assistant.interfaces.access.tokens import TokenStore
from assistant.interfaces.chat.text import page_wording
from assistant.settings import Settings

TEXT = page_wording()
WIKI, FOREIGN, HOME = "www.wiki.test", "www.foreign.test", "ask.gpu.test"
QUESTION = "How much memory does the MI355X have?"
# The wiki, a site that nobody allowed, and the assistant; the proxy knows people by a cookie of its own, which it sets
# at /sso, and sends everybody else there.
SERVERS = """
map $cookie_person $person {{ anna anna; default ""; }}
server {{
  listen 127.0.0.1:{port} ssl; server_name {wiki} {foreign};
  location / {{ default_type text/html; return 200 '{page}'; }}
}}
server {{
  listen 127.0.0.1:{port} ssl; server_name {home};
  proxy_buffering off;
  {forwarded} proxy_set_header X-Forwarded-User $person;
  location = /sso {{ add_header Set-Cookie "person=anna; Path=/; Secure; HttpOnly; SameSite=None{partitioned}";
                    default_type text/html; return 200 "in"; }}
  location /api/ {{ {redirect} proxy_pass {upstream}; }}
  location / {{ proxy_pass {upstream}; }}
}}
"""
PAGE = (
    '<!doctype html><html lang="en"><title>Wiki</title><body><h1>AMD Instinct MI355X</h1>'
    '<script src="https://{home}:{port}/widget.js" defer></script>'
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium("--host-resolver-rules=MAP *.test 127.0.0.1", "--test-third-party-cookie-phaseout") as opened:
        yield opened


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sites")
    make_certificate(folder, [f"DNS:{name}" for name in (WIKI, FOREIGN, HOME)])
    return folder


@pytest.fixture
def watch(browser: Browser) -> Iterator[Watch]:
    opened = Watch(browser)
    yield opened
    opened.close()
    assert opened.hosts <= {WIKI, FOREIGN, HOME}
    assert opened.complaints == []


def servers(port: int, upstream: str, *, redirect: str = "", partitioned: str = "") -> str:
    page = PAGE.format(home=HOME, port=port)
    return SERVERS.format(
        forwarded=FORWARDED, port=port, wiki=WIKI, foreign=FOREIGN, home=HOME, page=page, upstream=upstream,
        redirect=redirect, partitioned=partitioned,
    )  # fmt: skip


def opened_frame(page: Page) -> FrameLocator:
    page.get_by_role("button", name=TEXT.say("ask_here", "en")).click()
    return page.frame_locator("iframe")


def ask(frame: FrameLocator) -> None:
    frame.locator("#question").fill(QUESTION)
    frame.locator("#question").press("Enter")


def test_a_login_in_the_frame_is_kept_there(
    watch: Watch, certificate: Path, assistant: Assistant, tmp_path: Path
) -> None:
    _, token = TokenStore(tmp_path).new("wiki", frozenset({"ask", "feedback"}), 30)
    port = free_port()
    closed = Settings(
        access="token", data=tmp_path, trusted_proxies=("127.0.0.1",), public_hosts=(HOME,),
        frame_ancestors=(f"https://{WIKI}:{port}",), rate_per_address=0,
    )  # fmt: skip
    with served(closed, assistant) as upstream, nginx(certificate, port, servers(port, upstream)):
        page = watch.open(f"https://{WIKI}:{port}/", complains_of=("401",), ignore_https_errors=True)
        frame = opened_frame(page)
        ask(frame)
        expect(frame.locator(".problem")).to_have_text(TEXT.say("sign_in", "en"))
        frame.get_by_role("link", name=TEXT.say("log_in", "en")).click()
        frame.locator("input[name=token]").fill(token)
        frame.locator("button[type=submit]").click()
        expect(frame.locator("#question")).to_be_editable()
        ask(frame)
        expect(frame.locator(".answer")).to_contain_text("288 GB")
        page.reload()
        frame = opened_frame(page)
        ask(frame)
        expect(frame.locator(".answer")).to_contain_text("288 GB")
        frame.locator(".thumb.up").click()
        expect(frame.locator(".thumb.up")).to_have_attribute("aria-pressed", "true")
        # The login holds under this one site: the assistant's own page, and a frame of another site, don't have it.
        alone = watch.open(f"https://{HOME}:{port}/", context=page.context)
        expect(alone).to_have_url(f"https://{HOME}:{port}/login?next=%2F")
        session = [one for one in page.context.cookies() if one["name"] == SESSION_COOKIE]
        assert [(one["secure"], one["httpOnly"], one["sameSite"]) for one in session] == [(True, True, "None")]
        watch.close()


@pytest.mark.parametrize(("partitioned", "holds"), [("; Partitioned", True), ("", False)])
def test_a_login_of_the_proxy_holds_in_the_frame_where_its_cookie_may_go_there(
    watch: Watch, certificate: Path, assistant: Assistant, tmp_path: Path, partitioned: str, holds: bool
) -> None:
    port = free_port()
    behind = Settings(
        access="proxy", identity_header="X-Forwarded-User", data=tmp_path, trusted_proxies=("127.0.0.1",),
        public_hosts=(HOME,), frame_ancestors=(f"https://{WIKI}:{port}",),
    )  # fmt: skip
    redirect = 'if ($person = "") { return 302 /sso; }'
    configuration = servers(port, "{upstream}", redirect=redirect, partitioned=partitioned)
    with (
        served(behind, assistant) as upstream,
        nginx(certificate, port, configuration.replace("{upstream}", upstream)),
    ):
        page = watch.open(f"https://{WIKI}:{port}/", ignore_https_errors=True)
        frame = opened_frame(page)
        ask(frame)
        expect(frame.locator(".problem")).to_have_text(TEXT.say("sign_in", "en"))
        expect(frame.get_by_role("link", name=TEXT.say("log_in", "en"))).to_have_attribute("target", "_blank")
        # As the proxy's own login page would, were it in the frame.
        frame.locator("body").evaluate("() => fetch('/sso').then((response) => response.text())")
        ask(frame)
        last = frame.locator(".turn").last
        expect(last.locator(".answer" if holds else ".problem")).to_contain_text(
            "288 GB" if holds else TEXT.say("sign_in", "en")
        )
        watch.close()


def test_a_site_that_is_not_allowed_gets_neither_the_frame_nor_an_answer(
    watch: Watch, certificate: Path, assistant: Assistant, tmp_path: Path
) -> None:
    port = free_port()
    open_to_one = Settings(
        access="open",
        data=tmp_path,
        trusted_proxies=("127.0.0.1",),
        public_hosts=(HOME,),
        frame_ancestors=(f"https://{WIKI}:{port}",),
    )
    foreign = f"https://{FOREIGN}:{port}"
    with served(open_to_one, assistant) as upstream, nginx(certificate, port, servers(port, upstream)):
        page = watch.open(
            foreign, complains_of=("frame-ancestors", "CORS policy", "ERR_FAILED"), ignore_https_errors=True
        )
        page.get_by_role("button", name=TEXT.say("ask_here", "en")).click()
        expect(page.get_by_role("alert")).to_have_text(TEXT.say("frame_refused", "en", origin=foreign))
        asked = (
            f"fetch('https://{HOME}:{port}/api/ask', {{method: 'POST', headers: {{'content-type': 'application/json'}},"
            f" body: JSON.stringify({{question: '{QUESTION}'}})}}).then(() => 'read', () => 'refused')"
        )
        assert page.evaluate(asked) == "refused"
        watch.close()
