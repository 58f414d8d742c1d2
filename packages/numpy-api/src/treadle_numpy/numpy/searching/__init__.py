"""Choosing among arrays, and finding elements."""
