"""What users ask of public functions reaches the text that XLA compiles, also by way of derivatives and vmap.

A CPU multiplies in full precision, believes every promise about indices, and may copy what it could take over: only
the text shows what the user requested. Every public function with such a parameter has a row here.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import image, lax, ops, scipy
from treadle.experimental import sparse
from treadle.experimental.layout import Layout, with_layout_constraint
from treadle_ir import ReferenceEvaluator, evaluating

pytestmark = [pytest.mark.programs, pytest.mark.installed]

Row: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]

MODULES: Final = (
    *("numpy", "numpy.linalg", "lax", "lax.linalg", "nn", "ops", "image"),
    *("scipy.linalg", "scipy.signal", "scipy.special", "experimental.sparse"),
)


def functions_with(parameter: str) -> Iterator[str]:
    """The public functions that have a parameter, by module and name."""
    for module in MODULES:
        found = importlib.import_module(f"treadle.{module}")
        for name in dir(found):
            function = getattr(found, name)
            if name.startswith("_") or not callable(function) or inspect.isclass(function):
                continue
            try:
                parameters = inspect.signature(function).parameters
            except (TypeError, ValueError):  # some of NumPy's
                continue
            if parameter in parameters:
                yield f"{module}.{name}"


def lowered(function: Callable[..., Any], *arguments: Any) -> str:
    return str(treadle.jit(function).lower(*arguments).as_text())


# --- precision of products ------------------------------------------------------------------------------

SQUARE, VECTOR = np.ones((4, 4), np.float32), np.ones(4, np.float32)
PICTURE, FILTER = np.ones((1, 1, 6, 6), np.float32), np.ones((1, 1, 3, 3), np.float32)
STACK, SIZES = np.ones((2, 4, 4), np.float32), np.array([1, 3], np.int32)
MATRIX = (((1,), (0,)), ((), ()))
RAGGED = lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))


def _sparse(x: Any) -> Any:
    return sparse.BCOO.fromdense(x, nse=16)


PRODUCTS: Final[dict[str, Row]] = {
    "numpy.convolve": (tnp.convolve, (VECTOR, VECTOR)),
    "numpy.correlate": (tnp.correlate, (VECTOR, VECTOR)),
    "numpy.dot": (tnp.dot, (SQUARE, SQUARE)),
    "numpy.einsum": (lambda x, y, **how: tnp.einsum("ij,jk->ik", x, y, **how), (SQUARE, SQUARE)),
    "numpy.inner": (tnp.inner, (SQUARE, SQUARE)),
    "numpy.matmul": (tnp.matmul, (SQUARE, SQUARE)),
    "numpy.tensordot": (tnp.tensordot, (SQUARE, SQUARE)),
    "numpy.vdot": (tnp.vdot, (VECTOR, VECTOR)),
    "numpy.vecdot": (tnp.vecdot, (VECTOR, VECTOR)),
    "numpy.linalg.matmul": (tnp.linalg.matmul, (SQUARE, SQUARE)),
    "numpy.linalg.multi_dot": (
        lambda x, y, **how: tnp.linalg.multi_dot([x, y, x], **how),
        (SQUARE, SQUARE),
    ),
    "numpy.linalg.tensordot": (tnp.linalg.tensordot, (SQUARE, SQUARE)),
    "numpy.linalg.vecdot": (tnp.linalg.vecdot, (VECTOR, VECTOR)),
    "lax.batch_matmul": (lax.batch_matmul, (STACK, STACK)),
    "lax.conv": (
        lambda x, y, **how: lax.conv(x, y, (1, 1), "SAME", **how),
        (PICTURE, FILTER),
    ),
    "lax.conv_general_dilated": (
        lambda x, y, **how: lax.conv_general_dilated(x, y, (1, 1), "SAME", **how),
        (PICTURE, FILTER),
    ),
    "lax.conv_general_dilated_local": (
        lambda x, y, **how: lax.conv_general_dilated_local(x, y, (1, 1), "VALID", (3, 3), **how),
        (PICTURE, np.ones((1, 9, 4, 4), np.float32)),
    ),
    "lax.conv_general_dilated_patches": (
        lambda x, **how: lax.conv_general_dilated_patches(x, (3, 3), (1, 1), "VALID", **how),
        (PICTURE,),
    ),
    "lax.conv_transpose": (
        lambda x, y, **how: lax.conv_transpose(
            x, y, (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"), **how
        ),
        (PICTURE, FILTER),
    ),
    "lax.conv_with_general_padding": (
        lambda x, y, **how: lax.conv_with_general_padding(
            x, y, (1, 1), [(1, 1), (1, 1)], (1, 1), (1, 1), **how
        ),
        (PICTURE, FILTER),
    ),
    "lax.dot": (lax.dot, (SQUARE, SQUARE)),
    "lax.dot_general": (lambda x, y, **how: lax.dot_general(x, y, MATRIX, **how), (SQUARE, SQUARE)),
    "lax.ragged_dot": (lambda x, y, **how: lax.ragged_dot(x, y, SIZES, **how), (SQUARE, STACK)),
    "lax.ragged_dot_general": (
        lambda x, y, **how: lax.ragged_dot_general(x, y, SIZES, RAGGED, **how),
        (SQUARE, STACK),
    ),
    "image.resize": (lambda x, **how: image.resize(x, (3, 3), "linear", **how), (SQUARE,)),
    "image.scale_and_translate": (
        lambda x, **how: image.scale_and_translate(
            x, (3, 3), (0, 1), VECTOR[:2], VECTOR[:2], "linear", **how
        ),
        (SQUARE,),
    ),
    "scipy.signal.convolve": (scipy.signal.convolve, (VECTOR, VECTOR)),
    "scipy.signal.convolve2d": (scipy.signal.convolve2d, (SQUARE, SQUARE)),
    "scipy.signal.correlate": (scipy.signal.correlate, (VECTOR, VECTOR)),
    "scipy.signal.correlate2d": (scipy.signal.correlate2d, (SQUARE, SQUARE)),
    "experimental.sparse.bcoo_conv_general_dilated": (
        lambda x, y, **how: sparse.bcoo_conv_general_dilated(
            sparse.BCOO.fromdense(x, nse=5, n_batch=2),
            y,
            window_strides=(1,),
            padding=((0, 0),),
            **how,
        ).todense(),
        (np.ones((1, 1, 5), np.float32), np.ones((1, 1, 2), np.float32)),
    ),
    "experimental.sparse.bcoo_dot_general": (
        lambda x, y, **how: sparse.bcoo_dot_general(_sparse(x), y, dimension_numbers=MATRIX, **how),
        (SQUARE, SQUARE),
    ),
    "experimental.sparse.bcsr_dot_general": (
        lambda x, y, **how: sparse.bcsr_dot_general(
            sparse.BCSR.fromdense(x, nse=16), y, dimension_numbers=MATRIX, **how
        ),
        (SQUARE, SQUARE),
    ),
}
NO_PRODUCTS: Final = {
    "numpy.array_repr": "digits of a text",
    "numpy.array_str": "digits of a text",
    "numpy.set_printoptions": "digits of a text",
    "lax.conv_general_dilated_patches": "copies elements",
    "experimental.sparse.bcoo_conv_general_dilated": "multiplies element by element",
}
UNUSED: Final = {
    "experimental.sparse.bcoo_dot_general": "unused, as JAX documents it",
    "experimental.sparse.bcsr_dot_general": "unused, as JAX documents it",
}


def precisions(text: str) -> list[str]:
    """Return the precisions that each product of a program requests for its operands."""
    shown = re.findall(
        r"precision = \[(\w+), (\w+)\]", text
    )  # a short form of products of matrices
    full = re.findall(r"#stablehlo<precision (\w+)>", text)  # the form of others
    products = len(re.findall(r"stablehlo\.(?:dot_general|convolution)\b", text))
    found = [*(each for pair in shown for each in pair), *full]
    return found + ["DEFAULT"] * (2 * products - len(found))  # which is left out


def test_each_function_with_a_precision_has_a_row() -> None:
    assert {*functions_with("precision")} == {*PRODUCTS} | {*NO_PRODUCTS}


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_precision_reaches_each_product(name: str) -> None:
    function, arguments = PRODUCTS[name]
    for precision in ("high", "highest"):

        def asked(*xs: Any, precision: Any = precision) -> Any:
            return function(*xs, precision=precision)

        def slope(*xs: Any, asked: Any = asked) -> Any:
            return treadle.grad(lambda *ys: asked(*ys).sum(), tuple(range(len(xs))))(*xs)

        stacked = [np.stack([x, x]) for x in arguments]
        for each, given in (
            (asked, arguments),
            (slope, arguments),
            (treadle.vmap(asked), stacked),
            (treadle.vmap(slope), stacked),
        ):
            found = precisions(lowered(each, *given))
            wanted = "DEFAULT" if name in UNUSED else precision.upper()
            assert {*found} == ({*()} if name in NO_PRODUCTS else {wanted})


@pytest.mark.parametrize("name", sorted({*PRODUCTS} - {*NO_PRODUCTS, *UNUSED}))
def test_the_default_is_the_setting(name: str) -> None:
    function, arguments = PRODUCTS[name]
    default = inspect.signature(_public(name)).parameters["precision"].default
    own = "DEFAULT" if default is None else default.name
    assert {*precisions(lowered(function, *arguments))} == {own}
    with treadle.default_matmul_precision("high"):
        wanted = "HIGH" if default is None else own
        assert {*precisions(lowered(function, *arguments))} == {wanted}


def _public(name: str) -> Callable[..., Any]:
    module, _, function = name.rpartition(".")
    found: Callable[..., Any] = getattr(importlib.import_module(f"treadle.{module}"), function)
    return found


# --- element types that products are asked for -------------------------------------------------------------

NO_ELEMENT_TYPE: Final = {
    "nn.scaled_dot_general": "is scaled to eight bits, and tested by its values",
    "nn.scaled_matmul": "is scaled to eight bits, and tested by its values",
    "lax.scaled_dot": "is scaled to eight bits, and tested by its values",
}


def test_each_function_with_an_element_type_has_a_row() -> None:
    found = {*functions_with("preferred_element_type")}
    assert found - {*NO_ELEMENT_TYPE} <= {*PRODUCTS}
    assert {*NO_ELEMENT_TYPE} <= found


@pytest.mark.parametrize(
    "name", sorted({*PRODUCTS} & {*functions_with("preferred_element_type")} - {*NO_PRODUCTS})
)
def test_products_are_of_the_element_type_that_is_asked_for(name: str) -> None:
    """256 + 1 has nine digits, of which bfloat16 has eight: a product that is made in it gives 256."""
    function, arguments = PRODUCTS[name]
    narrow = [tnp.asarray(x, tnp.bfloat16) for x in arguments]
    narrow[0] = narrow[0].at[(0,) * narrow[0].ndim].set(256)

    def asked(*xs: Any) -> Any:
        return function(*xs, preferred_element_type=np.float32)

    exact = [np.asarray(x, np.float64) for x in narrow]
    expected = np.asarray(function(*exact))
    assert (expected % 2 == 1).any()
    for result in (asked(*narrow), treadle.jit(asked)(*narrow)):
        assert result.dtype == np.float32
        np.testing.assert_array_equal(result, expected)
    if not name.startswith("experimental.sparse"):  # whose arrays are the runtime's
        with evaluating(ReferenceEvaluator()):
            result = asked(*[np.asarray(x) for x in narrow])
        assert result.dtype == np.float32
        np.testing.assert_array_equal(result, expected)
    products = [
        line
        for line in lowered(asked, *narrow).splitlines()
        if "stablehlo.dot_general" in line or "stablehlo.convolution" in line
    ]
    assert products
    for line in products:
        assert re.search(r"-> tensor<[\dx]*f32>", line), line


# --- promises about indices --------------------------------------------------------------------------------

PLACES: Final = np.array([[0], [2], [3]], np.int32)
FEW: Final = np.ones(3, np.float32)
POINTS: Final = lax.ScatterDimensionNumbers((), (0,), (0,))


def _scatter(function: Callable[..., Any]) -> Row:
    return (lambda x, u, **how: function(x, PLACES, u, POINTS, **how), (VECTOR, FEW))


def _segment(function: Callable[..., Any]) -> Row:
    return (lambda x, **how: function(x, PLACES[:, 0], num_segments=4, **how), (FEW,))


def _at(method: str) -> Row:
    def function(x: Any, u: Any, **how: Any) -> Any:
        at = tnp.asarray(x).at[PLACES[:, 0]]
        if method == "get":
            return at.get(**how)
        return getattr(at, method)(tnp.sin if method == "apply" else u, **how)

    return (function, (VECTOR, FEW))


METHODS: Final = (
    *("get", "set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max"),
    "apply",
)
INDEXED: Final[dict[str, Row]] = {
    "numpy.take": (lambda x, **how: tnp.take(x, PLACES[:, 0], **how), (VECTOR,)),
    "lax.gather": (
        lambda x, **how: lax.gather(
            x, PLACES, lax.GatherDimensionNumbers((), (0,), (0,)), (1,), **how
        ),
        (VECTOR,),
    ),
    **{
        f"lax.{name}": _scatter(getattr(lax, name))
        for name in (
            *("scatter", "scatter_add", "scatter_max", "scatter_min", "scatter_mul"),
            "scatter_sub",
        )
    },
    "lax.scatter_apply": (
        lambda x, **how: lax.scatter_apply(x, PLACES, tnp.sin, POINTS, update_shape=(3,), **how),
        (VECTOR,),
    ),
    **{
        f"ops.{name}": _segment(getattr(ops, name))
        for name in ("segment_max", "segment_min", "segment_prod", "segment_sum")
    },
    **{f"at.{method}": _at(method) for method in METHODS},
}
SPARSE_INDICES: Final = {"experimental.sparse.bcoo_gather": "gathers the indices, too, as it likes"}


def test_each_function_with_promises_has_a_row() -> None:
    found = {*functions_with("indices_are_sorted")}
    assert found == {*functions_with("unique_indices")} - {"experimental.sparse.random_bcoo"}
    assert found - {*SPARSE_INDICES} == {name for name in INDEXED if not name.startswith("at.")}
    public = {
        name: getattr(tnp.ones(3).at[0], name) for name in dir(tnp.ones(3).at[0]) if name[0] != "_"
    }
    methods = {
        name
        for name, method in public.items()
        if callable(method) and "unique_indices" in inspect.signature(method).parameters
    }
    assert methods == {*METHODS}


@pytest.mark.parametrize("name", INDEXED)
def test_promises_reach_gathers_and_scatters(name: str) -> None:
    function, arguments = INDEXED[name]
    for is_sorted in (False, True):
        for unique in (False, True):

            def asked(*xs: Any, is_sorted: bool = is_sorted, unique: bool = unique) -> Any:
                return function(*xs, indices_are_sorted=is_sorted, unique_indices=unique)

            def slope(*xs: Any, asked: Any = asked) -> Any:
                return treadle.grad(lambda *ys: (asked(*ys) ** 2).sum())(*xs)

            # Without distinct indices the slopes of products have gathers of their own, or are refused. `apply` clips
            # what it reads and drops what it would write elsewhere: it reads without promises.
            applies = name == "at.apply"
            for each in (asked, slope) if unique and not applies else (asked,):
                text = lowered(each, *arguments)
                gathers, scatters = [text.count(f'"stablehlo.{x}"') for x in ("gather", "scatter")]
                assert gathers + scatters
                expected = (scatters if applies else gathers + scatters) if is_sorted else 0
                assert text.count("indices_are_sorted = true") == expected
                assert text.count("unique_indices = true") == (scatters if unique else 0)


@pytest.mark.parametrize("name", ["lax.gather", "at.get", "numpy.take"])
def test_indices_in_bounds_are_not_looked_at(name: str) -> None:
    function, arguments = INDEXED[name]
    looked, promised = [
        lowered(lambda x, mode=mode: function(x, *arguments[1:], mode=mode), arguments[0])
        for mode in ("fill", "promise_in_bounds")
    ]
    assert looked.count("stablehlo.compare") > promised.count("stablehlo.compare")
    assert looked.count("stablehlo.select") > promised.count("stablehlo.select")


# --- donation ----------------------------------------------------------------------------------------------


def marks(text: str) -> list[str | None]:
    """Return for each parameter the number of the result that takes its memory over, "donor", or None."""
    declared = re.search(r"@main\((.*?)\) ->", text)
    assert declared is not None
    found: list[str | None] = []
    for each in re.findall(r"%arg\d+: tensor<[^>]*>(?: \{[^}]*\})?", declared[1]):
        number = re.search(r"tf.aliasing_output = (\d+)", each)
        found.append(number[1] if number else "donor" if "jax.buffer_donor" in each else None)
    return found


def step(state: Any, batch: Any, *, rate: Any) -> Any:
    """The first results are of the type of the state, in another order."""
    w, b = state["w"] * rate + batch.sum(), state["b"] + rate
    return b, w, batch.sum()


STATE: Final = {"w": np.ones((2, 3), np.float32), "b": np.ones(3, np.float32)}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [None, None, None, None]),
        ({"donate_argnums": 0}, ["0", "1", None, None]),
        ({"donate_argnums": (0,)}, ["0", "1", None, None]),
        ({"donate_argnames": "state"}, ["0", "1", None, None]),
        ({"donate_argnames": ("rate",)}, [None, None, None, "2"]),
        ({"donate_argnums": (0,), "donate_argnames": ("rate",)}, ["0", "1", None, "2"]),
    ],
)
def test_donated_arguments_give_their_memory_to_results(
    options: dict[str, Any], expected: list[str | None]
) -> None:
    """Parameters are the leaves in order: b, w, the batch, the rate."""
    function = treadle.jit(step, **options)
    batch, rate = np.ones((5, 2), np.float32), np.float32(0.5)
    assert marks(function.lower(STATE, batch, rate=rate).as_text()) == expected


def test_what_no_result_can_take_over_is_said_not_to_be() -> None:
    function = treadle.jit(lambda x: x.sum(), donate_argnums=0)
    with pytest.warns(UserWarning, match="donated buffers were not usable"):
        assert marks(function.lower(VECTOR).as_text()) == [None]


def test_a_result_takes_over_one_argument() -> None:
    function = treadle.jit(lambda x, y: x + y, donate_argnums=(0, 1))
    with pytest.warns(UserWarning, match="donated buffers were not usable"):
        assert marks(function.lower(VECTOR, VECTOR).as_text()) in (["0", None], [None, "0"])


# --- layouts ------------------------------------------------------------------------------------------------


def test_an_order_of_axes_reaches_the_text() -> None:
    """XLA lists axes from the contiguous one on; a layout from the other end."""
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)):
        text = lowered(lambda x, order=order: with_layout_constraint(x, Layout(order)), STACK)
        told = re.findall(r"(operand|result)_layouts = \[dense<\[([^]]*)\]>", text)
        expected = ", ".join(map(str, reversed(order)))
        assert told == [("operand", expected), ("result", expected)]
