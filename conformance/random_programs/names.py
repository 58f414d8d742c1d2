# ruff: noqa: F401 - programs use the names
# mypy: ignore-errors
"""The names that every random program may use, as source: a script begins with this file."""

import operator

import numpy as np
from numpy import inf, nan

import treadle
import treadle.image
import treadle.lax.linalg
import treadle.nn
import treadle.numpy as tnp
import treadle.ops
import treadle.scipy.linalg
import treadle.scipy.signal
import treadle.scipy.special
import treadle.scipy.stats
from treadle import lax, nn, random

gathering = lax.GatherDimensionNumbers((1,), (0,), (0,))
scattering = lax.ScatterDimensionNumbers((1,), (0,), (0,))
rows = np.array([[0], [1]])


def sine(x):
    return tnp.sin(x)


def cube_of(x):
    return x * x * x


def total(x):
    return tnp.sum(x * x)


def linear(x):
    return 2 * x


def plus(x, y):
    return x + y


def leaves(results):
    """The arrays of a result."""
    return tuple(treadle.tree.leaves(results))


def carry(before, results):
    """Return the next carry of a loop: the first numeric result of the carry's shape, in the carry's type."""
    for each in results:
        if tnp.shape(each) == tnp.shape(before) and tnp.issubdtype(each.dtype, np.number):
            if not tnp.issubdtype(before.dtype, np.complexfloating):
                each = tnp.real(each)
            return each.astype(before.dtype)
    return before


def inexact(x):
    """Return whether `x` has derivatives."""
    return tnp.issubdtype(x.dtype, np.inexact)


def smooth(function, operands):
    """The function of the inexact operands alone, with its inexact results; and these operands."""
    places = [i for i, x in enumerate(operands) if inexact(x)]

    def of_inexact(*xs):
        given = dict(zip(places, xs, strict=True))
        results = function(*[given.get(i, x) for i, x in enumerate(operands)])
        return tuple(y for y in results if inexact(y))

    return of_inexact, tuple(operands[i] for i in places)


def summed(results):
    """A real number that depends on all results."""
    return sum((tnp.sum(tnp.real(y)).astype(tnp.float32) for y in results), tnp.float32(0))


def total_of(function, operands):
    """`summed` of a function of its real operands, which come second."""
    places = [i for i, x in enumerate(operands) if tnp.issubdtype(x.dtype, np.floating)]

    def of_real(*xs):
        given = dict(zip(places, xs, strict=True))
        results = function(*[given.get(i, x) for i, x in enumerate(operands)])
        return summed([y for y in results if inexact(y)])

    return of_real, tuple(operands[i] for i in places)


def jvp_of(function, *operands):
    of_inexact, primals = smooth(function, operands)
    return treadle.jvp(of_inexact, primals, tuple(tnp.ones_like(x) for x in primals))


def vjp_of(function, *operands):
    of_inexact, primals = smooth(function, operands)
    results, back = treadle.vjp(of_inexact, *primals)
    return results, back(tuple(tnp.ones_like(y) for y in results))


def grad_of(function, *operands):
    of_real, primals = total_of(function, operands)
    return treadle.grad(of_real, tuple(range(len(primals))))(*primals)
