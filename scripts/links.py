"""Check that every relative link of the Markdown pages leads to a file, and that no merge left its marks in one."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")
MARK = re.compile(r"^(?:<{7}|>{7}) .*", re.MULTILINE)


def main() -> int:
    """Print each link that leads nowhere, and each mark."""
    pages = [
        page
        for page in sorted(ROOT.rglob("*.md"))
        if not any(part.startswith(".") for part in page.relative_to(ROOT).parts[:-1])
    ]
    problems = [
        f"{page.relative_to(ROOT)}: no such file: {target}"
        for page in pages
        for target in LINK.findall(page.read_text())
        if not (page.parent / target).exists()
    ] + [
        f"{page.relative_to(ROOT)}: left by a merge: {mark}"
        for page in pages
        for mark in MARK.findall(page.read_text())
    ]
    print("\n".join(problems) or f"links: {len(pages)} pages checked")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
