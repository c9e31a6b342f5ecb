"""Universal functions: scalar functions and functions of small arrays, applied to arrays of any size."""
