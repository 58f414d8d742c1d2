"""What the system keeps when the user has dropped everything: nothing, or no more than a bound says."""
