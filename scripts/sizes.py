"""Print the modules over 500 lines. A reader should find the reason there; nothing fails."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 500


def main() -> None:
    """Print each long module, longest first, then the total."""
    modules = sorted(ROOT.glob("packages/*/src/**/*.py"))
    lines = {module: len(module.read_text().splitlines()) for module in modules}
    for module, count in sorted(lines.items(), key=lambda item: -item[1]):
        if count > LIMIT:
            print(f"{count:6}  {module.relative_to(ROOT)}")
    print(f"{sum(lines.values()):6}  lines in {len(lines)} modules")


if __name__ == "__main__":
    main()
