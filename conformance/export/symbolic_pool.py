"""Programs whose arguments have symbolic shapes: of every family of operations that has a shape rule of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import treadle
import treadle.numpy as tnp
from treadle import lax

Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Open:
    """A function, the shapes of its arguments, and sizes to call it with."""

    name: str
    function: Callable[..., Any]
    shapes: Sequence[str]
    sizes: Sequence[Sizes]
    constraints: Sequence[str] = ()
    grad: bool = True
    dtype: str = "float64"


N: Final = ({"n": 1}, {"n": 2}, {"n": 5}, {"n": 8})
NM: Final = ({"n": 2, "m": 3}, {"n": 4, "m": 4}, {"n": 1, "m": 6})


def _loss(x: Any) -> Any:
    return tnp.sum(tnp.tanh(x) ** 2)


def _squared(row: Any) -> Any:
    return row @ row


def _twice(x: Any) -> Any:
    return tnp.sin(tnp.sin(x)).sum(0)


def _sum_by_scan(x: Any) -> Any:
    def step(carry: Any, row: Any) -> Any:
        carry = tnp.sin(carry) + row
        return carry, carry * row

    return lax.scan(step, tnp.zeros(x.shape[1]), x)


def _halved(x: Any) -> Any:
    return lax.while_loop(lambda s: s[1] < x.shape[0], lambda s: (s[0] / 2, s[1] + 1), (x, 0))


def _attention(q: Any, k: Any, v: Any) -> Any:
    scores = tnp.einsum("qd,kd->qk", q, k) / tnp.sqrt(q.shape[-1])
    mask = tnp.arange(q.shape[0])[:, None] >= tnp.arange(k.shape[0])[None, :]
    return treadle.nn.softmax(tnp.where(mask, scores, -1e9), axis=-1) @ v


def _layer_norm(x: Any, scale: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred / tnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * scale


def _image(x: Any, kernel: Any) -> Any:
    y = lax.conv_general_dilated(
        x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return tnp.mean(treadle.nn.relu(y), axis=(1, 2))


def _image_valid(x: Any, kernel: Any) -> Any:
    return lax.conv_general_dilated(
        x, kernel, (2, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def _pooled(x: Any) -> Any:
    return lax.reduce_window(x, -tnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def _mean_pooled(x: Any) -> Any:
    return lax.reduce_window(x, 0.0, lax.add, (2,), (1,), "SAME") / 2


_ITEMS: Final = [
    # --- elementwise, broadcasting ---
    Open("elementwise", lambda x: tnp.exp(tnp.sin(x)) * 2 + x / (1 + x**2), ["n, m"], NM),
    Open("two operands", lambda x, y: x * y + y, ["n, m", "m"], NM),
    Open("broadcast column", lambda x: x[:, None] * x[None, :], ["n"], N),
    Open(
        "broadcast_to",
        lambda x, y: tnp.broadcast_to(x, (y.shape[0], 3, x.shape[0])),
        ["n", "m"],
        NM,
    ),
    Open("where", lambda x: tnp.where(x > 0, x, 0.1 * x), ["n, 3"], N),
    Open("clip", lambda x: tnp.clip(x, -0.5, 0.5), ["n, 3"], N),
    Open("select", lambda x: lax.select(x > 0, x, -x), ["2*n"], N),
    Open("convert", lambda x: x.astype("int32") + x.shape[0], ["n"], N, grad=False),
    Open(
        "zeros_like, ones, full",
        lambda x: tnp.zeros_like(x) + tnp.ones(x.shape) * tnp.full(x.shape, 3.0),
        ["n, m"],
        NM,
    ),
    # --- sizes as values ---
    Open("mean by size", lambda x: x.sum() / x.shape[0], ["n, 3"], N),
    Open("size times float", lambda x: x * (0.5 * x.size) + x.shape[0] ** 0.5, ["n, 3"], N),
    Open("size of floordiv", lambda x: x.sum() * (x.shape[0] // 2 + x.shape[0] % 3), ["n"], N),
    Open("size less 5", lambda x: x * (x.shape[0] - 5), ["n"], N),
    Open("element of the middle", lambda x: x[x.shape[0] // 2], ["n, 3"], N),
    Open("arange", lambda x: x * tnp.arange(x.shape[0]), ["n"], N),
    Open("arange from to", lambda x: tnp.arange(2, x.shape[0] + 5, 2), ["n"], N, grad=False),
    Open("eye", lambda x: x @ tnp.eye(x.shape[1]), ["m, n"], NM),
    Open("size in array", lambda x: tnp.array([x.shape[0], 2]), ["n"], N, grad=False),
    # --- shapes ---
    Open("reshape flat", lambda x: x.reshape(-1) * 2, ["n, m, 3"], NM),
    Open("reshape split", lambda x: x.reshape(x.shape[0], 2, -1).sum(1), ["n, 4*m"], NM),
    Open(
        "reshape by halves",
        lambda x: x.reshape(2, -1),
        ["n"],
        ({"n": 2}, {"n": 6}),
        ["mod(n, 2) == 0"],
    ),
    Open("reshape by size", lambda x: x.reshape(x.shape[0] * x.shape[1]), ["n, m"], NM),
    Open("flatten, ravel", lambda x: x.ravel() + x.flatten(), ["n, 3"], N),
    Open("transpose", lambda x: x.T @ x, ["n, m"], NM),
    Open("moveaxis", lambda x: tnp.moveaxis(x, 0, -1) * 2, ["n, 2, m"], NM),
    Open("expand, squeeze", lambda x: tnp.squeeze(tnp.expand_dims(x, 1), 1), ["n, m"], NM),
    Open("concatenate", lambda x, y: tnp.concatenate([x, y, x]), ["n", "m"], NM),
    Open("stack", lambda x: tnp.stack([x, 2 * x], axis=1), ["n"], N),
    Open("split", lambda x: tnp.split(x, 2, axis=1)[1], ["n, 4"], N),
    Open("pad", lambda x: tnp.pad(x, ((1, 2), (0, 0))), ["n, 3"], N),
    Open("lax.pad", lambda x: lax.pad(x, 0.0, ((1, 2, 1),)), ["n"], N),
    Open("pad to size", lambda x: tnp.pad(x, (0, 10 - x.shape[0])), ["n"], N, ["n <= 10"]),
    Open("slice from", lambda x: x[1:] - x[:-1], ["n + 1, 3"], N),
    Open("slice to", lambda x: x[:2] * 2, ["n"], ({"n": 2}, {"n": 7}), ["n >= 2"]),
    Open("slice to any", lambda x: x[:3] * 2, ["n"], N),
    Open("slice by 2", lambda x: x[::2] * 2, ["n"], N),
    Open("slice by size", lambda x: x[: x.shape[0] // 2], ["n"], ({"n": 2}, {"n": 5})),
    Open("reverse", lambda x: x[::-1] * tnp.arange(x.shape[0]), ["n"], N),
    Open("flip", lambda x: tnp.flip(x, 0), ["n, m"], NM),
    Open("last", lambda x: x[-1] + x[0], ["n, 3"], N),
    Open("column", lambda x: x[:, 1] + x[..., -1], ["n, 3"], N),
    Open("roll", lambda x: tnp.roll(x, 1, axis=0), ["n, 3"], N),
    Open("tile", lambda x: tnp.tile(x, 2), ["n"], N),
    Open("repeat", lambda x: tnp.repeat(x, 2, axis=0), ["n, 3"], N),
    Open("tril", lambda x: tnp.tril(x) + tnp.triu(x, 1), ["n, m"], NM),
    Open("diag", lambda x: tnp.diag(x), ["n"], N),
    # --- reductions ---
    Open("sums", lambda x: (x.sum(), x.sum(0), x.sum(1, keepdims=True)), ["n, m"], NM),
    Open("means", lambda x: (x.mean(), x.mean(0), x.mean(1)), ["n, m"], NM),
    Open("variances", lambda x: (x.var(), x.std(0)), ["n + 1, 3"], N),
    Open("max, min", lambda x: x.max(0) - x.min(0), ["n, 3"], N),
    Open("prod", lambda x: x.prod(1), ["n, 3"], N),
    Open("any, all", lambda x: ((x > 0).any(0), (x > 0).all(0)), ["n, 3"], N, grad=False),
    Open("logsumexp", lambda x: treadle.nn.logsumexp(x, axis=1), ["n, m"], NM),
    Open("softmax", lambda x: treadle.nn.softmax(x, axis=-1), ["n, m"], NM),
    Open("argmax", lambda x: (x.argmax(1), x.argmin(0)), ["n, m"], NM, grad=False),
    Open("norm", lambda x: tnp.linalg.norm(x + 3, axis=1), ["n, m"], NM),
    # --- contractions ---
    Open("matmul", lambda x, y: x @ y, ["n, m", "m, 3"], NM),
    Open("batched matmul", lambda x, y: x @ y, ["n, 2, m", "n, m, 3"], NM),
    Open("einsum", lambda x, y: tnp.einsum("bij,bjk->bik", x, y), ["n, m, 2", "n, 2, m"], NM),
    Open("dot, outer", lambda x: (tnp.dot(x, x), tnp.outer(x, x)), ["n"], N),
    Open("tensordot", lambda x, y: tnp.tensordot(x, y, 1), ["n, m", "m, n"], NM),
    Open(
        "convolution",
        _image,
        ["n, h, w, 2", "3, 3, 2, 4"],
        ({"n": 1, "h": 5, "w": 4}, {"n": 3, "h": 3, "w": 6}),
        ["h >= 3", "w >= 3"],
    ),
    Open("convolution over a batch", _image_valid, ["n, 7, 6, 2", "3, 3, 2, 4"], N),
    Open(
        "convolution of open images",
        _image_valid,
        ["n, h, 7, 2", "3, 3, 2, 4"],
        ({"n": 1, "h": 5}, {"n": 2, "h": 8}),
        ["h >= 3"],
    ),
    # --- gather, scatter ---
    Open("take", lambda x: x[tnp.array([0, 0, -1])], ["n, 3"], N),
    Open("take along", lambda x: tnp.take_along_axis(x, tnp.argsort(x, axis=0), 0), ["n, 3"], N),
    Open("gather rows", lambda x, y: x[(y > 0).astype("int32")], ["4, m", "n"], NM),
    Open("at set", lambda x: x.at[0].set(5.0), ["n, 3"], N),
    Open("at add", lambda x, y: x.at[(y > 0).astype("int32")].add(2.0), ["4, m", "n"], NM),
    Open(
        "dynamic slice", lambda x: lax.dynamic_slice(x, (1, 0), (2, x.shape[1])), ["n + 1, m"], NM
    ),
    Open(
        "dynamic update",
        lambda x: lax.dynamic_update_slice(x, tnp.ones((1, x.shape[1]), x.dtype), (1, 0)),
        ["n, m"],
        NM,
    ),
    Open("dynamic index", lambda x: lax.dynamic_index_in_dim(x, 1, 0), ["n, m"], NM),
    Open("one hot", lambda x: treadle.nn.one_hot((x > 0).astype("int32"), 4), ["n"], N, grad=False),
    # --- order and prefixes ---
    Open("cumsum", lambda x: tnp.cumsum(x, axis=0), ["n, 3"], N),
    Open("cumprod", lambda x: tnp.cumprod(x, axis=1), ["n, 3"], N),
    Open("cummax", lambda x: lax.cummax(x, axis=0), ["n, m"], NM),
    Open("sort", lambda x: tnp.sort(x, axis=0), ["n, 3"], N),
    Open("argsort", lambda x: tnp.argsort(x, axis=-1), ["n, m"], NM, grad=False),
    Open("top_k", lambda x: lax.top_k(x, 2), ["n, m + 1"], NM),
    Open("pooling", _pooled, ["n, 4, 6, 2"], N),
    Open("pooling of open images", _pooled, ["n, 2*h, 6, 1"], ({"n": 1, "h": 2}, {"n": 2, "h": 3})),
    Open("mean pooling", _mean_pooled, ["n"], N),
    # --- control ---
    Open("scan", _sum_by_scan, ["n, m"], NM),
    Open("while", _halved, ["n, 3"], N, grad=False),
    Open("fori", lambda x: lax.fori_loop(0, 3, lambda i, y: tnp.sin(y) + x, x), ["n, 3"], N),
    Open(
        "fori to size",
        lambda x: lax.fori_loop(0, x.shape[0], lambda i, y: y + x[i], 0.0),
        ["n"],
        N,
        grad=False,
    ),
    Open("cond", lambda x: lax.cond(x.sum() > 0, tnp.sin, tnp.cos, x), ["n, 3"], N),
    Open("switch", lambda x: lax.switch(1, [tnp.sin, tnp.cos], x), ["n, 3"], N),
    Open("map", lambda x: lax.map(lambda row: row.sum() * row, x), ["n, m"], NM),
    Open("associative scan", lambda x: lax.associative_scan(tnp.add, x), ["4, n"], N),
    Open("nested jit", lambda x: treadle.jit(lambda y: y.sum(0) / y.shape[0])(x), ["n, 3"], N),
    Open("vmap inside", lambda x: treadle.vmap(_squared)(x), ["n, m"], NM),
    Open("grad inside", treadle.grad(_loss), ["n, m"], NM),
    Open("checkpoint", treadle.checkpoint(_twice), ["n, 3"], N),
    Open("custom rule", lambda x: treadle.nn.relu(x) + treadle.nn.gelu(x), ["n, 3"], N),
    # --- networks ---
    Open("layer norm", _layer_norm, ["n, m", "m"], NM),
    Open("attention", _attention, ["n, 4", "n, 4", "n, 3"], N),
    Open("cross entropy", lambda x: -treadle.nn.log_softmax(x)[:, 0].mean(), ["n, m"], NM),
    # --- linear algebra, transforms, random ---
    Open(
        "cholesky",
        lambda x: tnp.linalg.cholesky(x @ x.swapaxes(1, 2) + 3 * tnp.eye(3)),
        ["n, 3, 3"],
        N,
    ),
    Open(
        "cholesky of open size",
        lambda x: tnp.linalg.cholesky(x @ x.T + 3 * tnp.eye(x.shape[0])),
        ["n, n"],
        N,
    ),
    Open("solve", lambda x, y: tnp.linalg.solve(x + 3 * tnp.eye(3), y), ["n, 3, 3", "n, 3, m"], NM),
    Open(
        "inverse of open size", lambda x: tnp.linalg.inv(x + 5 * tnp.eye(x.shape[0])), ["n, n"], N
    ),
    Open("qr", lambda x: tnp.linalg.qr(x)[1], ["n, 3, 3"], N),
    Open("svd", lambda x: tnp.linalg.svd(x, compute_uv=False), ["n, 3, 2"], N),
    Open("eigh", lambda x: tnp.linalg.eigvalsh(x + x.swapaxes(1, 2)), ["n, 3, 3"], N),
    Open("fft", lambda x: tnp.abs(tnp.fft.rfft(x)), ["n, 8"], N),
    Open("normal", lambda x: x + treadle.random.normal(treadle.random.key(0), (3,)), ["n, 3"], N),
    Open(
        "normal of open size",
        lambda x: x + treadle.random.normal(treadle.random.key(0), x.shape),
        ["n, 3"],
        N,
    ),
    # --- the last elements, windows, quantiles, images ---
    Open("last row set", lambda x: x.at[-1].set(1.0), ["n, 3"], N),
    Open("last element added to", lambda x: x.at[-1, 0].add(x[0, 0]), ["n, 3"], N),
    Open("last column scaled", lambda x: x.at[1:, -1].multiply(2.0), ["n, m"], NM),
    Open("median", tnp.median, ["n, m"], NM),
    Open("quantile", lambda x: tnp.quantile(x, 0.3, axis=0), ["n, 3"], N),
    Open(
        "sums of neighbours",
        lambda x: lax.reduce_window(x, 0.0, lax.add, (2,), (1,), "VALID"),
        ["n"],
        N,
    ),
    *[
        Open(
            f"images, {how}",
            lambda x, how=how: treadle.image.resize(x, (2 * x.shape[0], 4), how),
            ["n, 3"],
            N,
        )
        for how in ("nearest", "linear", "cubic")
    ],
]
POOL: Final = {each.name: each for each in _ITEMS}
