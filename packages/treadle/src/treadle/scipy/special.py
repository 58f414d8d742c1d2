"""Special functions."""

from __future__ import annotations

from treadle_numpy.scipy_special import (
    beta as beta,
    betaln as betaln,
    digamma as digamma,
    entr as entr,
    erf as erf,
    erfc as erfc,
    erfinv as erfinv,
    expit as expit,
    factorial as factorial,
    gamma as gamma,
    gammaln as gammaln,
    gammasgn as gammasgn,
    kl_div as kl_div,
    log_softmax as log_softmax,
    loggamma as loggamma,
    logit as logit,
    logsumexp as logsumexp,
    multigammaln as multigammaln,
    ndtr as ndtr,
    ndtri as ndtri,
    rel_entr as rel_entr,
    softmax as softmax,
    xlog1py as xlog1py,
    xlogy as xlogy,
)
