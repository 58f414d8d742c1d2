"""VAL: regular values, abstract tracers, concrete tracers: who introduces which, and what each can do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import row
from treadle import core, lax

Probe = Callable[[Any], Any]

X: Final = 3.5


def _scalar(probe: Probe) -> Callable[[Any], Any]:
    """A function of a scalar that hands its argument to the probe."""

    def f(x: Any) -> Any:
        probe(x)
        return x * 2.0

    return f


ABSTRACT: Final[dict[str, Callable[[Probe], Any]]] = {
    "jit": lambda p: sut.jit(_scalar(p))(X),
    "vmap": lambda p: sut.vmap(_scalar(p))(tnp.full(2, X)),
    "make_jaxpr": lambda p: sut.make_jaxpr(_scalar(p))(X),
    "pmap": lambda p: sut.pmap(_scalar(p))(tnp.full(1, X)),
}
CONCRETE: Final[dict[str, Callable[[Probe], Any]]] = {
    "grad": lambda p: sut.grad(_scalar(p))(X),
    "jvp": lambda p: sut.jvp(_scalar(p), (X,), (1.0,)),
    "vjp": lambda p: sut.vjp(_scalar(p), X),
    "grad(grad)": lambda p: sut.grad(sut.grad(_scalar(p)))(X),
    "jacfwd": lambda p: sut.jacfwd(_scalar(p))(X),
    "jacrev": lambda p: sut.jacrev(_scalar(p))(X),
}
NESTED: Final[dict[str, Callable[[Probe], Any]]] = {
    "jit(grad)": lambda p: sut.jit(sut.grad(_scalar(p)))(X),
    "grad(jit)": lambda p: sut.grad(sut.jit(_scalar(p)))(X),
    "vmap(grad)": lambda p: sut.vmap(sut.grad(_scalar(p)))(tnp.full(2, X)),
    "grad(vmap)": lambda p: sut.grad(lambda x: tnp.sum(sut.vmap(_scalar(p))(x)))(tnp.full(2, X)),
    "jvp(jit)": lambda p: sut.jvp(sut.jit(_scalar(p)), (X,), (1.0,)),
    "jit(jvp)": lambda p: sut.jit(lambda x: sut.jvp(_scalar(p), (x,), (1.0,)))(X),
    "make_jaxpr(grad)": lambda p: sut.make_jaxpr(sut.grad(_scalar(p)))(X),
}
CASTS: Final = (bool, int, float)
OF_ABSTRACT: Final = pytest.mark.parametrize("run", ABSTRACT.values(), ids=ABSTRACT)
OF_CONCRETE: Final = pytest.mark.parametrize("run", CONCRETE.values(), ids=CONCRETE)
OF_NESTED: Final = pytest.mark.parametrize("run", NESTED.values(), ids=NESTED)


def _seen(run: Callable[[Probe], Any], look: Callable[[Any], Any]) -> list[Any]:
    """Return the results of `look` for the arguments that the probe received, at least one."""
    seen: list[Any] = []
    run(lambda x: seen.append(look(x)))
    assert seen, "the probe was never called"
    return seen


def _is_tracer(x: Any) -> bool:
    return isinstance(x, core.Tracer)


def _refuses_casts(x: Any) -> bool:
    for cast in CASTS:
        with pytest.raises(TypeError):
            cast(x)
    return True


@row("VAL-01")
def test_val_01_functions_work_on_tracers() -> None:
    assert float(sut.jit(lambda x: tnp.cos(x))(0.0)) == 1.0


@row("VAL-02")
def test_val_02_what_print_shows(capsys: pytest.CaptureFixture[str]) -> None:
    sut.jit(lambda x: (print(x), tnp.cos(x))[1])(0.0)
    assert capsys.readouterr().out == "Traced<ShapedArray(float32[])>\n"


@row("VAL-03")
@OF_ABSTRACT
def test_val_03_abstract_tracers(run: Callable[[Probe], Any]) -> None:
    assert all(_seen(run, _is_tracer))


@row("VAL-04")
@OF_ABSTRACT
def test_val_04_abstract_tracers_refuse_casts(run: Callable[[Probe], Any]) -> None:
    assert all(_seen(run, _refuses_casts))


@row("VAL-05")
def test_val_05_jit_traces_every_positional_argument() -> None:
    seen: list[bool] = []

    @sut.jit
    def f(a: Any, b: Any, c: Any) -> Any:
        seen.extend(map(_is_tracer, (a, b, c)))
        return a + b + c

    f(1, 2.0, np.ones(3, np.float32))
    assert seen == [True, True, True]


@row("VAL-06")
def test_val_06_static_arguments_stay_regular() -> None:
    seen: list[type] = []

    def f(n: Any, s: Any, x: Any) -> Any:
        seen.extend([type(n), type(s)])
        return x * n

    sut.jit(f, static_argnums=(0, 1))(2, "a", 1.0)
    assert seen == [int, str]


@row("VAL-07")
def test_val_07_pmap_static_arguments_stay_regular() -> None:
    seen: list[type] = []

    def f(n: Any, x: Any) -> Any:
        seen.append(type(n))
        return x * n

    assert sut.pmap(f, static_broadcasted_argnums=0)(3, tnp.ones(1)).tolist() == [3.0]
    assert seen == [int]


@row("VAL-08")
def test_val_08_xla_computation_introduces_abstract_tracers() -> None:
    def run(p: Probe) -> Any:
        return sut.xla_computation(_scalar(p))(X)

    assert all(_seen(run, _is_tracer))
    assert all(_seen(run, _refuses_casts))


@row("VAL-09")
@OF_CONCRETE
def test_val_09_comparisons_of_concrete_tracers_resolve(run: Callable[[Probe], Any]) -> None:
    assert all(_seen(run, lambda x: _is_tracer(x) and bool(x > 1) is True))


@row("VAL-10")
@OF_CONCRETE
def test_val_10_bool_and_int_are_python_values(run: Callable[[Probe], Any]) -> None:
    for truth, number in _seen(run, lambda x: (bool(x), int(x))):
        assert truth is True
        assert (type(number), number) == (int, 3)


@row("VAL-11")
@OF_CONCRETE
def test_val_11_so_is_float(run: Callable[[Probe], Any]) -> None:
    for number in _seen(run, float):
        assert (type(number), number) == (float, 3.5)


@row("VAL-12")
@OF_CONCRETE
def test_val_12_astype_float_stays_concrete_and_differentiable(run: Callable[[Probe], Any]) -> None:
    for x in _seen(run, lambda x: (bool(x.astype(float) > 3), x.astype(float).dtype)):
        assert x == (True, np.float32)
    assert float(sut.grad(lambda x: x.astype(float) * 2)(3.5)) == 2.0


@row("VAL-13")
@OF_CONCRETE
def test_val_13_which_casts_to_a_python_float(run: Callable[[Probe], Any]) -> None:
    assert set(_seen(run, lambda x: float(x.astype(float)))) == {3.5}


@row("VAL-14")
@OF_CONCRETE
def test_val_14_astype_int_gives_the_integer(run: Callable[[Probe], Any]) -> None:
    assert set(_seen(run, lambda x: int(x.astype(int)))) == {3}


@row("VAL-15")
@OF_NESTED
def test_val_15_nested_abstract_tracers_refuse_casts(run: Callable[[Probe], Any]) -> None:
    assert all(_seen(run, _is_tracer))
    assert all(_seen(run, _refuses_casts))


def _through(probe: Probe) -> dict[str, Callable[[Any], Any]]:
    """Each functional with the probe in its body."""

    def probed(x: Any) -> Any:
        probe(x)
        return x * 2.0

    def probed_condition(x: Any) -> Any:
        probe(x)
        return x < 10.0

    def body(carry: Any, _: Any) -> Any:
        probe(carry)
        return carry * 2.0, None

    return {
        "cond": lambda x: lax.cond(True, probed, lambda x: x, x),
        "while cond": lambda x: lax.while_loop(probed_condition, lambda x: x * 2.0, x),
        "while body": lambda x: lax.while_loop(lambda x: x < 10.0, probed, x),
        "fori": lambda x: lax.fori_loop(0, 2, lambda i, x: probed(x), x),
        "scan": lambda x: lax.scan(body, x, None, length=2)[0],
    }


FUNCTIONALS: Final = ("cond", "while cond", "while body", "fori", "scan")


@row("VAL-16")
@pytest.mark.parametrize("name", FUNCTIONALS)
def test_val_16_functionals_give_abstract_tracers_even_eagerly(name: str) -> None:
    def run(p: Probe) -> Any:
        return _through(p)[name](tnp.array(X))

    assert all(_seen(run, _is_tracer))
    assert all(_seen(run, _refuses_casts))


@row("VAL-17")
@pytest.mark.parametrize("name", ["cond", "fori", "scan"])
def test_val_17_also_inside_grad(name: str) -> None:
    def run(p: Probe) -> Any:
        return sut.grad(_through(p)[name])(X)

    assert all(_seen(run, _refuses_casts))


@row("VAL-18")
def test_val_18_operations_on_tracers_give_tracers() -> None:
    def results(x: Any) -> Any:
        return [_is_tracer(y) for y in (x * 2, tnp.sin(x), x + np.float32(1))]

    for run in [*ABSTRACT.values(), *CONCRETE.values()]:
        assert all(all(each) for each in _seen(run, results))
    for run in CONCRETE.values():
        assert all(_seen(run, lambda x: bool(x * 2 + 1 > 7)))


@row("VAL-19")
def test_val_19_what_comes_from_regular_values_stays_regular() -> None:
    seen: list[type] = []

    def f(n: Any, x: Any) -> Any:
        seen.extend([type(n * 2), type(np.sin(1.0)), type(len(x))])
        return x * n

    sut.jit(f, static_argnums=0)(3, tnp.ones(2))
    assert seen == [int, np.float64, int]


def test_val_19_array_functions_are_traced() -> None:
    def made(x: Any) -> list[bool]:
        return [
            _is_tracer(each)
            for each in (
                tnp.array([1, 2]),
                tnp.asarray(np.ones(2)),
                tnp.float32(1),
                tnp.zeros(2),
                tnp.arange(2),
            )
        ]

    for name, run in ABSTRACT.items():
        staged = name not in ("vmap",)
        assert all(found == [staged] * 5 for found in _seen(run, made)), name


def test_val_19_traced_or_not_what_is_known_stays_known() -> None:
    kept: list[Any] = []

    def f(x: Any) -> Any:
        table = tnp.array([1.0, 2.0, 3.0])
        kept.append(table)
        return x * table[int(tnp.int32(1))] + np.sum(np.asarray(table))

    x = tnp.ones(2)
    for transformed in (
        sut.jit(f),
        sut.jit(lambda x: sut.vmap(f)(x)),
        sut.jit(lambda x: sut.grad(lambda x: f(x).sum())(x) + 6.0),
        sut.jit(lambda x: sut.jvp(f, (x,), (x,))[0]),
    ):
        np.testing.assert_allclose(transformed(x), [8.0, 8.0])
    for table in kept:  # the functions have been traced
        assert table.block_until_ready().devices() == {sut.devices()[0]}
        assert not table.is_deleted()
        np.testing.assert_array_equal(table * 2, [2.0, 4.0, 6.0])
        np.testing.assert_array_equal(
            sut.jit(lambda x, table=table: x * table)(2.0), [2.0, 4.0, 6.0]
        )


@row("VAL-20")
def test_val_20_shape_dtype_ndim_size_are_regular() -> None:
    def look(x: Any) -> Any:
        return x.shape, x.dtype, x.ndim, x.size

    for name in ("jit", "vmap", "make_jaxpr"):
        for shape, dtype, ndim, size in _seen(ABSTRACT[name], look):
            assert (shape, dtype, ndim, size) == ((), np.float32, 0, 1)
            assert [type(shape), type(ndim), type(size)] == [tuple, int, int]
    seen = _seen(lambda p: sut.make_jaxpr(lambda x: (p(x), x)[1])(tnp.ones((2, 3))), look)
    assert seen == [((2, 3), np.float32, 2, 6)]


@row("VAL-21")
@OF_ABSTRACT
def test_val_21_tracers_carry_a_shaped_array(run: Callable[[Probe], Any]) -> None:
    for aval in _seen(run, lambda x: x.aval):
        assert type(aval) is core.ShapedArray
        assert (aval.shape, aval.dtype.name) == ((), "float32")


@row("VAL-22")
@OF_CONCRETE
def test_val_22_concrete_tracers_carry_their_data(run: Callable[[Probe], Any]) -> None:
    for aval in _seen(run, lambda x: x.aval):
        assert type(aval) is core.ConcreteArray
        assert isinstance(aval, core.ShapedArray)
        assert float(aval.val) == 3.5


def divide(x: Any, y: Any) -> Any:
    return x / y if y >= 1.0 else 0.0


@row("VAL-23")
def test_val_23_divide_under_jit() -> None:
    with pytest.raises(TypeError):
        sut.jit(divide)(3.0, 2.0)
    static = sut.jit(divide, static_argnums=1)
    assert [float(static(3.0, 2.0)), float(static(3.0, 0.5))] == [1.5, 0.0]


@row("VAL-24")
@pytest.mark.parametrize(
    "test", [lambda y: bool(y >= 1.0), lambda y: int(y) >= 1, lambda y: float(y) >= 1.0]
)
def test_val_24_the_three_casts_fail_alike(test: Callable[[Any], bool]) -> None:
    def f(x: Any, y: Any) -> Any:
        return x / y if test(y) else 0.0

    with pytest.raises(TypeError):
        sut.jit(f)(3.0, 2.0)
    assert float(sut.jit(f, static_argnums=1)(3.0, 2.0)) == 1.5


@row("VAL-25")
def test_val_25_grad_of_divide() -> None:
    assert [float(sut.grad(divide)(3.0, y)) for y in (2.0, 0.5)] == [0.5, 0.0]


@row("VAL-26")
def test_val_26_other_argnums() -> None:
    assert float(sut.grad(divide, argnums=1)(3.0, 2.0)) == -0.75
    assert tuple(map(float, sut.grad(divide, argnums=(0, 1))(3.0, 2.0))) == (0.5, -0.75)


@row("VAL-27")
def test_val_27_grad_traces_all_positional_arguments() -> None:
    seen: list[bool] = []

    def f(x: Any, y: Any) -> Any:
        seen.extend(map(_is_tracer, (x, y)))
        return x * y

    assert float(sut.grad(f)(3.0, 2.0)) == 2.0
    assert seen == [True, True]


@row("VAL-28")
def test_val_28_the_others_are_concrete_too() -> None:
    seen: list[object] = []

    def f(x: Any, y: Any) -> Any:
        seen.extend([bool(y > 1), int(y), float(y), [10, 20, 30][int(y)]])
        return x * y

    sut.grad(f)(3.0, 2.0)
    assert seen == [True, 2, 2.0, 30]


@row("VAL-29")
def test_val_29_jvp_traces_every_primal_concretely() -> None:
    seen: list[object] = []

    def f(x: Any, y: Any) -> Any:
        seen.extend([_is_tracer(x), _is_tracer(y), bool(x > y)])
        return x * y

    sut.jvp(f, (3.0, 2.0), (1.0, 0.0))
    assert seen == [True, True, True]


@row("VAL-30")
def test_val_30_library_functions_accept_tracers() -> None:
    def f(x: Any) -> Any:
        y = tnp.where(x > 0, tnp.sqrt(tnp.abs(x)), tnp.cos(x))
        return lax.cond(x > 1, lambda y: y * 2, lambda y: y, y)

    x = tnp.array([-1.0, 0.5, 4.0])
    expected = [float(f(each)) for each in x]
    np.testing.assert_allclose([float(sut.jit(f)(each)) for each in x], expected, rtol=1e-6)
    np.testing.assert_allclose(np.asarray(sut.vmap(f)(x)), expected, rtol=1e-6)
    np.testing.assert_allclose(np.asarray(sut.jit(sut.vmap(f))(x)), expected, rtol=1e-6)
