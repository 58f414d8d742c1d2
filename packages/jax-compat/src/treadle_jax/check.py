"""`python -m treadle_jax --check PATH`: which of JAX's names a program takes that treadle lacks, without running it.

The program is read, not run: imports, and attributes of what was imported, also through names that it gave to modules.
What is behind a variable of another kind, as the method of an array, is not looked at.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Final, TypeAlias, final

from treadle_jax.wanted import USERS

_CATCHES: Final = frozenset(
    {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES: Final = (
    *_FUNCTIONS,
    ast.ClassDef,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


@final
@dataclass(frozen=True, slots=True)
class Use:
    """One place where a program takes a name of JAX's."""

    name: str
    file: str
    line: int
    guarded: bool  # in a `try` whose handlers catch that it is missing


@final
@dataclass(slots=True)
class _Scope:
    """The names that are bound in one scope: to what of JAX's, or None for anything else."""

    outer: _Scope | None = None
    bound: dict[str, str | None] = field(default_factory=dict)

    def find(self, name: str) -> str | None:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.bound:
                return scope.bound[name]
            scope = scope.outer
        return None


_Task: TypeAlias = tuple[ast.AST, _Scope, bool]


def uses(source: str, file: str) -> Iterator[Use]:
    """Yield the names of JAX's that a program takes, each with its line.

    Args:
        source: the program.
        file: what it is called.

    Raises:
        SyntaxError: it is not valid Python.

    Example:
        >>> for use in uses("import jax.numpy as jnp" + chr(10) + "y = jnp.sin(1.0)", "f.py"):
        ...     print(use.name, use.line)
        jax.numpy 1
        jax.numpy.sin 2
    """
    tree = ast.parse(source, file)
    todo: list[_Task] = [(tree, _scope_of(tree, None), False)]
    while todo:
        node, scope, guarded = todo.pop()
        for name in _taken(node, scope):
            yield Use(name, file, getattr(node, "lineno", 0), guarded)
        if isinstance(node, ast.Attribute) and _chain(node, scope) is not None:
            continue  # the whole chain has been taken
        todo += reversed([*_below(node, scope, guarded)])


def _below(node: ast.AST, scope: _Scope, guarded: bool) -> Iterator[_Task]:
    """Yield the parts of a node, each with its scope."""
    if isinstance(node, ast.Try):
        caught = any([_catches(handler) for handler in node.handlers])
        for part in node.body:
            yield part, scope, guarded or caught
        rest: list[ast.AST] = [*node.handlers, *node.orelse, *node.finalbody]
        for other in rest:
            yield other, scope, guarded or (caught and isinstance(other, ast.ExceptHandler))
        return
    if isinstance(node, ast.If) and _is_for_type_checkers(node.test):
        for part in node.orelse:
            yield part, scope, guarded
        return
    inner = _scope_of(node, scope) if isinstance(node, _SCOPES) else scope
    for name, value in ast.iter_fields(node):
        # decorators, defaults and bases are outside of what they belong to
        outside = name in ("decorator_list", "bases", "keywords", "returns")
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.arguments):
                for default in (*part.defaults, *part.kw_defaults):
                    if default is not None:
                        yield default, scope, guarded
                every = (*part.posonlyargs, *part.args, *part.kwonlyargs, part.vararg, part.kwarg)
                for argument in every:
                    if argument is not None and argument.annotation is not None:
                        yield argument.annotation, scope, guarded
            elif isinstance(part, ast.AST):
                yield part, scope if outside else inner, guarded


def _catches(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any([kind is None or getattr(kind, "id", "") in _CATCHES for kind in kinds])


def _is_for_type_checkers(test: ast.expr) -> bool:
    return getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"


def _scope_of(node: ast.AST, outer: _Scope | None) -> _Scope:
    """Return the scope of a module, a function, a class or a comprehension, with what its own statements bind."""
    scope = _Scope(outer)
    if isinstance(node, _FUNCTIONS):
        given = node.args
        every = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
        scope.bound.update({each.arg: None for each in every if each is not None})
    todo: list[ast.AST] = [*ast.iter_child_nodes(node)]
    assigned: list[ast.Assign] = []
    while todo:
        part = todo.pop()
        if isinstance(part, (ast.Import, ast.ImportFrom)):
            scope.bound.update(_imported(part))
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            scope.bound.setdefault(part.id, None)
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            scope.bound.setdefault(part.name, None)
        if isinstance(part, ast.Assign):
            assigned.append(part)
        if not isinstance(part, _SCOPES):
            todo += ast.iter_child_nodes(part)
    for each in reversed(assigned):  # `jnp = jax.numpy`
        target = each.targets[0]
        if isinstance(target, ast.Name) and len(each.targets) == 1:
            name = _chain(each.value, scope)
            if name is not None and scope.bound.get(target.id) is None:
                scope.bound[target.id] = name
    return scope


def _imported(node: ast.Import | ast.ImportFrom) -> dict[str, str | None]:
    """Return the names that an import binds, each with the name of JAX's that it stands for."""
    if isinstance(node, ast.Import):
        return {
            each.asname or each.name.partition(".")[0]: (
                (each.name if each.asname else "jax") if _is_jax(each.name) else None
            )
            for each in node.names
        }
    module = node.module or ""
    return {
        each.asname or each.name: (
            f"{module}.{each.name}" if node.level == 0 and _is_jax(module) else None
        )
        for each in node.names
    }


def _is_jax(name: str) -> bool:
    return name == "jax" or name.startswith("jax.")


def _chain(node: ast.AST | None, scope: _Scope) -> str | None:
    """Return the name of JAX's that `a.b.c` is; None if `a` is something else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    first = scope.find(node.id) if isinstance(node, ast.Name) else None
    return None if first is None else ".".join([first, *reversed(parts)])


def _taken(node: ast.AST, scope: _Scope) -> list[str]:
    """Return the names of JAX's that one node takes."""
    if isinstance(node, ast.Import):
        return [each.name for each in node.names if _is_jax(each.name)]
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if node.level or not _is_jax(module):
            return []
        return [module if each.name == "*" else f"{module}.{each.name}" for each in node.names]
    if isinstance(node, ast.Attribute):
        name = _chain(node, scope)
        return [] if name is None else [name]
    match node:
        case ast.Call(
            func=ast.Attribute(attr="import_module") | ast.Name(id="import_module"),
            args=[ast.Constant(value=str(module)), *_],
        ) if _is_jax(module):
            return [module]
    return []


def missing(name: str) -> str | None:
    """Return the part of a name up to where treadle lacks it; None if treadle has it. The hook is in.

    Args:
        name: a name of JAX's, as `jax.numpy.sin`.
    """
    parts = name.split(".")
    here = parts[0]
    found: object = importlib.import_module(here)
    for part in parts[1:]:
        if not isinstance(found, ModuleType):
            return None  # an attribute of an object: what it has is known when the program runs
        here = f"{here}.{part}"
        if here in USERS:
            return here  # a stand-in, which raises when it is used
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(here)
            except ImportError:
                return here
        except ImportError:
            return here
    return None


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def check(paths: Iterable[str]) -> int:
    """Write what programs take of JAX's that treadle lacks; return the exit status. The hook is in.

    Args:
        paths: files, and folders with files.

    Returns:
        0 if nothing is missing, 1 if something is, 2 if a path cannot be read.
    """
    status = files = 0
    known: dict[str, str | None] = {}
    lacking: set[str] = set()
    for path in paths:
        if not os.path.exists(path):
            print(f"treadle_jax: there is no {path}", file=sys.stderr)
            return 2
        for file in _files(Path(path)):
            files += 1
            try:
                found = [*uses(file.read_text(encoding="utf-8"), str(file))]
            except (OSError, SyntaxError, ValueError, RecursionError) as error:
                print(f"{file}: cannot be read: {error}", file=sys.stderr)
                status = 2
                continue
            said: set[tuple[int, str]] = set()
            for use in found:
                if use.name not in known:
                    known[use.name] = missing(use.name)
                name = known[use.name]
                if name is None or (use.line, name) in said:
                    continue
                said.add((use.line, name))
                hint = " (in a `try`: the program may do without it)" if use.guarded else ""
                print(f"{use.file}:{use.line}: treadle has no `{name}`{hint}")
                if not use.guarded:
                    lacking.add(name)
    print(f"{files} files take {len(known)} names of JAX's; treadle lacks {len(lacking)}")
    return status or int(bool(lacking))
