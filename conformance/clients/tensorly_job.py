"""tensorly: decompositions on the backend jax."""

import jax
import jax.numpy as jnp
import numpy as np
import tensorly as tl
from reporting import show
from tensorly.decomposition import non_negative_parafac, parafac, tucker

tl.set_backend("jax")
tensor = tl.tensor(np.random.default_rng(0).uniform(size=(4, 5, 6)).astype("float32"))
show("CP", tl.cp_to_tensor(parafac(tensor, 2, n_iter_max=20, init="svd")))
show("Tucker", tl.tucker_to_tensor(tucker(tensor, [2, 2, 2], n_iter_max=10)))
show("non-negative", tl.cp_to_tensor(non_negative_parafac(tensor, 2, n_iter_max=10, init="svd")))
show("unfold", tl.unfold(tensor, 1))
show("gradient", jax.grad(lambda x: tl.norm(tl.tenalg.mode_dot(x, jnp.ones((2, 5)), 1)))(tensor))
