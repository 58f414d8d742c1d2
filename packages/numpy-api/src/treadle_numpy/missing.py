"""Names that JAX has and treadle lacks, by namespace: read where one of them is asked for.

Written by scripts/names.py.
"""

from __future__ import annotations

from typing import Final

MISSING: Final[dict[str, str]] = {
    "image": "",
    "lax": "after_all create_token dce_sink psum_scatter_start scaled_dot",
    "lax.linalg": "",
    "nn": "",
    "nn.initializers": "",
    "numpy": (
        "float4_e2m1fn float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz "
        "float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu int1 int2 uint1 uint2"
    ),
    "numpy.fft": "",
    "numpy.linalg": "",
    "ops": "",
    "random": "",
    "scipy": "",
    "scipy.cluster": "",
    "scipy.cluster.vq": "",
    "scipy.fft": "",
    "scipy.integrate": "",
    "scipy.interpolate": "",
    "scipy.linalg": "",
    "scipy.ndimage": "",
    "scipy.optimize": "",
    "scipy.signal": "",
    "scipy.sparse": "",
    "scipy.sparse.linalg": "",
    "scipy.spatial": "",
    "scipy.spatial.transform": "",
    "scipy.special": "",
    "scipy.stats": "",
    "scipy.stats.bernoulli": "",
    "scipy.stats.beta": "",
    "scipy.stats.betabinom": "",
    "scipy.stats.binom": "",
    "scipy.stats.cauchy": "",
    "scipy.stats.chi2": "",
    "scipy.stats.dirichlet": "",
    "scipy.stats.expon": "",
    "scipy.stats.gamma": "",
    "scipy.stats.gennorm": "",
    "scipy.stats.geom": "",
    "scipy.stats.gumbel_l": "",
    "scipy.stats.gumbel_r": "",
    "scipy.stats.laplace": "",
    "scipy.stats.logistic": "",
    "scipy.stats.multinomial": "",
    "scipy.stats.multivariate_normal": "",
    "scipy.stats.nbinom": "",
    "scipy.stats.norm": "",
    "scipy.stats.pareto": "",
    "scipy.stats.poisson": "",
    "scipy.stats.t": "",
    "scipy.stats.truncnorm": "",
    "scipy.stats.uniform": "",
    "scipy.stats.vonmises": "",
    "scipy.stats.wrapcauchy": "",
}
