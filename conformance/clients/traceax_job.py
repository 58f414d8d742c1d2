"""traceax: estimates of traces."""

import jax
import jax.numpy as jnp
import lineax as lx
import numpy as np
import traceax as tr
from reporting import show

matrix = jnp.asarray(np.random.default_rng(0).normal(size=(8, 8)), jnp.float32)
operator = lx.MatrixLinearOperator(matrix @ matrix.T, lx.positive_semidefinite_tag)
for estimator in (tr.HutchinsonEstimator(), tr.HutchPlusPlusEstimator(), tr.XTraceEstimator()):
    show(type(estimator).__name__, estimator.estimate(jax.random.PRNGKey(0), operator, 6)[0])
