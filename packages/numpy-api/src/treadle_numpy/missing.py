"""Names that JAX has and treadle lacks, by namespace: read where one of them is asked for.

Written by scripts/names.py.
"""

from __future__ import annotations

from typing import Final

MISSING: Final[dict[str, str]] = {
    "lax": (
        "after_all bessel_i0e bessel_i1e betainc composite create_token custom_linear_solve "
        "custom_root dce_sink igamma igamma_grad_a igammac linalg platform_dependent polygamma "
        "psum_scatter_start random_gamma_grad scaled_dot with_sharding_constraint zeta"
    ),
    "nn": (
        "get_scaled_dot_general_config initializers log1mexp scaled_dot_general scaled_matmul "
        "sparse_plus sparse_sigmoid"
    ),
    "numpy": (
        "ComplexWarning choose delete fill_diagonal float4_e2m1fn float6_e2m3fn float6_e3m2fn "
        "float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu "
        "frexp from_dlpack frombuffer fromfile fromiter frompyfunc fromstring gcd histogram2d "
        "histogramdd i0 insert int1 int2 iterable kaiser lcm ldexp mask_indices minmax modf "
        "packbits poly polyadd polyder polydiv polyfit polyint polymul polysub roots setxor1d "
        "spacing trim_zeros uint1 uint2 unique_all unique_counts unique_inverse unique_values "
        "unpackbits vectorize"
    ),
    "numpy.fft": "",
    "numpy.linalg": (
        "cholesky cond eig eigh eigvals eigvalsh inv lstsq matrix_rank pinv qr slogdet solve svd "
        "svdvals tensorinv tensorsolve"
    ),
    "random": (
        "ball beta binomial chisquare dirichlet double_sided_maxwell f gamma generalized_normal "
        "key_dtype loggamma multinomial multivariate_normal orthogonal poisson random_gamma_p t "
        "wald"
    ),
    "scipy": "cluster integrate interpolate linalg ndimage optimize signal sparse stats",
    "scipy.fft": "",
    "scipy.special": (
        "bernoulli bessel_jn betainc boxcox boxcox1p comb dawsn erfcinv erfcx exp1 expi expn "
        "fresnel gammainc gammaincc hyp1f1 hyp2f1 i0 i0e i1 i1e log_ndtr owens_t poch polygamma "
        "sici spence sph_harm_y wofz zeta"
    ),
}
