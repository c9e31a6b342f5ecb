"""Device memory: memory pools (memory_pools, built on memory_chunks) and pointers to it (memory_pointers)."""
