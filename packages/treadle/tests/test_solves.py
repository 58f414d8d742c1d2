from __future__ import annotations

from typing import Any

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import lax


def solution(a: Any, b: Any) -> Any:
    """a x = b for diagonally dominant a, by iteration."""

    def iterate(a: Any, b: Any) -> Any:
        return lax.while_loop(
            lambda s: (s[0] < 200) & (tnp.max(tnp.abs(b - a @ s[1])) > 1e-7),
            lambda s: (s[0] + 1, s[1] + 0.4 * (b - a @ s[1])),
            (0, tnp.zeros_like(b)),
        )[1]

    return lax.custom_linear_solve(
        lambda x: a @ x, b, lambda _, y: iterate(a, y), lambda _, y: iterate(a.T, y)
    )


def test_vmap_jit_and_grad_of_a_loop_without_a_bound() -> None:
    random = np.random.default_rng(0)
    a = (2 * np.eye(3) + 0.3 * random.normal(size=(4, 3, 3))).astype(np.float32)
    b = random.normal(size=(4, 3)).astype(np.float32)
    x = np.stack([np.linalg.solve(*pair) for pair in zip(a, b, strict=True)])
    np.testing.assert_allclose(treadle.vmap(solution)(a, b), x, rtol=1e-4, atol=1e-5)
    same_map = treadle.vmap(solution, (None, 1), 1)(a[0], b.T)
    np.testing.assert_allclose(same_map, np.linalg.solve(a[0], b.T), rtol=1e-4, atol=1e-5)

    gradient = treadle.jit(treadle.vmap(treadle.grad(lambda a, b: solution(a, b).sum(), (0, 1))))
    by_a, by_b = gradient(a, b)
    back = np.stack([np.linalg.solve(each.T, np.ones(3)) for each in a])
    np.testing.assert_allclose(by_b, back, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(by_a, -back[:, :, None] * x[:, None], rtol=1e-3, atol=1e-5)


def test_a_batch_of_roots() -> None:
    def square_root(y: Any) -> Any:
        def newton(f: Any, x: Any) -> Any:
            return lax.fori_loop(0, 20, lambda i, x: x - f(x) / (2 * x), x)

        return lax.custom_root(lambda x: x * x - y, 1.0, newton, lambda g, z: z / g(1.0))

    y = np.array([1.0, 4.0, 9.0], np.float32)
    np.testing.assert_allclose(treadle.vmap(square_root)(y), np.sqrt(y), rtol=1e-6)
    second = treadle.jit(treadle.vmap(treadle.grad(treadle.grad(square_root))))(y)
    np.testing.assert_allclose(second, -0.25 * y**-1.5, rtol=1e-5)
