"""pyhf: a counting experiment on the backend jax, its likelihood, fit and upper limit."""

import pyhf
from reporting import show

pyhf.set_backend("jax")
model = pyhf.simplemodels.uncorrelated_background(
    signal=[12.0, 11.0], bkg=[50.0, 52.0], bkg_uncertainty=[3.0, 7.0]
)
data = [51, 48, *model.config.auxdata]
show("expected", model.expected_data([1.0, 1.0, 1.0]))
show("likelihood", model.logpdf([0.5, 1.0, 1.1], data))
show("fit", pyhf.infer.mle.fit(data, model))
show("CLs", pyhf.infer.hypotest(1.0, data, model, test_stat="qtilde", return_expected_set=True))
