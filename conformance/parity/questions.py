"""What both libraries are asked: promotion over all pairs of operands, and calls with random arguments."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

Question = dict[str, Any]

DTYPES: Final = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("bfloat16", "float16", "float32", "float64", "complex64", "complex128"),
)
FEW: Final = ("bool", "int8", "int32", "uint32", "uint64", "bfloat16", "float32", "complex64")
PARTS: Final = ("bool", "int8", "uint64", "bfloat16", "float32", "complex64")
WIDE: Final = ("int64", "uint64", "float64", "complex128")
COMPLEX: Final = {"complex": [1, 2]}
PYTHON: Final = (True, 2, 1.5, COMPLEX)
NUMPY: Final = (
    *({"numpy": [1, 2], "dtype": dtype} for dtype in ("int64", "float64")),
    *({"numpy": 1, "dtype": dtype} for dtype in ("bool", "int32", "uint8", "float16", "complex64")),
)


def call(of: str, *arguments: Any, types: bool = False, **keywords: Any) -> Question:
    return {
        "do": "call",
        "of": of,
        "arguments": list(arguments),
        "keywords": keywords,
        "types": types,
    }


def array(values: Any, dtype: str) -> dict[str, Any]:
    return {"array": values, "dtype": dtype}


def filled(seed: int, shape: Iterable[int], dtype: str, **more: Any) -> dict[str, Any]:
    return {"filled": {"seed": int(seed), "shape": [int(n) for n in shape], "dtype": dtype, **more}}


# --- promotion -----------------------------------------------------------------------------------------

BINARY: Final = (
    *("add", "subtract", "multiply", "true_divide", "floor_divide", "remainder", "fmod", "power"),
    *("float_power", "maximum", "minimum", "fmax", "fmin", "arctan2", "hypot", "logaddexp"),
    *("logaddexp2", "nextafter", "copysign", "heaviside", "equal", "less", "greater_equal"),
    *("bitwise_and", "bitwise_xor", "left_shift", "right_shift", "logical_and", "divmod"),
)
OPERATORS: Final = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "xor", "lshift", "rshift"),
    *("lt", "eq", "matmul"),
)
UNARY: Final = (
    *("exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sqrt", "cbrt", "sin", "cos", "tan"),
    *("arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"),
    *("deg2rad", "sinc", "floor", "ceil", "rint", "round", "trunc", "real", "imag", "conj"),
    *("angle", "signbit", "sign", "abs", "fabs", "negative", "positive", "square", "reciprocal"),
    *("invert", "bitwise_count", "isnan", "isfinite", "isinf", "isposinf", "isneginf", "isreal"),
    *("iscomplex", "logical_not", "nan_to_num"),
)
REDUCTIONS: Final = (
    *("sum", "prod", "max", "min", "mean", "std", "var", "any", "all", "argmax", "argmin"),
    *("cumsum", "cumprod", "nansum", "nanprod", "nanmax", "nanmean", "nanstd", "nanvar"),
    *("nancumsum", "median", "nanmedian", "ptp", "count_nonzero", "average", "cumulative_sum"),
    *("cumulative_prod", "argsort", "sort", "diff", "trapezoid", "gradient", "ediff1d", "unwrap"),
    *("cov", "corrcoef", "linalg.norm", "trace"),
)
MADE: Final = (
    *("zeros_like", "ones_like", "copy", "ravel", "atleast_1d", "flip", "squeeze", "transpose"),
    *("array", "asarray", "vander"),
)


def operands(x64: bool, dtypes: Iterable[str] = DTYPES, numpy: bool = False) -> list[Any]:
    """An array of each element type, Python's numbers, weak arrays, and NumPy's arrays and scalars."""
    arrays = [filled(1, (2,), d, low=1, high=4) for d in dtypes if x64 or d not in WIDE]
    return [*arrays, *PYTHON, *({"weak": x} for x in PYTHON[1:]), *(NUMPY if numpy else ())]


def of_one(x64: bool) -> list[Question]:
    """Functions of one operand, with and without `dtype`."""
    asked = []
    for x in operands(x64, numpy=True):
        asked += [call(f"numpy.{f}", x, types=True) for f in (*UNARY, *REDUCTIONS, *MADE)]
        asked += [
            call(f"numpy.{f}", x, 0.5, types=True)
            for f in ("quantile", "percentile", "nanquantile")
        ]
        asked.append(call("numpy.full", {"tuple": [2]}, x, types=True))
        if "weak" not in x if isinstance(x, dict) else True:  # which JAX would have to look into
            asked.append(call("numpy.arange", x, types=True))
        asked += [
            call(f"numpy.{f}", x, dtype=dtype, types=True)
            for f in ("sum", "prod", "mean", "var", "cumsum", "nansum", "zeros_like", "asarray")
            for dtype in ("int8", "float32", "complex64", "bool")
        ]
        asked.append(call("numpy.max", x, initial=2, axis=0, types=True))
    return asked


def of_two(x64: bool, dtypes: Iterable[str] = DTYPES) -> list[Question]:
    """Binary functions of all pairs of operands."""
    some = operands(x64, dtypes)
    return [
        call(f"numpy.{f}", x, y, types=True)
        for f in BINARY
        for x, y in itertools.product(some, some)
    ]


def of_operators(x64: bool) -> list[Question]:
    """Operators with an array on one side and a scalar or NumPy's array on the other."""
    arrays = [
        x for x in operands(x64, FEW) if isinstance(x, dict) and x.keys() & {"filled", "weak"}
    ]
    others = operands(x64, (), numpy=True)
    others += [{"numpy": n, "dtype": "int32"} for n in (2, -1)]
    return [
        call(f"operator.{f}", *pair, types=True)
        for f in OPERATORS
        for x, y in itertools.product(arrays, others)
        for pair in ((x, y), (y, x))
    ]


def of_parts(x64: bool, dtypes: Iterable[str] = PARTS) -> list[Question]:
    """Functions that join, choose, make and contract, of pairs of operands."""
    condition = filled(3, (2,), "bool")
    points = filled(1, (2,), "float32", low=1, high=4)
    asked = []
    some = operands(x64, dtypes)
    some += [*NUMPY[:1], NUMPY[3]]
    for x, y in itertools.product(some, some):
        asked += [
            call(f"numpy.{f}", x, y, types=True)
            for f in (
                *("dot", "matmul", "inner", "outer", "kron", "tensordot", "vdot", "append"),
                *("convolve", "polyval", "linspace", "logspace", "geomspace", "full_like"),
                *("isclose", "searchsorted", "digitize", "isin"),
            )
        ]
        asked += [call(f"numpy.{f}", [x, y], types=True) for f in ("stack", "hstack", "array")]
        asked += [
            call("numpy.where", condition, x, y, types=True),
            call("numpy.where", x, y, y, types=True),
            call("numpy.clip", x, y, None, types=True),
            call("numpy.clip", x, y, y, types=True),
            call("numpy.select", [condition], [x], default=y, types=True),
            call("numpy.interp", x, points, y, types=True),
            call("numpy.pad", x, 1, constant_values=y, types=True),
            call("numpy.nan_to_num", x, nan=y, types=True),
            call("at.set", x, 0, y, types=True),
            call("at.add", x, 0, y, types=True),
        ]
    return asked


# --- values --------------------------------------------------------------------------------------------

SHAPES: Final = ((), (1,), (5,), (3, 4), (2, 3, 4), (4, 1), (0, 3))


class Drawer:
    """Draws arguments; what is drawn depends on the seed alone."""

    def __init__(self, seed: int, x64: bool) -> None:
        self.random = np.random.default_rng(seed)
        self.x64 = x64
        self.seed = seed * 1000

    def one(self, choices: Any) -> Any:
        return choices[int(self.random.integers(len(choices)))]

    def dtype(self, kinds: str = "biuf") -> str:
        of = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
        kind = of[self.one(kinds)]
        fitting = [d for d in DTYPES if d.startswith(kind) and (self.x64 or d not in WIDE)]
        return str(self.one(fitting))

    def array(
        self, shape: Iterable[int] | None = None, kinds: str = "biuf", dtype: str = "", **more: Any
    ) -> dict[str, Any]:
        self.seed += 1
        found = self.one(SHAPES) if shape is None else shape
        return filled(self.seed, found, dtype or self.dtype(kinds), **more)

    def axis(self, ndim: int) -> int:
        return int(self.random.integers(-ndim, ndim)) if ndim else 0

    def axes(self, ndim: int) -> Any:
        """None, an axis, or several."""
        if self.random.random() < 0.3 or not ndim:
            return None
        if self.random.random() < 0.6:
            return self.axis(ndim)
        count = int(self.random.integers(0, ndim + 1))
        return {"tuple": [int(i) for i in self.random.permutation(ndim)[:count]]}


REDUCED: Final = {
    "biufc": ("sum", "prod", "mean", "var", "std", "any", "all", "count_nonzero", "max", "min"),
    "f": ("nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"),
    "iuf": ("ptp", "median", "nanmedian", "amax", "amin"),
}
ALONG: Final = {
    "iufc": ("cumsum", "cumprod", "sort", "argsort", "argmax", "argmin", "flip", "diff"),
    "f": ("nancumsum", "nancumprod", "unwrap", "gradient", "nanargmax", "nanargmin"),
    "iuf": ("trapezoid", "cumulative_sum"),
}
FLAT: Final = ("cumsum", "cumprod", "sort", "argsort", "argmax", "argmin", "flip", "nancumsum")


def reductions(d: Drawer) -> list[Question]:
    asked = []
    for kinds, names in REDUCED.items():
        for name in names:
            shape = d.one(SHAPES)
            more: dict[str, Any] = {"axis": d.axes(len(shape))}
            if d.random.random() < 0.5 and (shape or "median" not in name):
                more["keepdims"] = True
            if name in ("var", "std", "nanvar") and d.random.random() < 0.5:
                more["ddof"] = 1
            if name in ("sum", "prod", "any", "all", "mean") and d.random.random() < 0.3:
                more["where"] = d.array(shape, "b")
            if name in ("sum", "max", "min", "prod") and d.random.random() < 0.3:
                more["initial"] = 2
            special: dict[str, Any] = {"special": True} if name.startswith("nan") else {}
            asked.append(call(f"numpy.{name}", d.array(shape, kinds, **special), **more))
    for kinds, names in ALONG.items():
        for name in names:
            shape = d.one(SHAPES)
            axis = None if d.random.random() < 0.2 and name in FLAT else d.axis(len(shape))
            if name.startswith("arg") or name == "gradient":
                kinds = "iuf"  # JAX types argmax of complex numbers, and cannot run it
            if name == "cumulative_sum" and not shape:
                shape, axis = (5,), 0
            asked.append(call(f"numpy.{name}", d.array(shape, kinds), axis=axis))
    x = d.array(d.one(SHAPES[2:5]), "f")
    q = d.one((0.3, [0.1, 0.5, 1.0]))
    method = d.one(("linear", "lower", "higher", "midpoint", "nearest"))
    asked.append(
        call("numpy.quantile", x, {"numpy": q, "dtype": "float32"}, axis=-1, method=method)
    )
    asked.append(call("numpy.percentile", x, 30, axis=d.axis(1), keepdims=True))
    return asked


def elementwise(d: Drawer) -> list[Question]:
    asked = []
    for name in UNARY:
        kinds = "iu" if name in ("invert", "bitwise_count") else d.one(("iu", "f", "f", "c"))
        low, high = {
            "arccosh": (1, 5),
            "arcsin": (-1, 1),
            "arccos": (-1, 1),
            "arctanh": (-1, 1),
        }.get(name, (0, 5) if name.startswith(("log", "sqrt")) else (-4, 5))
        asked.append(call(f"numpy.{name}", d.array(None, kinds, low=low, high=high)))
    for name in BINARY:
        kinds = "biu" if name.startswith(("bitwise", "left", "right")) else "iuf"
        shapes = d.one(
            (((3, 4), (4,)), ((3, 1), (1, 4)), ((), (5,)), ((2, 3, 4), (3, 1)), ((5,), (5,)))
        )
        low = 1 if name in ("power", "left_shift", "right_shift") else -4
        asked.append(call(f"numpy.{name}", *(d.array(s, kinds, low=low, high=4) for s in shapes)))
        python = d.one((2, 3)) if kinds == "biu" else d.one((2, 1.5, 3))
        x = d.array((5,), "i" if kinds == "biu" else kinds, low=low, high=4)
        asked.append(call(f"numpy.{name}", *d.one(((x, python), (python, x)))))
    return asked


def shaped(d: Drawer) -> list[Question]:
    """Functions that move elements about."""
    x = d.array((2, 3, 4), "biufc")
    flat = d.array((12,), "biuf")
    square = d.array((4, 4), "iuf")
    axis = d.axis(3)
    n = int(d.random.integers(-3, 4))
    pairs = {"tuple": [{"tuple": [int(k) for k in d.random.integers(0, 3, 2)]} for _ in range(2)]}
    mode = d.one(("constant", "edge", "reflect", "symmetric", "wrap", "maximum", "mean"))
    two = [d.array((3, 4), "iuf"), d.array((3, 4), "iuf")]
    return [
        call(
            "numpy.reshape", x, d.one(({"tuple": [4, -1]}, {"tuple": [-1]}, {"tuple": [6, 2, 2]}))
        ),
        call("numpy.reshape", x, {"tuple": [3, 8]}, order="F"),
        call("numpy.ravel", x, order=d.one("CF")),
        call("numpy.transpose", x, {"tuple": [int(i) for i in d.random.permutation(3)]}),
        call("numpy.moveaxis", x, axis, d.axis(3)),
        call("numpy.swapaxes", x, axis, d.axis(3)),
        call("numpy.rollaxis", x, axis, d.one((0, 1, 2))),
        call("numpy.roll", x, n, axis=d.one((None, axis))),
        call("numpy.roll", x, {"tuple": [n, 1]}, axis={"tuple": [0, 2]}),
        call("numpy.flip", x, d.axes(3)),
        call("numpy.rot90", x, k=n, axes={"tuple": [0, 2]}),
        call("numpy.repeat", x, d.one((0, 2, 3)), axis=d.one((None, axis))),
        call("numpy.tile", x, {"tuple": [2, 1, 2, 1][: d.one((1, 3, 4))]}),
        call("numpy.expand_dims", x, {"tuple": [0, d.one((2, -1))]}),
        call("numpy.squeeze", d.array((1, 3, 1), "f"), d.one((None, 0, {"tuple": [0, 2]}))),
        call("numpy.stack", two, axis=d.axis(3)),
        call("numpy.concatenate", two, axis=d.one((None, d.axis(2)))),
        *(call(f"numpy.{f}", two) for f in ("vstack", "hstack", "dstack", "column_stack")),
        call("numpy.split", flat, d.one((2, 3, [1, 5, 7], [5, 3]))),
        call("numpy.array_split", flat, 5),
        call("numpy.append", x, d.array((2,), "f")),
        call("numpy.pad", two[0], pairs, mode=mode),
        call("numpy.pad", two[0], pairs, constant_values=3),
        call("numpy.tril", square, k=n),
        call("numpy.triu", x, k=n),
        call("numpy.diag", d.one((flat, square)), k=n),
        call("numpy.diagonal", x, n % 3, 0, 2),
        call("numpy.trace", x, n % 3, axis1=1, axis2=2),
        call("numpy.diagflat", d.array((2, 2), "i"), k=n),
        call("numpy.broadcast_to", d.array((3, 1), "biuf"), {"tuple": [2, 3, 4]}),
        call("numpy.resize", flat, {"tuple": [5, 4]}),
        call("numpy.take", x, d.array((2, 2), "i", low=-5, high=6), axis=d.one((None, axis))),
        call(
            "numpy.take", flat, d.array((3,), "i", low=-20, high=20), mode=d.one(("wrap", "clip"))
        ),
        call("numpy.take_along_axis", square, d.array((4, 2), "i", low=-4, high=4), axis=1),
        call("numpy.unique", flat),
        call("numpy.unique", flat, return_index=True, return_inverse=True, return_counts=True),
        call("numpy.unique", flat, size=15, fill_value=7),
        call("numpy.nonzero", square),
        call("numpy.argwhere", square, size=6, fill_value=-1),
        call("numpy.flatnonzero", flat),
        call("numpy.where", d.array((3, 4), "b"), *two),
        call("numpy.clip", x if x["filled"]["dtype"][0] != "c" else flat, d.one((None, -1)), 2),
        call(
            "numpy.searchsorted", array([1, 2, 2, 3], "int32"), flat, side=d.one(("left", "right"))
        ),
        call("numpy.digitize", flat, array([3, 1, 0], "float32"), right=d.one((True, False))),
        call(
            "numpy.interp",
            flat,
            array([0.0, 1.0, 2.5], "float32"),
            array([1.0, 5.0, 2.0], "float32"),
        ),
        call("numpy.bincount", d.array((9,), "u", high=6), d.one((None, d.array((9,), "f")))),
        call("numpy.histogram", d.array((20,), "f", dtype="float32"), d.one((5, 20))),
        call(
            "numpy.select",
            [d.array((5,), "b"), d.array((5,), "b")],
            [flat_of(d), flat_of(d)],
            default=n,
        ),
        call("numpy.lexsort", {"tuple": [d.array((6,), "i"), d.array((6,), "i")]}),
        call("numpy.isin", flat, d.array((4,), "i")),
        *(
            call(f"numpy.{f}", d.array((6,), "i"), d.array((5,), "i"))
            for f in ("union1d", "intersect1d", "setdiff1d")
        ),
        call(
            "numpy.meshgrid", d.array((2,), "i"), d.array((3,), "f"), indexing=d.one(("xy", "ij"))
        ),
        call("numpy.average", two[0], axis=d.axes(2), weights=d.array((3, 4), "f", low=1)),
        call("numpy.cov", d.array((3, 8), "f", dtype="float32")),
        call("numpy.corrcoef", d.array((3, 8), "f", dtype="float32")),
        call("numpy.nan_to_num", d.array((12,), "f", special=True)),
        call("numpy.isclose", flat, flat),
        call("numpy.array_equal", flat, flat),
        call("numpy.ediff1d", d.array((5,), "iuf")),
        call("numpy.compress", d.array((4,), "b"), square, axis=1, size=3),
        call("numpy.extract", d.array((4, 4), "b"), square),
        call(
            "numpy.put_along_axis",
            square,
            d.array((4, 1), "i", low=0, high=4),
            5,
            axis=1,
            inplace=False,
        ),
        call("numpy.unravel_index", array([1, 5, 11], "int32"), {"tuple": [3, 4]}),
        call(
            "numpy.ravel_multi_index",
            {"tuple": [array([1, 2], "int32"), array([3, 0], "int32")]},
            {"tuple": [3, 4]},
            mode=d.one(("clip", "wrap")),
        ),
        call("numpy.block", [[square, square]]),
    ]


def flat_of(d: Drawer) -> Any:
    return d.array((5,), "iuf")


def contracted(d: Drawer) -> list[Question]:
    x, y = d.array((2, 3, 4), "iufc"), d.array((2, 4, 5), "iufc")
    a, b = d.array((4,), "biuf"), d.array((4,), "biuf")
    matrix = d.array((3, 4), "f", dtype="float32")
    return [
        call("numpy.matmul", x, y),
        call("numpy.matmul", x, a),
        call("numpy.dot", x, y),
        call("numpy.dot", a, b),
        *(call(f"numpy.{f}", a, b) for f in ("inner", "outer", "vdot", "convolve", "correlate")),
        call("numpy.convolve", a, d.array((2,), "f"), mode=d.one(("full", "same", "valid"))),
        call("numpy.tensordot", x, y, d.one((1, [[2], [1]]))),
        call(
            "numpy.einsum",
            d.one(("bij,bjk->bik", "bij,bjk->ik", "bij,bjk", "...ij,...jk->...k")),
            x,
            y,
        ),
        call("numpy.einsum", "ii->i", d.array((4, 4), "iuf")),
        call("numpy.kron", matrix, d.array((2, 2), "iuf")),
        call("numpy.cross", d.array((4, 3), "if"), d.array((3,), "if")),
        call("numpy.linalg.norm", matrix, ord=d.one((None, "fro", 1, -1))),
        call("numpy.linalg.norm", matrix, axis=d.axis(2), ord=d.one((None, 1, 2, 3, 0))),
        call("numpy.polyval", d.array((3,), "if"), a),
        call("numpy.vander", a if a["filled"]["dtype"] != "bool" else d.array((4,), "f"), 3),
        call("operator.matmul", x, y),
        call("method.dot", a, b),
    ]


def made(d: Drawer) -> list[Question]:
    dtype = d.dtype("iufc")
    real = d.dtype("iuf")
    n = int(d.random.integers(0, 7))
    return [
        *(call(f"numpy.{f}", {"tuple": [2, n]}, dtype=dtype) for f in ("zeros", "ones")),
        call("numpy.full", {"tuple": [n]}, d.one((2, 1.5, True)), dtype=d.one((None, dtype))),
        call("numpy.eye", n, 4, k=d.one((-1, 0, 2)), dtype=dtype),
        call("numpy.tri", n, 4, k=d.one((-1, 0, 2)), dtype=real),
        call("numpy.arange", n, dtype=real),
        call("numpy.arange", -n, 10, d.one((1, 2, 3)), dtype=real),
        call("numpy.arange", 0.5, n, d.one((0.25, 0.3))),
        call(
            "numpy.linspace",
            d.one((0, -1.5)),
            n,
            n + 1,
            endpoint=d.one((True, False)),
            dtype=d.one((None, real)),
        ),
        call("numpy.logspace", 0, 2, n),
        call("numpy.geomspace", 1, 64, n),
        call("numpy.indices", {"tuple": [2, n]}),
        call("numpy.array", [[1, 2], [3, n]], dtype=d.one((None, dtype))),
        call("numpy.array", [1, 2.5, True]),
        call("numpy.asarray", d.array((4,), "iuf"), dtype=dtype),
        call("method.astype", d.array((12,), "biuf"), dtype),
        call("numpy.tril_indices", n, k=1),
        call("numpy.diag_indices", n),
        *(
            call(f"nn.{f}", d.array((3, 4), "f"))
            for f in (
                "relu",
                "gelu",
                "softmax",
                "silu",
                "log_softmax",
                "elu",
                "softplus",
                "sigmoid",
                "standardize",
                "hard_tanh",
                "leaky_relu",
                "celu",
                "selu",
            )
        ),
        call("nn.one_hot", d.array((4,), "i", low=-1, high=5), 4),
        call("nn.logsumexp", d.array((3, 4), "f"), axis=d.axes(2)),
        *(
            call(f"scipy.special.{f}", d.array((7,), "f", dtype="float32", low=0.1, high=3))
            for f in (
                "gammaln",
                "digamma",
                "erf",
                "erfc",
                "erfinv",
                "expit",
                "entr",
                "ndtr",
                "gamma",
                "factorial",
            )
        ),
        call("scipy.special.logsumexp", d.array((3, 4), "f"), axis=0, keepdims=True),
        call("lax.cumsum", d.array((3, 4), "if"), axis=1, reverse=d.one((True, False))),
        call("lax.top_k", d.array((3, 4), "f"), 2),
        call("lax.rsqrt", d.array((4,), "f", low=1)),
        call("lax.integer_pow", d.array((4,), "if"), d.one((2, 3))),
        call(
            "lax.clamp",
            d.array((), "f", dtype="float32", low=-1, high=0),
            d.array((4,), "f", dtype="float32"),
            d.array((), "f", dtype="float32", low=1, high=2),
        ),
    ]


GROUPS: Final = {
    "reductions": reductions,
    "elementwise": elementwise,
    "shaped": shaped,
    "contracted": contracted,
    "made": made,
}


Group = Callable[[Drawer], list[Question]]


def drawn(group: Group, rounds: int, x64: bool, seed: int = 0) -> list[Question]:
    """The questions of a group, so many times with other arguments."""
    return [question for n in range(rounds) for question in group(Drawer(seed + n, x64))]


# --- errors --------------------------------------------------------------------------------------------


def wrong() -> list[Question]:
    """Calls with arguments that do not go together."""
    x, y = filled(1, (3, 4), "float32"), filled(2, (5,), "float32")
    whole, truth, z = (
        filled(3, (3, 4), "int32"),
        filled(4, (3, 4), "bool"),
        filled(5, (4,), "complex64"),
    )
    text = "abc"
    asked = [
        *(call(f"numpy.{f}", x, y) for f in BINARY),
        *(call(f"numpy.{f}", x, text) for f in BINARY),
        *(call(f"numpy.{f}", [1, 2], x) for f in BINARY),
        *(call(f"numpy.{f}", text) for f in (*UNARY, *REDUCTIONS)),
        *(call(f"numpy.{f}", None) for f in (*UNARY, *REDUCTIONS)),
        *(call(f"numpy.{f}", [1, 2]) for f in (*UNARY, *REDUCTIONS)),
        *(call(f"numpy.{f}", z) for f in (*UNARY, *REDUCTIONS)),
        *(call(f"numpy.{f}", truth) for f in (*UNARY, *REDUCTIONS)),
        *(call(f"numpy.{f}", z, z) for f in BINARY),
        *(call(f"numpy.{f}", truth, truth) for f in BINARY),
        *(
            call(f"numpy.{f}", x, x)
            for f in ("bitwise_and", "bitwise_or", "left_shift", "right_shift")
        ),
    ]
    named = [name for names in (*REDUCED.values(), *ALONG.values()) for name in names]
    for axis in (2, -3, 1.5, {"tuple": [0, 0]}, {"tuple": [0, 5]}):
        asked += [call(f"numpy.{f}", x, axis=axis) for f in named]
    asked += [call(f"numpy.{f}", filled(1, (0, 3), "float32"), axis=0) for f in named]
    asked += [
        call(f"operator.{f}", x, other) for f in OPERATORS for other in (y, [1, 2], text, None)
    ]
    asked += [
        *(
            call("numpy.reshape", x, shape)
            for shape in (
                {"tuple": [5, 2]},
                {"tuple": [-1, -1]},
                {"tuple": [-2, 6]},
                1.5,
                text,
                None,
            )
        ),
        *(
            call("numpy.transpose", x, axes)
            for axes in ({"tuple": [0]}, {"tuple": [0, 0]}, {"tuple": [0, 2]})
        ),
        *(
            call("numpy.broadcast_to", x, shape)
            for shape in ({"tuple": [4, 3]}, {"tuple": [4]}, {"tuple": [2, 3, 5]})
        ),
        *(
            call(f"numpy.{f}", [x, y])
            for f in ("concatenate", "stack", "vstack", "hstack", "dstack", "block")
        ),
        *(call(f"numpy.{f}", []) for f in ("concatenate", "stack", "vstack", "hstack", "meshgrid")),
        *(call(f"numpy.{f}", x) for f in ("concatenate", "bincount", "dot", "where", "vander")),
        *(call("numpy.squeeze", x, axis) for axis in (0, 2, {"tuple": [0, 1]})),
        *(call("numpy.expand_dims", x, axis) for axis in (4, -5, {"tuple": [0, 0]})),
        *(call("numpy.moveaxis", x, *axes) for axes in ((0, 2), (3, 0), ([0, 1], [0]))),
        *(call("numpy.swapaxes", x, 0, axis) for axis in (2, -3)),
        *(call("numpy.split", x, n) for n in (2, 1.5)),
        *(call("numpy.repeat", x, n, axis=axis) for n, axis in ((-1, 0), (2, 5), ([1, 2], 0))),
        *(call("numpy.roll", x, n, axis=axis) for n, axis in ((1, 2), ([1, 2], [0]), (1.5, 0))),
        *(
            call("numpy.pad", x, width, mode=mode)
            for width, mode in ((-1, "constant"), (1, "nonsense"), ([[1, 2, 3]], "constant"))
        ),
        *(call("numpy.take", x, index) for index in (y, text, [0, 1])),
        call("numpy.take", x, whole, axis=2),
        call("numpy.take", x, whole, mode="nonsense"),
        call("numpy.split", y, [3, 1]),
        *(
            call("numpy.take_along_axis", x, index, axis=0)
            for index in (y, filled(1, (5,), "int32"))
        ),
        *(call("numpy.matmul", a, b) for a, b in ((x, y), (x, x), (x, 2.0), (2.0, 3.0), (x, text))),
        *(
            call(f"numpy.{f}", x, y)
            for f in ("dot", "inner", "vdot", "tensordot", "cross", "convolve", "interp")
        ),
        call("numpy.tensordot", x, y, 3),
        *(
            call("numpy.einsum", e, x, y)
            for e in ("ij,j", "ij,k->l", "ijk,j", "ij", "i->j->k", "ii,j")
        ),
        *(call(f"numpy.{f}", {"tuple": [2, -1]}) for f in ("zeros", "ones", "empty")),
        *(call(f"numpy.{f}", text) for f in ("zeros", "ones", "array", "asarray", "arange", "eye")),
        *(call("numpy.zeros", 2, dtype=dtype) for dtype in ("nonsense", "float31", "S3", "object")),
        *(call("numpy.array", v) for v in ([[1, 2], [3]], [x, y], [None], [text], None)),
        *(
            call("numpy.arange", *v)
            for v in ((0, 5, 0), (1, None, None), (text,), (COMPLEX,), (x,))
        ),
        *(call("numpy.linspace", 0, 1, n) for n in (-1, 1.5, text)),
        call("numpy.full", {"tuple": [3]}, filled(1, (2,), "float32")),
        *(call("numpy.clip", v, 0, 1) for v in (z, text, [1, 2])),
        call("numpy.searchsorted", x, y),
        call("numpy.searchsorted", y, x, side="middle"),
        call("numpy.digitize", x, x),
        *(call("numpy.quantile", x, q, method=m) for q, m in ((x, "linear"), (0.5, "nonsense"))),
        call("numpy.quantile", z, 0.5),
        call("numpy.average", x, weights=y),
        call("numpy.average", x, axis=0, weights=y),
        *(call("numpy.diag", v) for v in (filled(1, (2, 2, 2), "float32"), 2.0)),
        *(call(f"numpy.{f}", y) for f in ("diagonal", "tril", "triu", "trace", "rot90", "fliplr")),
        call("numpy.rot90", x, axes={"tuple": [0, 0]}),
        *(call("numpy.linalg.norm", x, ord=o) for o in (3, "nonsense")),
        call("numpy.linalg.norm", filled(1, (2, 2, 2), "float32"), ord=2),
        call("numpy.ravel_multi_index", {"tuple": [whole]}, {"tuple": [3, 4]}),
        *(call("numpy.where", *v) for v in ((truth, x), (x, y, y), (text, x, x))),
        *(call("numpy.select", *v) for v in (([truth], [x, x]), ([], []), ([x], [x]))),
        *(
            call("at.set", x, index, v)
            for index, v in (
                (0, x),
                ({"tuple": [0, 0, 0]}, 1.0),
                (1.5, 1.0),
                (text, 1.0),
                (truth, y),
                (0, text),
                (0, None),
            )
        ),
        *(
            call("operator.getitem", x, index)
            for index in (
                1.5,
                text,
                {"tuple": [0, 0, 0]},
                {"tuple": [{"ellipsis": True}, {"ellipsis": True}]},
                y,
                truth,
                [0, 1],
                7,
                -9,
                filled(1, (3,), "bool"),
                filled(1, (5,), "bool"),
            )
        ),
        *(call("operator.setitem", x, 0, 1.0) for _ in range(1)),
        *(call("method.reshape", x, *s) for s in ((5,), (-1, 5), (text,))),
        *(call("method.astype", x, dtype) for dtype in ("nonsense", "S3")),
        *(
            call(f"method.{f}", x)
            for f in ("item", "__bool__", "__int__", "__float__", "__index__", "__complex__")
        ),
        *(call(f"lax.{f}", x, y) for f in ("add", "mul", "max", "atan2", "dot", "select")),
        *(call(f"lax.{f}", x, whole) for f in ("add", "mul", "max", "pow", "dot", "rem")),
        *(call(f"lax.{f}", whole) for f in ("exp", "log", "sin", "rsqrt", "erf", "floor")),
        *(call("lax.reshape", x, s) for s in ([5], [-1, 4])),
        *(
            call("lax.broadcast_in_dim", x, *v)
            for v in (([4, 3], [0, 1]), ([3, 4], [0]), ([3, 4], [1, 0]))
        ),
        *(call("lax.slice", x, *v) for v in (([0, 0], [4, 4]), ([0], [1]), ([2, 2], [1, 1]))),
        *(
            call("lax.dynamic_slice", x, *v)
            for v in (([0, 0], [4, 4]), ([0], [1, 1]), ([0.5, 0], [1, 1]))
        ),
        call("lax.concatenate", [x, y], 0),
        call("lax.transpose", x, [0, 0]),
        call("lax.top_k", x, 5),
        call("lax.cumsum", x, axis=2),
        *(call(f"nn.{f}", text) for f in ("relu", "softmax", "gelu", "silu")),
        call("nn.softmax", x, axis=3),
        call("nn.one_hot", x, -1),
    ]
    return asked
