"""Faults that no test finds, and why: those that change no result begin with `equivalent`.

A key is the package and the changed line, before and after; so files may move.
"""

from __future__ import annotations

from typing import Final

KNOWN: Final[dict[tuple[str, str], str]] = {
    (
        "autodiff",
        "wide = np.dtype(np.float32) if type.dtype.itemsize < 4 else type.dtype => wide = type.dtype",
    ): "equivalent: sums of narrow floats are accumulated in 32 bits and rounded once, as the count then is",
    (
        "compiler",
        "fields += [self.barriers, self.effort, self.rewrites] => fields += [self.barriers, self.rewrites]",
    ): "equivalent: an effort is identified by its flags, which are among the hints that follow",
    (
        "compiler",
        "dot = dot or max(sizes, default=0) > _BIG_DOT => dot = dot or max(sizes, default=0) >= _BIG_DOT",
    ): "equivalent: at exactly so many elements either effort compiles a program of the same results",
    (
        "ir",
        'with _lock: => with __import__("contextlib").nullcontext():',
    ): "equivalent: the environment is read while the module is imported, before threads can set anything",
    (
        "jax-compat",
        '"jax._src.interpreters": "flax", => "jax._src.interpreters": "haliax",',
    ): "the name of a library in the text of an error: no test repeats the table",
    (
        "treadle",
        "ct if dtypes.is_inexact(aval.dtype) else None => ct",
    ): "equivalent: the cotangents of integers are float0, which custom_vjp takes as it takes None",
    (
        "treadle",
        "@dataclass(frozen=True) => @dataclass(frozen=False)",
    ): "a class of answers that nothing sets attributes of: that it refuses to is not tried",
    (
        "treadle",
        'with self._lock: => with __import__("contextlib").nullcontext():',
    ): "a race of threads on one dictionary entry, which the interpreter's lock hides: no test forces it",
    (
        "numpy-api",
        "first = converted(where(np.arange(images.shape[0]) == 0, length, 0), images.dtype)"
        " => first = converted(where(np.arange(images.shape[0]) == 0, length, 1), images.dtype)",
    ): "open: not decided in the time it had",
    (
        "jax-compat",
        "return (1,) * axis + (x.shape[axis],) + (1,) * (x.ndim - axis - 1)"
        " => return (2,) * axis + (x.shape[axis],) + (1,) * (x.ndim - axis - 1)",
    ): "open: not decided in the time it had",
    (
        "compiler",
        "carried = 0 <= index - primitive.constants < primitive.carries"
        " => carried = 0 <= index + primitive.constants < primitive.carries",
    ): "open: not decided in the time it had",
    (
        "runtime",
        "have.size == want.size == 1 and dtypes.letter(have.dtype) in _ALL"
        " => have.size == want.size == 1 and dtypes.letter(have.dtype) not in _ALL",
    ): "open: an operand with one element is written in another form; no test shows a difference",
    (
        "jax-compat",
        "yield argument.annotation, scope, guarded => yield argument.annotation, scope, False",
    ): "open: not decided in the time it had",
}
