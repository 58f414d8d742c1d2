"""Special functions: what can be had from the primitives erf, erf_inv, lgamma and digamma, and exponentials."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.scipy.special.bessels import (
        bessel_jn as bessel_jn,
        i0 as i0,
        i0e as i0e,
        i1 as i1,
        i1e as i1e,
    )
    from treadle_numpy.scipy.special.betas import (
        beta as beta,
        betaln as betaln,
        comb as comb,
        poch as poch,
    )
    from treadle_numpy.scipy.special.exponents import (
        boxcox as boxcox,
        boxcox1p as boxcox1p,
        entr as entr,
        expit as expit,
        kl_div as kl_div,
        log_softmax as log_softmax,
        logit as logit,
        logsumexp as logsumexp,
        rel_entr as rel_entr,
        softmax as softmax,
        xlog1py as xlog1py,
        xlogy as xlogy,
    )
    from treadle_numpy.scipy.special.faddeeva import wofz as wofz
    from treadle_numpy.scipy.special.gammas import (
        digamma as digamma,
        factorial as factorial,
        gamma as gamma,
        gammaln as gammaln,
        gammasgn as gammasgn,
        loggamma as loggamma,
        multigammaln as multigammaln,
    )
    from treadle_numpy.scipy.special.harmonics import sph_harm_y as sph_harm_y
    from treadle_numpy.scipy.special.hypergeometric import hyp1f1 as hyp1f1, hyp2f1 as hyp2f1
    from treadle_numpy.scipy.special.incomplete import (
        bernoulli as bernoulli,
        betainc as betainc,
        gammainc as gammainc,
        gammaincc as gammaincc,
        polygamma as polygamma,
        zeta as zeta,
    )
    from treadle_numpy.scipy.special.integrals import (
        exp1 as exp1,
        expi as expi,
        expn as expn,
        fresnel as fresnel,
        sici as sici,
        spence as spence,
    )
    from treadle_numpy.scipy.special.normals import (
        dawsn as dawsn,
        erf as erf,
        erfc as erfc,
        erfcinv as erfcinv,
        erfcx as erfcx,
        erfinv as erfinv,
        log_ndtr as log_ndtr,
        ndtr as ndtr,
        ndtri as ndtri,
        owens_t as owens_t,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "bessels": "bessel_jn i0 i0e i1 i1e",
            "betas": "beta betaln comb poch",
            "exponents": (
                "boxcox boxcox1p entr expit kl_div log_softmax logit logsumexp rel_entr softmax "
                "xlog1py xlogy"
            ),
            "faddeeva": "wofz",
            "gammas": "digamma factorial gamma gammaln gammasgn loggamma multigammaln",
            "harmonics": "sph_harm_y",
            "hypergeometric": "hyp1f1 hyp2f1",
            "incomplete": "bernoulli betainc gammainc gammaincc polygamma zeta",
            "integrals": "exp1 expi expn fresnel sici spence",
            "normals": "dawsn erf erfc erfcinv erfcx erfinv log_ndtr ndtr ndtri owens_t",
        },
    )
