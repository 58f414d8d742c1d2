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
        "autodiff",
        "@frozen(eq=False) => @frozen(eq=True)",
    ): "equivalent: nothing compares or hashes these holders of two programs",
    (
        "batching",
        "@frozen(eq=False) => @frozen(eq=True)",
    ): "equivalent: nothing compares these holders, or they hold a function that is another one in each call",
    (
        "autodiff",
        "if not any(z is not None and force for z, force in zip(zero, forced, strict=True)): => if not"
        " any(z is not None or force for z, force in zip(zero, forced, strict=True)):",
    ): "equivalent: without a forced zero the program is staged once more, as it is",
    (
        "batching",
        "if a_dim is not None or b_dim is None or type_of(a).ndim > 2: => if a_dim is not None and b_dim"
        " is None or type_of(a).ndim > 2:",
    ): "equivalent: a batched matrix has three axes, which the last condition sees",
    (
        "compiler",
        "@dataclass(frozen=True, eq=False) => @dataclass(frozen=False, eq=False)",
    ): "equivalent: nothing sets attributes of an operation",
    (
        "compiler",
        'with _lock, border.context: => with __import__("contextlib").nullcontext(), border.context:',
    ): "a race of threads within the parser of MLIR: no test forces it",
    (
        "ir",
        'return complex, struct.pack("<dd", value.real, value.imag) => return None, struct.pack("<dd",'
        " value.real, value.imag)",
    ): "equivalent: no other key is a pair of None and sixteen bytes",
    (
        "ir",
        'with _lock: => with __import__("contextlib").nullcontext():',
    ): (
        "equivalent: appending to a list takes one step of the interpreter; the environment is read"
        " before threads start"
    ),
    (
        "ir",
        "by_excess = 1.0 / (excess.plain + 2.0 * steps + 1.0 + sqrt(2.0 * steps * mass.plain)) =>"
        " by_excess = 1.0 / (excess.plain - 2.0 * steps + 1.0 + sqrt(2.0 * steps * mass.plain))",
    ): (
        "equivalent: the scale cancels, in float64 without overflow; where the changed denominator is next to 0"
        " (1,332 pairs of parameters) results agree to 1.1e-15"
    ),
    (
        "ir",
        'P_contra = TypeVar("P_contra", bound=Primitive, contravariant=True) => P_contra ='
        ' TypeVar("P_contra", bound=Primitive, contravariant=False)',
    ): "equivalent: a declaration for type checkers, which mypy checks",
    (
        "ir",
        "operation = frames[-1].next_operation(run, forgets) if frames else _Operation(forgets) =>"
        " operation = frames[-1].next_operation(run, forgets) if frames else _Operation(False)",
    ): "equivalent: the flag matters within a body that is staged in vain, and here there is no body around",
    (
        "ir",
        "outer = np.copysign(1 - _erfc_outer(np.clip(magnitude, 1, 30)), x) => outer = np.copysign(1 -"
        " _erfc_outer(np.clip(magnitude, 1, 31)), x)",
    ): "equivalent: erfc is 0 beyond 27 in every element type",
    (
        "jax-compat",
        "@dataclass(frozen=True, slots=True) => @dataclass(frozen=True, slots=False)",
    ): "equivalent: slots save memory, and nothing sets other attributes",
    (
        "jax-compat",
        "rank = max([x.ndim for x in arrays], default=0) => rank = max([x.ndim for x in arrays], default=1)",
    ): "equivalent: without arrays there is nothing to reshape",
    (
        "jax-compat",
        '"jax.experimental.colocated_python.serialization.DeviceList": "orbax", =>'
        ' "jax.experimental.colocated_python.serialization.DeviceList": "keras",',
    ): "the name of a library in the text of an error: no test repeats the table",
    (
        "jax-compat",
        '"jax.extend.ifrt_programs": "orbax", => "jax.extend.ifrt_programs": "flax",',
    ): "the name of a library in the text of an error: no test repeats the table",
    (
        "numpy-api",
        "if not batch_x and rank_x <= 2: => if not batch_x or rank_x <= 2:",
    ): "equivalent: there are no batch axes exactly where there are at most two axes",
    (
        "runtime",
        "if each.size > limit or (each.size > SLOW_LIMIT and _is_slow(primitive, each.dtype)): => if"
        " each.size >= limit or (each.size > SLOW_LIMIT and _is_slow(primitive, each.dtype)):",
    ): "equivalent: at exactly so many elements either evaluator gives the results",
    (
        "runtime",
        "return count > MOST_OPENED or _are_alike(self.arguments.structure) => return count >"
        " MOST_OPENED and _are_alike(self.arguments.structure)",
    ): "equivalent: both ways to flatten arguments give the same leaves; it decides about speed",
    (
        "treadle",
        "return hash((self.type, self._vma)) => return hash((None, self._vma))",
    ): "equivalent: equal types still have equal hashes",
    (
        "treadle",
        "@dataclass(frozen=True, slots=True, kw_only=True) => @dataclass(frozen=True, slots=True, kw_only=False)",
    ): "equivalent: contexts are made with keywords; rules only read them",
    (
        "treadle",
        'with _lock: => with __import__("contextlib").nullcontext():',
    ): "a race of two threads that stop one profiler server: no test forces it",
    (
        "autodiff",
        "return ops.select(same, shift(x, distance, 0, 1), one)"
        " => return ops.select(same, shift(x, distance, 0, 2), one)",
    ): "equivalent: what fills up is not selected: its element is -1, and no number goes there",
    (
        "compiler",
        "with importing(forks_wait=False): => with importing(forks_wait=True):",
    ): (
        "not observable but by time: a fork in another thread would wait for the import, and its child is refused"
        " jaxlib either way"
    ),
    (
        "compiler",
        "key = rule, primitive, tuple(types), results, self.manual, self.metadata => key = rule, None,"
        " tuple(types), results, self.manual, self.metadata",
    ): "equivalent: the types of an operation on random keys determine its attributes, given the rule",
    (
        "ir",
        "-3617 / 8160, => 3617 / 8160,",
    ): (
        "not observable: the last term is 4e-17 of digamma(10) = 2.25 at 10, where the series begins, and less beyond"
    ),
    (
        "ir",
        "4, (2, 1), ((1, 1), (0, 1)), (1, 2), (2, 1), feature_group_count=3, specs=_NHWC => 4, (2, "
        "1), ((1, 1), (0, 1)), (1, 2), (2, 2), feature_group_count=3, specs=_NHWC",
    ): "equivalent: another example of the same operation, for which the laws hold as well",
    (
        "jax-compat",
        "@dataclass(frozen=True, slots=True) => @dataclass(frozen=False, slots=True)",
    ): "equivalent: nothing sets attributes of a use of a name, or needs its hash",
    (
        "jax-compat",
        '"jax.experimental.pallas.ops.tpu": "keras", => "jax.experimental.pallas.ops.tpu": "orbax",',
    ): "the name of a library in the text of an error: no test repeats the table",
    (
        "treadle",
        "return hash((self.aval, self.qdd)) => return hash((None, self.qdd))",
    ): "equivalent: equal pairs still have equal hashes",
}
