"""Write the lists of public names: what `treadle_numpy`'s namespaces offer, and the facade's modules that mirror them.

A name is written once by hand, in `__all__` of its module. A folder of `treadle_numpy` whose `__init__.py` has the
line MARK is a public namespace: it offers the names of its modules, and of its folders that are not namespaces
themselves. From that line on the file is written here, and so are the modules of `treadle` of the same names, and
`missing.py`: the names of `expected_names.txt` that are not offered.

Other packages import their names under `if TYPE_CHECKING:`; below the line LAZY the table is written by which they find
them at run time.

A module that has the line NAMESPACE is a public namespace by itself, such as a distribution in `scipy.stats`.

`scripts/names.py` writes; `scripts/names.py --check` compares.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from expected import expected

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "packages/numpy-api/src/treadle_numpy"
FACADE = ROOT / "packages/treadle/src/treadle"
MARK = "# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.\n"
NAMESPACE = "# This module is a public namespace.\n"
LAZY = "# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.\n"
IMPORTS = "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING\n\n"
WIDTH = 100


@dataclass(frozen=True)
class Namespace:
    """A public namespace: its path below `treadle_numpy`, and the names of its modules."""

    path: tuple[str, ...]
    modules: Mapping[str, tuple[str, ...]]
    submodules: tuple[str, ...]

    @property
    def dotted(self) -> str:
        """`numpy.linalg`."""
        return ".".join(self.path)

    @property
    def names(self) -> list[str]:
        """All names it offers, without the names of submodules."""
        return [name for names in self.modules.values() for name in names]


def public_packages() -> list[str]:
    """Return the namespaces, as modules: `treadle_numpy.numpy`, `treadle_numpy.numpy.linalg`, ..."""
    found = [path.parent for path in LIBRARY.rglob("__init__.py") if MARK in path.read_text()]
    modules = [path for path in LIBRARY.rglob("*.py") if f"\n{NAMESPACE}" in path.read_text()]
    found += [path.with_suffix("") for path in modules]
    return sorted(".".join(folder.relative_to(LIBRARY.parent).parts) for folder in found)


def namespaces() -> list[Namespace]:
    """Return all namespaces below `treadle_numpy`, outer ones first."""
    folders = [
        tuple(package.split(".")[1:]) for package in public_packages() if package != LIBRARY.name
    ]
    return [_namespace(path, folders) for path in folders]


def _namespace(path: tuple[str, ...], all_paths: list[tuple[str, ...]]) -> Namespace:
    folder = LIBRARY.joinpath(*path)
    if folder.with_suffix(".py").exists():
        return Namespace(path, {"": declared(folder.with_suffix(".py"))}, ())
    inner = [LIBRARY.joinpath(*other) for other in all_paths if len(other) > len(path)]
    modules = {}
    for file in sorted(folder.rglob("*.py")):
        if file.name == "__init__.py" or any(
            file.with_suffix("").is_relative_to(each) for each in inner
        ):
            continue
        names = declared(file)
        if names:
            modules[".".join(file.relative_to(folder).with_suffix("").parts)] = names
    submodules = [other[-1] for other in all_paths if other[:-1] == path]
    return Namespace(path, modules, tuple(sorted(submodules)))


def declared(file: Path) -> tuple[str, ...]:
    """Return the names in `__all__` of a module: a literal, or `list(TABLE)` for the keys of a dict display."""
    tables: dict[str, ast.Dict] = {}
    for statement in ast.parse(file.read_text()).body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as value):
                tables[name] = value
            case ast.Assign(
                targets=[ast.Name(id="__all__")],
                value=ast.Call(func=ast.Name(id="list"), args=[ast.Name(id=name)]),
            ):
                return tuple(
                    [ast.literal_eval(key) for key in tables[name].keys if key is not None]
                )
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                return tuple(ast.literal_eval(value))
    return ()


def problems(each: Namespace, wanted: Iterable[str]) -> Iterator[str]:
    """Names that would hide each other: in two modules, or of a name and a module."""
    seen: dict[str, str] = {}
    for module, names in each.modules.items():
        for name in names:
            if name in seen:
                yield f"treadle_numpy.{each.dotted}: {name} is in {seen[name]} and in {module}"
            seen[name] = module
    tops = {module.partition(".")[0] for module in each.modules} - {*each.submodules}
    if each.path == ("numpy",):  # `treadle_numpy` itself offers these names, too
        tops |= {path.stem for path in LIBRARY.iterdir()} - {"numpy", "random"}
    for top in sorted(tops & {*each.names, *wanted}):
        yield f"treadle_numpy.{each.dotted}: the module {top} would hide the name {top}"


def natural(name: str) -> tuple[int, list[tuple[int, str]]]:
    """Sorts as ruff sorts imported names: constants, classes, others; numbers by value."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    parts = re.split(r"(\d+)", name.lower())
    return kind, [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def import_lines(module: str, names: Iterable[str], indent: str = "    ") -> str:
    """`from module import (name as name, ...)`, indented, as the formatter writes it."""
    items = [f"{name} as {name}" for name in sorted(names, key=natural)]
    line = f"{indent}from {module} import {', '.join(items)}\n"
    if len(line) <= WIDTH + 1:
        return line
    listed = "".join(f"{indent}    {item},\n" for item in items)
    return f"{indent}from {module} import (\n{listed}{indent})\n"


def words(names: Iterable[str], indent: str) -> list[str]:
    """Names with blanks between them as string literals, as few as fit into lines that begin with an indent."""
    text = " ".join(sorted(names, key=natural))
    room = WIDTH - len(indent) - len('""')
    lines = []
    while len(text) > room:
        cut = text.rindex(" ", 0, room) + 1
        lines.append(text[:cut])
        text = text[cut:]
    return [f'"{line}"' for line in [*lines, text]]


def table(modules: Mapping[str, tuple[str, ...]], indent: str) -> str:
    """Return a dict display of names by module, as the formatter writes it."""
    if not modules:
        return "{}"
    text = ""
    for module, names in modules.items():
        head = f'{indent}    "{module}": '
        whole = " ".join(sorted(names, key=natural))
        if len(head) + len(whole) + len('"",') <= WIDTH:
            text += f'{head}"{whole}",\n'
        else:
            inner = indent + " " * 8
            lines = "".join(f"{inner}{line}\n" for line in words(names, inner))
            text += f"{head}(\n{lines}{indent}    ),\n"
    return f"{{\n{text}{indent}}}"


def submodule_argument(names: tuple[str, ...], indent: str) -> str:
    """Return the last argument of `lazy` and `mirror`, which stands on a line of its own if it is long."""
    if not names:
        return ""
    listed = ", ".join(f'"{name}"' for name in names)
    line = f"({listed},)" if len(names) == 1 else f"({listed})"
    if len(indent) + len(line) + len(",") <= WIDTH:
        return line
    each = "".join(f'{indent}    "{name}",\n' for name in names)
    return f"(\n{each}{indent})"


def namespace_text(each: Namespace) -> str:
    """Return the written part of a namespace's `__init__.py`."""
    package = f"treadle_numpy.{each.dotted}"
    blocks = {f"{package}.{module}": names for module, names in each.modules.items()}
    if each.submodules:
        blocks[package] = each.submodules
    typed = "".join(import_lines(module, blocks[module]) for module in sorted(blocks))
    arguments = f"        __name__,\n        {table(each.modules, ' ' * 8)},\n"
    if each.submodules:
        arguments += f"        {submodule_argument(each.submodules, ' ' * 8)},\n"
    return (
        f"{MARK}{IMPORTS}from treadle_numpy import namespaces\n\n"
        f"if TYPE_CHECKING:\n{typed}else:\n"
        f"    __getattr__, __dir__, __all__ = namespaces.lazy(\n{arguments}    )\n"
    )


def mirror_text(target: str, original: str, names: list[str], submodules: tuple[str, ...]) -> str:
    """Return the written part of a module that offers the names of a namespace."""
    # The star takes submodules along; the submodules of this module have the same names.
    typed = f"    from {original} import *  # noqa: F403 - all its names\n"
    # A star leaves out names with underscores for type checkers.
    hidden = tuple(name for name in names if name.startswith("_"))
    typed += import_lines(original, hidden) if hidden else ""
    if not names:
        typed = import_lines(target, submodules)
    arguments = ["__name__", f'"{original}"']
    if submodules:
        arguments.append(submodule_argument(submodules, " " * 8))
    listed = ", ".join(arguments)
    call = f"    __getattr__, __dir__, __all__ = namespaces.mirror({listed})\n"
    if len(call) > WIDTH + 1:
        inner = f"        {listed}\n"
        if len(inner) > WIDTH + 1:
            inner = "".join(f"        {each},\n" for each in arguments)
        call = f"    __getattr__, __dir__, __all__ = namespaces.mirror(\n{inner}    )\n"
    return (
        f"{MARK}{IMPORTS}from treadle_numpy import namespaces\n\n"
        f"if TYPE_CHECKING:\n{typed}else:\n{call}"
    )


def lazy_text(file: Path) -> str:
    """Return the written part of a package that imports its names when they are asked for."""
    module = file.parent if file.name == "__init__.py" else file.with_suffix("")
    package = ".".join(module.relative_to(file.parents[_depth(file)]).parts)
    modules: dict[str, list[str]] = {}
    own = False
    for statement in ast.parse(file.read_text().partition(LAZY)[0]).body:
        if isinstance(
            statement, ast.ImportFrom
        ):  # `from ... import X as X`: public, and imported at once
            own |= any(
                each.name == each.asname and not each.name.startswith("_")
                for each in statement.names
            )
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            for each in statement.body:
                if isinstance(each, ast.Assign):  # `pjit = jit`: another name for the same
                    alias, original = ast.unparse(each.targets[0]), ast.unparse(each.value)
                    home = next(module for module, names in modules.items() if original in names)
                    modules[home].append(f"{original}:{alias}")
                    continue
                assert isinstance(each, ast.ImportFrom), f"{file}:{each.lineno}: not `from ...`"
                assert each.module is not None, f"{file}:{each.lineno}: a relative import"
                for imported in each.names:
                    modules.setdefault(each.module, []).append(imported.name)
    submodules = tuple(sorted(modules.pop(package, ())))
    arguments = (
        f"        __name__,\n        {table({k: tuple(v) for k, v in modules.items()}, ' ' * 8)},\n"
    )
    if submodules:
        listed = "".join(f'            "{name}",\n' for name in submodules)
        arguments += f"        (\n{listed}        ),\n"
    if own:
        arguments += "        own=True,\n"
    return (
        f"{LAZY}if not TYPE_CHECKING:\n"
        f"    __getattr__, __dir__, __all__ = _lazy_names(\n{arguments}    )\n"
    )


def _depth(file: Path) -> int:
    """Return how many folders up from a file the source folder is."""
    return next(i for i, folder in enumerate(file.parents) if folder.name == "src")


def missing_text(all_namespaces: list[Namespace]) -> str:
    """`missing.py`."""
    lacking = {}
    for namespace, names in expected().items():
        offered = [
            {*each.names, *each.submodules} for each in all_namespaces if each.dotted == namespace
        ]
        if offered:
            lacking[namespace] = tuple({*names} - offered[0])
    return (
        '"""Names of the interface that treadle lacks, by namespace: read where one of them is asked for.\n\n'
        'Written by scripts/names.py.\n"""\n\nfrom __future__ import annotations\n\nfrom typing import Final\n\n'
        f"MISSING: Final[dict[str, str]] = {table(lacking, '')}\n"
    )


def with_written_part(file: Path, written: str, docstring: str) -> str:
    """Return a file's text with its written part replaced; a new file begins with a docstring."""
    head = file.read_text().partition(MARK)[0] if file.exists() else f'"""{docstring}"""\n\n'
    return head + written


def facade_file(each: Namespace) -> Path:
    """Return where the facade mirrors a namespace: a package if there are submodules."""
    path = FACADE.joinpath(*each.path)
    return path / "__init__.py" if each.submodules else path.with_suffix(".py")


def written_files() -> dict[Path, str]:
    """Return every file that is written here, with the text it should have."""
    found = namespaces()
    files = {LIBRARY / "missing.py": missing_text(found)}
    for file in ROOT.glob("packages/*/src/**/*.py"):
        text = file.read_text()
        if LAZY in text:
            files[file] = text.partition(LAZY)[0] + lazy_text(file)
    for each in found:
        own = LIBRARY.joinpath(*each.path).with_suffix(".py")
        if not own.exists():
            own = LIBRARY.joinpath(*each.path, "__init__.py")
            files[own] = with_written_part(own, namespace_text(each), "")
        mirrored = facade_file(each)
        text = mirror_text(
            f"treadle.{each.dotted}", f"treadle_numpy.{each.dotted}", each.names, each.submodules
        )
        docstring = ast.get_docstring(ast.parse(own.read_text()), clean=False) or each.dotted
        files[mirrored] = with_written_part(mirrored, text, docstring)
    return files


def main(arguments: list[str]) -> int:
    """Write the files, or name those that differ."""
    wanted = expected()
    wrong = [text for each in namespaces() for text in problems(each, wanted.get(each.dotted, []))]
    for path, text in written_files().items():
        if path.exists() and path.read_text() == text:
            continue
        if "--check" in arguments:
            wrong.append(f"{path.relative_to(ROOT)}: run scripts/names.py")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    print("\n".join(wrong) or "names: each once")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
