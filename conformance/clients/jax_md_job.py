"""jax_md: particles in a box, brought to rest and moved; lists of neighbours."""

import jax
from jax_md import energy, minimize, quantity, simulate, space
from reporting import show

displacement, shift = space.periodic(4.0)
positions = jax.random.uniform(jax.random.key(0), (20, 2)) * 4
potential = energy.soft_sphere_pair(displacement)
show("energy", jax.value_and_grad(potential)(positions))
init, apply = minimize.fire_descent(potential, shift)
step = jax.jit(lambda state: jax.lax.fori_loop(0, 50, lambda _, state: apply(state), state))
show("at rest", potential(step(init(positions)).position))
init, apply = simulate.nve(potential, shift, 1e-3)
state = init(jax.random.PRNGKey(1), positions, kT=1.0)
state = jax.lax.fori_loop(0, 20, lambda _, state: apply(state), state)
show("moved", [state.position, quantity.kinetic_energy(momentum=state.momentum)])
neighbours, potential = energy.lennard_jones_neighbor_list(displacement, 4.0)
show("neighbours", potential(positions, neighbours.allocate(positions)))
