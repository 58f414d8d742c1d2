"""Programs of arrays over explicit axes: more of reshape, derivatives, loops, functions with `out_sharding`.

`s` is the system, JAX or treadle; `a` has the arrays. Nothing here imports either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

# Any: one of two systems, and its arrays.
PROGRAMS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "r(P(('x', 'y'))).reshape(4, 4, 4)": lambda s, a: a.r(s.P(("x", "y"))).reshape(4, 4, 4),
    "r(P(('x', 'y'))).reshape(2, 8, 4)": lambda s, a: a.r(s.P(("x", "y"))).reshape(2, 8, 4),
    "r(P('x')).reshape(8, 2, 4)": lambda s, a: a.r(s.P("x")).reshape(8, 2, 4),
    "r(P('x')).reshape(16, 2, 2)": lambda s, a: a.r(s.P("x")).reshape(16, 2, 2),
    "r(P('x', 'y')).reshape(64)": lambda s, a: a.r(s.P("x", "y")).reshape(64),
    "r(P('x', 'y')).reshape(8, 2, 4)": lambda s, a: a.r(s.P("x", "y")).reshape(8, 2, 4),
    "r(P('x', 'y')).reshape(16, 2, 2)": lambda s, a: a.r(s.P("x", "y")).reshape(16, 2, 2),
    "r(P(None, 'y')).reshape(4, 4, 2, 2)": lambda s, a: a.r(s.P(None, "y")).reshape(4, 4, 2, 2),
    "r(P('y')).reshape(2, 8, 4)": lambda s, a: a.r(s.P("y")).reshape(2, 8, 4),
    "r(P('y')).reshape(2, 2, 4, 4)": lambda s, a: a.r(s.P("y")).reshape(2, 2, 4, 4),
    "r(P('y')).reshape(4, 16)": lambda s, a: a.r(s.P("y")).reshape(4, 16),
    "r(P('x')).reshape(32, 2)": lambda s, a: a.r(s.P("x")).reshape(32, 2),
    "r(P('x')).reshape(8, 8)": lambda s, a: a.r(s.P("x")).reshape(8, 8),
    "reshard(ones((8, 4, 4)), P('x', None, 'y')).reshape(-1)": lambda s, a: s.top.reshard(
        s.np.ones((8, 4, 4)), s.P("x", None, "y")
    ).reshape(-1),
    "reshard(ones((8, 4, 4)), P('x', None, 'y')).reshape(32, 4)": lambda s, a: s.top.reshard(
        s.np.ones((8, 4, 4)), s.P("x", None, "y")
    ).reshape(32, 4),
    "reshard(ones((8, 4, 4)), P('x', 'y')).reshape(32, 4)": lambda s, a: s.top.reshard(
        s.np.ones((8, 4, 4)), s.P("x", "y")
    ).reshape(32, 4),
    "reshard(ones((8, 4, 4)), P(None, 'x', 'y')).reshape(8, 16)": lambda s, a: s.top.reshard(
        s.np.ones((8, 4, 4)), s.P(None, "x", "y")
    ).reshape(8, 16),
    "reshard(ones((1, 8)), P(None, 'x')).reshape(8)": lambda s, a: s.top.reshard(
        s.np.ones((1, 8)), s.P(None, "x")
    ).reshape(8),
    "dot(reshard(x, P(None, 'y')), ones((4, 8)))": lambda s, a: s.np.dot(
        s.top.reshard(a.x, s.P(None, "y")), s.np.ones((4, 8))
    ),
    "dot(reshard(x, P('x', 'y')), ones((4, 8)))": lambda s, a: s.np.dot(
        s.top.reshard(a.x, s.P("x", "y")), s.np.ones((4, 8))
    ),
    "dot(ones((8, 4)), reshard(w, P('x', None)))": lambda s, a: s.np.dot(
        s.np.ones((8, 4)), s.top.reshard(a.w, s.P("x", None))
    ),
    "dot_general(x, n, (((1,), (1,)), ((0,), (0,))))": lambda s, a: s.lax.dot_general(
        a.x, a.n, (((1,), (1,)), ((0,), (0,)))
    ),
    "dot_general(x, reshard(n, P('y')), (((1,), (1,)), ((0,), (0,))))": lambda s, a: (
        s.lax.dot_general(a.x, s.top.reshard(a.n, s.P("y")), (((1,), (1,)), ((0,), (0,))))
    ),
    "where(x > 0, x, n)": lambda s, a: s.np.where(a.x > 0, a.x, a.n),
    "select(x > 0, x, ones((8, 4)))": lambda s, a: s.lax.select(a.x > 0, a.x, s.np.ones((8, 4))),
    "select(ones((8, 4)) > 0, x, x)": lambda s, a: s.lax.select(s.np.ones((8, 4)) > 0, a.x, a.x),
    "clamp(ones((8, 4)), x, x)": lambda s, a: s.lax.clamp(s.np.ones((8, 4)), a.x, a.x),
    "dynamic_slice(x, (0, 0), (2, 4))": lambda s, a: s.lax.dynamic_slice(a.x, (0, 0), (2, 4)),
    "slice(x, (0, 0), (4, 4))": lambda s, a: s.lax.slice(a.x, (0, 0), (4, 4)),
    "slice(x, (0, 0), (2, 4))": lambda s, a: s.lax.slice(a.x, (0, 0), (2, 4)),
    "slice(x, (0, 0), (8, 4), (2, 1))": lambda s, a: s.lax.slice(a.x, (0, 0), (8, 4), (2, 1)),
    "conv_general_dilated(reshard(ones((8, 2, 6)), P('x')), ones((3, 2, 3)), (1,), 'VALID')": lambda s, a: (
        s.lax.conv_general_dilated(
            s.top.reshard(s.np.ones((8, 2, 6)), s.P("x")), s.np.ones((3, 2, 3)), (1,), "VALID"
        )
    ),
    "linalg.cholesky(reshard(stack([2 * eye(3)] * 8), P('x')))": lambda s, a: s.np.linalg.cholesky(
        s.top.reshard(s.np.stack([2 * s.np.eye(3)] * 8), s.P("x"))
    ),
    "linalg.qr(reshard(stack([2 * eye(3)] * 8), P('x')))[0]": lambda s, a: s.np.linalg.qr(
        s.top.reshard(s.np.stack([2 * s.np.eye(3)] * 8), s.P("x"))
    )[0],
    "linalg.eigh(reshard(stack([2 * eye(3)] * 8), P('x')))[0]": lambda s, a: s.np.linalg.eigh(
        s.top.reshard(s.np.stack([2 * s.np.eye(3)] * 8), s.P("x"))
    )[0],
    "zeros((8, 4), out_sharding=P('x'))": lambda s, a: s.np.zeros((8, 4), out_sharding=s.P("x")),
    "empty((8, 4), out_sharding=P('x'))": lambda s, a: s.np.empty((8, 4), out_sharding=s.P("x")),
    "zeros_like(x, out_sharding=P('y'))": lambda s, a: s.np.zeros_like(a.x, out_sharding=s.P("y")),
    "arange(8, out_sharding=P('x'))": lambda s, a: s.np.arange(8, out_sharding=s.P("x")),
    "full((8,), 1.0, out_sharding=P('x'))": lambda s, a: s.np.full(
        (8,), 1.0, out_sharding=s.P("x")
    ),
    "lax.full_like(x, 2.0)": lambda s, a: s.lax.full_like(a.x, 2.0),
    "lax.full_like(x, 2.0, shape=(4,))": lambda s, a: s.lax.full_like(a.x, 2.0, shape=(4,)),
    "array([1.0] * 8, out_sharding=P('x'))": lambda s, a: s.np.array(
        [1.0] * 8, out_sharding=s.P("x")
    ),
    "broadcast_to(ones(4), (8, 4), out_sharding=P('x'))": lambda s, a: s.np.broadcast_to(
        s.np.ones(4), (8, 4), out_sharding=s.P("x")
    ),
    "repeat(ones(4), 2, out_sharding=P('x'))": lambda s, a: s.np.repeat(
        s.np.ones(4), 2, out_sharding=s.P("x")
    ),
    "ravel(x, out_sharding=P('x'))": lambda s, a: s.np.ravel(a.x, out_sharding=s.P("x")),
    "einsum('ij,ij->j', x, x, out_sharding=P('y'))": lambda s, a: s.np.einsum(
        "ij,ij->j", a.x, a.x, out_sharding=s.P("y")
    ),
    "tensordot(x, x, ((0,), (0,)), out_sharding=P('y'))": lambda s, a: s.np.tensordot(
        a.x, a.x, ((0,), (0,)), out_sharding=s.P("y")
    ),
    "vdot(x, x)": lambda s, a: s.np.vdot(a.x, a.x),
    "inner(x, x)": lambda s, a: s.np.inner(a.x, a.x),
    "x.at[:2].get(out_sharding=P())": lambda s, a: a.x.at[:2].get(out_sharding=s.P()),
    "x.at[0].set(1.0, out_sharding=P('x'))": lambda s, a: a.x.at[0].set(1.0, out_sharding=s.P("x")),
    "x.at[array([0, 1])].set(1.0, out_sharding=P('x'))": lambda s, a: a.x.at[
        s.np.array([0, 1])
    ].set(1.0, out_sharding=s.P("x")),
    "x.reshape(32, out_sharding=P())": lambda s, a: a.x.reshape(32, out_sharding=s.P()),
    "reduce_sum(x, (0,), out_sharding=P('y'))": lambda s, a: s.lax.reduce_sum(
        a.x, (0,), out_sharding=s.P("y")
    ),
    "hessian(lambda v: (v ** 3).sum())(v)": lambda s, a: s.top.hessian(lambda v: (v**3).sum())(a.v),
    "jacfwd(lambda v: v ** 3)(v)": lambda s, a: s.top.jacfwd(lambda v: v**3)(a.v),
    "jacrev(lambda v: v ** 3)(v)": lambda s, a: s.top.jacrev(lambda v: v**3)(a.v),
    "jvp(lambda v: v ** 3, (v,), (v,))[1]": lambda s, a: s.top.jvp(lambda v: v**3, (a.v,), (a.v,))[
        1
    ],
    "jvp(lambda v: v ** 3, (v,), (ones(8),))[1]": lambda s, a: s.top.jvp(
        lambda v: v**3, (a.v,), (s.np.ones(8),)
    )[1],
    "scan(lambda c, r: (c + r, c * 2), v, x.T)[1]": lambda s, a: s.lax.scan(
        lambda c, r: (c + r, c * 2), a.v, a.x.T
    )[1],
    "scan(lambda c, r: (c + r, c * 2), v, x.T)[0]": lambda s, a: s.lax.scan(
        lambda c, r: (c + r, c * 2), a.v, a.x.T
    )[0],
    "scan(lambda c, r: (reshard(c, P()), c), v, x.T)[0]": lambda s, a: s.lax.scan(
        lambda c, r: (s.top.reshard(c, s.P()), c), a.v, a.x.T
    )[0],
    "triu(reshard(n, P('x')))": lambda s, a: s.np.triu(s.top.reshard(a.n, s.P("x"))),
    "diag(v)": lambda s, a: s.np.diag(a.v),
    "nn.relu(x)": lambda s, a: s.nn.relu(a.x),
    "nn.gelu(x)": lambda s, a: s.nn.gelu(a.x),
    "nn.logsumexp(x, 1)": lambda s, a: s.nn.logsumexp(a.x, 1),
    "nn.logsumexp(x, 0)": lambda s, a: s.nn.logsumexp(a.x, 0),
    "linalg.norm(x, axis=1)": lambda s, a: s.np.linalg.norm(a.x, axis=1),
    "x.mean(1, keepdims=True)": lambda s, a: a.x.mean(1, keepdims=True),
    "x - x.mean(1, keepdims=True)": lambda s, a: a.x - a.x.mean(1, keepdims=True),
    "x - x.mean(0)": lambda s, a: a.x - a.x.mean(0),
    "x.T + v": lambda s, a: a.x.T + a.v,
    "x + v[:, None]": lambda s, a: a.x + a.v[:, None],
    "outer(v, ones(3))": lambda s, a: s.np.outer(a.v, s.np.ones(3)),
    "jit(lambda x: jit(sin)(x) * 2)(x)": lambda s, a: s.top.jit(
        lambda x: s.top.jit(s.np.sin)(x) * 2
    )(a.x),
    "jit(lambda x: x @ w)(x)": lambda s, a: s.top.jit(lambda x: x @ a.w)(a.x),
    "jit(lambda x: reshard(x, P(None, 'y')).sum(0))(x)": lambda s, a: s.top.jit(
        lambda x: s.top.reshard(x, s.P(None, "y")).sum(0)
    )(a.x),
    "jit(lambda x: dot(x.T, x, out_sharding=P()))(x)": lambda s, a: s.top.jit(
        lambda x: s.np.dot(x.T, x, out_sharding=s.P())
    )(a.x),
    "jit(grad(lambda w: (tanh(x @ w) ** 2).mean()))(w)": lambda s, a: s.top.jit(
        s.top.grad(lambda w: (s.np.tanh(a.x @ w) ** 2).mean())
    )(a.w),
    "vmap(lambda a, b: a @ b, in_axes=(0, None))(x, w)": lambda s, a: s.top.vmap(
        lambda a, b: a @ b, in_axes=(0, None)
    )(a.x, a.w),
    "vmap(dot)(x, x)": lambda s, a: s.top.vmap(s.np.dot)(a.x, a.x),
    "vmap(lambda r: r.sum(), in_axes=1)(x)": lambda s, a: s.top.vmap(lambda r: r.sum(), in_axes=1)(
        a.x
    ),
    "vmap(sum, in_axes=0)(reshard(n, P('x', 'y')))": lambda s, a: s.top.vmap(s.np.sum, in_axes=0)(
        s.top.reshard(a.n, s.P("x", "y"))
    ),
    "vmap(lambda a: vmap(lambda b: a * b)(ones(3)))(v)": lambda s, a: s.top.vmap(
        lambda a: s.top.vmap(lambda b: a * b)(s.np.ones(3))
    )(a.v),
    "value_and_grad(lambda x: (x ** 2).sum())(x)[1]": lambda s, a: s.top.value_and_grad(
        lambda x: (x**2).sum()
    )(a.x)[1],
    "vjp(lambda x: x @ w, x)[1](ones((8, 8)))[0]": lambda s, a: s.top.vjp(lambda x: x @ a.w, a.x)[
        1
    ](s.np.ones((8, 8)))[0],
    "vjp(lambda x: x @ w, x)[1](reshard(ones((8, 8)), P('x', 'y')))[0]": lambda s, a: s.top.vjp(
        lambda x: x @ a.w, a.x
    )[1](s.top.reshard(s.np.ones((8, 8)), s.P("x", "y")))[0],
    "sharding.explicit_axes(lambda x: x * 2, in_sharding=P('y'))(x)": lambda s, a: (
        s.sharding.explicit_axes(lambda x: x * 2, in_sharding=s.P("y"))(a.x)
    ),
    "cos(x).T": lambda s, a: s.np.cos(a.x).T,
    "x[..., None]": lambda s, a: a.x[..., None],
    "x[:, 1:3]": lambda s, a: a.x[:, 1:3],
    "x[:, ::-1]": lambda s, a: a.x[:, ::-1],
    "x.at[:, array([0, 2])].add(ones((8, 2)))": lambda s, a: a.x.at[:, s.np.array([0, 2])].add(
        s.np.ones((8, 2))
    ),
    "x.at[:, array([0, 2])].add(x[:, :2])": lambda s, a: a.x.at[:, s.np.array([0, 2])].add(
        a.x[:, :2]
    ),
    "select([x > 0], [x], 0.0)": lambda s, a: s.np.select([a.x > 0], [a.x], 0.0),
    "minimum(x, 0)": lambda s, a: s.np.minimum(a.x, 0),
    "x > 0": lambda s, a: a.x > 0,
    "any(x)": lambda s, a: s.np.any(a.x),
    "cumsum(x)": lambda s, a: s.np.cumsum(a.x),
    "dot(v, v)": lambda s, a: s.np.dot(a.v, a.v),
    "dot(v, v, out_sharding=P())": lambda s, a: s.np.dot(a.v, a.v, out_sharding=s.P()),
    "matmul(x, ones(4))": lambda s, a: s.np.matmul(a.x, s.np.ones(4)),
    "kron(ones(2), v)": lambda s, a: s.np.kron(s.np.ones(2), a.v),
    "meshgrid(v, v)[0]": lambda s, a: s.np.meshgrid(a.v, a.v)[0],
    "polyval(ones(3), v)": lambda s, a: s.np.polyval(s.np.ones(3), a.v),
    "nan_to_num(x)": lambda s, a: s.np.nan_to_num(a.x),
    "round(x)": lambda s, a: s.np.round(a.x),
    "atleast_3d(x)": lambda s, a: s.np.atleast_3d(a.x),
    "moveaxis(x, 0, 1)": lambda s, a: s.np.moveaxis(a.x, 0, 1),
    "hstack([x, x])": lambda s, a: s.np.hstack([a.x, a.x]),
    "vstack([x, x])": lambda s, a: s.np.vstack([a.x, a.x]),
    "hstack(x)": lambda s, a: s.np.hstack(a.x),
    "vstack(x)": lambda s, a: s.np.vstack(a.x),
    "concatenate(reshard(ones((8, 4, 4)), P('x', 'y')))": lambda s, a: s.np.concatenate(
        s.top.reshard(s.np.ones((8, 4, 4)), s.P("x", "y"))
    ),
    "imag(x)": lambda s, a: s.np.imag(a.x),
    "isreal(x)": lambda s, a: s.np.isreal(a.x),
    "isfinite(x.astype(int32))": lambda s, a: s.np.isfinite(a.x.astype("int32")),
    "histogram_bin_edges(x)": lambda s, a: s.np.histogram_bin_edges(a.x),
    "std(x, 1)": lambda s, a: s.np.std(a.x, 1),
    "median(x, 1)": lambda s, a: s.np.median(a.x, 1),
    "prod(x, 0)": lambda s, a: s.np.prod(a.x, 0),
    "ptp(x, 0)": lambda s, a: s.np.ptp(a.x, 0),
    "array_split(x, 2, 1)[1]": lambda s, a: s.np.array_split(a.x, 2, 1)[1],
    "expand_dims(v, 0)": lambda s, a: s.np.expand_dims(a.v, 0),
    "ones((8, 1)) * v": lambda s, a: s.np.ones((8, 1)) * a.v,
    "x.reshape(8, 2, 2).transpose(2, 0, 1)": lambda s, a: a.x.reshape(8, 2, 2).transpose(2, 0, 1),
    "sin(x) @ cos(w)": lambda s, a: s.np.sin(a.x) @ s.np.cos(a.w),
    "jit(lambda x, w: tanh(x @ w).sum(1))(x, w)": lambda s, a: s.top.jit(
        lambda x, w: s.np.tanh(x @ w).sum(1)
    )(a.x, a.w),
    "jit(lambda x: x.sum(0) + x)(x)": lambda s, a: s.top.jit(lambda x: x.sum(0) + x)(a.x),
    "jit(lambda v: scan(lambda c, r: (c * 2 + r, c), v, x.T)[0])(v)": lambda s, a: s.top.jit(
        lambda v: s.lax.scan(lambda c, r: (c * 2 + r, c), v, a.x.T)[0]
    )(a.v),
    "grad(lambda x: scan(lambda c, r: (c * 2 + r, c), v, x.T)[1].sum())(x)": lambda s, a: (
        s.top.grad(lambda x: s.lax.scan(lambda c, r: (c * 2 + r, c), a.v, x.T)[1].sum())(a.x)
    ),
    "grad(lambda x: cond(x.sum() > 0, sin, cos, x).sum())(x)": lambda s, a: s.top.grad(
        lambda x: s.lax.cond(x.sum() > 0, s.np.sin, s.np.cos, x).sum()
    )(a.x),
    "grad(lambda v: checkpoint(lambda v: sin(v) * v)(v).sum())(v)": lambda s, a: s.top.grad(
        lambda v: s.top.checkpoint(lambda v: s.np.sin(v) * v)(v).sum()
    )(a.v),
    "vmap(grad(lambda r: (r ** 3).sum()))(x)": lambda s, a: s.top.vmap(
        s.top.grad(lambda r: (r**3).sum())
    )(a.x),
    "jit(grad(lambda x: dot(x.T, x, out_sharding=P()).sum()))(x)": lambda s, a: s.top.jit(
        s.top.grad(lambda x: s.np.dot(x.T, x, out_sharding=s.P()).sum())
    )(a.x),
    "grad(lambda w: (maximum(x @ w, 0) ** 2).sum())(w)": lambda s, a: s.top.grad(
        lambda w: (s.np.maximum(a.x @ w, 0) ** 2).sum()
    )(a.w),
    "random.uniform(random.key(3), (16,), out_sharding=P('y'))": lambda s, a: s.random.uniform(
        s.random.key(3), (16,), out_sharding=s.P("y")
    ),
    "random.randint(random.key(3), (8, 2), 0, 9, out_sharding=P(('x', 'y')))": lambda s, a: (
        s.random.randint(s.random.key(3), (8, 2), 0, 9, out_sharding=s.P(("x", "y")))
    ),
    "einsum('bij,bjk->bik', r(P('x')).reshape(16, 2, 2), r(P('x')).reshape(16, 2, 2))": lambda s, a: (
        s.np.einsum(
            "bij,bjk->bik", a.r(s.P("x")).reshape(16, 2, 2), a.r(s.P("x")).reshape(16, 2, 2)
        )
    ),
    "matmul(r(P('x', 'y')), w)": lambda s, a: s.np.matmul(a.r(s.P("x", "y")), a.w),
    "matmul(r(P('x', 'y')), ones((4, 2)))": lambda s, a: s.np.matmul(
        a.r(s.P("x", "y")), s.np.ones((4, 2))
    ),
    "map(lambda r: r * 2, x.T)": lambda s, a: s.lax.map(lambda r: r * 2, a.x.T),
    "where(arange(8)[:, None] > 3, x, 0.0)": lambda s, a: s.np.where(
        s.np.arange(8)[:, None] > 3, a.x, 0.0
    ),
    "(x + 1j).real": lambda s, a: (a.x + 1j).real,
    "argmin(x, 1)": lambda s, a: s.np.argmin(a.x, 1),
    "all(x > 0, 1)": lambda s, a: s.np.all(a.x > 0, 1),
}
