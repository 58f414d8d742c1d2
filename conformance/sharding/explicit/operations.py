"""Programs of arrays over explicit axes: each single operation.

`s` is the system, JAX or treadle; `a` has the arrays. Nothing here imports either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

# Any: one of two systems, and its arrays.
PROGRAMS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "x + y": lambda s, a: a.x + a.y,
    "jit(lambda x, y: x * y)(x, y)": lambda s, a: s.top.jit(lambda x, y: x * y)(a.x, a.y),
    "x @ w": lambda s, a: a.x @ a.w,
    "x.T @ x": lambda s, a: a.x.T @ a.x,
    "dot(x.T, x, out_sharding=P('x'))": lambda s, a: s.np.dot(a.x.T, a.x, out_sharding=s.P("x")),
    "dot(reshard(x, P(None, 'y')), reshard(w, P('x', None)))": lambda s, a: s.np.dot(
        s.top.reshard(a.x, s.P(None, "y")), s.top.reshard(a.w, s.P("x", None))
    ),
    "dot(x, reshard(w, P(None, 'x')))": lambda s, a: s.np.dot(
        a.x, s.top.reshard(a.w, s.P(None, "x"))
    ),
    "reshape(x, (32,))": lambda s, a: s.np.reshape(a.x, (32,)),
    "reshape(x, (2, 4, 4))": lambda s, a: s.np.reshape(a.x, (2, 4, 4)),
    "reshape(x, (4, 2, 4))": lambda s, a: s.np.reshape(a.x, (4, 2, 4)),
    "reshape(x, (8, 2, 2))": lambda s, a: s.np.reshape(a.x, (8, 2, 2)),
    "reshape(y, (8, 4, 1))": lambda s, a: s.np.reshape(a.y, (8, 4, 1)),
    "reshape(y, (32,))": lambda s, a: s.np.reshape(a.y, (32,)),
    "reshape(y, (2, 4, 4))": lambda s, a: s.np.reshape(a.y, (2, 4, 4)),
    "reshape(x, (32,), out_sharding=P('x'))": lambda s, a: s.np.reshape(
        a.x, (32,), out_sharding=s.P("x")
    ),
    "x[0]": lambda s, a: a.x[0],
    "x[:, 1]": lambda s, a: a.x[:, 1],
    "x[:4]": lambda s, a: a.x[:4],
    "x[:, :2]": lambda s, a: a.x[:, :2],
    "x[::2]": lambda s, a: a.x[::2],
    "x[1:3]": lambda s, a: a.x[1:3],
    "x[array([0, 1])]": lambda s, a: a.x[s.np.array([0, 1])],
    "x.at[array([0, 1])].get(out_sharding=P())": lambda s, a: a.x.at[s.np.array([0, 1])].get(
        out_sharding=s.P()
    ),
    "x[:, array([0, 1])]": lambda s, a: a.x[:, s.np.array([0, 1])],
    "x.at[0].set(1.0)": lambda s, a: a.x.at[0].set(1.0),
    "x.at[array([1, 2])].set(1.0)": lambda s, a: a.x.at[s.np.array([1, 2])].set(1.0),
    "x.at[:, 0].add(1.0)": lambda s, a: a.x.at[:, 0].add(1.0),
    "concatenate([x, x])": lambda s, a: s.np.concatenate([a.x, a.x]),
    "concatenate([x, x], 1)": lambda s, a: s.np.concatenate([a.x, a.x], 1),
    "concatenate([x, n], 1)": lambda s, a: s.np.concatenate([a.x, a.n], 1),
    "concatenate([x, y], 1)": lambda s, a: s.np.concatenate([a.x, a.y], 1),
    "x.sum()": lambda s, a: a.x.sum(),
    "x.sum(0)": lambda s, a: a.x.sum(0),
    "x.sum(1)": lambda s, a: a.x.sum(1),
    "x.argmax(0)": lambda s, a: a.x.argmax(0),
    "x.argmax(1)": lambda s, a: a.x.argmax(1),
    "cumsum(x, 0)": lambda s, a: s.np.cumsum(a.x, 0),
    "cumsum(x, 1)": lambda s, a: s.np.cumsum(a.x, 1),
    "sort(x, 0)": lambda s, a: s.np.sort(a.x, 0),
    "sort(x, 1)": lambda s, a: s.np.sort(a.x, 1),
    "x[::-1]": lambda s, a: a.x[::-1],
    "flip(x, 1)": lambda s, a: s.np.flip(a.x, 1),
    "pad(x, 1)": lambda s, a: s.np.pad(a.x, 1),
    "pad(x, ((0, 0), (1, 1)))": lambda s, a: s.np.pad(a.x, ((0, 0), (1, 1))),
    "broadcast_to(x, (3, 8, 4))": lambda s, a: s.np.broadcast_to(a.x, (3, 8, 4)),
    "x[:, None]": lambda s, a: a.x[:, None],
    "where(x > 0, x, 0.0)": lambda s, a: s.np.where(a.x > 0, a.x, 0.0),
    "where(x > 0, x, y)": lambda s, a: s.np.where(a.x > 0, a.x, a.y),
    "stack([x, x])": lambda s, a: s.np.stack([a.x, a.x]),
    "tile(x, (2, 1))": lambda s, a: s.np.tile(a.x, (2, 1)),
    "repeat(x, 2, 0)": lambda s, a: s.np.repeat(a.x, 2, 0),
    "split(x, 2)[0]": lambda s, a: s.np.split(a.x, 2)[0],
    "split(x, 2, 1)[0]": lambda s, a: s.np.split(a.x, 2, 1)[0],
    "dynamic_slice(x, (0, 0), (8, 2))": lambda s, a: s.lax.dynamic_slice(a.x, (0, 0), (8, 2)),
    "dynamic_slice(x, (0, 0), (4, 4))": lambda s, a: s.lax.dynamic_slice(a.x, (0, 0), (4, 4)),
    "dynamic_update_slice(x, x[:, :1], (0, 0))": lambda s, a: s.lax.dynamic_update_slice(
        a.x, a.x[:, :1], (0, 0)
    ),
    "einsum('ij,jk->ik', x, w)": lambda s, a: s.np.einsum("ij,jk->ik", a.x, a.w),
    "einsum('ij,kj->ik', x, x)": lambda s, a: s.np.einsum("ij,kj->ik", a.x, a.x),
    "einsum('ij,ij->i', x, x)": lambda s, a: s.np.einsum("ij,ij->i", a.x, a.x),
    "einsum('ij,ij->', x, x)": lambda s, a: s.np.einsum("ij,ij->", a.x, a.x),
    "broadcasted_iota('int32', (8, 4), 0, out_sharding=P('x'))": lambda s, a: (
        s.lax.broadcasted_iota("int32", (8, 4), 0, out_sharding=s.P("x"))
    ),
    "ones((8, 4), out_sharding=P('x'))": lambda s, a: s.np.ones((8, 4), out_sharding=s.P("x")),
    "grad(lambda x: (x @ w).sum())(x)": lambda s, a: s.top.grad(lambda x: (x @ a.w).sum())(a.x),
    "grad(lambda w: (x @ w).sum())(w)": lambda s, a: s.top.grad(lambda w: (a.x @ w).sum())(a.w),
    "grad(lambda w: (x @ w).sum())(ones((4, 8)))": lambda s, a: s.top.grad(
        lambda w: (a.x @ w).sum()
    )(s.np.ones((4, 8))),
    "vmap(lambda r: r * 2)(x)": lambda s, a: s.top.vmap(lambda r: r * 2)(a.x),
    "vmap(lambda r: r @ w)(x)": lambda s, a: s.top.vmap(lambda r: r @ a.w)(a.x),
    "scan(lambda c, r: (c + r, c), zeros(4), x)[1]": lambda s, a: s.lax.scan(
        lambda c, r: (c + r, c), s.np.zeros(4), a.x
    )[1],
    "scan(lambda c, r: (c + r, c * 2), zeros(8), x.T)[1]": lambda s, a: s.lax.scan(
        lambda c, r: (c + r, c * 2), s.np.zeros(8), a.x.T
    )[1],
    "fori_loop(0, 3, lambda i, c: c * 2, x)": lambda s, a: s.lax.fori_loop(
        0, 3, lambda i, c: c * 2, a.x
    ),
    "cond(True, lambda x: x, lambda x: x * 2, x)": lambda s, a: s.lax.cond(
        True, lambda x: x, lambda x: x * 2, a.x
    ),
    "cond(True, lambda x, y: x, lambda x, y: y, x, y)": lambda s, a: s.lax.cond(
        True, lambda x, y: x, lambda x, y: y, a.x, a.y
    ),
    "x.ravel()": lambda s, a: a.x.ravel(),
    "nn.softmax(x, 0)": lambda s, a: s.nn.softmax(a.x, 0),
    "nn.softmax(x)": lambda s, a: s.nn.softmax(a.x),
    "linalg.norm(x)": lambda s, a: s.np.linalg.norm(a.x),
    "random.normal(random.key(0), (8, 4), out_sharding=P('x'))": lambda s, a: s.random.normal(
        s.random.key(0), (8, 4), out_sharding=s.P("x")
    ),
    "random.normal(random.key(0), (8, 4))": lambda s, a: s.random.normal(s.random.key(0), (8, 4)),
    "x.astype('int32')": lambda s, a: a.x.astype("int32"),
    "linalg.cholesky(eye(4))": lambda s, a: s.np.linalg.cholesky(s.np.eye(4)),
    "conv_general_dilated(x[None], x[None], (1,), 'VALID')": lambda s, a: (
        s.lax.conv_general_dilated(a.x[None], a.x[None], (1,), "VALID")
    ),
    "top_k(x, 2)[0]": lambda s, a: s.lax.top_k(a.x, 2)[0],
    "top_k(x.T, 2)[0]": lambda s, a: s.lax.top_k(a.x.T, 2)[0],
    "squeeze(x[:, None], 1)": lambda s, a: s.np.squeeze(a.x[:, None], 1),
    "sharding.auto_axes(lambda x: x.T @ x, out_sharding=P('x'))(x)": lambda s, a: (
        s.sharding.auto_axes(lambda x: x.T @ x, out_sharding=s.P("x"))(a.x)
    ),
    "with_sharding_constraint(x, P(None, 'y'))": lambda s, a: s.lax.with_sharding_constraint(
        a.x, s.P(None, "y")
    ),
    "x.T.reshape(4, 2, 4)": lambda s, a: a.x.T.reshape(4, 2, 4),
    "matmul(x.T, x)": lambda s, a: s.np.matmul(a.x.T, a.x),
    "take(x, array([0]), axis=1)": lambda s, a: s.np.take(a.x, s.np.array([0]), axis=1),
    "x * ones((8, 1))": lambda s, a: a.x * s.np.ones((8, 1)),
    "clamp(0.0, x, 1.0)": lambda s, a: s.lax.clamp(0.0, a.x, 1.0),
    "dot_general(x, x, (((), ()), ((0,), (0,))))": lambda s, a: s.lax.dot_general(
        a.x, a.x, (((), ()), ((0,), (0,)))
    ),
    "dot_general(x, y, (((), ()), ((0,), (0,))))": lambda s, a: s.lax.dot_general(
        a.x, a.y, (((), ()), ((0,), (0,)))
    ),
    "outer(x[:, 0], x[:, 0])": lambda s, a: s.np.outer(a.x[:, 0], a.x[:, 0]),
    "outer(x[:, 0], w[0])": lambda s, a: s.np.outer(a.x[:, 0], a.w[0]),
    "roll(x, 1, 0)": lambda s, a: s.np.roll(a.x, 1, 0),
    "unstack(x.T)[0]": lambda s, a: s.np.unstack(a.x.T)[0],
    "reshard(n, P(('x', 'y'))).reshape(2, 4, 4)": lambda s, a: s.top.reshard(
        a.n, s.P(("x", "y"))
    ).reshape(2, 4, 4),
    "reshard(n, P(('x', 'y'))).reshape(4, 2, 4)": lambda s, a: s.top.reshard(
        a.n, s.P(("x", "y"))
    ).reshape(4, 2, 4),
    "reshard(n, P(('x', 'y'))) + x": lambda s, a: s.top.reshard(a.n, s.P(("x", "y"))) + a.x,
    "reshard(n, P('x', 'y')).reshape(32)": lambda s, a: s.top.reshard(a.n, s.P("x", "y")).reshape(
        32
    ),
    "reshard(n, P('x', 'y')).reshape(8, 4, 1)": lambda s, a: s.top.reshard(
        a.n, s.P("x", "y")
    ).reshape(8, 4, 1),
    "reshard(n, P('x', 'y')).reshape(1, 8, 4)": lambda s, a: s.top.reshard(
        a.n, s.P("x", "y")
    ).reshape(1, 8, 4),
    "jit(lambda x: scan(lambda c, r: (c * 2, r), x, None, 3)[0])(x)": lambda s, a: s.top.jit(
        lambda x: s.lax.scan(lambda c, r: (c * 2, r), x, None, 3)[0]
    )(a.x),
    "scan(lambda c, r: (c + x[0], None), zeros(4), None, 3)[0]": lambda s, a: s.lax.scan(
        lambda c, r: (c + a.x[0], None), s.np.zeros(4), None, 3
    )[0],
    "while_loop(lambda c: c.sum() < 0, lambda c: c + 1, x)": lambda s, a: s.lax.while_loop(
        lambda c: c.sum() < 0, lambda c: c + 1, a.x
    ),
    "vmap(lambda r: r.sum())(x)": lambda s, a: s.top.vmap(lambda r: r.sum())(a.x),
    "vmap(lambda r: r * 2, in_axes=1)(x)": lambda s, a: s.top.vmap(lambda r: r * 2, in_axes=1)(a.x),
    "vmap(lambda r: r * 2, in_axes=1, out_axes=1)(x)": lambda s, a: s.top.vmap(
        lambda r: r * 2, in_axes=1, out_axes=1
    )(a.x),
    "mean(x, 0)": lambda s, a: s.np.mean(a.x, 0),
    "var(x, 0)": lambda s, a: s.np.var(a.x, 0),
    "x.reshape(8, -1)": lambda s, a: a.x.reshape(8, -1),
    "x.swapaxes(0, 1)": lambda s, a: a.x.swapaxes(0, 1),
    "max(x)": lambda s, a: s.np.max(a.x),
    "grad(lambda x: nn.softmax(x).var())(x)": lambda s, a: s.top.grad(
        lambda x: s.nn.softmax(x).var()
    )(a.x),
    "jit(grad(lambda x: tanh(x).var()))(x)": lambda s, a: s.top.jit(
        s.top.grad(lambda x: s.np.tanh(x).var())
    )(a.x),
    "x.at[0].get(out_sharding=P())": lambda s, a: a.x.at[0].get(out_sharding=s.P()),
    "fft.fft(x)": lambda s, a: s.np.fft.fft(a.x),
    "fft.fft(x, axis=0)": lambda s, a: s.np.fft.fft(a.x, axis=0),
    "take_along_axis(x, argsort(x, 1), 1)": lambda s, a: s.np.take_along_axis(
        a.x, s.np.argsort(a.x, 1), 1
    ),
    "dot(x, w, out_sharding=P('y'))": lambda s, a: s.np.dot(a.x, a.w, out_sharding=s.P("y")),
    "arange(8)": lambda s, a: s.np.arange(8),
    "dynamic_slice(x, (0, 1), (8, 2))": lambda s, a: s.lax.dynamic_slice(a.x, (0, 1), (8, 2)),
    "select(x > 0, x, y)": lambda s, a: s.lax.select(a.x > 0, a.x, a.y),
    "reduce_precision(x, 5, 5)": lambda s, a: s.lax.reduce_precision(a.x, 5, 5),
    "expand_dims(x, (0,))": lambda s, a: s.lax.expand_dims(a.x, (0,)),
    "rev(x, (0,))": lambda s, a: s.lax.rev(a.x, (0,)),
    "argsort(x, 0)": lambda s, a: s.np.argsort(a.x, 0),
    "concatenate([x, y])": lambda s, a: s.np.concatenate([a.x, a.y]),
    "reduce(x, 0.0, add, (1,))": lambda s, a: s.lax.reduce(a.x, 0.0, s.lax.add, (1,)),
    "reduce_window(x, 0.0, add, (1, 2), (1, 1), 'VALID')": lambda s, a: s.lax.reduce_window(
        a.x, 0.0, s.lax.add, (1, 2), (1, 1), "VALID"
    ),
    "matmul(x, w, out_sharding=P('x'))": lambda s, a: s.np.matmul(a.x, a.w, out_sharding=s.P("x")),
    "checkpoint(lambda x: sin(x))(x)": lambda s, a: s.top.checkpoint(lambda x: s.np.sin(x))(a.x),
    "real(x)": lambda s, a: s.np.real(a.x),
    "x.at[:, 0:2].set(0.0)": lambda s, a: a.x.at[:, 0:2].set(0.0),
    "x.at[:, array([0])].set(0.0)": lambda s, a: a.x.at[:, s.np.array([0])].set(0.0),
    "dynamic_update_slice(x, zeros((1, 4)), (0, 0))": lambda s, a: s.lax.dynamic_update_slice(
        a.x, s.np.zeros((1, 4)), (0, 0)
    ),
    "zeros_like(x)": lambda s, a: s.np.zeros_like(a.x),
    "ones_like(x)": lambda s, a: s.np.ones_like(a.x),
    "r(P(('x', 'y'))).reshape(8, 2, 4)": lambda s, a: a.r(s.P(("x", "y"))).reshape(8, 2, 4),
}
