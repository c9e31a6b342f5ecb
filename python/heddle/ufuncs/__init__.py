"""Functions of numbers and of small arrays that work on arrays of any size."""
