"""Check that each distribution whose source changed has a changelog fragment.

Compared with the branch that pull requests go to; a clone that does not know it has nothing to
compare with, and passes.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASE = "origin/main"
KINDS = ("added", "changed", "fixed", "removed")


def changed_files() -> list[str]:
    """Paths that differ from where this branch left the base, or nothing if there is no base."""
    command = ["git", "diff", "--name-only", f"{BASE}...HEAD"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return result.stdout.splitlines() if result.returncode == 0 else []


def main() -> int:
    """Name every distribution that lacks a fragment, and every fragment with a wrong name."""
    problems = []
    changed = changed_files()
    for package in sorted(ROOT.glob("packages/*")):
        prefix = f"packages/{package.name}"
        source = any(path.startswith(f"{prefix}/src/") for path in changed)
        told = any(
            path.startswith((f"{prefix}/changelog.d/", f"{prefix}/CHANGELOG")) for path in changed
        )
        if source and not told:
            problems.append(f"{prefix}/changelog.d: no fragment for the changes in {prefix}/src")
        for fragment in package.glob("changelog.d/*.md"):
            if fragment.name.split(".")[-2] not in KINDS:
                kinds = ", ".join(KINDS)
                problems.append(
                    f"{fragment.relative_to(ROOT)}: name it <issue>.<kind>.md ({kinds})"
                )
    print("\n".join(problems) or "changelog fragments: complete")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
