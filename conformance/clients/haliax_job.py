"""haliax: named axes; a small transformer block is trained, over a scan of its layers."""

import equinox as eqx
import haliax as hax
import haliax.nn as hnn
import jax
from reporting import show

Batch, Pos, Embed, Mlp, Heads, Head, Layers = hax.make_axes(
    batch=4, position=6, embed=8, mlp=16, heads=2, head=4, layers=3
)


class Layer(eqx.Module):
    query: hnn.Linear
    out: hnn.Linear
    mlp: hnn.MLP
    norm: hnn.LayerNorm

    @staticmethod
    def init(key):
        one, two, three = jax.random.split(key, 3)
        return Layer(
            hnn.Linear.init(Embed, (Heads, Head), key=one),
            hnn.Linear.init((Heads, Head), Embed, key=two),
            hnn.MLP.init(Embed, Embed, 16, 2, key=three),
            hnn.LayerNorm.init(Embed),
        )

    def __call__(self, x):
        q = self.query(self.norm(x))
        k = q.rename({"position": "key_position"})
        key_position = k.resolve_axis("key_position")
        mask = hnn.attention.causal_mask(Pos, key_position)
        y = hnn.attention.dot_product_attention(key_position, Head, q, k, k, mask=mask)
        x = x + self.out(y)
        return x + self.mlp(x)


x = hax.random.normal(jax.random.key(0), (Batch, Pos, Embed))
stack = hnn.Stacked.init(Layers, Layer, gradient_checkpointing=True)(
    key=jax.random.split(jax.random.key(1), 3)
)
show("forward", stack.fold(x).array)


@eqx.filter_jit
def step(stack):
    loss, gradient = eqx.filter_value_and_grad(lambda s: hax.mean(s.fold(x) ** 2).scalar())(stack)
    return jax.tree.map(
        lambda p, g: p - 0.1 * g if eqx.is_inexact_array(p) else p, stack, gradient
    ), loss


losses = []
for _ in range(5):
    stack, loss = step(stack)
    losses.append(loss)
show("losses", losses)
show("dot", hax.dot(x, x.rename({"position": "other"}), axis=(Batch, Embed)).array)
show("topk", [each.array for each in hax.top_k(x, Embed, 2)])
show("updated", x.at[Pos, 2].set(0.0).array)
show("sliced", hax.updated_slice(x, {Pos: 1}, 2 * x[Pos, 0:2]).array)
show("vmap", hax.vmap(lambda row: hax.cumsum(row, Embed), Pos)(x).array)
