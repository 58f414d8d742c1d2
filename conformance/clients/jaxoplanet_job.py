"""jaxoplanet: Kepler's equation, orbits, and the light of a star in transit, with derivatives."""

import jax
import jax.numpy as jnp
from jaxoplanet.core.kepler import kepler
from jaxoplanet.light_curves import limb_dark_light_curve
from jaxoplanet.orbits.keplerian import Central, System
from jaxoplanet.orbits.transit import TransitOrbit
from reporting import show

jax.config.update("jax_enable_x64", True)
anomalies = jnp.linspace(0, 6, 9)
show("Kepler", jax.jit(lambda e: kepler(anomalies, e))(0.3))
show("its gradient", jax.grad(lambda e: kepler(anomalies, e)[0].sum())(0.3))
time = jnp.linspace(-0.2, 0.2, 11)


def light(radius, u):
    orbit = TransitOrbit(
        period=3.0, duration=0.2, time_transit=0.0, impact_param=0.1, radius_ratio=radius
    )
    return limb_dark_light_curve(orbit, u)(time)


show("transit", jax.jit(light)(0.1, jnp.array([0.2, 0.3])))
show("its Jacobian", jax.jacobian(light, argnums=(0, 1))(0.1, jnp.array([0.2, 0.3])))
system = System(Central(mass=1.0, radius=1.0))
system = system.add_body(period=3.0, radius=0.1, eccentricity=0.2, omega_peri=0.4)
system = system.add_body(period=7.0, radius=0.05, eccentricity=0.1, omega_peri=0.1)
show("positions", system.relative_position(0.3))
show("light of two", jax.vmap(limb_dark_light_curve(system, jnp.array([0.1])))(time))
