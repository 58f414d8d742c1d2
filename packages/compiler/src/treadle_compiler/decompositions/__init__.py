"""Operations that StableHLO lacks, or computes slowly, as programs of operations that it has.

`staged` turns the formulas of special functions into programs; `quick` has functions for it that XLA's CPU compiler
vectorises.
"""
