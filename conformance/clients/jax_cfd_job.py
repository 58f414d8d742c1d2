"""jax_cfd: a flow in two dimensions by finite volumes and by spectra."""

import jax
import jax.numpy as jnp
import jax_cfd.base as cfd
from reporting import show

grid = cfd.grids.Grid((16, 16), domain=((0, 2 * jnp.pi), (0, 2 * jnp.pi)))
v0 = cfd.initial_conditions.filtered_velocity_field(jax.random.PRNGKey(0), grid, 2.0, 2)
step = cfd.funcutils.repeated(
    cfd.equations.semi_implicit_navier_stokes(density=1.0, viscosity=0.05, dt=0.02, grid=grid), 5
)
final, path = jax.jit(lambda v: cfd.funcutils.trajectory(step, 3)(v))(v0)
show("path", [v.data for v in path])
show("vorticity", cfd.finite_differences.curl_2d(final).data)


def energy(scale):
    scaled = tuple(
        cfd.grids.GridVariable(cfd.grids.GridArray(v.data * scale, v.offset, v.grid), v.bc)
        for v in v0
    )
    return sum(jnp.sum(v.data**2) for v in step(scaled))


show("gradient", jax.grad(energy)(1.1))
