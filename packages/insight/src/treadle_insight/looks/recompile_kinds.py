"""The kinds of findings on functions that are traced or compiled again, each with a wrong and a right program."""

from __future__ import annotations

from typing import Final

from treadle_insight.kinds import Kind


def _kind(code: str, summary: str, before: str, wrong: str, right: str) -> Kind:
    """Return a kind whose programs differ in the calls that are watched."""
    wrong_text, right_text = [
        f"import treadle\nimport treadle.numpy as tnp\n{before}\nwith treadle.watch('recompile') as report:\n{calls}"
        for calls in (wrong, right)
    ]
    return Kind(f"recompile.{code}", summary, "", wrong_text, right_text)


KINDS: Final = (
    _kind(
        "shape",
        "A function is compiled for many sizes of one axis.",
        """\

@treadle.jit
def total(x):
    return (x * x).sum()

@treadle.jit
def total_of_first(x, size):
    return tnp.where(tnp.arange(len(x)) < size, x * x, 0).sum()
""",
        """\
    for size in range(1, 9):
        total(tnp.ones(size))
""",
        """\
    for size in range(1, 9):
        padded = 1 << (size - 1).bit_length()
        total_of_first(tnp.pad(tnp.ones(size), (0, padded - size)), size)
""",
    ),
    _kind(
        "static",
        "A function is compiled for many values of a static argument.",
        "",
        """\
    power = treadle.jit(lambda x, n: x * n, static_argnums=1)
    for n in range(5):
        power(tnp.ones(3), n)
""",
        """\
    power = treadle.jit(lambda x, n: x * n)
    for n in range(5):
        power(tnp.ones(3), n)
""",
    ),
    _kind(
        "function",
        "A function is defined and jitted again for each call.",
        "",
        """\
    for step in range(4):
        treadle.jit(lambda x: x + 1)(tnp.ones(3))
""",
        """\
    increment = treadle.jit(lambda x: x + 1)
    for step in range(4):
        increment(tnp.ones(3))
""",
    ),
    _kind(
        "hash",
        "A static argument is an object that equals only itself.",
        """\
from functools import partial

class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __hash__(self):
        return hash(self.factor)

class Equal(Scale):
    __hash__ = Scale.__hash__

    def __eq__(self, other):
        return type(other) is Equal and self.factor == other.factor

@partial(treadle.jit, static_argnums=0)
def scaled(scale, x):
    return scale.factor * x
""",
        """\
    for step in range(3):
        scaled(Scale(2.0), tnp.ones(3))
""",
        """\
    for step in range(3):
        scaled(Equal(2.0), tnp.ones(3))
""",
    ),
    _kind(
        "weak",
        "An argument is a Python number in some calls and an array in others.",
        """\

@treadle.jit
def step(rate):
    return rate * 2
""",
        """\
    step(0.5)
    step(tnp.asarray(0.5, dtype="float32"))
""",
        """\
    step(tnp.asarray(0.5, dtype="float32"))
    step(tnp.asarray(0.25, dtype="float32"))
""",
    ),
    _kind(
        "dtype",
        "An argument has different element types in different calls.",
        """\

@treadle.jit
def total(x):
    return x.sum()
""",
        """\
    total(tnp.arange(3))
    total(tnp.arange(3.0))
""",
        """\
    total(tnp.arange(3).astype("float32"))
    total(tnp.arange(3.0))
""",
    ),
    _kind(
        "context",
        "A function is called under different settings.",
        """\

@treadle.jit
def product(x):
    return x @ x
""",
        """\
    product(tnp.ones((2, 2)))
    with treadle.default_matmul_precision("highest"):
        product(tnp.ones((2, 2)))
""",
        """\
    with treadle.default_matmul_precision("highest"):
        product(tnp.ones((2, 2)))
        product(tnp.ones((2, 2)))
""",
    ),
    _kind(
        "structure",
        "The arguments are in different containers in different calls.",
        """\

@treadle.jit
def total(parts):
    return parts[0] + parts[1]
""",
        """\
    total([tnp.ones(3), tnp.ones(3)])
    total((tnp.ones(3), tnp.ones(3)))
""",
        """\
    total((tnp.ones(3), tnp.ones(3)))
    total((tnp.zeros(3), tnp.ones(3)))
""",
    ),
    _kind(
        "many",
        "A function is compiled for many signatures, for several reasons.",
        """\

@treadle.jit
def total(x):
    return x.sum()
""",
        """\
    for rank in range(10):
        total(tnp.ones((2,) * rank))
""",
        """\
    for rank in range(10):
        total(tnp.ones((2,) * rank).sum(keepdims=True).reshape(1))
""",
    ),
    _kind(
        "placement",
        "An argument is in different places in different calls, or committed to its device only in some.",
        """\

@treadle.jit
def total(x):
    return x.sum()
""",
        """\
    total(tnp.ones(3))
    total(treadle.device_put(tnp.ones(3), treadle.devices()[0]))
""",
        """\
    total(treadle.device_put(tnp.ones(3), treadle.devices()[0]))
    total(treadle.device_put(tnp.zeros(3), treadle.devices()[0]))
""",
    ),
)
