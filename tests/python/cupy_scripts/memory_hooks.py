"""Counts what a computation allocates, with a hook of the memory pool."""

import io

import cupy as cp


class Count(cp.cuda.MemoryHook):
    name = "count"

    def __init__(self):
        self.asked, self.taken, self.given_back = [], [], 0

    def malloc_preprocess(self, device_id, size, mem_size):
        self.asked.append((size, mem_size))

    def alloc_postprocess(self, device_id, mem_size, mem_ptr):
        self.taken.append(mem_size)

    def free_postprocess(self, device_id, mem_size, mem_ptr, pmem_id):
        self.given_back += mem_size


cp.get_default_memory_pool().free_all_blocks()
with Count() as count:
    for _ in range(3):
        x = cp.empty(100, dtype=cp.float64)
        del x
print(count.asked, count.taken, count.given_back)

lines = cp.cuda.memory_hooks.LineProfileHook()
with lines:
    y = cp.zeros((1024, 1024), dtype=cp.float32)
report = io.StringIO()
lines.print_report(file=report)
print(report.getvalue().splitlines()[-1].partition("memory_hooks.py:")[2].split()[-1].strip(")"))
