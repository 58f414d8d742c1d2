"""Faults that no test finds, and why: those that change no result begin with `equivalent`.

A key is the file and the changed line, before and after.
"""

from __future__ import annotations

from typing import Final

KNOWN: Final[dict[tuple[str, str], str]] = {
    (
        "packages/autodiff/src/treadle_autodiff/rules/reduce.py",
        "wide = np.dtype(np.float32) if type.dtype.itemsize < 4 else type.dtype => wide = type.dtype",
    ): "equivalent: sums of narrow floats are accumulated in 32 bits and rounded once, as the count then is",
    (
        "packages/compiler/src/treadle_compiler/options.py",
        "fields += [self.barriers, self.effort, self.rewrites] => fields += [self.barriers, self.rewrites]",
    ): "equivalent: an effort is identified by its flags, which are among the hints that follow",
    (
        "packages/compiler/src/treadle_compiler/compile.py",
        "dot = dot or max(sizes, default=0) > _BIG_DOT => dot = dot or max(sizes, default=0) >= _BIG_DOT",
    ): "equivalent: at exactly so many elements either effort compiles a program of the same results",
    (
        "packages/ir/src/treadle_ir/context.py",
        'with _lock: => with __import__("contextlib").nullcontext():',
    ): "equivalent: the environment is read while the module is imported, before threads can set anything",
    (
        "packages/jax-compat/src/treadle_jax/wanted.py",
        '"jax._src.interpreters": "flax", => "jax._src.interpreters": "haliax",',
    ): "the name of a library in the text of an error: no test repeats the table",
    (
        "packages/treadle/src/treadle/export/exported.py",
        "ct if dtypes.is_inexact(aval.dtype) else None => ct",
    ): "equivalent: the cotangents of integers are float0, which custom_vjp takes as it takes None",
    (
        "packages/treadle/src/treadle/extend/source_info_util.py",
        "@dataclass(frozen=True) => @dataclass(frozen=False)",
    ): "a class of answers that nothing sets attributes of: that it refuses to is not tried",
    (
        "packages/treadle/src/treadle/extend/linear_util.py",
        'with self._lock: => with __import__("contextlib").nullcontext():',
    ): "a race of threads on one dictionary entry, which the interpreter's lock hides: no test forces it",
    (
        "packages/numpy-api/src/treadle_numpy/scipy/sparse/linalg/minimal_residuals.py",
        "first = converted(where(np.arange(images.shape[0]) == 0, length, 0), images.dtype)"
        " => first = converted(where(np.arange(images.shape[0]) == 0, length, 1), images.dtype)",
    ): "open: not decided in the time it had",
    (
        "packages/jax-compat/src/treadle_jax/modules/example_libraries/optimizers.py",
        "return (1,) * axis + (x.shape[axis],) + (1,) * (x.ndim - axis - 1)"
        " => return (2,) * axis + (x.shape[axis],) + (1,) * (x.ndim - axis - 1)",
    ): "open: not decided in the time it had",
    (
        "packages/compiler/src/treadle_compiler/memories.py",
        "carried = 0 <= index - primitive.constants < primitive.carries"
        " => carried = 0 <= index + primitive.constants < primitive.carries",
    ): "open: not decided in the time it had",
    (
        "packages/runtime/src/treadle_runtime/evaluation/representation.py",
        "have.size == want.size == 1 and dtypes.letter(have.dtype) in _ALL"
        " => have.size == want.size == 1 and dtypes.letter(have.dtype) not in _ALL",
    ): "open: an operand with one element is written in another form; no test shows a difference",
    (
        "packages/jax-compat/src/treadle_jax/check.py",
        "yield argument.annotation, scope, guarded => yield argument.annotation, scope, False",
    ): "open: not decided in the time it had",
}
