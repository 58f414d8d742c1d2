"""Open the built site in headless Chromium: search for `scan`, open its page, look at pages in two widths and modes.

    python site/check_browser.py build/site/html
    python site/check_browser.py build/site/html --pictures build/site/pictures

Browsers load the index of the search over HTTP only, so a server runs meanwhile. Chromium is steered by its command
line alone: it prints the page after its scripts ran, or takes a picture.
"""

from __future__ import annotations

import argparse
import functools
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
WAIT = "--virtual-time-budget=15000"  # milliseconds for scripts, in Chromium's own time
PAGES = ("index.html", "api/treadle.lax.scan.html", "api/treadle.numpy.html", "docs/settings.html")
WIDTHS = (400, 1400)


class Silent(SimpleHTTPRequestHandler):
    """A server of files that writes no log."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has in Python
        """Write nothing."""


def chromium(*options: str) -> str:
    """Run Chromium with a fresh profile and return what it prints."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        sys.exit("check_browser: there is no Chromium on this machine; install one")
    with tempfile.TemporaryDirectory() as profile:
        command = [
            path,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={profile}",
        ]
        ran = subprocess.run(
            [*command, WAIT, *options], capture_output=True, text=True, timeout=180, check=True
        )
    return ran.stdout


def search(address: str) -> list[str]:
    """Return a problem if a search for `scan` does not lead to its page."""
    found = chromium("--dump-dom", f"{address}/search.html?q=scan")
    links = re.findall(r'<li class="kind-[^"]*"><a href="([^"#?]*)', found)
    if not links or "treadle.lax.scan" not in links[0]:
        return [f"a search for `scan` finds {links[:1]} first, not treadle.lax.scan"]
    page = chromium("--dump-dom", f"{address}/{links[0]}")
    if 'id="treadle.lax.scan"' not in page:
        return [f"{links[0]} is not the page of treadle.lax.scan"]
    return []


def wide(address: str) -> list[str]:
    """Return the pages that are wider than a narrow window."""
    # A page of our own measures the pages in a frame of that width.
    found = []
    for page in PAGES:
        measured = chromium("--dump-dom", f"{address}/_measure.html?{page}")
        match = re.search(r"<title>(\d+)</title>", measured)
        if match is None or int(match[1]) > WIDTHS[0]:
            found.append(
                f"{page} is {match[1] if match else '?'} pixels wide in a window of {WIDTHS[0]}"
            )
    return found


MEASURE = f"""<!doctype html><title>?</title>
<iframe id="frame" style="width:{WIDTHS[0]}px;height:900px;border:0"></iframe>
<script>
const frame = document.getElementById("frame");
frame.onload = () => {{
  const page = frame.contentDocument;
  // The theme hides what sticks out: text is measured by itself. Tables and code can be scrolled.
  const parts = [...page.querySelectorAll("article :is(h1, h2, h3, p, li, dt.sig):not(table *)")];
  const ends = parts.map((part) => part.getBoundingClientRect().left + part.scrollWidth);
  document.title = Math.ceil(Math.max(page.documentElement.scrollWidth, ...ends));
}};
frame.src = location.search.slice(1);
</script>
"""


def pictures(address: str, folder: Path) -> None:
    """Take a picture of each page in each width and mode."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        for width in WIDTHS:
            for mode in ("light", "dark"):
                dark = ["--blink-settings=preferredColorScheme=0"] if mode == "dark" else []
                name = f"{page.removesuffix('.html').replace('/', '-')}-{width}-{mode}.png"
                chromium(
                    *dark,
                    f"--window-size={width},1000",
                    f"--screenshot={folder / name}",
                    f"{address}/{page}",
                )


def main() -> int:
    """Check the site of a folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--pictures", type=Path, help="take pictures of some pages, too")
    options = parser.parse_args()
    measure = options.site / "_measure.html"
    measure.write_text(MEASURE)
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Silent, directory=options.site)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        found = search(address) + wide(address)
        if options.pictures:
            pictures(address, options.pictures)
    finally:
        server.shutdown()
        measure.unlink()
    print("\n".join(found) or "browser: the search finds `scan`, and pages fit a narrow window")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
