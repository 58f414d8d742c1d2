"""Means, variances, quantiles, histograms."""
