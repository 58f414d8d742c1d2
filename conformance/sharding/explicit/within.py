"""What functions of the user's are shown of values over explicit axes, wherever treadle calls them.

Each is run evaluated and jitted, with the mesh in force and without: then the operands' mesh counts. Everywhere types
show what JAX's types show where JAX runs the program; without `set_mesh`, it refuses derivatives of rules.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import errors, lax, sharding
from treadle.extend.core import Primitive
from treadle.interpreters import ad, batching, mlir
from treadle.sharding import PartitionSpec as P

Seen = Callable[[str, Any], None]  # Any: an array
Program = Callable[[Seen, Any], Any]


def with_jvp(seen: Seen, x: Any) -> Any:
    """A rule that is asked for a derivative, eager or staged."""

    @treadle.custom_jvp
    def double(x: Any) -> Any:
        seen("primal", x)
        return x * 2

    @double.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        seen("primal of the rule", primals[0])
        seen("tangent of the rule", tangents[0])
        return double(primals[0]), tangents[0] * 2

    return double(x)


def with_vjp(seen: Seen, x: Any) -> Any:
    """Both functions of a rule."""

    @treadle.custom_vjp
    def double(x: Any) -> Any:
        seen("primal", x)
        return x * 2

    def forward(x: Any) -> Any:
        seen("forward", x)
        return double(x), x

    def backward(x: Any, cotangent: Any) -> Any:
        seen("residual", x)
        seen("cotangent", cotangent)
        return (cotangent * 2,)

    double.defvjp(forward, backward)
    return double(x)


def scanned(seen: Seen, x: Any) -> Any:
    """The body of a loop."""

    def body(carry: Any, _: Any) -> Any:
        seen("carry", carry)
        return carry * 2, None

    return lax.scan(body, x, None, length=1)[0]


def chosen(seen: Seen, x: Any) -> Any:
    """A branch."""

    def branch(x: Any) -> Any:
        seen("branch", x)
        return x * 2

    return lax.cond(tnp.sum(x) > 0, branch, lambda x: x, x)


def remembered(seen: Seen, x: Any) -> Any:
    """A checkpointed function."""

    def inner(x: Any) -> Any:
        seen("checkpointed", x)
        return x * 2

    return treadle.checkpoint(inner)(x)


def jitted_within(seen: Seen, x: Any) -> Any:
    """A jitted function in the program."""

    def inner(x: Any) -> Any:
        seen("jitted", x)
        return x * 2

    return treadle.jit(inner)(x)


def vectorised(seen: Seen, x: Any) -> Any:
    """A rule of custom_vmap, called without a batch."""

    @treadle.custom_batching.custom_vmap
    def double(x: Any) -> Any:
        seen("custom_vmap", x)
        return x * 2

    @double.def_vmap
    def _(size: int, batched: Any, x: Any) -> Any:
        return x * 2, batched[0]

    return double(x)


PROGRAMS: Final[dict[str, tuple[Program, set[str]]]] = {
    "custom_jvp": (with_jvp, {"primal"}),
    "custom_vjp": (with_vjp, {"primal"}),
    "scan": (scanned, {"carry"}),
    "cond": (chosen, {"branch"}),
    "checkpoint": (remembered, {"checkpointed"}),
    "jit": (jitted_within, {"jitted"}),
    "custom_vmap": (vectorised, {"custom_vmap"}),
}
OF_DERIVATIVES: Final = {
    "custom_jvp": {"primal of the rule", "tangent of the rule"},
    "custom_vjp": {"forward", "residual", "cotangent"},
}


def mesh() -> sharding.Mesh:
    """Eight devices, with explicit axes."""
    return treadle.make_mesh((2, 4), ("a", "b"))


def divided() -> Any:
    """An array that both axes divide."""
    numbers = np.arange(1, 33, dtype=np.float32).reshape(8, 4)
    return treadle.device_put(numbers, sharding.NamedSharding(mesh(), P("a", "b")))


def law(name: str, jitted: bool, in_force: bool, derivative: bool) -> None:
    """One program."""
    program, asked = PROGRAMS[name]
    shown: dict[str, str] = {}

    def seen(where: str, value: Any) -> None:
        shown[where] = str(treadle.typeof(value))

    def run(x: Any) -> Any:
        if not derivative:
            return program(seen, x)
        return treadle.grad(lambda x: tnp.sum(program(seen, x)))(x)

    x = divided()
    with treadle.set_mesh(x.sharding.mesh) if in_force else nullcontext():
        result = (treadle.jit(run) if jitted else run)(x)
    wanted = OF_DERIVATIVES.get(name, asked) if derivative else asked
    assert wanted <= {*shown}, shown
    assert {*shown.values()} == {"float32[8@a,4@b]"}, shown
    expected = np.full((8, 4), 2.0) if derivative else 2 * np.asarray(x)
    np.testing.assert_array_equal(np.asarray(result), expected)
    assert result.sharding.spec == P("a", "b")


def refused_without_set_mesh() -> None:
    """An ambiguous result sharding is rejected on account of the operands' axes."""
    x = divided()
    calls = (lambda x: x.T @ x, lambda x: x.reshape(4, 8), lambda x: tnp.sort(x), lambda x: x[1:])
    for call in calls:
        for run in (call, treadle.jit(call)):
            with pytest.raises(errors.ShardingTypeError):
                run(x)


def rows_are_read() -> None:
    """Iteration gives replicated rows, as resharding the array first does."""
    x = divided()
    rows = [*x]
    assert [str(treadle.typeof(row)) for row in rows] == ["float32[4@b]"] * 8
    np.testing.assert_array_equal(np.stack(rows), np.asarray(x))


def inspected_without_set_mesh() -> None:
    """The sharding of an array can be inspected."""
    seen: list[Any] = []

    def f(x: Any) -> Any:
        treadle.debug.inspect_array_sharding(x * 2, callback=seen.append)
        return x

    treadle.jit(f)(divided())
    assert [each.spec for each in seen] == [P("a", "b")]


def some_axes_are_left_to_the_compiler() -> None:
    """Over the explicit axes types show shardings, and propagation rules apply."""
    x = divided()
    shown: list[str] = []

    def ordered(x: Any) -> Any:
        shown.append(str(treadle.typeof(x)))
        return tnp.sort(x, axis=1)[:, ::-1] * x

    resharded = sharding.auto_axes(ordered, axes="b", out_sharding=P("a", "b"))
    with treadle.set_mesh(x.sharding.mesh):
        for f in (resharded, treadle.jit(resharded)):
            result = f(x)
            np.testing.assert_array_equal(result, ordered(np.asarray(x)))
            assert shown.pop(0) == "float32[8@a,4]"
            assert result.sharding.spec == P("a", "b")
            shown.clear()
        gradient = treadle.jit(treadle.grad(lambda x: resharded(x).sum()))(x)
        assert gradient.sharding.spec == P("a", "b")
        np.testing.assert_allclose(
            gradient, treadle.grad(lambda x: ordered(x).sum())(np.asarray(x))
        )
        with pytest.raises(errors.ShardingTypeError, match="along axis 0"):
            sharding.auto_axes(lambda x: tnp.sort(x, axis=0), axes="b", out_sharding=P("a"))(x)


def some_axes_are_shown() -> None:
    """The way back: over a mesh with automatic axes, within a jitted function."""
    shown: list[str] = []

    def see(x: Any) -> Any:
        shown.append(str(treadle.typeof(x * 2)))
        return x * 2

    automatic = treadle.make_mesh((2, 4), ("a", "b"), (sharding.AxisType.Auto,) * 2)
    x = np.ones((8, 4), np.float32)
    with treadle.set_mesh(automatic):
        for axes, spec, type in (("a", P("a"), "8@a,4"), (None, P("a", "b"), "8@a,4@b")):
            f = sharding.explicit_axes(see, axes=axes, in_sharding=spec)
            np.testing.assert_array_equal(treadle.jit(f)(x), x * 2)
            assert shown.pop() == f"float32[{type}]"


def shown_of_jitted_stages() -> None:
    """`trace`, `lower` and `eval_shape` know the axes of their arguments, too."""
    x = divided()
    jitted = treadle.jit(lambda x: x.sum(0))
    traced = jitted.trace(x)
    assert str(treadle.typeof(traced.lower().compile()(x))) == "float32[4@b]"
    for told in (traced.out_info, jitted.eval_shape(x)):
        assert told.sharding.spec == P("b")
        assert told.sharding.mesh == x.sharding.mesh.abstract_mesh


def shown_as_a_type() -> None:
    """`x.aval` and `typeof(x)` are one type, over the axes of the mesh in force and none of its devices."""
    x = divided()
    with treadle.set_mesh(x.sharding.mesh):
        inner: list[Any] = []
        treadle.jit(lambda x: inner.append((x.aval, treadle.typeof(x))))(x)
        for aval, type in [*inner, (x.aval, treadle.typeof(x))]:
            assert aval == type
            assert str(aval) == "float32[8@a,4@b]"
            assert aval.sharding.mesh == sharding.get_abstract_mesh()
        whole: Any = treadle.typeof(tnp.ones(3)).sharding
        assert (whole.mesh, whole.spec) == (sharding.get_abstract_mesh(), P(None))


def shown_by_eval_shape() -> None:
    """`eval_shape` shows a mesh that is not in force: the mesh of an argument, or of a `reshard` in the function."""
    x = divided()
    mesh = x.sharding.mesh
    wanted = sharding.NamedSharding(mesh, P("a", "b"))

    def resharded(x: Any) -> Any:
        return sharding.reshard(x, wanted)

    cases: list[tuple[Any, Any, Any]] = [
        (lambda: resharded(tnp.ones((8, 4))), (), P("a", "b")),
        (lambda x: resharded(x) + 1, (tnp.ones((8, 4)),), P("a", "b")),
        (lambda x: resharded(x).sum(0), (tnp.ones((8, 4)),), P("b")),
        (lambda x: x * 2, (x,), P("a", "b")),
        (lambda x: x.sum(0), (x,), P("b")),
    ]
    for function, arguments, spec in cases:
        found = treadle.eval_shape(function, *arguments).sharding
        assert found.spec == spec
        assert found.mesh.axes == mesh.axes  # programs do not depend on the kind of devices
    assert treadle.eval_shape(lambda x: x + 1, tnp.ones(3)).sharding is None


def nothing_said() -> None:
    """The type of an array on one device has a sharding, over no axes."""
    found: Any = treadle.typeof(tnp.ones((2, 3))).sharding
    assert str(found) == "NamedSharding(mesh=AbstractMesh((), axis_types=()), spec=P(None, None))"
    assert found.is_fully_replicated
    drawn = treadle.random.normal(treadle.random.key(0), (2, 3), out_sharding=found)
    np.testing.assert_array_equal(drawn, treadle.random.normal(treadle.random.key(0), (2, 3)))
    x = tnp.arange(3.0)
    np.testing.assert_array_equal(sharding.reshard(x, found), x)


def what_starts_whole_is_divided() -> None:
    """Carries that go in whole come out as the body has them, and branches agree where one returns its result whole."""
    x = divided()
    host = np.asarray(x)

    def over(*spec: str | None) -> sharding.NamedSharding:
        return sharding.NamedSharding(mesh(), P(*spec))

    def summed(x: Any) -> Any:
        return lax.scan(
            lambda c, row: (c + row, None), tnp.zeros(4), sharding.reshard(x, over(None, "b"))
        )[0]

    def counted(x: Any) -> Any:
        start = (0, tnp.zeros((8, 4)), tnp.zeros((8, 4)), x)
        return lax.while_loop(
            lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] + c[2], c[2] + c[3], c[3]), start
        )[1]

    def either(x: Any) -> Any:
        return lax.cond(x.sum() > 0, lambda x: (x, 1), lambda x: (tnp.zeros((8, 4)), 2), x)[0]

    def one_of_three(x: Any) -> Any:
        branches = [lambda x: tnp.ones((8, 4)), lambda x: x, lambda x: 2 * x]
        return lax.switch((x.sum() > 0).astype(int), branches, x)

    programs: dict[Callable[..., Any], tuple[Any, str]] = {
        summed: (host.sum(0), "float32[4@b]"),
        counted: (3 * host, "float32[8@a,4@b]"),
        either: (host, "float32[8@a,4@b]"),
        one_of_three: (host, "float32[8@a,4@b]"),
    }
    for program, (expected, shown) in programs.items():
        for in_force in (True, False):
            with treadle.set_mesh(mesh()) if in_force else nullcontext():
                for function in (program, treadle.jit(program)):
                    found = function(x)
                    np.testing.assert_allclose(found, expected, rtol=1e-6)
                    assert shown in str(treadle.typeof(found))
                _, tangent = treadle.jvp(treadle.jit(program), (x,), (x,))
                np.testing.assert_allclose(tangent, expected, rtol=1e-6)
    with pytest.raises(errors.ShapeError, match="in and out differ"):
        lax.scan(lambda c, row: (c * row[None], None), tnp.zeros(4), x)
    with pytest.raises(errors.ShapeError, match="differ at the only leaf"):
        lax.cond(True, lambda x: x, lambda x: tnp.zeros(4), x)
    with pytest.raises(errors.ShardingTypeError, match=r"8@a.*8@b"):
        lax.cond(True, lambda x: x, lambda x: sharding.reshard(x, over("b", "a")), x)


def operations_of_libraries_have_their_own_sharding() -> None:
    """A primitive of a library's own, evaluated and transformed: as its abstract evaluation says."""
    double = Primitive("double")
    double.def_impl(lambda x: 2 * x)
    double.def_abstract_eval(lambda x: x)
    mlir.register_lowering(double, mlir.lower_fun(double.impl, multiple_results=False))
    ad.deflinear(double, lambda ct: [double.bind(ct)])
    batching.primitive_batchers[double] = lambda args, dims: (double.bind(*args), dims[0])
    x = divided()
    slope = treadle.grad(lambda x: (double.bind(x) * x).sum() / 2)  # twice x, too
    for function in (double.bind, slope, treadle.vmap(double.bind)):
        for found in (function(x), treadle.jit(function)(x)):
            assert found.sharding.is_equivalent_to(x.sharding, 2)
            np.testing.assert_array_equal(found, 2 * np.asarray(x))


def zero_gradients_are_sharded_like_their_primals() -> None:
    """The function does not depend on an argument, or through a zero: its gradient is sharded like the argument."""
    x = divided()
    for function in (lambda x, y: (x * 2).sum(), lambda x, y: (x + lax.stop_gradient(y)).sum()):
        both = treadle.grad(function, (0, 1))
        for found in (both(x, x), treadle.jit(both)(x, x), treadle.vjp(function, x, x)[1](2.0)):
            assert [y.sharding.is_equivalent_to(x.sharding, 2) for y in found] == [True, True]
            assert not np.asarray(found[1]).any()
            assert str(treadle.typeof(found[1])) == "float32[8@a,4@b]"


def primals_over_no_mesh_have_gradients() -> None:
    """Of arrays on one device a shard_map over explicit axes makes parts: gradients are what they are under jit."""
    doubled = treadle.shard_map(lambda x: 2 * x, mesh=mesh(), in_specs=P("a"), out_specs=P("a"))
    x = tnp.arange(32.0).reshape(8, 4)
    makers: dict[str, Callable[[Any], Any]] = {
        "stack": lambda x: tnp.stack([tnp.sin(x[i]) for i in range(8)]),
        "concatenate": lambda x: tnp.concatenate([tnp.sin(x[i : i + 1]) for i in range(8)]),
        "slice": lambda x: tnp.sin(x)[::-1][:8],
        "pad": lambda x: tnp.pad(tnp.sin(x[1:7]), ((1, 1), (0, 0))),
        "at": lambda x: tnp.zeros((8, 4)).at[2].set(tnp.sin(x[3])),
        "sort": lambda x: tnp.sort(tnp.sin(x), axis=0),
        "cumsum": lambda x: tnp.cumsum(tnp.sin(x), axis=0),
        "reshape": lambda x: tnp.sin(x.reshape(4, 8)).reshape(8, 4),
    }
    for name, make in makers.items():
        slope = treadle.grad(lambda x, make=make: (doubled(make(x)) ** 2).sum())
        expected = treadle.grad(lambda x, make=make: ((2 * make(x)) ** 2).sum())(x)
        for function in (slope, treadle.jit(slope)):
            np.testing.assert_allclose(function(x), expected, rtol=1e-5, atol=1e-5, err_msg=name)


LAWS: Final[dict[str, Callable[[], None]]] = {
    f"{name} {kind} {where} {what}".rstrip(): functools.partial(
        law, name, jitted, force, derivative
    )
    for name in PROGRAMS
    for kind, jitted in (("evaluated", False), ("jitted", True))
    for where, force in (("with set_mesh", True), ("without", False))
    for what, derivative in (("", False), ("differentiated", True))
    if not derivative or name != "custom_vmap"  # which has no reverse mode
} | {
    "refused without set_mesh": refused_without_set_mesh,
    "rows": rows_are_read,
    "inspected": inspected_without_set_mesh,
    "some automatic": some_axes_are_left_to_the_compiler,
    "some explicit": some_axes_are_shown,
    "stages": shown_of_jitted_stages,
    "eval_shape": shown_by_eval_shape,
    "nothing said": nothing_said,
    "zeros": zero_gradients_are_sharded_like_their_primals,
    "libraries": operations_of_libraries_have_their_own_sharding,
    "over no mesh": primals_over_no_mesh_have_gradients,
    "whole at first": what_starts_whole_is_divided,
}
