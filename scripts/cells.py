"""Check that everything mutable that a process shares is listed in `docs/cells.md`, with the reason and what bounds it.

A cell is a name of a module, or of a class, whose value changes while the program runs: a container that functions
change, a name that they assign with `global`, a cache around a function, a lock, a context variable, an object that
holds a process's state. Constants, which never change, are not cells. Settings are not listed one by one:
docs/settings.md has them.

`scripts/cells.py` compares; `scripts/cells.py --list` prints what it finds.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/cells.md"
CHANGES = frozenset(
    {
        *("add", "append", "appendleft", "clear", "discard", "extend", "insert", "move_to_end"),
        *("pop", "popitem", "popleft", "remove", "setdefault", "update"),
    }
)
CONTAINERS = frozenset({"Counter", "OrderedDict", "defaultdict", "deque", "dict", "list", "set"})
CACHES = frozenset({"cache", "lru_cache", "made_once"})
STATEFUL = re.compile(
    r"^(?:\w+\.)*(?:ContextVar|local|Lock|RLock|fork_safe_\w+|count|Weak\w+|RuleTable|Backends|InstalledPorts|HostLimits|\w*Registry)\b"
)


def module_name(path: Path) -> str:
    """`treadle_ir.errors.source`."""
    parts = path.relative_to(next(p for p in path.parents if p.name == "src")).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def assigned(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Names that statements assign, with the values."""
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value


def changed(tree: ast.AST) -> set[str]:
    """Names, or attributes, that code below the top level changes in place or assigns with `global`."""
    found: set[str] = set()
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    ]
    for function in functions:
        for node in ast.walk(function):
            match node:
                case ast.Global(names=names):
                    found |= {*names}
                case ast.Call(func=ast.Attribute(value=target, attr=attr)) if attr in CHANGES:
                    found |= last_name(target)
                case ast.Subscript(value=target, ctx=ast.Store() | ast.Del()):
                    found |= last_name(target)
                case ast.Assign(targets=targets):
                    for each in targets:
                        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
                            found.add(f"{each.value.id}.{each.attr}")
    return found


def last_name(target: ast.expr) -> set[str]:
    """`x` of `x`, and of `module.x`."""
    match target:
        case ast.Name(id=name):
            return {name}
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return {name} if owner not in ("self", "cls") else set()
    return set()


def cached_functions(body: list[ast.stmt]) -> Iterator[str]:
    """Functions with a cache around them."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            for each in statement.decorator_list:
                name = ast.unparse(each).partition("(")[0].rpartition(".")[2]
                if name in CACHES:
                    yield statement.name
        elif isinstance(statement, ast.ClassDef):
            for inner in cached_functions(statement.body):
                yield f"{statement.name}.{inner}"


def starts_empty(value: ast.expr) -> bool:
    """Return whether an expression makes an empty container: it would be useless if it were never filled."""
    match value:
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(func=function, args=[], keywords=[]):
            return ast.unparse(function).partition("[")[0].rpartition(".")[2] in CONTAINERS
    return False


def mapping_classes(tree: ast.Module) -> Iterator[str]:
    """Yield the classes of a module whose objects users fill."""
    for each in tree.body:
        if isinstance(each, ast.ClassDef) and any(
            ast.unparse(base).partition("[")[0] == "UserDict" for base in each.bases
        ):
            yield each.name


def cells(path: Path) -> Iterator[str]:
    """Yield the cells of a module, by name."""
    tree = ast.parse(path.read_text())
    touched = changed(tree)
    mappings = {*mapping_classes(tree)}
    yield from cached_functions(tree.body)
    scopes = [("", tree.body)]
    scopes += [(f"{c.name}.", c.body) for c in tree.body if isinstance(c, ast.ClassDef)]
    for prefix, body in scopes:
        for name, value in assigned(body):
            if name in ("__all__", "__slots__") or name.startswith("__match"):
                continue
            stateful = isinstance(value, ast.Call) and STATEFUL.match(ast.unparse(value))
            filled = isinstance(value, ast.Call) and ast.unparse(value.func) in mappings
            by_class = prefix and prefix + name in touched
            if (
                stateful
                or filled
                or by_class
                or starts_empty(value)
                or (name in touched and not prefix)
            ):
                yield prefix + name


def found() -> list[str]:
    """Return all cells, `module: name`."""
    modules = sorted(ROOT.glob("packages/*/src/**/*.py"))
    return [
        f"{module_name(path)}: {name}"
        for path in modules
        if "testing" not in path.parts
        for name in cells(path)
    ]


def main(arguments: list[str]) -> int:
    """Print the cells, or what the page lacks and has too much."""
    names = found()
    if arguments == ["--list"]:
        print(*names, sep="\n")
        return 0
    listed = re.findall(r"^\| `([\w.]+: [\w.]+)` \|", PAGE.read_text(), flags=re.MULTILINE)
    problems = [
        f"{name}: not in {PAGE.name}, say why it is there" for name in names if name not in listed
    ]
    problems += [
        f"{name}: in {PAGE.name}, and no cell any more" for name in listed if name not in names
    ]
    print("\n".join(problems) or f"cells: {len(names)}, each listed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
