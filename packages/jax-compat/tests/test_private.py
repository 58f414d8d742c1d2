"""JAX's private modules: the names in them that are public elsewhere, and the few that are not."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import treadle
import treadle.numpy as tnp
import treadle_jax
from treadle.errors import UnsupportedError
from treadle_jax import private


@pytest.fixture(autouse=True)
def _hook() -> Iterator[None]:
    treadle_jax.install()
    yield
    treadle_jax.uninstall()


@pytest.mark.parametrize(
    "where",
    [
        "api.vmap = jit:vmap",
        "pjit.auto_axes = sharding:auto_axes",
        "numpy.lax_numpy.argmax = numpy:argmax",
        "numpy.reductions.sum = numpy:sum",
        "lax.lax.add_p = extend.core.primitives:add_p",
        "lax.control_flow.loops.scan = lax:scan",
        "nn.functions.gelu = nn:gelu",
        "random.normal = random:normal",
        "prng.threefry_2x32 = extend.random:threefry_2x32",
        "scipy.special.gammaln = scipy.special:gammaln",
        "third_party.scipy.linalg.funm = scipy.linalg:funm",
        "core.Primitive = extend.core:Primitive",
        "interpreters.ad.Zero = interpreters.ad:Zero",
        "tree_util.tree_map = tree_util:tree_map",
        "config.config = config:config",
        "mesh.AbstractMesh = sharding:AbstractMesh",
        "typing.ArrayLike = typing:ArrayLike",
    ],
)
def test_a_public_name_is_where_jax_defines_it(where: str) -> None:
    place, public = where.split(" = ")
    module, _, name = place.rpartition(".")
    home, _, public_name = public.partition(":")
    expected = getattr(
        treadle if home in ("jit", "config") else importlib.import_module(f"treadle.{home}"),
        public_name,
    )
    assert getattr(importlib.import_module(f"jax._src.{module}"), name) is expected


def test_every_home_is_there() -> None:
    for homes in private._HOMES.values():
        for home in homes:
            assert importlib.import_module(home).__name__ == home


def test_what_is_private_everywhere_is_missing() -> None:
    from jax._src import api

    with pytest.raises(AttributeError, match=r"no `jax\._src\.api\._secret`"):
        _ = api._secret
    with pytest.raises(ImportError, match=r"no `jax\._src\.no_such_module`"):
        importlib.import_module("jax._src.no_such_module")
    with pytest.raises(ImportError, match=r"no `jax\._src\.pjit\.no_such_name`"):
        from jax._src.pjit import no_such_name  # noqa: F401


def test_an_array_with_elements_has_jax_s_class() -> None:
    from jax._src.array import ArrayImpl

    assert isinstance(treadle.numpy.ones(2), ArrayImpl)
    assert not treadle.jit(lambda x: x * isinstance(x, ArrayImpl))(1.0)


def test_arguments_by_number_and_by_name() -> None:
    from jax._src.api_util import infer_argnums_and_argnames as infer

    signature = inspect.signature(lambda a, b, *, c=1: 0)
    assert infer(signature, 0, None) == ((0,), ("a",))
    assert infer(signature, None, "b") == ((1,), ("b",))
    assert infer(signature, (0, 1), None) == ((0, 1), ("a", "b"))
    assert infer(signature, None, None) == ((), ())
    assert infer(signature, None, ("c", "a")) == ((0,), ("c", "a"))
    assert infer(signature, (0,), ("b",)) == ((0,), ("b",))


def test_a_sharding_of_axes_is_over_the_mesh_in_force() -> None:
    from jax._src.sharding_impls import canonicalize_sharding
    from jax.sharding import AxisType, NamedSharding, PartitionSpec

    assert canonicalize_sharding(None, "f") is None
    mesh = treadle.make_mesh((1,), ("i",), axis_types=(AxisType.Explicit,))
    with treadle.set_mesh(mesh):
        expected = NamedSharding(mesh.abstract_mesh, PartitionSpec("i"))
        assert canonicalize_sharding(PartitionSpec("i"), "f") == expected
        assert canonicalize_sharding(expected, "f") is expected


def test_names_of_core_that_older_code_uses() -> None:
    core: Any = importlib.import_module("jax.core")  # more than its stub has
    assert treadle.jit(lambda x: x * core.is_concrete(x))(1.0) == 0
    assert treadle.grad(lambda x: x * core.is_concrete(x))(1.0) == 1
    assert core.is_concrete(1.0)
    assert core.concrete_or_error(int, 3.7) == 3
    assert core.is_constant_shape((2, 3))
    (n,) = treadle.export.symbolic_shape("n")
    assert not core.is_constant_shape((2, n))
    assert core.Effects is treadle.extend.core.Effects


def test_arguments_are_treated_as_by_functions_of_numpy() -> None:
    from jax._src.numpy import util

    i, f, b = tnp.arange(3), tnp.ones((2, 3), "float16"), tnp.ones(2, bool)
    for promote, arguments, dtype, weak in (
        (util.promote_dtypes, (i, f), "float16", False),
        (util.promote_dtypes, (b, i), "int32", False),
        (util.promote_dtypes, (1, 2.0), "float32", True),
        (util.promote_dtypes_inexact, (i,), "float32", False),
        (util.promote_dtypes_inexact, (1,), "float32", True),
        (util.promote_dtypes_complex, (i, f), "complex64", False),
        (util.promote_dtypes_numeric, (b,), "int32", False),
    ):
        promoted = promote(*arguments)
        assert [(x.dtype, x.weak_type) for x in promoted] == [(dtype, weak)] * len(arguments)
    x, y = util.promote_args_inexact("f", i, f)
    assert (x.shape, y.shape, x.dtype) == ((1, 3), (2, 3), "float16")
    assert [x.shape for x in util.promote_shapes("f", 1.0, f)] == [(), (2, 3)]
    util.check_arraylike("f", i, 1)
    with pytest.raises(TypeError, match=r"f requires ndarray or scalar arguments.*position 1"):
        util.check_arraylike("f", i, [1])
    assert util.ensure_arraylike("f", 1).shape == ()


def test_pallas_can_be_imported_and_has_nothing() -> None:
    pallas: Any = importlib.import_module("jax.experimental.pallas")
    with pytest.raises(AttributeError, match=r"no `jax\.experimental\.pallas\.pallas_call`.*"):
        _ = pallas.pallas_call


def test_jaxlib_is_where_jax_has_it() -> None:
    import jaxlib.mlir.dialects.stablehlo
    import jaxlib.mlir.ir
    from jax._src import lib
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import dialects, ir
    from jax._src.lib.mlir.dialects import hlo

    assert lib.jaxlib is jaxlib
    assert lib.version_str == jaxlib.__version__
    assert lib.version == tuple(map(int, jaxlib.__version__.split(".")[:3]))
    assert ir is jaxlib.mlir.ir
    assert hlo is jaxlib.mlir.dialects.stablehlo
    assert xla_client.PrimitiveType is jaxlib.xla_client.PrimitiveType
    assert xla_client.XlaRuntimeError is treadle.errors.JaxRuntimeError
    for module in (lib, dialects, lib.mlir):
        with pytest.raises(AttributeError, match="nowhere"):
            module.nowhere  # noqa: B018


def test_the_mesh_in_force_is_where_libraries_look_it_up() -> None:
    from jax._src.interpreters import pxla
    from jax._src.mesh import thread_resources

    assert pxla.thread_resources is thread_resources
    assert thread_resources.env.physical_mesh.empty
    assert thread_resources.env.empty
    with treadle.make_mesh((1,), ("x",)) as mesh:
        assert thread_resources.env.physical_mesh is mesh
        assert thread_resources.env.shape == {"x": 1}


def test_being_staged_can_be_asked() -> None:
    core: Any = importlib.import_module("jax.core")

    def answers() -> tuple[bool, bool]:
        made = tnp.asarray([0])
        by_array = isinstance(made, core.Tracer) and not core.is_concrete(made)
        return by_array, core.unsafe_am_i_under_a_jit_DO_NOT_USE()

    def within(transform: Any, x: Any) -> tuple[bool, bool]:
        seen: list[tuple[bool, bool]] = []

        def look(x: Any) -> Any:
            seen.append(answers())
            return x

        transform(look)(x)
        return seen[0]

    assert answers() == (False, False)
    assert within(treadle.vmap, tnp.ones(1)) == (False, False)
    assert within(treadle.grad, 1.0) == (False, False)
    assert within(treadle.jit, 1.0) == (True, True)
    assert within(lambda f: treadle.jit(treadle.grad(f)), 1.0) == (True, True)
    assert within(lambda f: treadle.jit(treadle.vmap(f)), tnp.ones(1)) == (True, True)


def test_axes_with_names_can_be_asked_for() -> None:
    core: Any = importlib.import_module("jax.core")

    assert not core.nonempty_axis_env_DO_NOT_USE()
    seen: list[bool] = []

    def look(x: Any) -> Any:
        seen.append(core.nonempty_axis_env_DO_NOT_USE())
        return x

    treadle.vmap(look, axis_name="i")(tnp.ones(1))
    assert seen == [True]


def test_what_is_mapped_over_as_a_whole_is_known() -> None:
    from jax._src.interpreters.batching import is_vmappable, to_elt
    from jax.interpreters import batching

    class Meters(int):
        pass

    assert not is_vmappable(Meters(3))
    batching.register_vmappable(Meters, int, int, lambda *_: 0, lambda *_: 0, None)
    assert is_vmappable(Meters(3))
    assert not is_vmappable(tnp.ones(2))
    trace: Any = None  # the class is looked at first
    with pytest.raises(UnsupportedError, match="is mapped over as a whole"):
        to_elt(trace, None, Meters(3), 0)
    batching.unregister_vmappable(Meters)
    assert not is_vmappable(Meters(3))


def test_the_registry_of_nodes_opens_one_level() -> None:
    from jax._src import tree_util as private_tree_util
    from jax.tree_util import default_registry

    assert default_registry.flatten_one_level({"b": 1, "a": [2]}) == (([2], 1), ("a", "b"))
    assert private_tree_util.default_registry is default_registry


def test_a_module_that_one_of_jax_s_imports() -> None:
    from jax.experimental.ode import api_util, ravel_first_arg

    flat, unravel = treadle.flatten_util.ravel_pytree({"a": tnp.ones(2), "b": 1.0})

    def scaled(y: Any, t: float) -> Any:
        return treadle.tree.map(lambda x: x * t, y)

    info = api_util.debug_info("odeint", scaled, (unravel(flat), 2.0), {})
    assert ravel_first_arg(scaled, unravel, info)(flat, 2.0).tolist() == [2, 2, 2]


def test_a_private_module_is_found_where_a_public_function_has_its_name() -> None:
    from jax._src.numpy import einsum

    assert inspect.ismodule(einsum)
    assert einsum.einsum is tnp.einsum
    importlib.import_module("jax._src.numpy.vectorize")
    assert inspect.ismodule(importlib.import_module("jax._src.numpy").vectorize)


def test_products_in_an_order_that_opt_einsum_found() -> None:
    """As haliax does, whose layers say which `dot_general` they are computed by."""
    import opt_einsum
    from jax._src.numpy import einsum

    asked = []

    def product(x: Any, y: Any, *rest: Any, **options: Any) -> Any:
        asked.append((x.shape, y.shape))
        return treadle.lax.dot_general(x, y, *rest, **options)

    x, y, z = tnp.ones((2, 3)), tnp.ones((3, 5)), tnp.ones((5, 7))
    for path in (opt_einsum.contract_path, einsum._default_poly_einsum_handler):
        operands, steps = path("ij,jk,kl->il", x, y, z, einsum_call=True, optimize="optimal")
        contractions = tuple(
            (places, frozenset(letters), text) for places, letters, text, *_ in steps
        )
        found = einsum._einsum(operands, contractions, None, "float32", product, out_sharding=None)
        assert found.shape == (2, 7)
        assert tnp.all(found == 15)
    assert asked == [((3, 5), (2, 3)), ((5, 2), (5, 7))] * 2


def test_haliax_asks_for_the_mesh_in_force_and_for_names_that_it_may_do_without() -> None:
    from jax._src import pretty_printer
    from jax._src.mesh import get_concrete_mesh
    from jax._src.state.indexing import Slice

    assert get_concrete_mesh().empty
    mesh = treadle.make_mesh((1,), ("data",))
    with treadle.set_mesh(mesh):
        assert get_concrete_mesh() == mesh
    from jax.experimental.pallas import ds, dslice

    assert isinstance(dslice(1, 2), Slice)
    assert ds is dslice is treadle.ds
    assert not isinstance(slice(1), Slice)
    with pytest.raises(AttributeError, match="was asked for through treadle_jax"):
        pretty_printer.text("")


def test_names_that_evermore_and_stochastix_use() -> None:
    from jax._src.random import Shape

    assert Shape == Sequence[int]
    calls: list[int] = []

    @treadle.jit
    def f(x: Any) -> Any:
        calls.append(1)
        return x

    f(1.0)
    f._clear_cache()  # type: ignore[attr-defined]
    f(1.0)
    assert len(calls) == 2


def test_lists_are_split_and_merged() -> None:
    from jax._src import util

    assert util.split_list([1, 2, 3, 4], [1, 2]) == [[1], [2, 3], [4]]
    assert util.split_list([1], [2]) == [[1], []]
    assert util.unzip2([(1, 2), (3, 4)]) == ((1, 3), (2, 4))
    assert util.unzip2([]) == ((), ())
    assert util.unzip3([(1, 2, 3)]) == ((1,), (2,), (3,))
    assert util.partition_list([True, False, True], [1, 2, 3]) == ([2], [1, 3])
    assert util.merge_lists([True, False, True], [2], [1, 3]) == [1, 2, 3]
    assert util.canonicalize_axis(-1, 3) == 2
    with pytest.raises(ValueError, match="axis 3 is out of bounds for array of dimension 3"):
        util.canonicalize_axis(3, 3)


def test_shapes_and_types_by_private_names() -> None:
    import numpy as np
    from jax._src import core, dtypes

    assert core.canonicalize_shape((np.int32(2), 3)) == (2, 3)
    assert core.canonicalize_shape(4) == (4,)
    with pytest.raises(TypeError, match="shapes are sequences of integers"):
        core.canonicalize_shape((1.5,))
    assert core.definitely_equal_shape((1, 2), (1, 2))
    assert not core.definitely_equal_shape((1, 2), (1,))
    assert core.safe_map(int, ["1"]) == [1]
    for given, wanted in (
        ("float32", "complex64"),
        ("int32", "complex64"),
        ("float64", "complex128"),
    ):
        assert dtypes.to_complex_dtype(given) == wanted


def test_the_classes_of_c_and_r() -> None:
    from jax._src.numpy.index_tricks import CClass, RClass

    class Mine(RClass):  # type: ignore[misc]  # the stubs have no private names
        pass

    assert CClass()[tnp.arange(2), tnp.arange(2)].tolist() == [[0, 0], [1, 1]]
    assert Mine()[tnp.arange(2), 5].tolist() == [0, 1, 5]
    assert (CClass.axis, CClass.ndmin, CClass.trans1d) == (-1, 2, 0)


def test_names_that_brainstate_and_others_take() -> None:
    import jax.lib
    from jax._src.interpreters import batching
    from jax._src.literals import LiteralArray
    from jax._src.sharding_impls import UNSPECIFIED, UnspecifiedValue
    from jax._src.xla_bridge import backends_are_initialized

    assert jax.lib.__version__ == importlib.metadata.version("jaxlib")  # type: ignore[attr-defined]
    assert isinstance(UNSPECIFIED, UnspecifiedValue)
    assert not isinstance(tnp.ones(2), LiteralArray)
    assert batching.make_iota(3).tolist() == [0, 1, 2]
    seen: list[Any] = []

    def look(x: Any) -> Any:
        assert isinstance(x, batching.BatchTracer)
        assert isinstance(x.owner, batching.BatchTrace)
        element = batching.to_elt(x.owner, None, tnp.arange(6.0).reshape(3, 2), -1)
        assert element.shape == (3,)
        assert batching.to_elt(x.owner, None, 5, None) == 5
        seen.append(element)
        return x + element.sum()

    assert treadle.vmap(look)(tnp.zeros(2)).tolist() == [6, 9]
    assert seen
    tnp.ones(2).devices()
    assert backends_are_initialized()
