"""Around compiled code: its modules and functions, sources, ufuncs of statements, memoize, and where a toolkit is."""
