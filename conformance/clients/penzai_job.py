"""penzai: a network, and arrays with named axes."""

import jax
import jax.numpy as jnp
from penzai import pz
from penzai.models import simple_mlp
from reporting import show

network = simple_mlp.MLP.from_config(
    name="mlp", init_base_rng=jax.random.key(0), feature_sizes=[4, 8, 2]
)
show("network", network(pz.nx.ones({"features": 4, "b": 3})).unwrap("b", "features"))
named = pz.nx.arange("i", 5) + pz.nx.arange("j", 3) * 10
show("sum", named.untag("i").sum().unwrap("j"))
show("mapped", pz.nx.nmap(jnp.sin)(named).unwrap("i", "j"))
show("layers", jnp.array(network.select().at_instances_of(pz.nn.Linear).count()))
