"""Derivatives of every order where a function is smooth: a table of functions, points and truths, and its law."""
