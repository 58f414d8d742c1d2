"""Make the folder of sources of the site, `site/.source`: links to the pages of the repository, and generated pages.

    python site/stage.py

The pages of docs/ are the pages of the site: a symbolic link, not a copy. The reference is written from docstrings.
Files that do not change keep their time, so that a second build is quick.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import reference
from names import namespaces, page_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCE = HERE / ".source"
# The pages of the repository, and what they link to.
LINKED = (
    *("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"),
    *("LICENSE", "noxfile.py", "pyproject.toml"),
    *(
        "docs",
        "decisions",
        "packages",
        "examples",
        "benchmarks",
        "conformance",
        "scripts",
        ".github",
    ),
)
README_TABLE = re.compile(r"^\| \[[^\]]*\]\(([^)]*)\.md\)[^|]*\| (.*) \|$", re.MULTILINE)


def documents() -> list[str]:
    """Return the pages of docs/ by their names on the site."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    return [page.relative_to(ROOT).with_suffix("").as_posix() for page in pages]


def link(place: Path, target: Path) -> None:
    """Make a symbolic link, unless it exists."""
    if not place.is_symlink():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(os.path.relpath(target, place.parent))


def write(place: Path, text: str) -> None:
    """Write a file, unless it has this text."""
    if not place.exists() or place.read_text() != text:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def switcher() -> str:
    """Return the versions that the site offers: this one, and releases from `SITE_RELEASES`."""
    base = os.environ.get("SITE_BASE", "/")
    releases = os.environ.get("SITE_RELEASES", "").split()
    current = os.environ.get("SITE_VERSION", "dev")
    # A build by itself is the only version, at the root of its server.
    entries = [
        {"name": current, "version": current, "url": f"{base}{current}/" if releases else base}
    ]
    entries += [
        {"name": each, "version": each, "url": f"{base}{each}/"}
        for each in releases
        if each != current
    ]
    return json.dumps(entries, indent=1) + "\n"


def llms() -> str:
    """Return llms.txt: the pages of the site as plain text, for programs that read."""
    table = README_TABLE.findall((ROOT / "docs/README.md").read_text())
    described = {os.path.normpath(f"docs/{name}"): text for name, text in table}
    lines = [
        "# treadle",
        "",
        "> Composable transformations of numerical Python: jit, grad, vmap, compiled by XLA.",
    ]
    lines += ["", "## Documentation", ""]
    for name in ["README", *documents()]:
        lines.append(
            f"- [{name}](_sources/{name}.md.txt){': ' * (name in described)}{described.get(name, '')}"
        )
    lines += ["", "## API reference", ""]
    for name in namespaces():
        lines.append(f"- [{name}](_sources/{page_of(name)}.rst.txt)")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write all sources, and remove pages of names that no longer exist."""
    for page in HERE.glob("*.md"):
        link(SOURCE / page.name, page)
    for name in LINKED:
        link(SOURCE / name, ROOT / name)
    pages = reference.pages()
    for name, text in pages.items():
        write(SOURCE / f"{name}.rst", text)
    for old in (SOURCE / "api").glob("*.rst"):
        if f"api/{old.stem}" not in pages:
            old.unlink()
    write(SOURCE / "_static/switcher.json", switcher())
    write(SOURCE / "_extra/llms.txt", llms())
    print(f"stage: {len(pages)} pages of the reference, {len(documents())} of docs/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
