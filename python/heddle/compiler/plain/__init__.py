"""Kernels as plain Python, for debuggers and coverage: ``HEDDLE_DISABLE_JIT=1``.

kernels      the substitute for compiled kernels, and launches
blocks       runs the threads of a block one at a time, in order, from barrier to barrier
simulator    kernels of programs that ask for numba's simulator: plain Python if they do not compile
vectors      ``cuda.float32x4`` and so on
operations   ``cuda.grid``, ``cuda.atomic.add`` and so on for these threads
"""
