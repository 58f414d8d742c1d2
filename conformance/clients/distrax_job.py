"""distrax: distributions, bijectors, samples, a normalising flow."""

import distrax
import jax
import jax.numpy as jnp
from reporting import show

key = jax.random.PRNGKey(0)
normal = distrax.Normal(jnp.array([0.0, 1.0]), jnp.array([1.0, 2.0]))
show("samples", normal.sample(seed=key, sample_shape=(3,)))
show("log prob", normal.log_prob(jnp.array([0.5, 0.5])))
show("gradient", jax.grad(lambda m: distrax.Normal(m, 1.0).log_prob(0.3))(0.1))
show("entropy", distrax.Categorical(logits=jnp.array([0.1, 0.2, 0.7])).entropy())
show(
    "categories",
    distrax.Categorical(logits=jnp.array([0.1, 0.2, 0.7])).sample(seed=key, sample_shape=(5,)),
)
show("divergence", distrax.Normal(0.0, 1.0).kl_divergence(distrax.Normal(1.0, 2.0)))
full = distrax.MultivariateNormalTri(jnp.zeros(2), jnp.array([[1.0, 0.0], [0.5, 2.0]]))
show("multivariate", full.log_prob(jnp.array([0.3, -0.2])))
mixture = distrax.MixtureSameFamily(
    distrax.Categorical(probs=jnp.array([0.3, 0.7])),
    distrax.Normal(jnp.array([-1.0, 1.0]), jnp.ones(2)),
)
show("mixture", mixture.log_prob(0.2))
flow = distrax.Transformed(
    distrax.Normal(jnp.zeros(3), jnp.ones(3)),
    distrax.Chain([distrax.ScalarAffine(1.0, 2.0), distrax.Tanh()]),
)
show("flow", flow.log_prob(jnp.array([0.5, 1.0, 1.5])))
show("flow samples", flow.sample(seed=key))
inverse = distrax.Lambda(lambda x: jnp.exp(2 * x) + 1)
show("inverse of a function", inverse.inverse(jnp.array([2.0, 3.0])))
show("its log det", inverse.forward_log_det_jacobian(jnp.array([0.1, 0.2])))
spline = distrax.RationalQuadraticSpline(jnp.linspace(-1.0, 1.0, 13), -2.0, 2.0)
show("spline", spline.forward(jnp.array([-1.0, 0.3])))
show(
    "hidden markov",
    distrax.HMM(
        distrax.Categorical(probs=jnp.array([0.5, 0.5])),
        distrax.Categorical(probs=jnp.array([[0.9, 0.1], [0.2, 0.8]])),
        distrax.Normal(jnp.array([0.0, 1.0]), jnp.ones(2)),
    ).forward_backward(jnp.array([0.1, 1.2, 0.9]))[2],
)
