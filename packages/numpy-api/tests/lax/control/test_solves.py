from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad, jacfwd, jacrev, jvp, vjp
from treadle_ir import ArgumentError, DTypeError, ShapeError
from treadle_ir.errors import DerivativeError, StructureError
from treadle_numpy import lax, numpy as tnp

A = np.array([[3.0, 0.5, 0.0], [-0.25, 2.0, 0.75], [0.5, 0.0, 4.0]])
B = np.array([1.0, -2.0, 0.5])


def richardson(a: Any, b: Any) -> Any:
    """The solution of a x = b by iteration."""
    return lax.fori_loop(0, 120, lambda i, x: x + 0.25 * (b - a @ x), tnp.zeros_like(b))


def solution(a: Any, b: Any, **more: Any) -> Any:
    transpose = {"transpose_solve": lambda _, y: richardson(a.T, y)}
    return lax.custom_linear_solve(
        lambda x: a @ x, b, lambda _, y: richardson(a, y), **transpose | more
    )


@pytest.mark.usefixtures("wide")
class TestLinear:
    def test_value(self) -> None:
        np.testing.assert_allclose(solution(A, B), np.linalg.solve(A, B), rtol=1e-12)

    def test_derivatives_are_those_of_the_inverse(self) -> None:
        inverse = np.linalg.inv(A)
        x = inverse @ B
        by_a = -np.einsum("ij,k->ijk", inverse, x)
        for jacobian in (jacfwd, jacrev):
            found_a, found_b = jacobian(solution, (0, 1))(A, B)
            np.testing.assert_allclose(found_a, by_a, rtol=1e-10, atol=1e-12)
            np.testing.assert_allclose(found_b, inverse, rtol=1e-10, atol=1e-12)

    def test_second_derivatives(self) -> None:
        # Of x(a) = 1 / a times b: 2 b / a**3.
        def scalar(a: Any) -> Any:
            return lax.custom_linear_solve(
                lambda x: a * x, np.float64(3.0), lambda f, y: y / f(1.0), symmetric=True
            )

        for outer, inner in ((grad, grad), (jacfwd, jacrev), (jacrev, jacfwd), (jacfwd, jacfwd)):
            np.testing.assert_allclose(outer(inner(scalar))(2.0), 6.0 / 8.0, rtol=1e-12)

    def test_the_solver_is_given_the_transposed_map(self) -> None:
        seen = []

        def transpose_solve(vecmat: Any, y: Any) -> Any:
            seen.append(tnp.stack([vecmat(row) for row in np.eye(3)]))
            return richardson(A.T, y)

        def solve(b: Any) -> Any:
            return solution(A, b, transpose_solve=transpose_solve)

        _, pull = vjp(solve, B)
        np.testing.assert_allclose(pull(B)[0], np.linalg.solve(A.T, B), rtol=1e-12)
        assert [each.shape for each in seen] == [(3, 3)]

    def test_symmetric_needs_no_transposed_solver(self) -> None:
        a = A + A.T

        def solve(b: Any) -> Any:
            half = lambda y: lax.fori_loop(0, 200, lambda i, x: x + 0.1 * (y - a @ x), 0 * y)  # noqa: E731
            return lax.custom_linear_solve(lambda x: a @ x, b, lambda _, y: half(y), symmetric=True)

        np.testing.assert_allclose(jacrev(solve)(B), np.linalg.inv(a), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            jacrev(lambda b: jacrev(solve)(b) @ b)(B), np.linalg.inv(a), rtol=1e-9, atol=1e-12
        )

    def test_a_symmetric_map_is_not_transposed(self) -> None:
        # The map has a while loop, which has no transpose.
        a = A + A.T

        def matvec(x: Any) -> Any:
            return lax.while_loop(lambda s: s[0] < 1, lambda s: (s[0] + 1, a @ s[1]), (0, x))[1]

        def solver(f: Any, y: Any) -> Any:
            return lax.fori_loop(0, 200, lambda i, x: x + 0.1 * (y - f(x)), 0 * y)

        def solve(b: Any) -> Any:
            return lax.custom_linear_solve(matvec, b, solver, solver, symmetric=True)

        np.testing.assert_allclose(jacrev(solve)(B), np.linalg.inv(a), rtol=1e-9, atol=1e-12)

    def test_trees_and_aux(self) -> None:
        def solve(matvec: Any, b: Any) -> Any:
            return {"u": b["u"] - b["v"], "v": b["v"]}, {"steps": np.int32(7), "size": b["u"]}

        def shear(x: Any) -> Any:
            return {"u": x["u"] + x["v"], "v": x["v"]}

        def function(u: Any, v: Any) -> Any:
            return lax.custom_linear_solve(shear, {"u": u, "v": v}, solve, has_aux=True)

        (x, aux), (dx, daux) = jvp(function, (2.0, 3.0), (1.0, 10.0))
        assert (x["u"], x["v"], aux["steps"], aux["size"]) == (-1.0, 3.0, 7, 2.0)
        assert (dx["u"], dx["v"], daux["size"]) == (-9.0, 10.0, 0.0)

    def test_aux_of_the_transposed_solver_is_dropped(self) -> None:
        def solve(f: Any, y: Any) -> Any:
            return y / 2.0, y

        def function(b: Any) -> Any:
            return lax.custom_linear_solve(lambda x: 2.0 * x, b, solve, solve, has_aux=True)[0]

        assert grad(function)(3.0) == 0.5

    def test_nested(self) -> None:
        # The inner equation is part of the outer map: (1 / a) x = b has the solution a b.
        def divided(a: Any, y: Any) -> Any:
            return lax.custom_linear_solve(
                lambda x: a * x, y, lambda f, z: z / f(1.0), symmetric=True
            )

        def function(a: Any, b: Any) -> Any:
            return lax.custom_linear_solve(
                lambda x: divided(a, x), b, lambda f, z: z / f(1.0), symmetric=True
            )

        np.testing.assert_allclose(function(3.0, 5.0), 15.0)
        np.testing.assert_allclose(grad(function, (0, 1))(3.0, 5.0), (5.0, 3.0))
        np.testing.assert_allclose(jacfwd(grad(function))(3.0, 5.0), 0.0, atol=1e-12)

    @pytest.mark.parametrize("shape", [(0,), (1,), ()])
    def test_small_shapes(self, shape: tuple[int, ...]) -> None:
        def function(b: Any) -> Any:
            return lax.custom_linear_solve(lambda x: 4.0 * x, b, lambda _, y: y / 4.0)

        b = np.ones(shape)
        np.testing.assert_array_equal(function(b), b / 4)
        np.testing.assert_array_equal(jvp(function, (b,), (b,))[1], b / 4)

    def test_complex(self) -> None:
        # The transpose, not the adjoint: nothing is conjugated.
        a = np.array([[2.0, 1.0j], [0.0, 1.0 + 1.0j]])
        inverse = np.linalg.inv(a)
        b = np.array([1.0 + 2.0j, 3.0])

        def function(b: Any) -> Any:
            return lax.custom_linear_solve(
                lambda x: a @ x, b, lambda _, y: inverse @ y, lambda _, y: inverse.T @ y
            )

        np.testing.assert_allclose(vjp(function, b)[1](b)[0], inverse.T @ b)


class TestLinearErrors:
    def test_reverse_mode_without_a_transposed_solver(self) -> None:
        with pytest.raises(DerivativeError, match="there is no transpose_solve"):
            grad(lambda b: solution(A, b, transpose_solve=None).sum())(B)

    def test_shapes_and_structures(self) -> None:
        identity = lambda _, y: y  # noqa: E731
        with pytest.raises(ShapeError, match="matvec must return the types of b"):
            lax.custom_linear_solve(lambda x: x[:2], B, identity)
        with pytest.raises(StructureError, match="solve must return the structure of b"):
            lax.custom_linear_solve(lambda x: x, B, lambda _, y: (y, y))
        with pytest.raises(DTypeError, match="solve must return the types of b"):
            lax.custom_linear_solve(lambda x: x, B, lambda _, y: y.astype(np.float16))
        with pytest.raises(ArgumentError, match=r"must return a pair \(x, aux\)"):
            lax.custom_linear_solve(lambda x: x, B, identity, has_aux=True)
        with pytest.raises(ShapeError, match="argument of matvec must be the types of b"):
            lax.custom_linear_solve(lambda x: x, B, lambda f, y: f(y[:1]))

    def test_what_is_no_function(self) -> None:
        with pytest.raises(ArgumentError, match="matvec"):
            lax.custom_linear_solve(A, B, lambda _, y: y)  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="has_aux"):
            lax.custom_linear_solve(lambda x: x, B, lambda _, y: y, has_aux="yes")  # type: ignore[arg-type]


def newton(f: Any, x: Any) -> Any:
    """Newton's method for cubes."""
    return lax.fori_loop(0, 60, lambda i, x: x - f(x) / (3 * x * x), x)


def cube_root(y: Any, guess: Any = 1.0) -> Any:
    return lax.custom_root(lambda x: x**3 - y, guess, newton, lambda g, z: z / g(1.0))


@pytest.mark.usefixtures("wide")
class TestRoot:
    def test_derivatives_of_all_orders(self) -> None:
        third = np.array([1 / 3, -2 / 9, 10 / 27]) * 8.0 ** np.array([-2 / 3, -5 / 3, -8 / 3])
        for each in (grad, jacfwd, jacrev):
            assert np.isclose(each(cube_root)(8.0), third[0], rtol=1e-12)
            assert np.isclose(each(grad(cube_root))(8.0), third[1], rtol=1e-12)
            assert np.isclose(each(jacfwd(grad(cube_root)))(8.0), third[2], rtol=1e-12)

    def test_the_guess_has_no_derivative(self) -> None:
        assert grad(cube_root, 1)(8.0, 1.5) == 0.0
        assert jvp(cube_root, (8.0, 1.5), (0.0, 1.0))[1] == 0.0

    def test_systems(self) -> None:
        # u v = p, u - v = q: u = v + q with v = (-q + sqrt(q q + 4 p)) / 2.
        def system(p: Any, q: Any) -> Any:
            def f(x: Any) -> Any:
                return {"u": x["u"] * x["v"] - p, "v": x["u"] - x["v"] - q}

            def solve(f: Any, x: Any) -> Any:
                v = (-q + tnp.sqrt(q * q + 4 * p)) / 2
                return {"u": v + q, "v": v}, {"residual": f(x)["u"]}

            def tangent_solve(g: Any, y: Any) -> Any:
                one, zero = np.float64(1), np.float64(0)
                a, b = g({"u": one, "v": zero}), g({"u": zero, "v": one})
                determinant = a["u"] * b["v"] - b["u"] * a["v"]
                return {
                    "u": (b["v"] * y["u"] - b["u"] * y["v"]) / determinant,
                    "v": (a["u"] * y["v"] - a["v"] * y["u"]) / determinant,
                }

            guess = {"u": 1.0, "v": 1.0}
            x, aux = lax.custom_root(f, guess, solve, tangent_solve, has_aux=True)
            return x["v"], aux

        (v, aux), tangents = jvp(system, (2.0, 1.0), (1.0, 0.0))
        np.testing.assert_allclose((v, tangents[0]), (1.0, 1 / 3), rtol=1e-12)
        assert aux["residual"] == -1.0
        assert tangents[1]["residual"] == 0.0
        value = grad(lambda p, q: system(p, q)[0], (0, 1))(2.0, 1.0)
        np.testing.assert_allclose(value, (1 / 3, -1 / 3), rtol=1e-12)

    def test_a_linear_solver_for_the_tangent(self) -> None:
        def tangent_solve(g: Any, y: Any) -> Any:
            return lax.custom_linear_solve(g, y, lambda f, z: z / f(tnp.ones(2)), symmetric=True)

        def function(y: Any) -> Any:
            return lax.custom_root(lambda x: x**3 - y, tnp.ones(2), newton, tangent_solve)

        y = np.array([1.0, 8.0])
        np.testing.assert_allclose(
            jacrev(function)(y), np.diag([1 / 3, 1 / 12]), rtol=1e-12, atol=1e-14
        )


class TestRootErrors:
    def test_messages(self) -> None:
        divide = lambda g, y: y / g(1.0)  # noqa: E731
        with pytest.raises(DTypeError, match="a root has floating or complex elements"):
            lax.custom_root(lambda x: x, 1, lambda f, x: x, divide)
        with pytest.raises(ShapeError, match="f must return the types of initial_guess"):
            lax.custom_root(lambda x: tnp.stack([x, x]), 1.0, lambda f, x: x, divide)
        with pytest.raises(StructureError, match="tangent_solve must return the structure"):
            lax.custom_root(lambda x: x, 1.0, lambda f, x: x, lambda g, y: (y, y))
        with pytest.raises(ArgumentError, match="tangent_solve"):
            lax.custom_root(lambda x: x, 1.0, lambda f, x: x, None)  # type: ignore[arg-type]
