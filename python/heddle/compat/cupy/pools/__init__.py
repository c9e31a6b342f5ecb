"""Device memory: pools of it (memory_pools, in memory_chunks) and pointers into it."""
