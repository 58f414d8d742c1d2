"""Release one distribution: `scripts/bump.py ir 0.1.1` sets version and changelog, names the tag.

The fragments of `changelog.d/` become a section of the changelog and go away. Ranges of dependents
are changed by hand, in the same commit: how far they reach is a judgement.
"""

import datetime
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("added", "changed", "fixed", "removed")


def gather(package: Path) -> tuple[str, list[Path]]:
    """Return the changelog section made of the fragments, and the fragments."""
    used: list[Path] = []
    text = ""
    for kind in KINDS:
        fragments = sorted(package.glob(f"changelog.d/*.{kind}.md"))
        if fragments:
            lines = [f"- {fragment.read_text().strip()}\n" for fragment in fragments]
            text += f"\n### {kind.capitalize()}\n\n" + "".join(lines)
            used += fragments
    return text, used


def bump(package: Path, version: str) -> str:
    """Write version and changelog; return the name of the tag."""
    (version_file,) = package.glob("src/*/_version.py")
    distribution = version_file.parent.name.replace("_", "-")
    changelog = package / "CHANGELOG.md"
    history = changelog.read_text()
    section, fragments = gather(package)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    head = f"## [{version}] - {today}\n"
    if f"## [{version}] - unreleased" in history:  # the first release: its section exists
        history = re.sub(rf"## \[{re.escape(version)}\] - unreleased\n", head, history)
        if section:
            history = history.rstrip() + "\n" + section
    elif section:
        before, mark, after = history.partition("\n## [")
        history = f"{before}\n{head}{section}{mark}{after}"
    else:
        sys.exit(f"{package.name}: no fragments in changelog.d, so nothing to release")
    old = version_file.read_text()
    version_file.write_text(re.sub(r'(?<=__version__ = ").*(?=")', version, old))
    changelog.write_text(history)
    citation = ROOT / "CITATION.cff"
    if distribution == "treadle":  # CITATION.cff cites the facade
        named = re.sub(r"(?m)^version: .*$", f"version: {version}", citation.read_text())
        citation.write_text(named)
    for fragment in fragments:
        fragment.unlink()
    return f"{distribution}-v{version}"


def main(arguments: list[str]) -> int:
    """Bump one distribution and print its tag."""
    packages = sorted(path.name for path in ROOT.glob("packages/*"))
    match arguments:
        case [folder, version] if folder in packages and re.fullmatch(r"\d+\.\d+\.\d+", version):
            print(bump(ROOT / "packages" / folder, version))
            return 0
    print(f"usage: scripts/bump.py {{{','.join(packages)}}} MAJOR.MINOR.PATCH", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
