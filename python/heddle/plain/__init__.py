"""Kernels as plain Python, for debuggers and coverage: ``HEDDLE_DISABLE_JIT=1``.

kernels      what ``cuda.jit`` makes of a function then; launches
blocks       the threads of a block, one at a time and in order, from barrier to barrier
simulator    kernels of programs that ask for numba's simulator: plain Python where they cannot be compiled
operations   ``cuda.grid``, ``cuda.atomic.add`` and the like in such a thread
"""
