"""Check that every link within the built site leads to a file, and to a place in it.

python site/check_links.py build/site/html
"""

from __future__ import annotations

import html.parser
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(html.parser.HTMLParser):
    """The links of a page, and the places in it that a link can lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to, and its name."""
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.add(value)
            elif name in ("id", "name") and value:
                self.places.add(value)


@cache
def read(path: Path) -> Page:
    """Return a page of the site."""
    return Page(path.read_text())


def problems(root: Path, path: Path) -> list[str]:
    """Return the links of a page that lead nowhere."""
    found = []
    for link in read(path).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or link == "#":
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        target = target / "index.html" if target.is_dir() else target
        place = unquote(parts.fragment)
        lost = place and target.suffix == ".html" and target.exists()
        if not target.exists() or (lost and place not in read(target).places):
            found.append(f"{path.relative_to(root)}: leads nowhere: {link}")
    return found


def main(folder: str) -> int:
    """Print each link that leads nowhere."""
    root = Path(folder).resolve()
    pages = [page for page in sorted(root.rglob("*.html")) if "_static" not in page.parts]
    found = [problem for page in pages for problem in problems(root, page)]
    print("\n".join(found) or f"links: {len(pages)} pages of the site checked")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
