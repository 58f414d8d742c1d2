"""How a user's file spells the names of treadle, read from its imports: fixes are written in the file's own names."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self, final


@final
@dataclass(frozen=True, slots=True)
class Spelling:
    """How a file spells what fixes call: `treadle.lax`, or `lax` after `from treadle import lax`.

    Attributes:
        package: the package's own name: `treadle`, or the name under which it stands in for another one.
        names: by the whole name of what the file imports, the name that it has in the file.

    Example:
        >>> spelled = Spelling.of(ast.parse("import treadle as t; from treadle import lax"))
        >>> spelled.name("device_put"), spelled.name("lax.scan")
        ('t.device_put', 'lax.scan')
    """

    package: str = "treadle"
    names: Mapping[str, str] = field(default_factory=lambda: {"treadle.numpy": "tnp"})

    @classmethod
    def of(cls, tree: ast.AST) -> Self:
        """Return the spelling of a file, read from its imports.

        Args:
            tree: the file's syntax tree.
        """
        names: dict[str, str] = {}
        for node in getattr(tree, "body", ()):
            if isinstance(node, ast.Import):
                names |= {each.name: each.asname or each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                names |= {f"{node.module}.{x.name}": x.asname or x.name for x in node.names}
        for package in dict.fromkeys([name.split(".")[0] for name in names]):
            stands_in = hasattr(sys.modules.get(package), "vmap")  # for treadle, by another name
            if package == "treadle" or stands_in:
                return cls(package, names)
        return cls()

    @classmethod
    def of_file(cls, file: str) -> Self:
        """Return the spelling of a file, given its name; treadle's usual names if the file cannot be read.

        Args:
            file: the file's name.
        """
        try:
            return cls.of(ast.parse("".join(linecache.getlines(file))))
        except (SyntaxError, ValueError):  # a template, or a file that has changed
            return cls()

    def name(self, name: str) -> str:
        """Return the name by which the file knows a function or a module of treadle.

        Args:
            name: the name within the package, such as `lax.scan`; empty for the package.
        """
        parts = [each for each in name.split(".") if each]
        for count in range(len(parts), -1, -1):
            imported = self.names.get(".".join([self.package, *parts[:count]]))
            if imported is not None:
                return ".".join([imported, *parts[count:]])
        return ".".join([self.package, *parts])

    @property
    def stack(self) -> str:
        """An expression that stacks pytrees, without the closing bracket."""
        return f"{self.name('tree.map')}(lambda *each: {self.name('numpy.stack')}(each), "
