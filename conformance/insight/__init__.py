"""Findings: programs with a surprise, what treadle says about each, and the programs mended."""
