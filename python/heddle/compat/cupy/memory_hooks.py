"""cupy.cuda.MemoryHook: functions of a program that memory pools call before and after each step.

with DebugPrintHook():          pool.malloc()   malloc_preprocess   alloc_preprocess      only if a new piece
    x = cupy.arange(10)                         malloc_postprocess  alloc_postprocess     of memory is needed
                                PooledMemory.free()   free_preprocess, free_postprocess
"""

import contextlib
import json
import sys
import threading
import traceback


class _PerThread(threading.local):
    def __init__(self):
        self.hooks = {}  # a hook's name -> the hook, while the thread is in its context


_per_thread = _PerThread()


class MemoryHook:
    """A context manager whose methods are called for the thread's allocations from pools. Subclasses override them.

    Keyword arguments: device_id; mem_size, the rounded size in bytes; size, the requested size (malloc only); mem_ptr,
    the address (not before an allocation); pmem_id, which identifies the memory (malloc_postprocess and free).
    """

    name = "MemoryHook"

    def __enter__(self):
        if self.name in _per_thread.hooks:
            raise KeyError(f"a memory hook called {self.name} is active already")
        _per_thread.hooks[self.name] = self
        return self

    def __exit__(self, *error):
        del _per_thread.hooks[self.name]

    def alloc_preprocess(self, **facts):
        """Called before a pool takes memory from the device."""

    def alloc_postprocess(self, **facts):
        """Called after a pool took memory from the device."""

    def malloc_preprocess(self, **facts):
        """Called before a pool gives memory to the program."""

    def malloc_postprocess(self, **facts):
        """Called after a pool gave memory to the program."""

    def free_preprocess(self, **facts):
        """Called before a pool takes memory back."""

    def free_postprocess(self, **facts):
        """Called after a pool took memory back."""


@contextlib.contextmanager
def call_hooks(step, **facts):
    """Call the hooks' methods for a step ("alloc", "malloc" or "free") before and after it. The step adds what is known
    only afterwards to the dict that this context manager returns."""
    hooks = list(_per_thread.hooks.values())
    for hook in hooks:
        getattr(hook, f"{step}_preprocess")(**facts)
    found = {}
    yield found
    for hook in hooks:
        getattr(hook, f"{step}_postprocess")(**facts, **found)


class DebugPrintHook(MemoryHook):
    """Prints a line of JSON for each step. file: the output file. flush: whether to flush it after each line."""

    name = "DebugPrintHook"

    def __init__(self, file=sys.stdout, flush=True):
        self._file, self._flush = file, flush

    def _print_step(self, step, facts):
        shown = {name: hex(v) if name == "pmem_id" else v for name, v in facts.items()}
        print(json.dumps({"hook": step, **shown}), file=self._file, flush=self._flush)

    def alloc_postprocess(self, **facts):
        self._print_step("alloc", facts)

    def malloc_postprocess(self, **facts):
        self._print_step("malloc", facts)

    def free_postprocess(self, **facts):
        self._print_step("free", facts)


class LineProfileHook(MemoryHook):
    """Counts the bytes that each line of the program allocates. max_depth: how many callers a report shows; 0 means
    all."""

    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self._max_depth = max_depth
        self._bytes = {}  # the frames of an allocation, as (file, line, function) -> [of malloc, of alloc]

    def _count_bytes(self, which, size):
        frames = traceback.extract_stack()
        # The inner frames belong to this package: the program's frames come before the first of them.
        own = next(i for i, f in enumerate(frames) if "heddle/compat/cupy/" in f.filename)
        place = tuple((f.filename, f.lineno, f.name) for f in frames[:own][-self._max_depth :])
        self._bytes.setdefault(place, [0, 0])[which] += size

    def malloc_preprocess(self, device_id, size, mem_size):
        self._count_bytes(0, mem_size)

    def alloc_preprocess(self, device_id, mem_size):
        self._count_bytes(1, mem_size)

    def print_report(self, file=sys.stdout):
        """Print each line that allocates, below its callers, with the bytes given to the program and taken from the
        device."""
        totals = {}
        for place, counts in self._bytes.items():
            for depth in range(1, len(place) + 1):
                total = totals.setdefault(place[:depth], [0, 0])
                total[:] = [a + b for a, b in zip(total, counts, strict=True)]
        for place in sorted(totals):
            name, line, function = place[-1]
            used, taken = map(_format_size, totals[place])
            indent = "  " * (len(place) - 1)
            print(f"{indent}{name}:{line}:{function} ({used}, {taken})", file=file)


def _format_size(size):
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f"{size:.2f}{unit}"
        size /= 1024
    return f"{size:.2f}GB"


__all__ = ["DebugPrintHook", "LineProfileHook", "MemoryHook"]
