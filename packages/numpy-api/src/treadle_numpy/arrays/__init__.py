"""What arrays offer themselves: operators, methods, `x[i]`, `x.at[i]`."""
