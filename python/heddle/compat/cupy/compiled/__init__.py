"""What of compiled code programs look at: its modules and functions, sources, and where a toolkit is."""
