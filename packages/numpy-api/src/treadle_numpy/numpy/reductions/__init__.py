"""Reductions and running reductions along axes."""
