"""Loops as the user wrote them: the `for`, the `while` or the comprehension around a line, read from the file."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from treadle_insight.place import Place
from treadle_insight.spelling import Spelling

Node: TypeAlias = ast.For | ast.While | ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp

_LOOPS: Final = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_LEAVES: Final = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await)


@final
@dataclass(frozen=True, eq=False)
class WrittenLoop:
    """A loop in a file; each is made once, so that loops are the same if they are the same object.

    Attributes:
        file: the file's name.
        node: the loop in the file's syntax tree.
        scope: the function around it, or the module.
        spelled: how the file spells treadle's modules.
    """

    file: str
    node: Node
    scope: ast.AST
    spelled: Spelling

    @property
    def line(self) -> int:
        """The line of the loop's first word."""
        return self.node.lineno

    @property
    def place(self) -> Place:
        """The place of the loop's first word, in its function."""
        return Place(
            self.file, self.line, self.node.col_offset + 1, getattr(self.scope, "name", "")
        )

    @property
    def word(self) -> str:
        """How findings call it: `for`, `while`, `comprehension`."""
        if isinstance(self.node, ast.For):
            return "for"
        return "while" if isinstance(self.node, ast.While) else "comprehension"

    def holds(self, file: str, line: int) -> bool:
        """Return whether a line is in the loop.

        Args:
            file: the file's name.
            line: the line, counted from 1.
        """
        return file == self.file and self.line <= line <= (self.node.end_lineno or self.line)

    @property
    def target(self) -> ast.expr | None:
        """What the loop assigns in each iteration; None for `while`, and where there are several loops in one."""
        if isinstance(self.node, ast.For):
            return self.node.target
        generator = self._generator
        return None if generator is None else generator.target

    @property
    def iterated(self) -> ast.expr | None:
        """The expression whose elements the loop takes."""
        if isinstance(self.node, ast.For):
            return self.node.iter
        generator = self._generator
        return None if generator is None else generator.iter

    @property
    def _generator(self) -> ast.comprehension | None:
        node = self.node
        if isinstance(node, ast.For | ast.While):
            return None
        only = node.generators[0]
        return None if len(node.generators) > 1 or only.ifs or only.is_async else only

    @property
    def counter(self) -> str:
        """The name of the variable that counts: `i` of `for i in range(n)`; an empty string if there is none."""
        target, iterated = self.target, self.iterated
        if not isinstance(iterated, ast.Call):
            return ""
        called = ast.unparse(iterated.func)
        if called == "enumerate" and isinstance(target, ast.Tuple):
            target = target.elts[0]
        elif called != "range":
            return ""
        return target.id if isinstance(target, ast.Name) else ""

    @property
    def bounds(self) -> tuple[str, str] | None:
        """The source of the first number and of the end of `range`; None for all other loops, and for steps."""
        iterated = self.iterated
        if not isinstance(iterated, ast.Call) or not self.counter or iterated.keywords:
            return None
        numbers = [ast.unparse(each) for each in iterated.args]
        if ast.unparse(iterated.func) != "range" or len(numbers) > 2:
            return None
        return ("0", numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])

    @property
    def is_plain(self) -> bool:
        """Whether the body only assigns variables: nothing leaves the loop early, and nothing is changed in place."""
        if not isinstance(self.node, ast.For) or self.node.orelse:
            return False
        for each in self.node.body:
            for inner in ast.walk(each):
                if isinstance(inner, (*_LEAVES, ast.Global, ast.Nonlocal)):
                    return False
                stored = isinstance(inner, ast.Attribute | ast.Subscript)
                if stored and isinstance(inner.ctx, ast.Store | ast.Del):  # type: ignore[attr-defined]
                    return False
                if isinstance(inner, ast.Expr) and not isinstance(inner.value, ast.Constant):
                    return False
        return True

    @property
    def assigned(self) -> set[str]:
        """The variables that the body assigns."""
        body = self.node.body if isinstance(self.node, ast.For | ast.While) else []
        return {
            each.id
            for statement in body
            for each in ast.walk(statement)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }

    @property
    def used_later(self) -> set[str]:
        """The variables that the rest of the function reads."""
        end = self.node.end_lineno or self.line
        return {
            each.id
            for each in ast.walk(self.scope)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.lineno > end
        }

    @property
    def body(self) -> list[str]:
        """The lines of the body, as they are written, without their common indentation."""
        assert isinstance(self.node, ast.For | ast.While)
        first, last = self.node.body[0], self.node.body[-1]
        if first.lineno == self.line:  # `for i in range(9): x = f(x)`
            return ast.unparse(ast.Module(self.node.body, [])).splitlines()
        lines = linecache.getlines(self.file)[first.lineno - 1 : last.end_lineno]
        return [line.rstrip()[first.col_offset :] for line in lines]


def _holds(node: ast.AST, line: int) -> bool:
    """Return whether a node holds a line; true where a node has no lines of its own."""
    first, last = getattr(node, "lineno", line), getattr(node, "end_lineno", line)
    return first <= line <= (last or line)


@final
class Loops:
    """The loops in files, read once for each file."""

    def __init__(self) -> None:
        self._trees: dict[str, ast.AST | None] = {}
        self._known: dict[int, WrittenLoop] = {}  # by the id of the node, which the tree keeps
        self._around: dict[tuple[str, int], tuple[WrittenLoop, ...]] = {}

    def around(self, file: str, line: int) -> tuple[WrittenLoop, ...]:
        """Return the loops around a line in the function that it belongs to, innermost first.

        Args:
            file: the file's name.
            line: the line, counted from 1.
        """
        key = file, line
        if key not in self._around:
            self._around[key] = tuple(reversed([*self._find(file, line)]))
        return self._around[key]

    def _find(self, file: str, line: int) -> Iterator[WrittenLoop]:
        """Yield the loops around a line, outermost first."""
        tree = self._tree(file)
        if tree is None:
            return
        found: list[Node] = []
        scope = tree
        left = [tree]
        while left:  # along the nodes that hold the line
            node = left.pop()
            if isinstance(node, _SCOPES):
                found, scope = [], node
            elif isinstance(node, _LOOPS):
                found.append(node)
            left += [each for each in ast.iter_child_nodes(node) if _holds(each, line)]
        for each in found:
            known = self._known.get(id(each))
            if known is None:
                known = WrittenLoop(file, each, scope, Spelling.of(tree))
                self._known[id(each)] = known
            yield known

    def _tree(self, file: str) -> ast.AST | None:
        if file not in self._trees:
            try:
                self._trees[file] = ast.parse("".join(linecache.getlines(file)))
            except SyntaxError:  # a template, or a file that has changed
                self._trees[file] = None
        return self._trees[file]
