"""What a function's byte code reads and writes outside of itself: variables, attributes, entries of containers.

A `Path` names something as the source does: `scale`, `self.scale`, `config['lr']`. The byte code of a function is read
once, in one pass; of an expression that is too complicated for a path, nothing is known.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Final, Literal, NamedTuple, TypeAlias, final

Root: TypeAlias = Literal["global", "free", "argument"]
_LOADS: Final[dict[str, Root]] = {
    "LOAD_GLOBAL": "global",
    "LOAD_NAME": "global",
    "LOAD_DEREF": "free",
    "LOAD_CLASSDEREF": "free",
    "LOAD_FAST": "argument",
    "LOAD_FAST_BORROW": "argument",
    "LOAD_FAST_CHECK": "argument",
    "LOAD_FAST_LOAD_FAST": "argument",  # of two variables; the second one is on top
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": "argument",
    "STORE_FAST_LOAD_FAST": "argument",
}
_ATTRIBUTES: Final = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_CONSTANTS: Final = frozenset({"LOAD_CONST", "LOAD_SMALL_INT"})
_WITHOUT_MEANING: Final = frozenset(
    {"CACHE", "EXTENDED_ARG", "NOP", "PRECALL", "PUSH_NULL", "RESUME"}
)
_VARARGS: Final = 0x04
_VARKEYWORDS: Final = 0x08

Step: TypeAlias = tuple[Literal[".", "["], object]  # an attribute's name, or a constant index


@final
@dataclass(frozen=True, slots=True)
class Path:
    """What an expression names: a variable, and the attributes and entries that are read from it.

    Example:
        >>> str(Path("argument", "self", ((".", "options"), ("[", "lr"))))
        "self.options['lr']"
    """

    root: Root
    name: str
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        shown = [f".{key}" if kind == "." else f"[{key!r}]" for kind, key in self.steps]
        return self.name + "".join(shown)


class Read(NamedTuple):
    """A value that is read, or a method that is called."""

    path: Path
    offset: int  # of the instruction
    method: str = ""  # the method of the value that is called, if there is one
    whole: bool = (
        False  # whether all entries of a container are read, or an entry with a computed index
    )


class Store(NamedTuple):
    """A variable or an attribute that is assigned."""

    root: Literal["global", "free", "attribute"]
    name: str
    owner: Path | None  # the object with the attribute
    offset: int  # of the instruction


@final
@dataclass(frozen=True, slots=True)
class Facts:
    """What a function's byte code says."""

    code: CodeType
    reads: tuple[Read, ...]
    stores: tuple[Store, ...]

    arguments: frozenset[str]  # of which an attribute or an entry is read or written


def facts_of(code: CodeType) -> Facts:
    """Return what a function reads and writes outside of itself.

    Args:
        code: its code.

    Example:
        >>> scale = 10
        >>> [str(read.path) for read in facts_of((lambda x: x * scale).__code__).reads]
        ['scale']
    """
    arguments = frozenset(_argument_names(code))
    free = frozenset(code.co_freevars)
    instructions = [
        each for each in dis.get_instructions(code) if each.opname not in _WITHOUT_MEANING
    ]
    reads: list[Read] = []
    stores: list[Store] = []
    copied: Path | None = (
        None  # the object whose attribute is changed in place, as by `self.n += 1`
    )
    owner: Path | None = None  # what is on top of the stack, if the last instruction was about it
    position = 0
    while position < len(instructions):
        here = instructions[position]
        root = _LOADS.get(here.opname)
        pair = root is not None and isinstance(here.argval, tuple)
        name = here.argval[-1] if pair else here.argval
        if here.opname == "STORE_GLOBAL":
            stores.append(Store("global", here.argval, None, here.offset))
        elif here.opname == "STORE_DEREF" and here.argval in free:
            stores.append(Store("free", here.argval, None, here.offset))
        elif here.opname == "STORE_ATTR":
            before = instructions[position - 1].opname
            found = copied if before == "SWAP" else owner
            if found is not None:
                stores.append(Store("attribute", here.argval, found, here.offset))
        owner = None
        if root is None or (root == "free" and name not in free):
            position += 1
            continue
        is_known = root != "argument" or name in arguments
        path, read, position, copies = _followed(Path(root, name), instructions, position)
        if not is_known:
            continue
        if copies:
            copied = path
        owner = path
        if read is not None and (read.path.steps or read.method or root != "argument"):
            reads.append(read)
    paths = [*[each.path for each in reads], *[each.owner for each in stores if each.owner]]
    owners = frozenset([path.name for path in paths if path.root == "argument"])
    return Facts(code, tuple(reads), tuple(stores), owners)


def _followed(
    path: Path, instructions: list[dis.Instruction], position: int
) -> tuple[Path, Read | None, int, bool]:
    """Follow the attributes and entries that are read from a variable.

    Returns:
        The path of what is on top of the stack then; what is read; the position of the next instruction; whether the
        object is copied, so that an attribute of it can be changed in place.
    """
    offset = instructions[position].offset
    position += 1
    while position < len(instructions):
        here = instructions[position]
        after = instructions[position + 1].opname if position + 1 < len(instructions) else ""
        if here.opname == "LOAD_METHOD" or (here.opname == "LOAD_ATTR" and _is_method(here)):
            return path, Read(path, here.offset, here.argval), position + 1, False
        if here.opname in _ATTRIBUTES:
            path = Path(path.root, path.name, (*path.steps, (".", here.argval)))
            offset = here.offset
            position += 1
        elif here.opname in _CONSTANTS and after.startswith("BINARY_SUBSCR"):
            path = Path(path.root, path.name, (*path.steps, ("[", here.argval)))
            offset = instructions[position + 1].offset
            position += 2
        elif here.opname == "COPY" and after == "LOAD_ATTR":
            return path, None, position + 1, True
        else:
            break
    return path, Read(path, offset, whole=_reads_all(instructions, position)), position, False


def _is_method(instruction: dis.Instruction) -> bool:
    """Return whether an attribute is read in order to be called (Python 3.12)."""
    return isinstance(instruction.arg, int) and "NULL" in instruction.argrepr


def _reads_all(instructions: list[dis.Instruction], position: int) -> bool:
    """Return whether a container on top of the stack is iterated over, or passed on, or indexed by a variable."""
    after = instructions[position].opname if position < len(instructions) else ""
    if after in ("GET_ITER", "LIST_EXTEND", "SET_UPDATE", "UNPACK_SEQUENCE", "CALL", "GET_LEN"):
        return True
    # An index that is computed: its instructions come first.
    later = [each.opname for each in instructions[position : position + 3]]
    return any([name.startswith("BINARY_SUBSCR") for name in later])


def _argument_names(code: CodeType) -> Iterator[str]:
    """Yield the names of all arguments."""
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & _VARARGS) + bool(code.co_flags & _VARKEYWORDS)
    yield from code.co_varnames[:count]
