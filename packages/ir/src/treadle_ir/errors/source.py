"""Locations in the user's code: captured cheaply, and resolved to a line on demand.

Capturing is on the hot path of staging, so it stores a code object and an instruction offset; the line
number and the text of the line are read only when a message or a printed program needs them. Frames of
treadle's own packages are skipped: a package declares its own folders with `internal`.
"""

from __future__ import annotations

import linecache
import os
import sys
from contextvars import ContextVar
from types import CodeType, FrameType
from typing import Any, ClassVar, Final, Literal, TypeAlias, final

FileKind: TypeAlias = Literal["ours", "standard", "installed", "user"]
_STANDARD: Final = os.path.join(os.path.dirname(os.__file__), "")
_GENERATED: Final = "<frozen", "<string>", "<__array_function__", "<timeit"  # code without a file
_INTERNAL: Final[list[str]] = []
_LIBRARIES: Final = "standard", "installed"
_LIMIT: Final = 16384
_IS_INTERNAL: Final[dict[str, bool]] = {}  # by file name; filled on demand


def internal(path: str) -> None:
    """Declare that the files in a folder, or one file, belong to treadle and are never the user's code."""
    whole = os.path.abspath(path)
    known = whole if path.endswith(".py") else os.path.join(whole, "")
    if known not in _INTERNAL:
        _INTERNAL.append(known)
        _IS_INTERNAL.clear()


def is_internal(filename: str) -> bool:
    """Return whether a file belongs to treadle (or to the import machinery), by its name."""
    known = _IS_INTERNAL.get(filename)
    if known is None:
        known = filename.startswith((*_INTERNAL, "<frozen", "<string>"))
        known = known or filename.endswith((os.sep + "contextlib.py", os.sep + "functools.py"))
        if len(_IS_INTERNAL) >= _LIMIT:  # a notebook cell has a new name each time that it runs
            _IS_INTERNAL.clear()
        _IS_INTERNAL[filename] = known
    return known


def kind_of_file(file: str) -> FileKind:
    """Return whose code a file has: treadle's own, the standard library's, an installed package's, or the user's.

    Code without a file, such as a generated method of a dataclass, counts as the standard library's.

    Args:
        file: the name of the file, as in a code object.

    Example:
        >>> import os, numpy
        >>> kind_of_file(__file__), kind_of_file(os.__file__), kind_of_file(numpy.__file__), kind_of_file("train.py")
        ('ours', 'standard', 'installed', 'user')
    """
    if file.startswith(tuple(_INTERNAL)):
        return "ours"
    if "site-packages" in file or "dist-packages" in file:
        return "installed"
    if file.startswith((_STANDARD, *_GENERATED)):
        return "standard"
    return "user"


def short_name(file: str) -> str:
    """Return a file's name without its folders; for a notebook cell, `In[3]`, as in IPython's own tracebacks."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    name_of = getattr(getattr(shell, "compile", None), "format_code_name", None)
    named = None if name_of is None else name_of(file)  # a kind and a name, for IPython's cells
    return named[1] if named else os.path.basename(file)


class Source:
    """A location in the user's code; `NOWHERE` if there is none."""

    __slots__ = ("code", "offset")
    scope: ClassVar[str] = (
        ""  # the names of the scopes around it, outermost first: `encoder/attention`
    )
    path: ClassVar[str] = ""  # the scope with the transformations: `encoder/jvp(attention)`
    names: ClassVar[tuple[str, str] | None] = None  # the scope and the path, if there are any
    callers: ClassVar[tuple[Source, ...]] = ()  # the locations that called it, if they are recorded
    derivative_of: ClassVar[str] = (
        ""  # the operation of whose derivative the equation is a part, by name
    )

    def __init__(self, code: CodeType | None, offset: int) -> None:
        self.code = code
        self.offset = offset

    @property
    def file(self) -> str:
        """The file's path, or an empty string."""
        return "" if self.code is None else self.code.co_filename

    @property
    def function(self) -> str:
        """The qualified name of the function that contains the location."""
        return "" if self.code is None else self.code.co_qualname

    @property
    def line(self) -> int:
        """The line number, counted from 1; 0 if there is none."""
        if self.code is None:
            return 0
        index = self.offset // 2
        for position, (line, *_) in enumerate(self.code.co_positions()):
            if position == index:
                return line or self.code.co_firstlineno
        return self.code.co_firstlineno

    @property
    def span(self) -> tuple[int, int, int, int]:
        """The first and the last line, counted from 1, the first column, and the column after the last.

        Columns are counted from 1, in bytes of the line in UTF-8; 0 if they are unknown.
        """
        if self.code is not None:
            index = self.offset // 2
            for position, (line, end, start, stop) in enumerate(self.code.co_positions()):
                if position == index:
                    if line is None or end is None or start is None or stop is None:
                        break
                    return line, end, start + 1, stop + 1
        return self.line, self.line, 0, 0

    def show(self) -> str:
        """Return `train.py:41, in loss:  y = x + b`, or an empty string."""
        if not self.function:
            return f"{self.file}:{self.line}" if self.file else ""
        line = self.line
        text = linecache.getline(self.file, line).strip()
        place = f"{short_name(self.file)}:{line}, in {self.function}"
        return f"{place}:  {text}" if text else place

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle the location as a `ReadSource`, since code objects cannot be pickled."""
        if self is NOWHERE:
            return "NOWHERE"
        return ReadSource, (self.file, self.line, self.function, self.scope, self.callers)

    def __repr__(self) -> str:
        return f"Source({self.show()})"


_NO_NAMES: Final = "", ""


class WideSource(Source):
    """A location within named scopes, or with recorded callers."""

    __slots__ = ("callers", "names")

    def __init__(
        self,
        code: CodeType | None,
        offset: int,
        names: tuple[str, str] | None,
        callers: tuple[Source, ...] = (),
    ) -> None:
        self.code = code
        self.offset = offset
        self.names = names  # type: ignore[misc]  # most locations share one pair
        self.callers = callers  # type: ignore[misc]

    @property
    def scope(self) -> str:  # type: ignore[override]
        """The names of the scopes around it."""
        return (self.names or _NO_NAMES)[0]

    @property
    def path(self) -> str:  # type: ignore[override]
        """The names with the transformations."""
        return (self.names or _NO_NAMES)[1]

    def show(self) -> str:
        """Return the location, and the lines that called it."""
        return "\n    called from ".join([super().show(), *[each.show() for each in self.callers]])


@final
class DerivativeSource(WideSource):
    """The location of an operation whose derivative the equation is a part of: a slope, a tangent or a cotangent."""

    __slots__ = ("derivative_of",)

    def __init__(
        self,
        code: CodeType | None,
        offset: int,
        names: tuple[str, str] | None,
        callers: tuple[Source, ...],
        derivative_of: str,
    ) -> None:
        self.code = code
        self.offset = offset
        self.names = names  # type: ignore[misc]  # as in `WideSource`
        self.callers = callers  # type: ignore[misc]
        self.derivative_of = derivative_of  # type: ignore[misc]


class ReadSource(Source):
    """A location that was read from a program's text, or from a pickle: it has a file and a line but no code object.

    A pickle has the function, the scopes and the callers, too; a text does not.
    """

    __slots__ = ("_file", "_function", "_line", "callers", "scope")

    def __init__(
        self,
        file: str,
        line: int,
        function: str = "",
        scope: str = "",
        callers: tuple[Source, ...] = (),
    ) -> None:
        super().__init__(None, 0)
        self._file = file
        self._line = line
        self._function = function
        self.scope = scope  # type: ignore[misc]
        self.callers = callers  # type: ignore[misc]

    @property
    def file(self) -> str:
        """The file's name in the text."""
        return self._file

    @property
    def function(self) -> str:
        """The qualified name of the function that contains the location, if it is known."""
        return self._function

    @property
    def line(self) -> int:
        """The line number in the text."""
        return self._line


NOWHERE: Final = Source(None, 0)


def user_frame() -> FrameType | None:
    """Return the innermost frame that is not treadle's own."""
    frame: FrameType | None = sys._getframe(1)
    internal_names = _IS_INTERNAL
    while frame is not None:
        filename = frame.f_code.co_filename
        known = internal_names.get(filename)
        if known is None:
            known = is_internal(filename)
        if not known:
            return frame
        frame = frame.f_back
    return None


def user_stacklevel() -> int:
    """Return the `stacklevel` with which the caller's `warnings.warn` points at the user's line."""
    target = user_frame()
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame is not target:
        frame, level = frame.f_back, level + 1
    return level


def capture(depth: int = 1, names: tuple[str, str] | None = None) -> Source:
    """Return the location in the user's code that is running now, below `depth` frames that are known to be treadle's.

    `names` are its scope and path, if it has any.
    """
    frame: FrameType | None = sys._getframe(depth)
    known = _IS_INTERNAL
    while frame is not None:
        code = frame.f_code
        try:
            internal = known[code.co_filename]
        except KeyError:
            internal = is_internal(code.co_filename)
        if not internal:
            if names is None:
                return Source(code, frame.f_lasti)
            return WideSource(code, frame.f_lasti, names)
        frame = frame.f_back
    return NOWHERE if names is None else WideSource(None, 0, names)


@final
class Place:
    """The context of the operations that run now: their scope, and the location of the equation that is replayed."""

    __slots__ = ("names", "outer", "path", "replayed", "scope", "transposed")

    def __init__(
        self,
        scope: str,
        replayed: Source | None = None,
        outer: Place | None = None,
        path: str = "",
        transposed: dict[tuple[str, str], tuple[str, str]] | None = None,
    ) -> None:
        self.scope = scope
        self.transposed = transposed  # in a backward pass: its names by names of the forward pass
        self.path = path or scope  # the scope with the transformations
        self.names = (scope, self.path) if self.path else None
        self.replayed = replayed  # the location of the equation that is interpreted or transposed
        self.outer = outer  # for a named scope: the context to restore after it


place: Final[ContextVar[Place | None]] = ContextVar("treadle_place", default=None)


@final
class placed:  # noqa: N801 - reads as a statement
    """`with placed(Place(...)):` sets the context of the operations in the block."""

    __slots__ = ("_outer", "_place")

    def __init__(self, here: Place) -> None:
        self._place = here
        self._outer: Place | None = None

    def __enter__(self) -> None:
        self._outer = place.get()
        place.set(self._place)

    def __exit__(self, *error: object) -> None:
        place.set(self._outer)


def operation_source(depth: int = 1) -> Source:
    """Return the location of the operation that is applied now: the user's line, or its equation's location."""
    here = place.get()
    if here is None:
        return capture(depth + 1)
    replayed = here.replayed
    if replayed is not None and (replayed.code is not None or replayed.line):
        return replayed
    return capture(depth + 1, here.names)


def derivative_source(operation: str, depth: int = 1) -> Source:
    """Return the location of the operation that is applied now, for the equations of its derivative.

    Args:
        operation: the name of the operation.
        depth: the number of frames below that are known to be treadle's.
    """
    here = place.get()
    replayed = None if here is None else here.replayed
    found = operation_source(depth + 1) if replayed is None else replayed
    if (
        found.code is None or found.derivative_of
    ):  # of a derivative's derivative, the user's operation stays known
        return found
    return DerivativeSource(found.code, found.offset, found.names, found.callers, operation)


def transposed_source(source: Source, here: Place) -> Source:
    """Return the location of the operations that transpose an equation.

    Args:
        source: the location of the equation.
        here: the context of the backward pass.
    """
    names, known = source.names, here.transposed
    if names is None or known is None:
        return source
    pair = known.get(names)
    if pair is None:
        scope, path = names
        pair = f"transpose({scope})" if scope else "", transposed_path(path, here.path)
        known[names] = pair
    return _renamed(source, pair, source.callers)


def _renamed(source: Source, names: tuple[str, str], callers: tuple[Source, ...]) -> WideSource:
    """Return the same location with another scope and path, and with these callers."""
    operation = source.derivative_of
    if operation:
        return DerivativeSource(source.code, source.offset, names, callers, operation)
    return WideSource(source.code, source.offset, names, callers)


def transposed_path(path: str, around: str) -> str:
    """Return the path of the transpose of an operation; `around` is the path of the operation that differentiates.

    Example:
        >>> transposed_path("jvp(attention)/inner", "")
        'transpose(jvp(attention))/inner'
        >>> transposed_path("encoder/vmap(jvp(attention))/inner", "encoder/vmap()")
        'encoder/vmap(transpose(jvp(attention)))/inner'
    """
    opened = around.rstrip(")")
    before = opened if opened.endswith("(") else around and around + "/"
    start = len(before) if path.startswith(before) else 0
    depth, end = 0, start
    while end < len(path) and (depth or path[end] not in "/)"):
        depth += (path[end] == "(") - (path[end] == ")")
        end += 1
    return f"{path[:start]}transpose({path[start:end]}){path[end:]}"


def with_callers(source: Source, depth: int, most: int) -> Source:
    """Return a location with the user's lines that called it; `depth` is as for `capture`."""
    if source.code is None or source.callers:
        return source
    frame: FrameType | None = sys._getframe(depth)
    found: list[Source] = []
    met = False
    while frame is not None and len(found) < most:
        code = frame.f_code
        if not is_internal(code.co_filename):
            if met:
                found.append(Source(code, frame.f_lasti))
            met = met or code is source.code
        frame = frame.f_back
    return _renamed(source, (source.scope, source.path), tuple(found))


def rescoped(source: Source, scope: str, path: str = "") -> Source:
    """Return the same location in another scope; `path` is the scope with transformations."""
    if source.code is None or (source.scope == scope and source.path == (path or scope)):
        return source
    return _renamed(source, (scope, path or scope), source.callers)


def within(scope: str, name: str) -> str:
    """Return the scope of a name in a scope: `encoder/name`, or `jvp(name)` in a transformation's scope `jvp()`.

    Example:
        >>> within("encoder", "attention"), within("encoder/jvp(vmap())", "attention")
        ('encoder/attention', 'encoder/jvp(vmap(attention))')
    """
    begin = scope.rstrip(")")
    if begin != scope and begin.endswith("("):
        return f"{begin}{name}{scope[len(begin) :]}"
    return f"{scope}/{name}" if scope else name


def user_location() -> str:
    """Return the location in the user's code that is running now, as text for a message.

    If a library such as SciPy made the call, the user's call of the library comes first, and the library's line second.
    """
    found = capture()
    if kind_of_file(found.file) not in _LIBRARIES:
        return found.show()
    frame = user_frame()
    while frame is not None:
        code = frame.f_code
        if not is_internal(code.co_filename) and kind_of_file(code.co_filename) not in _LIBRARIES:
            return f"{Source(code, frame.f_lasti).show()}\n    inside of {found.show()}"
        frame = frame.f_back
    return found.show()


def location_of(frame: FrameType | None) -> str:
    """Return the location in the user's code that a thread with this innermost frame runs now, or an empty string."""
    while frame is not None:
        if not is_internal(frame.f_code.co_filename):
            return Source(frame.f_code, frame.f_lasti).show()
        frame = frame.f_back
    return ""


internal(os.path.dirname(os.path.dirname(__file__)))  # the folder of treadle_ir
