"""Shapes and arrangement of elements."""
