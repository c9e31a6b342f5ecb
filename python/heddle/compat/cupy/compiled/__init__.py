"""Compiled code: modules and functions, kernel sources, ufuncs made of statements, memoize, and toolkit paths."""
