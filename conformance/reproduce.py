"""What a test that failed prints: a program in the text format, and a script that runs it on the test's operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

import treadle
from conformance.compositions import composed_twin, staged_with_operands
from treadle_ir import ArrayType, Operand, Program, bind, stage, type_of
from treadle_ir.core import dtypes
from treadle_ir.testing.examples import Example, sample
from treadle_ir.testing.programs import outermost
from treadle_ir.text import print_program

_LONGEST: Final = 40_000  # characters of a program; longer ones are named, and not printed
_MOST: Final = 4_000  # elements of an operand; larger ones are drawn again

_BEGINNING: Final = '''\
import numpy as np

import treadle
from treadle_ir import ReferenceEvaluator, evaluating, interpret
from treadle_ir.core import dtypes
from treadle_ir.text import parse_program


def array(bits, dtype, shape):
    return np.frombuffer(bytes.fromhex(bits), dtypes.BY_NAME[dtype]).reshape(shape)


program = parse_program(r"""{text}""")
operands = [
{operands}]


def function(*xs):
    return interpret(program, *xs)


def show(what, results):
    print(what, *[np.asarray(x) for x in treadle.tree.leaves(results)], sep="\\n")


treadle.config.update("treadle_enable_x64", {x64})
with evaluating(ReferenceEvaluator()):
    show("reference:", function(*operands))
'''
_COMPILED: Final = 'show("compiled:", treadle.jit(function)(*operands))\n'
_BATCHED: Final = """\
show("batched over two equal rows:", treadle.vmap(function)(*[np.stack([x, x]) for x in operands]))
"""
_DERIVATIVE: Final = """\
places = [i for i, x in enumerate(operands) if dtypes.is_inexact(x.dtype)]


def smooth(*xs):
    given = dict(zip(places, xs))
    results = function(*[given.get(i, x) for i, x in enumerate(operands)])
    return [y for y in results if dtypes.is_inexact(y.dtype)]


primals = [operands[i] for i in places]
directions = [np.random.default_rng(i).uniform(-1, 1, x.shape).astype(x.dtype) for i, x in enumerate(primals)]
results, tangents = treadle.jvp(smooth, tuple(primals), tuple(directions))
show("tangents:", tangents)
"""
_DIFFERENCES: Final = """\
step = 1e-4
right = smooth(*[x + step * d for x, d in zip(primals, directions)])
left = smooth(*[x - step * d for x, d in zip(primals, directions)])
show("differences:", [(np.asarray(a) - np.asarray(b)) / (2 * step) for a, b in zip(right, left)])
"""
_PAIRING: Final = """\
weights = [np.random.default_rng(i).uniform(-1, 1, y.shape).astype(y.dtype) for i, y in enumerate(results)]
cotangents = treadle.vjp(smooth, *primals)[1](weights)
show("<Jv, w>:", sum(np.sum(np.asarray(t) * w) for t, w in zip(tangents, weights)))
show("<v, J'w>:", sum(np.sum(d * np.asarray(c)) for d, c in zip(directions, cotangents)))
"""
# What each law compares, by the file it stands in.
_LAWS: Final[Mapping[str, str]] = {
    "test_lowering": _COMPILED,
    "test_reference": _COMPILED,
    "test_types": _COMPILED,
    "test_text": "",
    "test_damaged_texts": "",
    "test_rewrites": "from treadle_ir.rewrite import optimise\n\nprint(optimise(program))\n"
    + _COMPILED,
    "test_batching": _BATCHED,
    "test_jvp": _DERIVATIVE + _DIFFERENCES,
    "test_transpose": _DERIVATIVE + _PAIRING,
}


def array_text(operand: Operand) -> str:
    """An expression for an operand, exact to the bit."""
    x = np.asarray(operand)
    name = dtypes.dtype_name(x.dtype)
    return f'array("{x.tobytes().hex()}", "{name}", {x.shape})'


def script(
    program: Program, operands: Sequence[Operand], law: str, numpy: Sequence[Operand] = ()
) -> str:
    """A script of its own that shows what the two sides of a law give for a program.

    `numpy` is what NumPy gives, where that is one of the sides.
    """
    lines = [f"    {array_text(x)},  # {type_of(x)}: {_shown(x)}\n" for x in operands]
    beginning = _BEGINNING.format(
        text=print_program(program),
        operands="".join(lines),
        x64=treadle.config.read("treadle_enable_x64"),
    )
    known = f'show("NumPy:", [{", ".join(map(array_text, numpy))}])\n' if numpy else ""
    return beginning + _LAWS.get(law, _COMPILED) + known


def _shown(operand: Operand) -> str:
    with np.printoptions(precision=4, threshold=8, edgeitems=2):
        return " ".join(str(np.asarray(operand)).split())


def made_up(program: Program) -> list[Operand]:
    """Operands for a program of which nothing but the types is known."""
    random = np.random.default_rng(0)
    return [
        sample(random, type, (-2.0, 2.0))
        for type in program.parameter_types
        if isinstance(type, ArrayType)
    ]


def case(
    arguments: Mapping[str, Any], made: Sequence[Program]
) -> tuple[Program, list[Operand]] | None:
    """The program that a test is about, with operands; None where a test is about no program.

    `arguments` are the test's arguments: an example, or a program of the pool and its composition.
    Otherwise it is the last program that the test made.
    """
    seed = arguments.get("seed", 0)
    for value in arguments.values():
        if isinstance(value, Example):
            program = stage(lambda *xs: bind(value.primitive, *xs), *value.types).program  # noqa: B023
            drawn: Any = arguments.get("operands")  # by hypothesis, if any
            return program, drawn if _fit(drawn, value) else value.operands(seed)
    if "pooled" in arguments:
        return staged_with_operands(arguments["pooled"], arguments.get("composition", ()))
    programs = outermost(made)
    return (programs[-1], made_up(programs[-1])) if programs else None


def _fit(operands: Any, example: Example) -> bool:
    """Return whether `operands` are operands for `example`. Any: whatever a variable of this name holds."""
    if not isinstance(operands, list):
        return False
    if not all(isinstance(x, (np.ndarray, np.generic)) for x in operands):
        return False
    return [type_of(x) for x in operands] == [type.strong() for type in example.types]


def explained(arguments: Mapping[str, Any], made: Sequence[Program], law: str) -> str:
    """Return the text to print below a failure; empty for a test that is not about a program."""
    found = case(arguments, made)
    if found is None:
        return ""
    program, operands = found
    text = print_program(program)
    if len(text) > _LONGEST:
        return f"The program has {len(program.equations)} equations: too many to print."
    if "<opaque " in text or any(np.asarray(x).size > _MOST for x in operands):
        return f"This one cannot be read back, or its operands are large:\n\n{text}"
    numpy: list[Operand] = []
    if law == "test_compositions" and "pooled" in arguments:
        numpy = treadle.tree.leaves(composed_twin(arguments["pooled"], arguments["composition"]))
    runs = script(program, operands, law, numpy)
    return f"Save as failure.py and run it by `python failure.py`:\n\n{runs}"
