"""matfree: traces, determinants and decompositions of a matrix that is known by its products."""

import jax
import jax.numpy as jnp
from matfree import decomp, funm, stochtrace
from reporting import show

root = jax.random.normal(jax.random.key(0), (12, 12))
matrix = root @ root.T / 12 + jnp.eye(12)


def product(x, scale=1.0):
    return scale * (matrix @ x)


sampler = stochtrace.sampler_normal(jnp.ones(12), num=50)
trace = stochtrace.estimator_monte_carlo(stochtrace.monte_carlo_trace(), sampler)
show("trace", jax.jit(lambda key: trace(product, key))(jax.random.key(1)))
tridiagonal = decomp.tridiag_sym(6)
show("tridiagonal", tridiagonal(product, jnp.ones(12))[1])
integrand = funm.monte_carlo_funm_sym_logdet(tridiagonal)
determinant = stochtrace.estimator_monte_carlo(integrand, sampler)
show("log determinant", determinant(product, jax.random.key(2)))
show("gradient", jax.grad(lambda scale: determinant(product, jax.random.key(2), scale))(1.5))
exponential = funm.funm_lanczos_sym(funm.dense_funm_sym_eigh(jnp.exp), tridiagonal)
show("exponential", exponential(product, jnp.ones(12)))
