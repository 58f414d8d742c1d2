"""100,000 damaged texts of real programs: each is a program, or raises the parser's own error at a place in it.

The damage is drawn from fixed seeds, so a text that fails is met again, and is printed. With
TREADLE_CONFORMANCE_LONG=1 there are ten times as many, from seeds that are new each time.
"""

from __future__ import annotations

import functools
import itertools
import random
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeAlias

import numpy as np
import pytest

import treadle
from conformance.cases import chosen
from conformance.compositions import program_of
from conformance.effort import LONG, SEED
from conformance.programs_pool import POOL
from treadle_ir import ArrayType, ParseError, Program, bind, stage
from treadle_ir.analysis import verify
from treadle_ir.core.equality import equal_programs
from treadle_ir.text import parse_program, print_program

pytestmark = pytest.mark.programs

BATCHES: Final = 20  # so that they spread over the workers
EACH: Final = 50_000 if LONG else 5_000
LONGEST: Final = (
    3_000  # characters of a text that is damaged: of longer ones, most of the time goes to reading
)
SECONDS: Final = 5.0  # of the processor, for one text

Damage: TypeAlias = Callable[[random.Random, str, Sequence[str]], str]

_TOKEN: Final = re.compile(
    r'%\w+|@\w+|"[^"\n]*"|[A-Za-z_][\w.]*(?:\[[\d, ]*\])?\*?|-?[\d.]+(?:e[+-]?\d+)?|->|\S'
)
_NUMBER: Final = re.compile(r"\d+")
_STRANGE: Final = (
    "\0", "\r", "\t", "\x0b", "\x1b", "\x85", "\xa0", "\u0663", "\u00b2", "\u200b", "\u2028", "\u202e", "\u0301",
    "\ufeff", "\uffff", "\ud800", "\U0001f9f5", "é", "Ω", "％", "ａ", "ſ", "İ",
)  # fmt: skip
_HUGE: Final = (
    "0", "-0", "-1", "00", "1" * 30, "9" * 400, "9" * 5_000, "2147483648", "4294967296", "9223372036854775808",
    "1e400", "1e-400", "1e999999999", "-1e5", "1.5", "1.", "inf", "-inf", "nan", "nan(0x1)", "nan(0xffffffffffffffff)",
)  # fmt: skip
_PIECES: Final = (
    "()", "(1,)", "(,)", "((1, 2), 3)", "None", "True", "set(1, 2)", "set(nan)", "dense(f32[1], x\"00000000\")",
    "dense(f32[0], x\"\")", "scalar(1.0:f32)", "1.0:f32", "1:i32*", "(1.0, 2.0):c64", "(1.0, 2.0)j", "token", "bool",
    "f32[2,3]", "f32[]*", "f32[99999999,99999999]", "i4[3]", "<opaque f>", "@main", "@p0", "%0", "%nothing", "return",
    "program", "treadle 1", "}", "{", "!callback", " @ \"f.py\":3", "\\u{41}", "x\"0\"", "#", "\n", "Cast.x",
    "object()", "Program()", "ArrayType()", "__class__", "f0[2]", "bf16", "c128", "label=\"x\"", "dtype=f32",
)  # fmt: skip


# --- kinds of damage ----------------------------------------------------------------------------------


def bytes_flipped(rng: random.Random, text: str, others: Sequence[str]) -> str:
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(rng.choice((1, 1, 2, 8))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return data.decode(rng.choice(("utf-8", "latin-1")), "replace")


def deleted(rng: random.Random, text: str, others: Sequence[str]) -> str:
    at = rng.randrange(len(text))
    return text[:at] + text[at + rng.choice((1, 1, 2, 5, 40)) :]


def truncated(rng: random.Random, text: str, others: Sequence[str]) -> str:
    return text[: rng.randrange(len(text))]


def lines_moved(rng: random.Random, text: str, others: Sequence[str]) -> str:
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    line = lines[at] if rng.random() < 0.5 else lines.pop(at)
    lines.insert(rng.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def tokens(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _TOKEN.finditer(text)] or [(0, 0)]


def tokens_swapped(rng: random.Random, text: str, others: Sequence[str]) -> str:
    places = tokens(text)
    (a, b), (c, d) = sorted((rng.choice(places), rng.choice(places)))
    if b > c:
        return text
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def token_changed(rng: random.Random, text: str, others: Sequence[str]) -> str:
    """For one of another program, or for a piece that means something somewhere."""
    a, b = rng.choice(tokens(text))
    if rng.random() < 0.3:
        return text[:a] + rng.choice(_PIECES) + text[b:]
    other = rng.choice(others)
    c, d = rng.choice(tokens(other))
    return text[:a] + other[c:d] + text[b:]


def token_repeated(rng: random.Random, text: str, others: Sequence[str]) -> str:
    a, b = rng.choice(tokens(text))
    return (
        text[:b]
        + rng.choice(("", " ", ", ", "\n"))
        + text[a:b] * rng.choice((1, 1, 3, 200))
        + text[b:]
    )


def number_changed(rng: random.Random, text: str, others: Sequence[str]) -> str:
    places = [match.span() for match in _NUMBER.finditer(text)]
    a, b = rng.choice(places or [(0, 0)])
    number = rng.choice(_HUGE) if rng.random() < 0.7 else str(rng.randrange(8))
    return text[:a] + number + text[b:]


def nested_deeply(rng: random.Random, text: str, others: Sequence[str]) -> str:
    a, b = rng.choice(tokens(text))
    left, right = rng.choice(
        (
            ("(", ")"),
            ("(", ",)"),
            ("set(", ")"),
            ("[", "]"),
            ("{", "}"),
            ("Literal(value=", ")"),
            ("-", ""),
        )
    )
    depth = rng.choice((1, 2, 64, 65, 500))
    return text[:a] + left * depth + text[a:b] + right * (depth - (rng.random() < 0.2)) + text[b:]


def strange_inserted(rng: random.Random, text: str, others: Sequence[str]) -> str:
    at = rng.randrange(len(text) + 1)
    strange = rng.choice(_STRANGE) if rng.random() < 0.7 else chr(rng.randrange(0x11_0000))
    return text[:at] + strange + text[at + rng.randrange(2) :]


def spliced(rng: random.Random, text: str, others: Sequence[str]) -> str:
    other = rng.choice(others)
    return text[: rng.randrange(len(text))] + other[rng.randrange(len(other)) :]


KINDS: Final[tuple[Damage, ...]] = (
    bytes_flipped, deleted, truncated, lines_moved, tokens_swapped, token_changed, token_changed, token_repeated,
    number_changed, number_changed, nested_deeply, strange_inserted, spliced,
)  # fmt: skip


# --- the law ------------------------------------------------------------------------------------------


@functools.cache
def texts() -> tuple[str, ...]:
    """Texts of all primitives and of the pool's programs, some with places in files; once per process.

    Programs of the pool are listed several times, so that about every third draw is one of them.
    """
    programs: list[Program] = [
        stage(lambda *xs, each=example: bind(each.primitive, *xs), *example.types).program
        for example in itertools.islice((each for each in chosen() if each.parses), 0, None, 3)
    ]
    with treadle.enable_x64():
        for number, pooled in enumerate(POOL.values()):
            programs.append(
                program_of(pooled, ("grad",) if number % 4 == 0 and pooled.reverse else ())
            )
    found = [print_program(each, locations=i % 5 == 0) for i, each in enumerate(programs)]
    short = [text for text in found if len(text) <= LONGEST]
    whole = [text for text in short if text.count(" = ") > 3]
    return tuple(short + whole * (len(short) // (3 * len(whole))))


class TooLong(BaseException):
    """Not an Exception: the parser answers those."""


@contextmanager
def limited(seconds: float) -> Iterator[Callable[[], None]]:
    """Raise `TooLong` when the processor has worked for so long since the last call of what this gives."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        yield lambda: None
        return

    def raised(*_: object) -> None:
        raise TooLong

    def start() -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)

    before = signal.signal(signal.SIGVTALRM, raised)
    try:
        yield start
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def judged(text: str) -> str:
    """Return what the parser makes of `text`: "program", or "error"."""
    program, error = read(text)
    if error is not None:
        lines = text.split("\n")
        assert 1 <= error.line <= len(lines), f"line {error.line} of {len(lines)}"
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1, f"column {error.column}"
        assert str(error).startswith(f"line {error.line}, column {error.column}: ")
        assert len(str(error)) < 2_000, "a message that is too long to read"
        return "error"
    assert program is not None
    verify(program)
    printed = print_program(program)
    again = parse_program(printed)
    assert equal_programs(again, program)
    assert print_program(again) == printed
    return "program"


def read(text: str) -> tuple[Program | None, ParseError | None]:
    try:
        return parse_program(text), None
    except ParseError as error:
        return None, error


def damaged(rng: random.Random) -> tuple[str, str]:
    """A damaged text, and the names of what was done to it."""
    text = rng.choice(texts())
    done = []
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        kind = rng.choice(KINDS)
        done.append(kind.__name__)
        text = kind(rng, text, texts()) or "x"
    return text, ", ".join(done)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_damaged_texts_are_programs_or_errors(batch: int, programs: list[Program]) -> None:
    texts()
    rng = random.Random(f"{SEED}/{batch}")
    found: Counter[str] = Counter()
    with limited(SECONDS) as start:
        for number in range(EACH):
            text, done = damaged(rng)
            start()
            try:
                found[judged(text)] += 1
            except (Exception, TooLong) as error:
                error.add_note(f"text {number} of batch {batch}, seed {SEED} ({done}):\n{text!r}")
                raise
            programs.clear()  # they were checked just now
    assert found["program"] > EACH // 50  # the law is about both
    assert found["error"] > EACH // 2


def test_every_kind_of_damage_does_damage(programs: list[Program]) -> None:
    rng = random.Random(1)
    for kind in KINDS:
        refused = 0
        for _ in range(60):
            text = kind(rng, rng.choice(texts()), texts()) or "x"
            before = len(programs)
            try:
                parse_program(text)
            except ParseError:
                refused += 1
                del programs[before:]  # what was read when it was found to break a promise
        assert refused > 5, kind.__name__


@pytest.mark.slow
def test_what_takes_too_long_is_stopped() -> None:
    """The law can fail: a parser that hangs is interrupted."""
    with limited(0.05) as start, pytest.raises(TooLong):  # noqa: PT012 - the limit has to be set
        start()
        end = time.process_time() + 10
        while time.process_time() < end:
            pass


def test_a_parser_that_fails_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law can fail: an error that is not the parser's own, or an invalid program, is found."""
    text = print_program(stage(lambda x: [x], ArrayType((), np.dtype("f4"))).program)
    assert judged(text) == "program"
    monkeypatch.setattr("treadle_ir.text.parser.read_type", lambda text: 1 / 0)
    assert judged(text) == "error"  # what the classes of attributes raise is answered
    monkeypatch.setattr("treadle_ir.text.parser._Parser.version", lambda self: {1: 2}[0])
    with pytest.raises(KeyError):
        judged(text)
