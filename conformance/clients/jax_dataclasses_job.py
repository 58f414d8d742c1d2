"""jax_dataclasses: dataclasses that are trees, static fields, and copies that may be changed."""

import jax
import jax.numpy as jnp
import jax_dataclasses as jdc
from reporting import show


@jdc.pytree_dataclass
class Body:
    place: jax.Array
    speed: jax.Array
    mass: float = 1.0
    kind: jdc.Static[str] = "point"


@jdc.jit
def moved(body: Body, steps: jdc.Static[int]) -> Body:
    def step(_, body):
        with jdc.copy_and_mutate(body) as new:
            new.speed = body.speed - 0.1 * body.place / body.mass
            new.place = body.place + 0.1 * new.speed
        return new

    return jax.lax.fori_loop(0, steps, step, body)


body = Body(jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0]), jnp.float32(2.0))
show("moved", moved(body, 10))


def energy(body):
    return 0.5 * body.mass * jnp.sum(body.speed**2) + 0.5 * jnp.sum(body.place**2)


show("gradient", jax.grad(lambda body: energy(moved(body, 5)))(body))
many = jax.vmap(lambda m: jdc.replace(body, mass=m))(jnp.arange(1.0, 4.0))
show("batched", jax.vmap(lambda body: moved(body, 5))(many))
show("of the class", [jdc.asdict(body)["speed"], body.kind == "point"])
