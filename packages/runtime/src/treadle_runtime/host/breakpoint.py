"""`debug.breakpoint`: a prompt in the middle of a function, also of a compiled one.

The variables of the frames around the call are taken when the function runs as Python; the arrays among them, which
are traced then, are passed to a callback, and have their elements when the prompt comes.
"""

from __future__ import annotations

import bdb
import cmd
import linecache
import pprint
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import IO, Any, Final, final

from treadle_ir import ArgumentError, Array
from treadle_ir.errors import flags, integer_or_none, source
from treadle_ir.tree import PyTreeDef, tree_flatten
from treadle_runtime.host.callbacks import debug_callback

_AROUND: Final = 5  # lines of the listing before and after the current one
_OPTIONS: Final = frozenset({"stdin", "stdout", "completekey"})


@final
@dataclass(frozen=True, slots=True)
class _Variable:
    """A variable that holds arrays: its structure and its leaves, the arrays among them by their number."""

    structure: PyTreeDef
    leaves: tuple[Any, ...]
    arrays: Mapping[int, int]  # index among the leaves to index among the operands

    def with_arrays(self, operands: Sequence[Any]) -> Any:
        """Return the variable with elements."""
        leaves = [*self.leaves]
        for leaf, operand in self.arrays.items():
            leaves[leaf] = operands[operand]
        return self.structure.unflatten(leaves)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """A frame of the user's: where it is, and its variables."""

    file: str
    line: int
    function: str
    module: dict[str, Any]
    variables: Mapping[str, Any]

    def show(self) -> str:
        """Return the text `train.py(41)loss()`, and the line."""
        text = linecache.getline(self.file, self.line, self.module).strip()
        return f"{self.file}({self.line}){self.function}()\n-> {text}"


def breakpoint(
    *,
    backend: str | None = None,
    filter_frames: bool = True,
    num_frames: int | None = None,
    ordered: bool = False,
    token: Any = None,
    **kwargs: Any,
) -> Any:
    """Stop here, also in a compiled function, with a prompt that knows the variables: `p x`, `where`, `continue`.

    Arrays are NumPy arrays at the prompt. Under vmap it stops for each element.

    Args:
        backend: only "cli", the prompt, which is the default.
        filter_frames: leave out treadle's own frames.
        num_frames: the greatest number of frames to show, innermost first.
        ordered: stops come in the order of the program.
        token: returned unchanged.
        kwargs: `stdin` and `stdout`, the files that the prompt reads and writes.

    Raises:
        ArgumentError: another backend, or an unknown option.

    Example:
        >>> import io
        >>> prompt = io.StringIO()
        >>> x = 3
        >>> _ = breakpoint(stdin=io.StringIO("p x + 1\\nc\\n"), stdout=prompt)
        >>> "4" in prompt.getvalue()
        True
    """
    if backend not in (None, "cli"):
        raise ArgumentError(
            f"debug.breakpoint: there is no backend {backend!r}", fix="leave it out, or say 'cli'"
        )
    unknown = sorted(kwargs.keys() - _OPTIONS)
    if unknown:
        raise ArgumentError(
            f"debug.breakpoint: unknown option {unknown[0]!r}; there are {', '.join(sorted(_OPTIONS))}"
        )
    flags("debug.breakpoint", filter_frames=filter_frames, ordered=ordered)
    most = integer_or_none("debug.breakpoint", "num_frames", num_frames)
    operands: list[Any] = []
    frames: list[_Frame] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (most is None or len(frames) < most):
        if not (filter_frames and source.is_internal(frame.f_code.co_filename)):
            frames.append(_taken(frame, operands))
        frame = frame.f_back
    debug_callback(_Stop(frames, kwargs), *operands, ordered=ordered)
    return token


def _taken(frame: FrameType, operands: list[Any]) -> _Frame:
    variables: dict[str, Any] = {}
    # What a module defines is looked up when it is asked for.
    local = {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)
    for name, value in local.items():
        variables[name] = _variable(value, operands)
    code = frame.f_code
    return _Frame(code.co_filename, frame.f_lineno, code.co_name, frame.f_globals, variables)


def _variable(value: Any, operands: list[Any]) -> Any:
    """Return the value, or a `_Variable` if there are arrays in it, which are put to the operands."""
    try:
        leaves, structure = tree_flatten(value)
    except Exception:  # whatever a user's object raises when it is flattened
        return value
    arrays: dict[int, int] = {}
    for index, leaf in enumerate(leaves):
        if isinstance(leaf, Array):
            arrays[index] = len(operands)
            operands.append(leaf)
    return _Variable(structure, tuple(leaves), arrays) if arrays else value


@final
class _Stop:
    """The callback: opens the prompt."""

    def __init__(self, frames: Sequence[_Frame], options: Mapping[str, Any]) -> None:
        self._frames = frames
        self._options = options

    def __call__(self, *operands: Any) -> None:
        frames = [
            _Frame(
                frame.file,
                frame.line,
                frame.function,
                frame.module,
                {
                    name: value.with_arrays(operands) if isinstance(value, _Variable) else value
                    for name, value in frame.variables.items()
                },
            )
            for frame in self._frames
        ]
        Prompt(frames, **self._options).cmdloop()


@final
class Prompt(cmd.Cmd):
    """The prompt. Frames are numbered from the innermost."""

    prompt = "(treadle) "

    def __init__(
        self,
        frames: Sequence[_Frame],
        *,
        stdin: IO[str] | None = None,
        stdout: IO[str] | None = None,
        completekey: str = "tab",
    ) -> None:
        super().__init__(completekey, stdin, stdout)
        self.use_rawinput = stdin is None
        self._frames = frames
        self._at = 0
        self.intro = "Stopped in a treadle program; `help` lists the commands.\n" + self._here()

    def _here(self) -> str:
        return f"> {self._frames[self._at].show()}" if self._frames else "> no frame of yours"

    def _say(self, text: str) -> None:
        self.stdout.write(text + "\n")

    def _value(self, expression: str) -> tuple[bool, Any]:
        frame = self._frames[self._at] if self._frames else None
        try:
            module = {} if frame is None else frame.module
            return True, eval(expression, module, {} if frame is None else dict(frame.variables))
        except (
            Exception
        ) as error:  # whatever the expression raises is printed, and the prompt continues
            self._say(f"*** {type(error).__name__}: {error}")
            return False, None

    def default(self, line: str) -> None:
        """Print the value of an expression, which is any line that is not a command."""
        self.do_p(line)

    def do_EOF(self, arg: str) -> bool:  # noqa: N802 - as `cmd` calls it
        """Continue at the end of the input."""
        return True

    def emptyline(self) -> bool:
        """Ignore an empty line."""
        return False

    def do_p(self, arg: str) -> None:
        """p expression: print the value of an expression."""
        known, value = self._value(arg)
        if known:
            self._say(repr(value))

    def do_pp(self, arg: str) -> None:
        """pp expression: print the value of an expression, in lines."""
        known, value = self._value(arg)
        if known:
            self._say(pprint.pformat(value))

    def do_locals(self, arg: str) -> None:
        """locals: print all variables of the frame."""
        if self._frames:
            for name, value in self._frames[self._at].variables.items():
                self._say(f"{name} = {value!r}")

    def do_where(self, arg: str) -> None:
        """where (w, bt): print all frames, outermost first."""
        for number, frame in reversed([*enumerate(self._frames)]):
            self._say(f"{'>' if number == self._at else ' '} {frame.show()}")

    def do_list(self, arg: str) -> None:
        """list (l): print the lines around the current one."""
        if not self._frames:
            return
        frame = self._frames[self._at]
        for number in range(max(frame.line - _AROUND, 1), frame.line + _AROUND + 1):
            text = linecache.getline(frame.file, number, frame.module)
            if text:
                self._say(f"{number:4} {'->' if number == frame.line else '  '} {text.rstrip()}")

    def do_up(self, arg: str) -> None:
        """up (u): go to the frame that called this one."""
        self._go(self._at + 1, "this is the outermost frame")

    def do_down(self, arg: str) -> None:
        """down (d): go to the frame that this one called."""
        self._go(self._at - 1, "this is the innermost frame")

    def _go(self, to: int, otherwise: str) -> None:
        if 0 <= to < len(self._frames):
            self._at = to
            self._say(self._here())
        else:
            self._say(f"*** {otherwise}")

    def do_continue(self, arg: str) -> bool:
        """continue (c, cont): continue the program."""
        return True

    def do_quit(self, arg: str) -> bool:
        """quit (q, exit): end the program, with bdb.BdbQuit."""
        raise bdb.BdbQuit

    do_w = do_bt = do_where
    do_l = do_list
    do_u, do_d = do_up, do_down
    do_c = do_cont = do_continue
    do_q = do_exit = do_quit
    do_a = do_locals
