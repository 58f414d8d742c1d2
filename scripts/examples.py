"""Run the Python code of Markdown pages, so that it cannot rot.

The blocks of a page run in order in one namespace. What a page claims to print stands after `#>`
and is compared with what was printed. Commands in blocks of the language `console` run, too (`consoles.py`).
"""

import contextlib
import io
import re
import sys
from pathlib import Path

import consoles
import digits

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
CLAIM = re.compile(r"#> ?(.*)")


def check(page: Path) -> list[str]:
    """Run one page; the problems found."""
    namespace: dict[str, object] = {"__name__": page.stem}
    problems = []
    text = page.read_text()
    for block in BLOCK.finditer(text):
        # Empty lines in front, so that a traceback shows the line of the page.
        line = text.count("\n", 0, block.start(1))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + block[1], str(page), "exec"), namespace)
        claimed = [claim.rstrip() for claim in CLAIM.findall(block[1])]
        actual = [line.rstrip() for line in printed.getvalue().splitlines()]
        if claimed != actual:
            problems.append(f"{page}:{line + 1}: claims {claimed}, prints {actual}")
        problems += [
            f"{page}:{line + 1}: other processors print other digits of {number}: round"
            for number in digits.beyond("\n".join(claimed))
        ]
    return problems


def main(pages: list[str]) -> int:
    """Check every page named on the command line."""
    problems = [
        problem for page in pages for problem in [*check(Path(page)), *consoles.check(Path(page))]
    ]
    print("\n".join(problems) or f"examples: {len(pages)} pages run")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
