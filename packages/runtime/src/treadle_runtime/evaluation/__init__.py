"""Eager operations: one program for each operation, types and placement; small ones run on NumPy."""
