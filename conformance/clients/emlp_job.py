"""emlp: the equivariant maps of groups, with derivatives."""

import jax
import jax.numpy as jnp
from emlp.groups import SO, S
from emlp.reps import T, V
from reporting import show

for group in (SO(3), S(4)):
    maps = V(group) >> T(2)(group)
    projector = maps.equivariant_projector()
    show(f"projector of {group}", projector.to_dense())
    show(f"rank of {group}", [maps.equivariant_basis().shape[-1]])

    def size(v, projector=projector):
        return jnp.sum((projector @ v) ** 2)

    show(f"derivative of {group}", jax.grad(size)(jnp.sin(jnp.arange(maps.size()))))
