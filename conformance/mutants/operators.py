"""What can be wrong in one place: each operator finds its sites in a syntax tree and says what stands there instead.

A site is one token or one expression, so a mutant differs from its source in one place. Texts of errors, annotations
and docstrings are left alone: a fault there changes no result.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Final

from conformance.mutants.site import Site

Change = tuple[int, int, str]  # from, to, and what stands there instead

_OPPOSITE: Final[dict[type[ast.cmpop], tuple[str, str]]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_AXES: Final = frozenset(
    ("axis", "axes", "dim", "dims", "dimension", "dimensions", "in_axes", "out_axes")
)
_LOCK: Final = re.compile(r"lock|mutex|condition", re.IGNORECASE)
_NO_LOCK: Final = '__import__("contextlib").nullcontext()'
_FEWEST: Final = 3  # entries of a table


class Source:
    """A file's text, its tree, and where its nodes are."""

    def __init__(self, text: str) -> None:
        """Parse the text and note the parent of each node."""
        self.text = text
        self.tree = ast.parse(text)
        # The tree counts bytes; one pass gives the character at which each line begins.
        self._lines = text.splitlines(keepends=True)
        self._begins = [0]
        for line in self._lines:
            self._begins.append(self._begins[-1] + len(line))
        self.parents: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = []
        self._visit()

    def _visit(self) -> None:
        """List the nodes in which a fault could change a result, in the order of the tree."""
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            self.nodes.append(node)
            children = [child for child in ast.iter_child_nodes(node) if not _silent(node, child)]
            for child in children:
                self.parents[child] = node
            waiting += reversed(children)

    def at(self, line: int, column: int) -> int:
        """The character at a line and a column of the tree."""
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return self._begins[line - 1] + len(text.encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The characters of an expression."""
        assert isinstance(node, ast.expr)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.at(node.lineno, node.col_offset)
        return start, self.at(node.end_lineno, node.end_col_offset)

    def code(self, node: ast.AST) -> str:
        """The text of an expression."""
        start, end = self.span(node)
        return self.text[start:end]

    def between(self, left: ast.AST, right: ast.AST, token: str, new: str) -> Iterator[Change]:
        """Replace the operator between two expressions."""
        start, end = self.span(left)[1], self.span(right)[0]
        pattern = r"\s+".join(re.escape(word) for word in token.split())
        edge = r"\b" if token[0].isalpha() else ""
        found = [*re.finditer(f"{edge}{pattern}{edge}", self.text[start:end])]
        if len(found) == 1:  # a comment between the lines may have the same letters
            yield start + found[0].start(), start + found[0].end(), new

    def lines(self, node: ast.AST) -> tuple[int, int]:
        """The lines of the innermost statement around a node, without the statements within it."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        body = getattr(node, "body", None)
        end = node.end_lineno or node.lineno
        return node.lineno, max(node.lineno, body[0].lineno - 1) if body else end


def _silent(node: ast.AST, child: ast.AST) -> bool:
    """Return whether a fault in `child` could change only a text or an annotation."""
    match node:
        case ast.Raise() | ast.JoinedStr():
            return True
        case ast.arg() | ast.AnnAssign():
            return child is node.annotation
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return child is node.returns
        case ast.Assert():
            return child is node.msg
        case ast.If(test=ast.Name("TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name("__all__")]):
            return True
    return False


def comparison(source: Source, node: ast.AST) -> Iterator[Change]:
    """`==` for `!=`, `<` for `<=`, `is` for `is not`, `in` for `not in`, and back."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        for left, right, op in zip(sides, sides[1:], node.ops, strict=False):
            yield from source.between(left, right, *_OPPOSITE[type(op)])


def logic(source: Source, node: ast.AST) -> Iterator[Change]:
    """`and` for `or` and back; without `not`."""
    match node:
        case ast.BoolOp():
            token, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            yield from source.between(node.values[0], node.values[1], token, new)
        case ast.UnaryOp(op=ast.Not()):
            start, _ = source.span(node)
            yield start, source.span(node.operand)[0], ""


def sign(source: Source, node: ast.AST) -> Iterator[Change]:
    """`+` for `-` and back; without a sign."""
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub()) if not _is_text(node):
            token, new = ("+", "-") if isinstance(node.op, ast.Add) else ("-", "+")
            yield from source.between(node.left, node.right, token, new)
        case ast.UnaryOp(op=ast.USub()):
            start, _ = source.span(node)
            yield start, start + 1, ""


def _is_text(node: ast.BinOp) -> bool:
    """Return whether `node` joins strings."""
    return any(
        isinstance(each, ast.JoinedStr)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str))
        for each in (node.left, node.right)
    )


def off_by_one(source: Source, node: ast.AST) -> Iterator[Change]:
    """An integer that is one greater."""
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            start, end = source.span(node)
            if not _axis_of(source, node) and source.text[start:end] == str(value):
                yield start, end, str(value + 1)


def axis(source: Source, node: ast.AST) -> Iterator[Change]:
    """Another axis: the last for the first, and the first for any other."""
    if isinstance(node, ast.Constant | ast.Name) and _axis_of(source, node):
        start, end = source.span(node)
        if not isinstance(node, ast.Constant):
            yield start, end, "0"
        elif isinstance(node.value, int) and not isinstance(node.value, bool):
            yield start, end, "-1" if node.value == 0 else "0"


def _axis_of(source: Source, node: ast.AST) -> bool:
    """Return whether `node` is the value of a keyword that names an axis."""
    parent = source.parents.get(node)
    return isinstance(parent, ast.keyword) and parent.arg in _AXES


def dropped_check(source: Source, node: ast.AST) -> Iterator[Change]:
    """A condition under which an error is raised never holds."""
    match node:
        case ast.If(body=[ast.Raise()], orelse=[]):
            yield *source.span(node.test), "False"


def dropped_lock(source: Source, node: ast.AST) -> Iterator[Change]:
    """A block that takes a lock takes none."""
    if isinstance(node, ast.With):
        for item in node.items:
            if _LOCK.search(source.code(item.context_expr)) and item.optional_vars is None:
                yield *source.span(item.context_expr), _NO_LOCK


def ignored_flag(source: Source, node: ast.AST) -> Iterator[Change]:
    """Yield a change that inverts a constant flag, or ignores a flag that the caller gives."""
    match node:
        case ast.Constant(value=bool(value)):
            parent = source.parents.get(node)
            # `zip(strict=True)` only says what holds already.
            if isinstance(parent, ast.keyword) and parent.arg != "strict":
                yield *source.span(node), str(not value)
        case ast.Name(id=name, ctx=ast.Load()):
            default = _flags(source, node).get(name)
            if default is not None:
                yield *source.span(node), str(default)


def _flags(source: Source, node: ast.AST) -> dict[str, bool]:
    """The parameters of the function around a node that are declared `bool`, with their defaults."""
    function: ast.AST | None = node
    while function is not None and not isinstance(function, ast.FunctionDef):
        function = source.parents.get(function)
    if function is None:
        return {}
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults))
    pairs = [*zip(plain, [*defaults, *arguments.defaults], strict=True)]
    pairs += [*zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    found = {}
    for argument, default in pairs:
        if isinstance(argument.annotation, ast.Name) and argument.annotation.id == "bool":
            given = isinstance(default, ast.Constant) and default.value is True
            found[argument.arg] = given
    return found


def wrong_table_entry(source: Source, node: ast.AST) -> Iterator[Change]:
    """An entry of a table that stands for a whole module or class has the value of the next one."""
    if not isinstance(node, ast.Dict) or len(node.values) < _FEWEST:
        return
    around: ast.AST | None = source.parents.get(node)
    while around is not None and not isinstance(around, ast.FunctionDef | ast.Lambda):
        around = source.parents.get(around)
    if around is not None:
        return
    for value, other in zip(node.values, [*node.values[1:], node.values[0]], strict=True):
        if source.code(value) != source.code(other):
            yield *source.span(value), source.code(other)


def missing_key_part(source: Source, node: ast.AST) -> Iterator[Change]:
    """A part of a key (of a cache, a comparison, a hash) is always the same."""
    if not isinstance(node, ast.Tuple) or not isinstance(node.ctx, ast.Load):
        return
    parent = source.parents.get(node)
    name = ""
    match parent:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.NamedExpr(target=ast.Name(id=name)):
            pass
        case ast.Return():
            function: ast.AST = parent
            while function in source.parents and not isinstance(function, ast.FunctionDef):
                function = source.parents[function]
            name = function.name if isinstance(function, ast.FunctionDef) else ""
        case ast.Call(func=ast.Name(id="hash")):
            name = "key"
        case ast.Subscript(value=ast.Name(id=called) | ast.Attribute(attr=called)):
            name = "key" if re.search("cache|known|seen|compiled|memo", called.lower()) else ""
    if re.search("key|fingerprint|identity", name):
        for element in node.elts:
            if not isinstance(element, ast.Constant | ast.Starred):
                yield *source.span(element), "None"


OPERATORS: Final[dict[str, Callable[[Source, ast.AST], Iterator[Change]]]] = {
    each.__name__.replace("_", " "): each
    for each in (
        *(comparison, logic, sign, off_by_one, axis, dropped_check, dropped_lock, ignored_flag),
        *(wrong_table_entry, missing_key_part),
    )
}


def sites(file: str, text: str) -> list[Site]:
    """All faults that the operators know to put into a file with this text."""
    source = Source(text)
    found = []
    for name, operator in OPERATORS.items():
        for node in source.nodes:
            for start, end, new in operator(source, node):
                lines = source.lines(node)
                found.append(Site(name, file, start, end, text[start:end], new, lines))
    return found
