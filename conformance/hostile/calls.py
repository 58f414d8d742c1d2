"""A valid call of each public function, from a table: the names of a namespace, and the arguments that suit them.

The law puts a hostile value in the place of each argument in turn, also of those that the call does not give.
The modules `calls_<part>.py` have more of the same: `TABLE`, and if need be `NAMES`, `NAMESPACES` and `LEFT_OUT`.
"""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np

import treadle
import treadle.numpy as tnp
import treadle.scipy.special
from conformance.joined import modules
from treadle import lax, nn, random, tree, tree_util

_PARTS: Final = modules("conformance.hostile", "calls_")


def _of_parts(name: str) -> dict[str, Any]:
    """A dictionary of all the parts' dictionaries of a name."""
    return {key: x for part in _PARTS for key, x in getattr(part, name, {}).items()}


# What a line of the table may name.
NAMES: Final[dict[str, Any]] = {
    **_of_parts("NAMES"),
    "np": np,
    "tnp": tnp,
    "lax": lax,
    "treadle": treadle,
    "x": tnp.array([[0.5, 0.25, 0.75], [0.1, 0.9, 0.3]]),
    "y": tnp.array([[1.5, 2.5, 1.75], [1.1, 3.0, 2.0]]),
    "v": tnp.array([0.5, 0.25, 0.75]),
    "w": tnp.array([1.0, 2.0, 4.0]),
    "s": tnp.array(0.5),
    "i": tnp.array([0, 2, 1]),
    "j": tnp.array([[1, 2, 0], [0, 0, 1]]),
    "n": tnp.array(1),
    "b": tnp.array([True, False, True]),
    "bb": tnp.array([[True, False, True], [False, True, True]]),
    "square": tnp.array([[2.0, 0.5, 0.0], [0.5, 3.0, 1.0], [0.0, 1.0, 4.0]]),
    "cube": tnp.arange(24.0).reshape(2, 3, 4),
    "image": tnp.arange(32.0).reshape(1, 2, 4, 4),
    "kernel": tnp.arange(16.0).reshape(2, 2, 2, 2),
    "heads": tnp.ones((1, 4, 2, 8)),
    "key": random.key(0),
    "raw": random.PRNGKey(0),
    "pair": {"a": 1.0, "b": (2.0, 3.0)},
    "structure": tree.structure({"a": 1.0, "b": (2.0, 3.0)}),
    "outer": tree.structure([0, 0]),
    "inner": tree.structure((0, 0)),
    "gathering": lax.GatherDimensionNumbers((1,), (0,), (0,)),
    "scattering": lax.ScatterDimensionNumbers((1,), (0,), (0,)),
    "rows": tnp.array([[0], [1]]),
    "sine": tnp.sin,
    "cube_of": lambda x: x * x * x,
    "total": lambda x: tnp.sum(x * x),
    "linear": lambda x: 2 * x,
    "plus": lambda x, y: x + y,
    "times": lambda x, y: (x + y, x * y),
    "zero": lambda x: x - x,
    "above": lambda x: x > 5.0,
    "plus_path": lambda path, x: x,
    "step": lambda i, x: x + 1.0,
    "host": lambda x: x,
}

# A line is a namespace, the names of functions, and arguments that are valid for each of them.
TABLE: Final = """
tnp: abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh (x)
tnp: cbrt ceil conj conjugate cos cosh deg2rad degrees exp exp2 expm1 fabs fix floor isfinite isinf (x)
tnp: isnan isneginf isposinf log log10 log1p log2 logical_not matrix_transpose negative positive (x)
tnp: rad2deg radians reciprocal rint sign signbit sin sinc sinh sqrt square tan tanh trunc angle (x)
tnp: all any amax amin max min nanmax nanmin sum prod mean std var nansum nanprod nanmean nanstd (x)
tnp: nanvar ptp median nanmedian count_nonzero argmax argmin nanargmax nanargmin average cumsum cumprod (x)
tnp: nancumsum nancumprod argsort sort argwhere flatnonzero nonzero around round atleast_1d atleast_2d (x)
tnp: atleast_3d array_repr array_str copy ravel iscomplex iscomplexobj isreal isrealobj isscalar ndim (x)
tnp: shape size squeeze sort_complex real imag nan_to_num empty_like ones_like zeros_like (x)
tnp: transpose unique unstack fliplr flipud flip rot90 tril triu tril_indices_from triu_indices_from (x)
tnp: diff ediff1d diagonal trace gradient cov corrcoef trapezoid unwrap array asarray diagflat (square)
tnp: bitwise_count bitwise_invert bitwise_not invert (i)
tnp: cumulative_prod cumulative_sum vander diag histogram histogram_bin_edges ix_ (v)
tnp: add arctan2 atan2 divide equal float_power greater greater_equal less less_equal logical_and (x, y)
tnp: logical_or logical_xor maximum minimum multiply nextafter not_equal subtract true_divide (x, y)
tnp: copysign divmod floor_divide fmax fmin fmod heaviside hypot logaddexp logaddexp2 mod pow power (x, y)
tnp: remainder allclose isclose array_equal array_equiv broadcast_arrays append isin kron outer (x, y)
tnp: intersect1d setdiff1d union1d convolve correlate inner dot vdot vecdot cross (v, w)
tnp: bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor left_shift right_shift (i, i)
tnp: matmul matvec tensordot (square, square)
tnp: vecmat (v, square)
tnp: argpartition partition (v, 1)
tnp: apply_along_axis (total, 0, x)
tnp: apply_over_axes (tnp.sum, x, (0,))
tnp: arange (3)
tnp: array_split split dsplit (cube, 2)
tnp: hsplit (cube, 3)
tnp: vsplit (x, 2)
tnp: astype (x, np.float16)
tnp: bincount (i)
tnp: block column_stack concat concatenate dstack hstack stack vstack ([x, y])
tnp: bfloat16 bool bool_ cdouble complex128 complex64 complex_ csingle double float16 float32 float64 (1)
tnp: float8_e4m3fn float8_e5m2 float_ int16 int32 int4 int64 int8 int_ single uint uint16 uint32 uint4 (1)
tnp: uint64 uint8 (1)
tnp: float4_e2m1fn float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fnuz (1)
tnp: float8_e5m2fnuz float8_e8m0fnu int1 int2 uint1 uint2 (1)
tnp: broadcast_shapes ((2, 1), (3,))
tnp: broadcast_to (v, (2, 3))
tnp: can_cast (np.int8, np.float32)
tnp: clip (x, 0.2, 0.8)
tnp: compress (b, x, axis=1)
tnp: extract (bb, x)
tnp: diag_indices (3)
tnp: diag_indices_from (square)
tnp: digitize (v, w)
tnp: searchsorted (w, v)
tnp: einsum einsum_path ("ij,kj->ik", x, y)
tnp: empty ones zeros ((2, 3))
tnp: full ((2, 3), 1.0)
tnp: full_like (x, 1.0)
tnp: expand_dims (x, 0)
tnp: eye identity tri (3)
tnp: finfo (np.float32)
tnp: iinfo (np.int32)
tnp: fromfunction (plus, (2, 3))
tnp: geomspace linspace logspace (1.0, 2.0, 5)
tnp: indices ((2, 3))
tnp: interp (v, w, w)
tnp: isdtype (np.dtype(np.float32), "real floating")
tnp: issubdtype (np.float32, np.floating)
tnp: promote_types (np.float32, np.int8)
tnp: result_type (x, np.float16)
tnp: lexsort ((v, w))
tnp: meshgrid (v, w)
tnp: moveaxis swapaxes (cube, 0, 2)
tnp: permute_dims (square, (1, 0))
tnp: rollaxis (cube, 2)
tnp: nanpercentile percentile (x, 50.0)
tnp: nanquantile quantile (x, 0.5)
tnp: pad (x, 1)
tnp: piecewise (v, [b], [1.0, 2.0])
tnp: place (v, b, w, inplace=False)
tnp: put (v, i, w, inplace=False)
tnp: put_along_axis (x, j, y, 1, inplace=False)
tnp: polyval (w, v)
tnp: ravel_multi_index ((i, i), (3, 3))
tnp: unravel_index (i, (3, 3))
tnp: repeat (x, 2)
tnp: reshape resize (x, (3, 2))
tnp: roll (x, 1)
tnp: select ([bb], [x])
tnp: take (x, i)
tnp: take_along_axis (x, j, 1)
tnp: tile (x, 2)
tnp: top_k (v, 2)
tnp: tril_indices triu_indices (3)
tnp: where (bb, x, y)
tnp: ufunc (plus, 2, 1)
tnp.linalg: cross vecdot outer (v, w)
tnp.linalg: det diagonal matrix_norm matrix_transpose norm trace (square)
tnp.linalg: vector_norm (v)
tnp.linalg: matmul tensordot (square, square)
tnp.linalg: matrix_power (square, 2)
tnp.linalg: multi_dot ([square, square, square])
lax: abs acos acosh asin asinh atan atanh cbrt ceil cos cosh digamma erf erf_inv erfc exp exp2 expm1 (x)
lax: floor is_finite lgamma log log1p logistic neg rsqrt sign sin sinh sqrt square tan tanh conj (x)
lax: reciprocal stop_gradient round dtype optimization_barrier cumlogsumexp cummax cummin cumprod cumsum (x)
lax: sort unstack (x)
lax: imag real (tnp.array([1j, 2.0]))
lax: bitwise_not clz population_count (i)
lax: add atan2 complex div eq ge gt le lt max min mul ne nextafter pow rem sub (x, y)
lax: integer_pow (x, 2)
lax: bitwise_and bitwise_or bitwise_xor shift_left shift_right_arithmetic shift_right_logical (i, i)
lax: argmax argmin (x, 0, np.int32)
lax: associative_scan (plus, x)
lax: batch_matmul (cube, cube.mT)
lax: bitcast_convert_type convert_element_type (x, np.int32)
lax: broadcast (x, (2,))
lax: broadcast_in_dim (v, (2, 3), (1,))
lax: broadcast_shapes ((2, 1), (2, 3))
lax: broadcasted_iota (np.int32, (2, 3), 1)
lax: clamp (0.2, x, 0.8)
lax: collapse (cube, 0, 2)
lax: concatenate ([x, y], 0)
lax: stack ([x, y])
lax: cond (True, cube_of, cube_of, x)
lax: conv (image, kernel, (1, 1), "SAME")
lax: conv_dimension_numbers ((1, 2, 4, 4), (2, 2, 2, 2), ("NCHW", "OIHW", "NCHW"))
lax: conv_general_dilated (image, kernel, (1, 1), "SAME")
lax: conv_with_general_padding (image, kernel, (1, 1), [(0, 0), (0, 0)], (1, 1), (1, 1))
lax: dot (square, square)
lax: dot_general (square, square, (((1,), (0,)), ((), ())))
lax: dynamic_index_in_dim (x, 1)
lax: dynamic_slice (x, (0, 1), (1, 2))
lax: dynamic_slice_in_dim (x, 0, 1)
lax: dynamic_update_index_in_dim (x, v, 0, 0)
lax: dynamic_update_slice (x, x, (0, 0))
lax: dynamic_update_slice_in_dim (x, x, 0, 0)
lax: expand_dims (x, (0,))
lax: squeeze (x[None], (0,))
lax: fori_loop (0, 3, step, 1.0)
lax: full ((2, 3), 1.0)
lax: full_like (x, 1.0)
lax: gather (x, rows, gathering, (1, 3))
lax: scatter scatter_add scatter_max scatter_min scatter_mul (x, rows, y, scattering)
lax: index_in_dim (x, 1)
lax: iota (np.int32, 3)
lax: map (cube_of, x)
lax: pad (x, 0.0, [(1, 1, 0), (0, 0, 0)])
lax: padtype_to_pads ((4, 4), (2, 2), (1, 1), "SAME")
lax: reduce (x, 0.0, lax.add, (0,))
lax: reduce_max reduce_min reduce_prod reduce_sum (x, (0,))
lax: reduce_and reduce_or reduce_xor (bb, (0,))
lax: reduce_precision (x, 5, 10)
lax: reduce_window (x, 0.0, lax.add, (1, 2))
lax: reshape (x, (3, 2))
lax: rev (x, (0,))
lax: scan (times, 0.5, v)
lax: select (bb, x, y)
lax: select_n (bb, x, y)
lax: slice (x, (0, 0), (1, 2))
lax: slice_in_dim (x, 0, 1)
lax: sort_key_val (v, w)
lax: split (x, (1, 1))
lax: switch (1, [cube_of, linear], x)
lax: tile (x, (2, 2))
lax: top_k (x, 2)
lax: transpose (x, (1, 0))
lax: while_loop (above, zero, 1.0)
lax: GatherDimensionNumbers ((1,), (0,), (0,))
lax: ScatterDimensionNumbers ((1,), (0,), (0,))
lax: ConvDimensionNumbers ((0, 1), (0, 1), (0, 1))
nn: celu elu gelu hard_sigmoid hard_silu hard_swish hard_tanh identity leaky_relu log_sigmoid log_softmax (x)
nn: logmeanexp logsumexp mish relu relu6 selu sigmoid silu soft_sign softmax softplus squareplus (x)
nn: standardize swish tanh (x)
nn: glu (square[:, :2])
nn: dot_product_attention (heads, heads, heads)
nn: one_hot (i, 4)
random: PRNGKey key (0)
random: bernoulli bits cauchy exponential laplace logistic maxwell normal rademacher gumbel uniform (key)
random: lognormal clone split (key)
random: categorical (key, v)
random: choice permutation (key, v)
random: fold_in (key, 1)
random: geometric (key, 0.5)
random: key_data key_impl (key)
random: wrap_key_data (raw)
random: pareto rayleigh (key, 1.5)
random: randint (key, (2,), 0, 5)
random: triangular (key, 0.0, 0.5, 1.0)
random: truncated_normal (key, -1.0, 1.0)
random: weibull_min (key, 1.0, 2.0)
tree: all flatten leaves structure flatten_with_path leaves_with_path (pair)
tree: broadcast (1.0, pair)
tree: map (linear, pair)
tree: map_with_path (plus_path, pair)
tree: reduce reduce_associative (plus, pair)
tree: show (x)
tree: transpose (outer, inner, [(1, 2), (3, 4)])
tree: unflatten (structure, [1.0, 2.0, 3.0])
tree_util: DictKey FlattenedIndexKey SequenceKey (0)
tree_util: GetAttrKey ("a")
tree_util: Partial (plus, 1.0)
tree_util: all_leaves ([1.0])
tree_util: flatten_one_level flatten_one_level_with_keys (pair)
tree_util: is_tree_node (dict)
tree_util: keystr ((tree_util.DictKey("a"),))
tree_util: tree_all tree_flatten tree_leaves tree_structure tree_flatten_with_path tree_leaves_with_path (pair)
tree_util: tree_broadcast (1.0, pair)
tree_util: tree_map (linear, pair)
tree_util: tree_map_with_path (plus_path, pair)
tree_util: tree_reduce tree_reduce_associative (plus, pair)
tree_util: tree_transpose (outer, inner, [(1, 2), (3, 4)])
tree_util: tree_unflatten (structure, [1.0, 2.0, 3.0])
tree_util: treedef_children treedef_is_leaf (structure)
tree_util: treedef_tuple ([structure])
special: digamma entr erf erfc erfinv expit gamma gammaln gammasgn loggamma logit ndtr ndtri (x)
special: log_softmax softmax logsumexp factorial (x)
special: beta betaln kl_div rel_entr xlog1py xlogy (x, y)
special: multigammaln (y, 2)
treadle: ShapeDtypeStruct ((2, 3), np.float32)
treadle: block_until_ready device_get typeof device_put (x)
treadle: checkpoint remat custom_gradient custom_jvp custom_vjp jit pjit vmap (cube_of)
treadle: grad value_and_grad hessian jacfwd jacobian jacrev make_jaxpr xla_computation (total)
treadle: default_device (treadle.devices()[0])
treadle: default_matmul_precision ("highest")
treadle: numpy_dtype_promotion ("standard")
treadle: numpy_rank_promotion ("allow")
treadle: device_count devices local_device_count ("cpu")
treadle: local_devices ()
treadle: enable_x64 (False)
treadle: eval_shape (cube_of, x)
treadle: jvp (cube_of, (x,), (y,))
treadle: linearize vjp linear_transpose (linear, x)
treadle: pure_callback (host, x, x)
method: all any argmax argmin argsort conj conjugate copy cumprod cumsum diagonal flatten max mean min (x)
method: nonzero prod ptp ravel round sort squeeze std sum tobytes tolist trace transpose var (x)
method: __abs__ __neg__ __pos__ __len__ __iter__ __repr__ __str__ __array__ copy_to_host_async devices platform (x)
method: addressable_data (x, 0)
method: delete (tnp.ones(3))
method: to_device (x, treadle.devices()[0])
method: block_until_ready is_deleted is_ready on_device_size_in_bytes unsafe_buffer_pointer (x)
method: __bool__ __int__ __float__ __complex__ item (s)
method: __index__ __invert__ (n)
method: argpartition (x, 1)
method: astype view (x, np.int32)
method: clip (x, 0.2, 0.8)
method: compress (x, b, axis=1)
method: dot (square, square)
method: repeat (x, 2)
method: reshape (x, (3, 2))
method: searchsorted (w, v)
method: swapaxes (x, 0, 1)
method: take (x, i)
method: __format__ (s, "")
method: __getitem__ (x, 0)
method: __contains__ (x, 0.5)
operator: add sub mul truediv floordiv mod pow lt le gt ge eq ne (x, y)
operator: and_ or_ xor lshift rshift (i, i)
operator: matmul (square, square)
at: set add subtract multiply divide max min power (x, 0, 1.0)
at: mul (x, 0, 1.0)
at: apply (x, 0, linear)
at: get (x, 0)
"""


# Public names that the law leaves out, with the reason.
LEFT_OUT: Final[dict[str, str]] = {
    **_of_parts("LEFT_OUT"),
    **dict.fromkeys(
        ["treadle.explain", "treadle.watch"],
        "they take a function and names of parts: packages/insight/tests/test_arguments.py has their wrong arguments",
    ),
    **dict.fromkeys(
        [
            *("tnp.get_printoptions", "tnp.printoptions", "tnp.set_printoptions"),
            *("tnp.load", "tnp.save", "tnp.savez"),
        ],
        "NumPy's own function, with NumPy's errors",
    ),
    **dict.fromkeys(
        [
            *("tnp.character", "tnp.complexfloating", "tnp.dtype", "tnp.flexible", "tnp.floating"),
            *("tnp.generic", "tnp.inexact", "tnp.integer", "tnp.number", "tnp.object_"),
            *("tnp.signedinteger", "tnp.unsignedinteger", "lax.DotDimensionNumbers"),
            *("tree_util.KeyEntry", "tree_util.KeyPath", "random.Key", "lax.GatherScatterMode"),
            *(
                "lax.Precision",
                "lax.RoundingMethod",
                "treadle.CompilerEffortLevel",
                "treadle.Inline",
            ),
        ],
        "a class of NumPy's, an enumeration, a type for annotations, or a type that only treadle makes",
    ),
    **dict.fromkeys(
        [
            *("tnp.ndarray", "treadle.Array", "treadle.Device", "tree_util.PyTreeDef"),
            "treadle.checkpoint_policies",
        ],
        "not called by users: it has no constructor of its own",
    ),
    **dict.fromkeys(
        [
            *("tree_util.register_dataclass", "tree_util.register_pytree_node"),
            *("tree_util.register_pytree_node_class", "tree_util.register_pytree_with_keys"),
            *("tree_util.register_pytree_with_keys_class", "tree_util.register_static"),
        ],
        "what it registers stays for the rest of the process",
    ),
    **dict.fromkeys(
        ["treadle.default_backend", "treadle.effects_barrier", "tree.static"],
        "it takes no argument, or only keywords of dataclasses",
    ),
    **dict.fromkeys(
        [
            *("lax.all_gather", "lax.axis_index", "lax.axis_size"),
            *("lax.pmax", "lax.pmean", "lax.pmin", "lax.psum"),
        ],
        "it has a meaning under vmap only",
    ),
}

# Calls of which another owns a part of the outcome, with the reason.
LEFT_OPERANDS: Final[dict[str, str]] = dict.fromkeys(
    ["operator.mul", "operator.pow"],
    "Python asks the left operand's method first: what a matrix of NumPy's or SciPy's raises there, treadle never sees",
)
OBJECTS: Final[dict[str, str]] = {
    "Array.__array__": "the protocol of NumPy: who names `object` as element type is given objects",
}

_NAMESPACES: Final[dict[str, Any]] = {
    **_of_parts("NAMESPACES"),
    "tnp": tnp,
    "tnp.linalg": tnp.linalg,
    "lax": lax,
    "nn": nn,
    "random": random,
    "tree": tree,
    "tree_util": tree_util,
    "special": treadle.scipy.special,
    "treadle": treadle,
    "operator": operator,
}
_LINE: Final = re.compile(r"([\w.]+): ([\w ]+?) (\(.*\))")
Arguments = tuple[list[Any], dict[str, Any]]


class Call(NamedTuple):
    """A valid call of a public function."""

    name: str
    function: Callable[..., Any]
    arguments: Callable[[], Arguments]  # new ones each time

    def parameters(self) -> list[inspect.Parameter]:
        """The parameters of the function; none of a class or function in C that does not tell them."""
        try:
            return list(inspect.signature(self.function).parameters.values())
        except (TypeError, ValueError):
            return []

    def places(self) -> dict[int | str, str]:
        """The arguments that can be replaced, by position or keyword, with their names; also those not given."""
        positional, named = self.arguments()
        parameters = self.parameters()
        ordered = [
            p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        found: dict[int | str, str] = {
            i: ordered[i] if i < len(ordered) else str(i) for i in range(len(positional))
        }
        given = {*found.values()}
        optional = [
            p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        ]
        return found | {name: name for name in (*named, *optional) if name not in given}


def _kept(*positional: Any, **named: Any) -> Arguments:
    return [*positional], named


def _call(namespace: str, name: str, text: str) -> Call:
    scope = {**NAMES, "_kept": _kept, "tree_util": tree_util}
    arguments: Callable[[], Arguments] = eval(f"lambda: _kept{text}", scope)
    skipped = {"method": 1, "at": 2}.get(namespace, 0)
    if not skipped:
        return Call(f"{namespace}.{name}", getattr(_NAMESPACES[namespace], name), arguments)
    owner = arguments()[0]
    function = getattr(owner[0] if namespace == "method" else owner[0].at[owner[1]], name)

    def after() -> Arguments:
        positional, named = arguments()
        return positional[skipped:], named

    return Call(f"{'Array' if namespace == 'method' else 'at'}.{name}", function, after)


def calls() -> Iterator[Call]:
    """All calls of the tables."""
    tables = [TABLE, *(part.TABLE for part in _PARTS)]
    for line in [line for table in tables for line in table.strip().splitlines()]:
        found = _LINE.fullmatch(line)
        assert found is not None, line
        namespace, names, text = found.groups()
        for name in names.split():
            yield _call(namespace, name, text)


def public_names() -> Iterator[str]:
    """Every public callable of the namespaces, and every public method of arrays."""
    for namespace, module in _NAMESPACES.items():
        if module is operator:
            continue
        for name in dir(module):
            if not name.startswith("_") and callable(getattr(module, name)):
                yield f"{namespace}.{name}"
    array = type(NAMES["x"])
    for name in dir(
        NAMES["x"]
    ):  # the class lists stand-ins for the methods of other libraries, too
        if not name.startswith("_") and inspect.isroutine(getattr(array, name)):
            yield f"Array.{name}"
