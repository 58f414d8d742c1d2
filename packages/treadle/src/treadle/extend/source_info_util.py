"""Where operations come from: lines of the user's, and stacks of names of scopes and transformations.

A stack of names is written as one text, the scope of an operation: `encoder/jvp(attention)`. Names that are added
after a transformation go into its brackets.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias, final

from treadle_ir import named_scope
from treadle_ir.errors import boundaries, integer, names, refused, source
from treadle_ir.process import frozen
from treadle_ir.tracing import within

__all__ = [
    "NameStack",
    "Scope",
    "SourceInfo",
    "Transform",
    "current",
    "current_name_stack",
    "extend_name_stack",
    "new_name_stack",
    "new_source_info",
    "register_exclusion",
    "reset_name_stack",
    "set_name_stack",
    "summarize",
    "transform_name_stack",
    "user_context",
]

Traceback: TypeAlias = source.Source
"""A place in the user's code, which is what is remembered of a traceback."""


@final
@frozen
class Scope:
    """A name in a stack."""

    name: str

    @property
    def text(self) -> str:
        """What it adds to the scope."""
        return self.name


@final
@frozen
class Transform:
    """A transformation in a stack: the names after it go into its brackets."""

    name: str

    @property
    def text(self) -> str:
        """What it adds to the scope."""
        return f"{self.name}()"


@final
@frozen
class NameStack:
    """Names of scopes and transformations, outermost first. `str` gives the scope.

    Example:
        >>> from treadle.extend.source_info_util import new_name_stack
        >>> str(new_name_stack("encoder").transform("jvp").extend("attention"))
        'encoder/jvp(attention)'
    """

    stack: tuple[Scope | Transform, ...] = ()

    def extend(self, name: str) -> NameStack:
        """Return the stack with one more name."""
        names("NameStack.extend", name=name)
        return NameStack((*self.stack, Scope(name)))

    def transform(self, transform_name: str) -> NameStack:
        """Return the stack with a transformation of the names that follow."""
        names("NameStack.transform", transform_name=transform_name)
        return NameStack((*self.stack, Transform(transform_name)))

    def __add__(self, other: NameStack) -> NameStack:
        return NameStack((*self.stack, *other.stack))

    def __radd__(self, other: NameStack) -> NameStack:
        return NameStack((*other.stack, *self.stack))

    def __len__(self) -> int:
        return len(self.stack)

    def __getitem__(self, index: slice | int) -> NameStack | Scope | Transform:
        return NameStack(self.stack[index]) if isinstance(index, slice) else self.stack[index]

    def __str__(self) -> str:
        scope = ""
        for each in self.stack:
            scope = within(scope, each.text)
        return scope


@final
@dataclass(frozen=True)
class SourceInfo:
    """Where an operation comes from: a place in the user's code, or None, and a stack of names."""

    traceback: Traceback | None
    name_stack: NameStack

    @staticmethod
    def of(place: source.Source) -> SourceInfo:
        """Return the source information of an equation's `place`."""
        return SourceInfo(None if place is source.NOWHERE else place, _stack(place.scope))

    @property
    def source(self) -> source.Source:
        """The place, in its scope."""
        here = source.NOWHERE if self.traceback is None else self.traceback
        return source.rescoped(here, str(self.name_stack))

    def replace(self, **changes: Traceback | NameStack | None) -> SourceInfo:
        """Return a copy with another `traceback` or `name_stack`."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return self.source.show()


def new_name_stack(name: str = "") -> NameStack:
    """Return a stack of one name, or an empty one."""
    return NameStack().extend(name) if name else NameStack()


def new_source_info() -> SourceInfo:
    """Return empty source information."""
    return SourceInfo(None, NameStack())


def _stack(scope: str) -> NameStack:
    # A scope is one name of its own: what it was joined of is not remembered, and its text is the same.
    return NameStack((Scope(scope),)) if scope else NameStack()


def current_name_stack() -> NameStack:
    """Return the names of the scopes that are entered now.

    Example:
        >>> import treadle
        >>> from treadle.extend.source_info_util import current_name_stack
        >>> with treadle.named_scope("encoder"):
        ...     print(current_name_stack())
        encoder
    """
    here = source.place.get()
    return _stack("" if here is None else here.scope)


def current() -> SourceInfo:
    """Return the place in the user's code that runs now, and the names of the scopes."""
    return SourceInfo.of(source.operation_source())


@contextmanager
def extend_name_stack(name: str) -> Iterator[NameStack]:
    """`with extend_name_stack("encoder") as stack:` as `named_scope`; gives the stack of names."""
    with named_scope(name):
        yield current_name_stack()


@contextmanager
def transform_name_stack(name: str) -> Iterator[NameStack]:
    """`with transform_name_stack("jvp"):` names of scopes within go into its brackets: `jvp(attention)`."""
    names("transform_name_stack", name=name)
    with _entered(current_name_stack().transform(name)):
        yield current_name_stack()


@contextmanager
def set_name_stack(name_stack: NameStack) -> Iterator[None]:
    """`with set_name_stack(stack):` operations are in that scope, and in no other.

    Raises:
        ArgumentError: it is not a stack of names.
    """
    if not isinstance(name_stack, NameStack):
        raise refused(
            "set_name_stack", "name_stack", "a stack, as of `new_name_stack()`", name_stack
        )
    with _entered(name_stack):
        yield


@contextmanager
def reset_name_stack() -> Iterator[None]:
    """`with reset_name_stack():` operations are in no scope."""
    with _entered(NameStack()):
        yield


def _entered(name_stack: NameStack) -> source.placed:
    outer = source.place.get()
    return source.placed(source.Place(str(name_stack), None if outer is None else outer.replayed))


@contextmanager
def user_context(
    traceback: Traceback | None, *, name_stack: NameStack | None = None
) -> Iterator[None]:
    """`with user_context(eqn.source_info.traceback):` attribute operations to that place, and name it in errors.

    Raises:
        ArgumentError: an argument is not of its kind.

    Example:
        >>> import treadle
        >>> from treadle.extend.source_info_util import new_name_stack, user_context
        >>> def f(x):
        ...     with user_context(None, name_stack=new_name_stack("mine")):
        ...         return x + 1
        >>> print(treadle.make_jaxpr(f)(1.0).eqns[0].source_info.name_stack)
        mine
    """
    if traceback is not None and not isinstance(traceback, source.Source):
        raise refused("user_context", "traceback", "the traceback of a SourceInfo", traceback)
    if name_stack is not None and not isinstance(name_stack, NameStack):
        raise refused("user_context", "name_stack", "a NameStack", name_stack)
    outer = source.place.get()
    scope = "" if outer is None else outer.scope
    if name_stack is not None:
        scope = str(name_stack)
    known = None if outer is None else outer.replayed
    with source.placed(source.Place(scope, known if traceback is None else traceback)):
        yield


def summarize(source_info: SourceInfo, num_frames: int = 1) -> str:
    """Return the file, line and function of a place: `train.py:41 (loss)`; empty where nothing is known.

    `num_frames` says how many lines of those that called it follow, where these are remembered.

    Raises:
        ArgumentError: an argument is not of its kind.
    """
    if not isinstance(source_info, SourceInfo):
        raise refused("summarize", "source_info", "a SourceInfo, such as `current()`", source_info)
    count = integer("summarize", "num_frames", num_frames)
    here = source_info.traceback
    if here is None:
        return ""
    shown = [here, *here.callers][: max(count, 1)]
    return "\n".join(f"{each.file}:{each.line} ({each.function})" for each in shown)


def register_exclusion(path: str) -> None:
    """Leave the lines of a file, or of the files of a folder, out of tracebacks and messages.

    Raises:
        ArgumentError: it is not a string.
    """
    names("register_exclusion", path=path)
    source.internal(path)


boundaries(__name__)
