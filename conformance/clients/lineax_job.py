"""lineax: linear solves by every kind of solver and operator, and derivatives through them."""

import jax
import jax.numpy as jnp
import lineax as lx
from reporting import show

matrix = jax.random.normal(jax.random.PRNGKey(0), (4, 4))
vector = jax.random.normal(jax.random.PRNGKey(1), (4,))
positive = matrix @ matrix.T + 4 * jnp.eye(4)

show("auto", lx.linear_solve(lx.MatrixLinearOperator(matrix), vector).value)
for solver in (lx.LU(), lx.QR(), lx.SVD(), lx.GMRES(rtol=1e-5, atol=1e-5)):
    show(
        type(solver).__name__,
        lx.linear_solve(lx.MatrixLinearOperator(matrix), vector, solver).value,
    )
spd = lx.MatrixLinearOperator(positive, lx.positive_semidefinite_tag)
for solver in (lx.Cholesky(), lx.CG(rtol=1e-6, atol=1e-6), lx.NormalCG(rtol=1e-6, atol=1e-6)):
    show(type(solver).__name__, lx.linear_solve(spd, vector, solver).value)
tall = jax.random.normal(jax.random.PRNGKey(2), (6, 3))
b = jax.random.normal(jax.random.PRNGKey(3), (6,))
least = lx.AutoLinearSolver(well_posed=None)
show("least squares", lx.linear_solve(lx.MatrixLinearOperator(tall), b, least).value)
show("diagonal", lx.linear_solve(lx.DiagonalLinearOperator(jnp.arange(1.0, 5.0)), vector).value)
tri = lx.TridiagonalLinearOperator(4 * jnp.ones(4), jnp.ones(3), -jnp.ones(3))
show("tridiagonal", lx.linear_solve(tri, vector).value)
function = lx.FunctionLinearOperator(lambda v: positive @ v, vector, lx.positive_semidefinite_tag)
show("function", lx.linear_solve(function, vector, lx.CG(rtol=1e-6, atol=1e-6)).value)
show(
    "jacobian",
    lx.linear_solve(lx.JacobianLinearOperator(lambda x, _: x**3 + x, vector), vector).value,
)


def solved(matrix, vector):
    return jnp.sum(lx.linear_solve(lx.MatrixLinearOperator(matrix), vector).value ** 2)


show("gradients", jax.grad(solved, argnums=(0, 1))(matrix, vector))
show("gradients under jit", jax.jit(jax.grad(solved, argnums=(0, 1)))(matrix, vector))
show("tangents", jax.jvp(solved, (matrix, vector), (positive, vector)))
show(
    "batch", jax.vmap(lambda v: lx.linear_solve(lx.MatrixLinearOperator(matrix), v).value)(positive)
)
show("batch of gradients", jax.vmap(jax.grad(solved), in_axes=(None, 0))(matrix, positive))
