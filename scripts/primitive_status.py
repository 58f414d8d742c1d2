"""Which primitive has which rule.

scripts/primitive_status.py cumsum                        what one primitive has and lacks
scripts/primitive_status.py --write docs/primitives.md    write the page of all primitives
scripts/primitive_status.py --check docs/primitives.md    fail if the page is out of date
"""

import importlib
import pkgutil
import sys
from pathlib import Path
from typing import Any

import treadle_autodiff
import treadle_batching
import treadle_compiler
import treadle_ir.primitives
from treadle_ir import Primitive, RuleTable
from treadle_ir.core import is_family

TABLES: dict[str, RuleTable[Any]] = {
    "reference": treadle_ir.eval_rules,
    "jvp": treadle_autodiff.jvp_rules,
    "linearize": treadle_autodiff.linearize_rules,
    "transpose": treadle_autodiff.transpose_rules,
    "batch": treadle_batching.batch_rules,
    "lowering": treadle_compiler.lowering_rules,
}
MARKS = {"rule": "✓", "family": "family", "absent": "–", "unneeded": "·"}


def operations() -> list[type[Primitive]]:
    """Return every concrete primitive of treadle: those with a mnemonic of their own."""
    found = []
    package = treadle_ir.primitives
    for _, module_name, _ in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(module_name)
        found += [
            member
            for member in vars(module).values()
            if isinstance(member, type)
            and issubclass(member, Primitive)
            and member.__module__ == module.__name__
            and not is_family(member)
        ]
    return found


def is_own_tangent(rule: object) -> bool:
    """Return whether a jvp rule was registered with `linear`."""
    return getattr(rule, "__qualname__", "").startswith("linear.")


def family(primitive: type[Primitive]) -> str:
    """Return the basename that a primitive's files share in every package."""
    return primitive.__module__.split(".")[2]


def status(name: str, primitive: type[Primitive]) -> str:
    """`rule`, `family`, `derived`, `absent`, `unneeded` or `missing`."""
    found: str = TABLES[name].status(primitive)
    if found == "missing" and name in ("linearize", "transpose"):
        rule = TABLES["jvp"].get(primitive)
        # A primitive that is linear in all operands is its own tangent, and has to be transposed; the tangents of the
        # others are made of such.
        if rule is None or (name == "transpose" and not is_own_tangent(rule)):
            return "unneeded" if TABLES["jvp"].status(primitive) != "missing" else found
    # A primitive without nested programs is linearized by splitting its jvp rule.
    nested = primitive.programs is not Primitive.programs
    if name == "linearize" and found == "missing" and not nested:
        return "derived" if TABLES["jvp"].get(primitive) is not None else "missing"
    return found


def page() -> str:
    """Return the page of all primitives, one table per family."""
    lines = [
        "# Primitives",
        "",
        "Written by `scripts/primitive_status.py`. ✓: a rule of its own; family or derived: a general",
        "rule serves it; –: it has no meaning, for the reason below the table; ·: nothing asks for it, since",
        "there are no tangents, or they are made of other operations.",
    ]
    groups: dict[str, list[type[Primitive]]] = {}
    for primitive in sorted(operations(), key=lambda cls: (family(cls), cls.name)):
        groups.setdefault(family(primitive), []).append(primitive)
    for name, members in groups.items():
        lines += ["", f"## {name}", "", f"| primitive | is | {' | '.join(TABLES)} |"]
        lines += ["|---|---|" + "---|" * len(TABLES)]
        reasons = []
        for cls in members:
            summary = (cls.__doc__ or "").strip().partition("\n")[0].replace("|", "\\|")
            found = [status(table, cls) for table in TABLES]
            marks = [MARKS.get(each, each) for each in found]
            lines.append(f"| `{cls.name}` | {summary} | {' | '.join(marks)} |")
            for table, each in zip(TABLES, found, strict=True):
                if each == "absent":
                    reasons.append(f"- `{cls.name}`, {table}: {TABLES[table].why_absent(cls)}")
        if reasons:
            lines += ["", *reasons]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Show one primitive, or write or check the page."""
    match arguments:
        case ["--write", path]:
            Path(path).write_text(page())
            return 0
        case ["--check", path]:
            if Path(path).exists() and Path(path).read_text() == page():
                return 0
            print(f"{path} is out of date: scripts/primitive_status.py --write {path}")
            return 1
        case [name] if found := [cls for cls in operations() if cls.name == name]:
            for table in TABLES:
                print(f"{table:10} {status(table, found[0])}")
            return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
