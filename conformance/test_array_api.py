"""The Python array API standard: every function is there with its signature, and agrees with the strict implementation.

array-api-strict has what the standard says and nothing more: its functions say what parameters there must be, and its
results what functions give, here on drawn arrays of all the standard's element types.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import treadle
import treadle.numpy as tnp

pytestmark = pytest.mark.installed

NOT_OF_THE_STANDARD: Final = {
    "__version__",
    *("ArrayAPIStrictFlags", "Device", "get_array_api_strict_flags"),
    *("reset_array_api_strict_flags", "set_array_api_strict_flags"),
}
MODULES: Final = (
    ("", strict, tnp),
    ("linalg", strict.linalg, tnp.linalg),
    ("fft", strict.fft, tnp.fft),
)


def functions() -> Iterator[tuple[str, Any, Any]]:
    """Name, the strict one, treadle's; None where it is missing."""
    for namespace, theirs, ours in MODULES:
        for name in theirs.__all__:
            found = getattr(theirs, name)
            if name not in NOT_OF_THE_STANDARD and inspect.isroutine(found):
                yield f"{namespace}.{name}".lstrip("."), found, getattr(ours, name, None)


FUNCTIONS: Final = {name: (theirs, ours) for name, theirs, ours in functions()}
INTEGERS: Final = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
REALS: Final = ("float32", "float64")
COMPLEX: Final = ("complex64", "complex128")
SHAPES: Final = st.sampled_from([(), (1,), (4,), (2, 3), (3, 1, 2), (0, 2)])

UNARY: Final = {
    REALS + COMPLEX: (
        *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log"),
        *("log1p", "log2", "log10", "sin", "sinh", "sqrt", "tan", "tanh", "reciprocal"),
    ),
    INTEGERS + REALS: ("ceil", "floor", "trunc"),
    INTEGERS + REALS + COMPLEX: (
        *("abs", "negative", "positive", "round", "sign", "square"),
        *("isfinite", "isinf", "isnan"),
    ),
    INTEGERS: ("bitwise_invert",),
    REALS: ("signbit",),
    COMPLEX: ("conj", "imag", "real"),
    ("bool",): ("logical_not",),
}
BINARY: Final = {
    INTEGERS + REALS + COMPLEX: ("add", "multiply", "subtract", "equal", "not_equal"),
    INTEGERS + REALS: (
        *("greater", "greater_equal", "less", "less_equal", "maximum", "minimum"),
        *("floor_divide", "remainder"),
    ),
    REALS + COMPLEX: ("divide",),
    REALS: ("atan2", "copysign", "hypot", "logaddexp", "nextafter", "pow"),
    INTEGERS: (
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_left_shift",
        "bitwise_right_shift",
    ),
    ("bool",): ("logical_and", "logical_or", "logical_xor"),
}
REDUCTIONS: Final = {
    INTEGERS + REALS + COMPLEX: ("sum", "prod", "all", "any", "count_nonzero"),
    INTEGERS + REALS: ("max", "min", "argmax", "argmin"),
    REALS: ("mean", "std", "var"),
}
ALONG: Final = {
    INTEGERS + REALS: ("sort", "argsort", "flip", "cumulative_sum"),
    REALS: ("diff", "cumulative_prod"),
}


def drawn(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    """Numbers that functions of all kinds take, between 1/4 and 3 where they are not whole."""
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.random(shape) < 0.5
    if dtype in INTEGERS:
        return random.integers(1, 5, shape).astype(dtype)
    numbers = random.uniform(0.25, 3, shape)
    return np.asarray(
        numbers + 1j * random.uniform(-2, 2, shape) if dtype in COMPLEX else numbers, dtype
    )


def agree(name: str, *arguments: Any, **keywords: Any) -> None:
    """Both give the same on the same arrays."""
    theirs, ours = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        expected = theirs(*moved(arguments, strict.asarray), **keywords)
        found = ours(*moved(arguments, tnp.asarray), **keywords)
    several = isinstance(expected, (tuple, list))
    for one, other in zip(
        found if several else [found], expected if several else [expected], strict=True
    ):
        x, y = np.asarray(one), np.asarray(other)
        assert (x.dtype, x.shape) == (y.dtype, y.shape), (name, arguments)
        rtol = 2e-5 if x.dtype in (np.float32, np.complex64) else 1e-10
        np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol, err_msg=name)


def moved(arguments: Any, into: Callable[[Any], Any]) -> list[Any]:
    """NumPy's arrays, also in lists, as another library's."""
    return [
        [into(each) for each in x]
        if isinstance(x, list)
        else into(x)
        if isinstance(x, (np.ndarray, np.generic))
        else x
        for x in arguments
    ]


def cases(table: dict[tuple[str, ...], tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(name, dtype) for dtypes, names in table.items() for name in names for dtype in dtypes]


@pytest.fixture(autouse=True)
def wide() -> Iterator[None]:
    """The standard's default types may be of either width; strict's have 64 bits."""
    with treadle.enable_x64(True):
        yield


def test_there_are_functions() -> None:
    assert len(FUNCTIONS) > 150


def test_every_function_is_there() -> None:
    # DLPack is the runtime's business: the function comes with it
    assert not {name for name, (_, ours) in FUNCTIONS.items() if ours is None} - {"from_dlpack"}


def test_constants_and_types() -> None:
    for name in ("e", "inf", "nan", "newaxis", "pi"):
        assert getattr(tnp, name) is getattr(strict, name) or getattr(tnp, name) == pytest.approx(
            getattr(strict, name), nan_ok=True
        )
    for dtype in ("bool", *INTEGERS, *REALS, *COMPLEX):
        assert tnp.zeros(1, dtype=getattr(tnp, dtype)).dtype == np.dtype(dtype)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures(name: str) -> None:
    """Each parameter of the standard can be given, in the way that the standard allows."""
    theirs, ours = FUNCTIONS[name]
    if ours is None:
        return
    known = inspect.signature(ours).parameters
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in known.values())
    for position, (parameter, each) in enumerate(inspect.signature(theirs).parameters.items()):
        if each.kind is each.POSITIONAL_ONLY:
            placed = [
                p for p in known.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
            ]
            assert takes_any or position < len(placed), parameter
        elif each.kind in (each.KEYWORD_ONLY, each.POSITIONAL_OR_KEYWORD):
            assert parameter in known, parameter
            assert known[parameter].kind is not inspect.Parameter.POSITIONAL_ONLY, parameter


@pytest.mark.parametrize(("name", "dtype"), cases(UNARY))
@given(SHAPES, st.integers(0, 9))
@settings(max_examples=4, deadline=None)
def test_of_one(name: str, dtype: str, shape: tuple[int, ...], seed: int) -> None:
    x = drawn(shape, dtype, seed)
    if name in ("acos", "asin", "atanh") and dtype in REALS:
        x = (x / 4).astype(dtype)
    agree(name, x + 1 if name == "acosh" else x)


@pytest.mark.parametrize(("name", "dtype"), cases(BINARY))
@given(st.sampled_from([((), ()), ((4,), (4,)), ((2, 1), (3,)), ((0, 2), (2,))]), st.integers(0, 9))
@settings(max_examples=4, deadline=None)
def test_of_two(name: str, dtype: str, shapes: Any, seed: int) -> None:
    agree(name, drawn(shapes[0], dtype, seed), drawn(shapes[1], dtype, seed + 1))


@pytest.mark.parametrize(("name", "dtype"), cases(REDUCTIONS))
@given(st.sampled_from([(4,), (2, 3), (3, 1, 2)]), st.data())
@settings(max_examples=5, deadline=None)
def test_reductions(name: str, dtype: str, shape: tuple[int, ...], data: st.DataObject) -> None:
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    agree(name, drawn(shape, dtype, 3), axis=axis, keepdims=data.draw(st.booleans()))


@pytest.mark.parametrize(("name", "dtype"), cases(ALONG))
@given(st.sampled_from([(4,), (2, 3), (3, 1, 2)]), st.data())
@settings(max_examples=4, deadline=None)
def test_along_an_axis(name: str, dtype: str, shape: tuple[int, ...], data: st.DataObject) -> None:
    agree(name, drawn(shape, dtype, 5), axis=data.draw(st.integers(-len(shape), len(shape) - 1)))


M: Final = drawn((3, 3), "float64", 1)
SYMMETRIC: Final = M @ M.T + 3 * np.eye(3)
X: Final = drawn((2, 3), "float64", 2)
V: Final = drawn((3,), "float64", 4)
WHOLE: Final = np.array([2, 0, 2, 1])
BOOLS: Final = np.array([[True, False, True], [False, True, True]])
OTHERS: Final[list[tuple[str, tuple[Any, ...], dict[str, Any]]]] = [
    ("arange", (1, 7, 2), {}),
    ("eye", (3, 4), {"k": 1}),
    ("full", ((2, 2), 3.5), {}),
    ("linspace", (0.0, 1.0, 5), {"endpoint": False}),
    *((name, ((2, 3),), {}) for name in ("ones", "zeros")),
    *((name, (X,), {}) for name in ("ones_like", "zeros_like", "tril", "triu", "matrix_transpose")),
    ("full_like", (X, 2.0), {}),
    ("meshgrid", (V, V[:2]), {"indexing": "ij"}),
    ("broadcast_to", (V, (2, 3)), {}),
    ("broadcast_arrays", (V, X), {}),
    ("concat", ([X, X],), {"axis": 1}),
    ("stack", ([X, X],), {"axis": 1}),
    ("unstack", (X,), {"axis": 1}),
    ("expand_dims", (X,), {"axis": 1}),
    ("squeeze", (X[:, None],), {"axis": 1}),
    ("moveaxis", (X, 0, 1), {}),
    ("permute_dims", (X, (1, 0)), {}),
    ("repeat", (X, 2), {"axis": 1}),
    ("reshape", (X, (3, 2)), {}),
    ("roll", (X, 1), {"axis": 1}),
    ("tile", (X, (2, 2)), {}),
    ("take", (X, WHOLE), {"axis": 1}),
    ("take_along_axis", (X, np.array([[0, 2], [1, 1]])), {"axis": 1}),
    ("nonzero", (BOOLS,), {}),
    ("where", (BOOLS, X, 1 - X), {}),
    ("clip", (X, 0.5, 2.0), {}),
    *(
        (name, (WHOLE,), {})
        for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values")
    ),
    ("matmul", (X, M), {}),
    ("tensordot", (X, M), {"axes": 1}),
    ("vecdot", (X, X), {}),
    ("astype", (X, strict.float32), {}),
    *(
        (f"linalg.{name}", (SYMMETRIC,), {})
        for name in ("cholesky", "det", "inv", "pinv", "svdvals")
    ),
    *(
        (f"linalg.{name}", (SYMMETRIC,), {})
        for name in ("eigvalsh", "slogdet", "matrix_rank", "trace")
    ),
    *((f"linalg.{name}", (X,), {}) for name in ("diagonal", "matrix_norm", "matrix_transpose")),
    ("linalg.cross", (V, V[::-1].copy()), {}),
    ("linalg.matmul", (X, M), {}),
    ("linalg.matrix_power", (M, 3), {}),
    ("linalg.outer", (V, V), {}),
    ("linalg.solve", (SYMMETRIC, V), {}),
    ("linalg.tensordot", (X, M), {"axes": 1}),
    ("linalg.vecdot", (X, X), {}),
    ("linalg.vector_norm", (X,), {"axis": 1, "ord": 3}),
    *((f"fft.{name}", (X + 0j,), {}) for name in ("fft", "ifft", "fftn", "ifftn", "hfft")),
    *((f"fft.{name}", (X,), {}) for name in ("rfft", "rfftn", "ihfft", "fftshift", "ifftshift")),
    *(
        (f"fft.{name}", (X + 0j,), {"n" if name == "irfft" else "s": n})
        for name, n in (("irfft", 4),)
    ),
    ("fft.fftfreq", (5,), {"d": 0.5}),
    ("fft.rfftfreq", (5,), {"d": 0.5}),
]


@pytest.mark.parametrize(
    ("name", "arguments", "keywords"),
    OTHERS,
    ids=[f"{name}-{i}" for i, (name, *_) in enumerate(OTHERS)],
)
def test_others(name: str, arguments: Any, keywords: Any) -> None:
    if name == "astype":
        x, dtype = arguments
        assert (
            tnp.astype(tnp.asarray(x), tnp.float32).dtype
            == np.float32
            == np.asarray(strict.astype(strict.asarray(x), dtype)).dtype
        )
        return
    agree(name, *arguments, **keywords)


FLAGS: Final[list[tuple[str, tuple[Any, ...], dict[str, Any]]]] = [
    *(("sum", (X,), {"axis": axis, "keepdims": True}) for axis in (0, (0, 1), None)),
    *(
        (name, (X,), {"axis": 1, "include_initial": True})
        for name in ("cumulative_sum", "cumulative_prod")
    ),
    *(
        (name, (X,), {"axis": axis, "descending": True})
        for name in ("sort", "argsort")
        for axis in (0, 1)
    ),
    *((name, (X,), {"correction": c, "axis": 1}) for name in ("var", "std") for c in (0, 1, 0.5)),
    *((name, (X,), {"axis": 0, "keepdims": True}) for name in ("argmax", "argmin", "max", "any")),
    *(("diff", (X,), {"n": n, "axis": 1}) for n in (0, 1, 2)),
    ("diff", (X,), {"prepend": X[:, :1], "append": X[:, 1:]}),
    ("clip", (X,), {"min": 0.5}),
    ("clip", (X,), {"max": 1.0}),
    ("meshgrid", (V, V[:2]), {"indexing": "xy"}),
    ("linspace", (0.0, 1.0, 1), {}),
    ("eye", (3,), {"k": -2}),
    ("arange", (5.0,), {}),
    ("arange", (7, 1, -2), {}),
    ("roll", (X, (1, -1)), {"axis": (0, 1)}),
    ("roll", (X, 4), {}),
    ("flip", (X,), {}),
    ("squeeze", (X[None, :, None],), {"axis": (0, 2)}),
    ("tril", (X,), {"k": -1}),
    ("triu", (X,), {"k": 1}),
    ("concat", ([X, X],), {"axis": None}),
    ("repeat", (V, np.array([1, 0, 2])), {}),
    ("tensordot", (M, X), {"axes": ((1,), (1,))}),
    ("vecdot", (X, X), {"axis": -2}),
    ("isin", (WHOLE, WHOLE[:2]), {}),
    ("linalg.cholesky", (SYMMETRIC,), {"upper": True}),
    ("linalg.vector_norm", (X,), {"keepdims": True, "ord": np.inf}),
    ("linalg.vector_norm", (X,), {"axis": (0, 1)}),
    *(("linalg.matrix_norm", (X,), {"ord": o}) for o in ("nuc", 1, -1, 2, -2, np.inf)),
    ("linalg.matrix_rank", (SYMMETRIC,), {"rtol": 0.1}),
    ("linalg.pinv", (X,), {"rtol": 0.1}),
    ("linalg.diagonal", (X,), {"offset": 1}),
    ("linalg.trace", (X,), {"offset": -1}),
    ("linalg.cross", (M, M.T.copy()), {"axis": -2}),
    *(
        (f"fft.{name}", (X + 0j,), {"norm": norm})
        for name in ("fft", "ifft", "fftn", "ifftn", "hfft")
        for norm in ("ortho", "forward", "backward")
    ),
    *((f"fft.{name}", (X,), {"n": 5, "axis": 0}) for name in ("rfft", "ihfft")),
    ("fft.fftshift", (X,), {"axes": 1}),
]


@pytest.mark.parametrize(
    ("name", "arguments", "keywords"),
    FLAGS,
    ids=[f"{name}-{i}" for i, (name, *_) in enumerate(FLAGS)],
)
def test_flags(name: str, arguments: Any, keywords: Any) -> None:
    if name not in FUNCTIONS:
        pytest.fail(f"{name} is not of the standard")
    parts = ("prepend", "append")
    theirs, ours = FUNCTIONS[name]
    if any(part in keywords for part in parts):
        expected = theirs(
            strict.asarray(arguments[0]), **{k: strict.asarray(v) for k, v in keywords.items()}
        )
        np.testing.assert_allclose(ours(*arguments, **keywords), np.asarray(expected))
        return
    agree(name, *arguments, **keywords)


DRAWN: Final = make_strategies_namespace(tnp)
SMALL: Final = {"shape": DRAWN.array_shapes(max_dims=3, max_side=3)}


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_strategies_of_hypothesis(data: st.DataObject) -> None:
    """Element types are compared with all others there, and arrays made, filled and indexed."""
    kinds = (
        "scalar",
        "boolean",
        "numeric",
        "real",
        "integer",
        "unsigned_integer",
        "floating",
        "complex",
    )
    dtype = data.draw(getattr(DRAWN, f"{data.draw(st.sampled_from(kinds))}_dtypes")())
    x = data.draw(DRAWN.arrays(dtype, **SMALL))
    assert x.dtype == dtype
    index = data.draw(DRAWN.indices(x.shape))
    np.testing.assert_array_equal(x[index], np.asarray(x)[index])


REAL_UNARY: Final = [
    (name, dtype) for name, dtype in cases(UNARY) if dtype not in COMPLEX
]  # the cases of complex numbers are in test_array_api_complex.py


@pytest.mark.parametrize(("name", "dtype"), REAL_UNARY)
@given(st.data())
@settings(max_examples=6, deadline=None)
def test_of_any_number(name: str, dtype: str, data: st.DataObject) -> None:
    """Also of infinities, NaN, zeros of both signs and the least and greatest numbers."""
    agree(name, np.asarray(data.draw(DRAWN.arrays(getattr(tnp, dtype), **SMALL))))


@pytest.mark.parametrize(
    ("name", "dtype"), [case for case in cases(BINARY) if case[1] not in COMPLEX]
)
@given(st.data())
@settings(max_examples=6, deadline=None)
def test_of_any_two_numbers(name: str, dtype: str, data: st.DataObject) -> None:
    shapes = data.draw(DRAWN.mutually_broadcastable_shapes(2, max_dims=2, max_side=3)).input_shapes
    x, y = [np.asarray(data.draw(DRAWN.arrays(getattr(tnp, dtype), shape))) for shape in shapes]
    if dtype in INTEGERS and name in ("floor_divide", "remainder"):
        y = np.where(y == 0, 1, y).astype(dtype)  # not specified
    if name.endswith("_shift"):
        y = (np.abs(y.astype("float64")) % (8 * y.itemsize)).astype(dtype)
    agree(name, x, y)


def test_where_jax_leaves_the_standard() -> None:
    """Products of narrow integers and positions keep to 8 and 32 bits, as in JAX; the elements are right."""
    narrow = np.array([3, 4, 1], np.int8)
    found = tnp.cumulative_prod(tnp.asarray(narrow))
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found, np.cumprod(narrow))
    ordered = np.sort(V)
    places = tnp.searchsorted(tnp.asarray(ordered), tnp.asarray(V))
    assert places.dtype == np.int32
    np.testing.assert_array_equal(places, np.searchsorted(ordered, V))


def test_decompositions() -> None:
    """Decompositions that are only defined up to signs give the matrix when they are multiplied."""
    q, r = tnp.linalg.qr(SYMMETRIC)
    np.testing.assert_allclose(q @ r, SYMMETRIC, atol=1e-10)
    values, vectors = tnp.linalg.eigh(SYMMETRIC)
    np.testing.assert_allclose(vectors * values @ vectors.T, SYMMETRIC, atol=1e-10)
    u, s, vh = tnp.linalg.svd(X, full_matrices=False)
    np.testing.assert_allclose(u * s @ vh, X, atol=1e-10)


def test_inspection() -> None:
    ours, theirs = tnp.__array_namespace_info__(), strict.__array_namespace_info__()
    assert ours.default_dtypes() == {
        key: np.dtype(str(dtype).rpartition(".")[2])
        for key, dtype in theirs.default_dtypes().items()
    }
    for kind in (None, "bool", "integral", "numeric", ("real floating", "signed integer")):
        assert set(ours.dtypes(kind=kind)) == set(theirs.dtypes(kind=kind))
    assert set(ours.capabilities()) == set(theirs.capabilities())
    x = tnp.ones(2)
    assert x.__array_namespace__(api_version=tnp.__array_api_version__).sum is tnp.sum
    assert x.device in ours.devices()
    assert ours.default_device() == x.device
    with pytest.raises(treadle.errors.ArgumentError, match="no kind"):
        ours.dtypes(kind="nonsense")
    with pytest.raises(treadle.errors.ArgumentError, match="not available"):
        x.__array_namespace__(api_version="1999.01")


def test_methods_of_arrays() -> None:
    """Operators and attributes that the standard gives arrays."""
    words = (
        "abs add and array_namespace bool complex eq float floordiv ge getitem gt index int invert "
        "le lshift lt matmul mod mul ne neg or pos pow rshift sub truediv radd rsub rmul rtruediv "
        "rfloordiv rmod rpow rmatmul rand ror rxor rlshift rrshift xor"
    )
    names = ["T", "mT", "device", "dtype", "ndim", "shape", "size", "to_device"]
    names += [f"__{word}__" for word in words.split()]
    x = tnp.ones((2, 2))
    assert [name for name in names if not hasattr(x, name)] == []
