"""What type checkers see of the elementwise operations, which are made of rows when their package is imported.

The rows are read from the source, `Op("cbrt", Unary, "f", "Cube root.", ...)`, so that nothing has to be installed.
`scripts/stubs.py` writes the stub, and compares it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from keyword import iskeyword
from pathlib import Path
from typing import NamedTuple

from names import import_lines

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "packages/ir/src/treadle_ir/primitives/elementwise"
STUB = FOLDER / "__init__.pyi"
PACKAGE = "treadle_ir.primitives.elementwise"
HEAD = '''\
"""Written by scripts/stubs.py from the rows of operations in this folder: change nothing by hand."""

from collections.abc import Mapping
from typing import Final, final

from treadle_ir.core.families import Elementwise
from treadle_ir.core.primitive import Attributeless
'''


class Row(NamedTuple):
    """What a stub says of an operation."""

    name: str
    family: str
    doc: str
    parameters: tuple[str, ...]

    @property
    def class_name(self) -> str:
        """As `Op.class_name`."""
        return "".join(map(str.capitalize, self.name.split("_")))

    @property
    def function_name(self) -> str:
        """As `Op.function_name`."""
        return f"{self.name}_" if iskeyword(self.name) else self.name


def rows(tree: ast.Module, binary: set[str]) -> Iterator[Row]:
    """The rows in a module, given the families of two operands."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id="Op"),
                args=[ast.Constant(value=str(name)), ast.Name(id=family), _, doc, *_],
                keywords=keywords,
            ):
                told = {each.arg: ast.literal_eval(each.value) for each in keywords}
                usual = ("x", "y") if family in binary else ("x",)
                yield Row(name, family, ast.literal_eval(doc), told.get("operands", usual))


def of_two() -> set[str]:
    """The families of two operands."""
    tree = ast.parse((FOLDER / "families.py").read_text())
    bases = {
        node.name: [ast.unparse(base) for base in node.bases]
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    return {"Binary", *(name for name in bases if "Binary" in bases[name])}


def documentation(text: str) -> str:
    """A docstring, as the formatter writes it."""
    first, *rest = text.split("\n")
    if not rest:
        return f'    """{first}"""\n'
    lines = "".join(f"    {line}\n" if line else "\n" for line in rest)
    return f'    """{first}\n{lines}    """\n'


def stub() -> str:
    """The text of the package's stub."""
    binary = of_two()
    trees = [ast.parse(file.read_text()) for file in sorted(FOLDER.glob("*.py"))]
    found = sorted(chain.from_iterable(rows(tree, binary) for tree in trees))
    imported: dict[str, set[str]] = {}  # what the package itself offers
    for node in ast.parse((FOLDER / "__init__.py").read_text()).body:
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.startswith(PACKAGE):
                public = {alias.name for alias in names if alias.name == alias.asname}
                imported.setdefault(module, set()).update(public)
    functions = {name for names in imported.values() for name in names if name.islower()} - {
        *("check_kind", "common_type")
    }
    text = HEAD
    for module in sorted(module for module in imported if imported[module]):
        text += import_lines(module, imported[module], indent="")
    text += "from treadle_ir.tracing.array import Array, Operand\n"
    text += "\nOPERATIONS: Final[Mapping[type[Elementwise], Op]]\n\n__all__ = [\n"
    for name in sorted({*functions, *(row.function_name for row in found)}):
        text += f'    "{name}",\n'
    text += "]\n"
    for row in found:
        text += f"\n@final\nclass {row.class_name}(Attributeless, {row.family}):\n"
        text += documentation(row.doc)
    for row in found:
        parameters = ", ".join(f"{each}: Operand" for each in row.parameters)
        text += f"\ndef {row.function_name}({parameters}) -> Array:\n"
        text += documentation(row.doc)
    return text
