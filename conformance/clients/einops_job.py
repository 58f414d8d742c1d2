"""einops: rearrangements, under jit and grad, and its layers of flax."""

import jax
import jax.numpy as jnp
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from reporting import show

x = jnp.arange(24.0).reshape(2, 3, 4)
show("rearrange", jax.jit(lambda x: rearrange(x, "a b c -> (c a) b"))(x))
show("reduce", reduce(x, "a b (c d) -> a c", "max", d=2))
show("gradient", jax.grad(lambda x: reduce(x**2, "a b c -> ", "mean"))(x))
show("repeat", repeat(x[0], "b c -> b c k", k=2))
show("einsum", einsum(x, x, "a b c, a d c -> b d"))
packed, shapes = pack([x, x[..., 0]], "a *")
show("pack", [packed, *unpack(packed, shapes, "a *")])
show("vmap", jax.vmap(lambda x: rearrange(x, "b c -> c b"))(x))
