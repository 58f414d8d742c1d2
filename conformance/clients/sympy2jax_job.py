"""sympy2jax: an expression of sympy's as a function."""

import jax
import jax.numpy as jnp
import sympy
import sympy2jax
from reporting import show

a, b = sympy.symbols("a b")
module = sympy2jax.SymbolicModule(sympy.sin(a) * b + 1.5)
show("value", module(a=jnp.array(1.0), b=jnp.array(2.0)))
show("gradient", jax.grad(lambda x: module(a=x, b=jnp.array(2.0)))(jnp.array(1.0)))
