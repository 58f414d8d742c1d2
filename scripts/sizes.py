"""Refuse modules over 500 lines, which are several ideas; lists of names that a script writes may be longer."""

from __future__ import annotations

import sys
from pathlib import Path

import names

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 500


def main() -> int:
    """Print each module that is too long, longest first, then the total."""
    modules = sorted(ROOT.glob("packages/*/src/**/*.py"))
    texts = {module: module.read_text() for module in modules}
    lines = {module: len(text.splitlines()) for module, text in texts.items()}
    long = [
        module for module in modules if lines[module] > LIMIT and names.MARK not in texts[module]
    ]
    for module in sorted(long, key=lambda module: -lines[module]):
        print(
            f"{lines[module]:6}  {module.relative_to(ROOT)}: over {LIMIT} lines, split it by idea"
        )
    print(f"{sum(lines.values()):6}  lines in {len(lines)} modules")
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())
