"""`jax.experimental.ode`: what bijx takes from it that it imports itself."""
