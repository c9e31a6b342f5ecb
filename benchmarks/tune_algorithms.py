"""Measures kernels of heddle.cuda.algorithms with several tiles, and the calls of the same algorithms in CuPy and torch."""

import statistics
import sys
import time

import numpy as np

from heddle import cuda
from heddle.cuda import algorithms
from heddle.cuda.algorithms import scan_kernels, scans, sort_kernels, sorting
from heddle.cuda.algorithms.flat_arrays import allocate_zeros
from heddle.cuda.streams import to_native_stream
from heddle.types import from_dtype

COUNT = 1 << 24
begin_time = time.time()


def measure_kernel(launch, repeats=7):
    launch()
    cuda.synchronize()
    times = []
    for _ in range(repeats):
        a, b = cuda.event(), cuda.event()
        a.record()
        launch()
        b.record()
        b.synchronize()
        times.append(1e3 * cuda.event_elapsed_time(a, b))
    return statistics.median(times)


def measure_call(call, wait, repeats=15):
    call()
    wait()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - start)
    return 1e6 * statistics.median(times)


def show(*values):
    print(f"[{time.time() - begin_time:5.1f}s]", *values, flush=True)


def attempt(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        show("FAILED", function.__name__, arguments, type(error).__name__, str(error)[:300])


native = to_native_stream(0, cuda.device_array(1).device)
rng = np.random.default_rng(6)
numbers = rng.integers(-1000, 1000, COUNT, np.int32)
uniform = rng.integers(0, 2**32, COUNT, np.uint32)
floats = rng.random(COUNT, np.float32)


def sweep_variant(key_dtype, value_dtype, threads, items, blocks, match):
    """The sort of ``uniform`` by the kernel of a middle pass alone; its time per pass."""
    key_dtype = np.dtype(key_dtype)
    passes = key_dtype.itemsize
    source = (uniform if passes == 4 else uniform.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)).astype(key_dtype)
    tile = sort_kernels.Tile(threads, items, blocks, match)
    word = np.dtype(np.uint32)
    value = np.dtype(value_dtype) if value_dtype else None
    kernel = sorting._get_sweep_kernel(key_dtype, value, word, False, False, False, tile)
    count = sorting._get_count_kernel(key_dtype, False, word, value is not None)
    tiles = -(-COUNT // tile.size)
    words_count = sort_kernels.get_states_begin(passes) + passes * tiles * 256
    given = cuda.to_device(source)
    buffers = [cuda.device_array(COUNT, key_dtype), cuda.device_array(COUNT, key_dtype)]
    values = [cuda.to_device(np.arange(COUNT, dtype=value)) for _ in range(2)] if value else None
    shared = tile.size * max(passes, value.itemsize if value else 0)
    times, count_times, fill_times = [], [], []
    for _ in range(6):
        events = [cuda.event() for _ in range(passes + 3)]
        events[0].record()
        words = allocate_zeros(given, words_count, word, native)
        events[1].record()
        count[132 * 8, 256](given, words)
        events[2].record()
        bits = given
        for number in range(passes):
            target = buffers[(passes - 1 - number) % 2]
            launch = kernel[tiles, threads, 0, shared]
            if value:
                launch(bits, target, values[number % 2], values[(number + 1) % 2], words, number)
            else:
                launch(bits, target, words, number)
            bits = target
            events[3 + number].record()
        cuda.synchronize()
        elapsed = [1e3 * cuda.event_elapsed_time(a, b) for a, b in zip(events, events[1:])]
        fill_times.append(elapsed[0])
        count_times.append(elapsed[1])
        times.append(elapsed[2:])
    found = bits.copy_to_host()
    correct = bool((found[1:] >= found[:-1]).all())
    per_pass = np.median(np.array(times), axis=0)
    (function,) = [kernel]
    registers = list(function.get_regs_per_thread().values()) if hasattr(function, "get_regs_per_thread") else ""
    show(
        f"sweep {key_dtype} {value_dtype} {tuple(tile)}: per pass {np.round(per_pass, 1)} us, total {per_pass.sum():.0f},"
        f" count {np.median(count_times):.1f}, fill {np.median(fill_times):.1f}, correct {correct}, registers {registers}"
    )


def scan_variant(dtype, threads, vector, vectors):
    dtype = np.dtype(dtype)
    tile = scan_kernels.Tile(threads, vector, vectors)
    source = cuda.to_device(numbers.astype(dtype))
    out = cuda.device_array(COUNT, dtype)
    saved = scan_kernels.choose_tile
    scan_kernels.choose_tile = lambda *_: tile
    try:
        t = measure_kernel(lambda: scans._launch_gpu_scan(source, out, scans._add, dtype.type(0), False, native))
    finally:
        scan_kernels.choose_tile = saved
    correct = np.array_equal(out.copy_to_host(), np.cumsum(numbers.astype(dtype), dtype=dtype))
    show(f"scan {dtype} {tuple(tile)}: {t:.1f} us (fill, allocation included), correct {correct}")


def calls():
    rows = []
    for name, host in ("int32 small", numbers), ("uint32", uniform), ("float32", floats), ("float64", floats.astype("f8")):
        own = cuda.to_device(host)
        rows.append((f"sort {name}", lambda own=own: algorithms.sort(own), lambda m, x: m.sort(x), host))
        rows.append((f"argsort {name}", lambda own=own: algorithms.argsort(own), lambda m, x: m.argsort(x), host))
    own = cuda.to_device(numbers)
    rows.append(("scan int32", lambda: algorithms.inclusive_scan(own, dtype=np.int32), "cumsum", numbers))
    peers = {}
    try:
        import cupy

        peers["cupy"] = (cupy, cupy.cuda.runtime.deviceSynchronize)
    except Exception as error:
        show("no cupy", error)
    try:
        import torch

        peers["torch"] = (torch, torch.cuda.synchronize)
    except Exception as error:
        show("no torch", error)
    for what, ours, theirs, host in rows:
        result = {"heddle": measure_call(ours, cuda.synchronize)}
        begin = time.perf_counter()
        for _ in range(5):
            ours()
        result["heddle host time"] = (time.perf_counter() - begin) / 5 * 1e6
        cuda.synchronize()
        for name, (module, wait) in peers.items():
            try:
                x = module.asarray(host) if name == "cupy" else module.from_numpy(host).cuda()
                if theirs == "cumsum":
                    call = (lambda: module.cumsum(x, dtype=np.int32)) if name == "cupy" else (
                        lambda: module.cumsum(x, 0, dtype=module.int32))
                else:
                    call = lambda: theirs(module, x)
                result[name] = measure_call(call, wait)
            except Exception as error:
                result[name] = str(error)[:80]
        show(f"call {what}:", {k: round(v, 1) if isinstance(v, float) else v for k, v in result.items()})


def other_calls():
    """Calls of the other algorithms. cupy and torch are measured for the same result."""
    try:
        import cupy
    except Exception:
        cupy = None
    try:
        import torch
    except Exception:
        torch = None
    mask = floats < 0.5
    repeated = numbers
    offsets = np.arange(0, COUNT + 1, 256, dtype=np.int64)
    own_floats, own_mask, own_numbers = (cuda.to_device(x) for x in (floats, mask, numbers))
    own_offsets = cuda.to_device(offsets)
    halves = [cuda.to_device(np.sort(x)) for x in np.split(floats, 2)]
    own_values = cuda.to_device(np.arange(COUNT, dtype=np.int32))
    rows = [
        ("select by mask", lambda: algorithms.select(own_floats, own_mask), floats[mask],
         lambda c: c.asarray(floats)[c.asarray(mask)], lambda t: (lambda x, m: (lambda: x[m]))(t.from_numpy(floats).cuda(), t.from_numpy(mask).cuda())),
        ("unique of 2000 values", lambda: algorithms.unique(own_numbers), np.unique(numbers), None,
         lambda t: (lambda x: (lambda: t.unique(x)))(t.from_numpy(numbers).cuda())),
        ("unique of 2^24 uint32 with counts", (lambda x: (lambda: algorithms.unique(x, return_counts=True)[0]))(cuda.to_device(uniform)), np.unique(uniform), None, None),
        ("merge of 2 x 2^23 float32", lambda: algorithms.merge(*halves), np.sort(floats), None, None),
        ("sort_by_key int32, int32", lambda: algorithms.sort_by_key(own_numbers, own_values)[1], np.argsort(numbers, kind="stable"), None,
         lambda t: (lambda x: (lambda: t.sort(x, stable=True)))(t.from_numpy(numbers).cuda())),
        ("segmented sum of 2^24 float32, 256 each", lambda: algorithms.segmented_reduce(own_floats, own_offsets), None, None,
         lambda t: (lambda x, o: (lambda: t.segment_reduce(x, "sum", offsets=o)))(t.from_numpy(floats).cuda(), t.from_numpy(offsets).cuda())),
    ]
    for what, ours, expected, _, with_torch in rows:
        result = {}
        if expected is not None:
            result["correct"] = bool(np.array_equal(ours().copy_to_host(), expected))
        result["heddle"] = round(measure_call(ours, cuda.synchronize), 1)
        if torch and with_torch:
            try:
                result["torch"] = round(measure_call(with_torch(torch), torch.cuda.synchronize), 1)
            except Exception as error:
                result["torch"] = str(error)[:80]
        if cupy and what.startswith("select"):
            x, m = cupy.asarray(floats), cupy.asarray(mask)
            result["cupy"] = round(measure_call(lambda: x[m], cupy.cuda.runtime.deviceSynchronize), 1)
        show(f"call {what}:", result)


attempt(calls)
for variant in [
    ("u4", None, 384, 21, 2, "ballot"),
    ("u4", None, 384, 21, 2, "match"),
    ("u4", None, 384, 16, 2, "ballot"),
    ("u4", None, 512, 16, 2, "ballot"),
    ("u4", None, 256, 16, 4, "ballot"),
    ("u4", None, 256, 21, 3, "ballot"),
    ("u4", None, 384, 16, 3, "ballot"),
    ("u4", None, 512, 21, 1, "ballot"),
    ("u4", None, 256, 16, 4, "match"),
    ("u8", None, 384, 10, 2, "ballot"),
    ("u8", None, 256, 12, 3, "ballot"),
    ("u4", "u4", 384, 16, 2, "ballot"),
    ("u4", "u4", 384, 14, 2, "ballot"),
    ("u4", "u4", 256, 16, 3, "ballot"),
    ("u4", "u8", 384, 10, 2, "ballot"),
]:
    attempt(sweep_variant, *variant)
for variant in [
    ("i4", 256, 4, 4),
    ("i4", 256, 4, 2),
    ("i4", 256, 4, 3),
    ("i4", 128, 4, 4),
    ("i4", 512, 4, 4),
    ("i4", 256, 4, 6),
    ("f8", 256, 2, 4),
    ("f8", 256, 2, 6),
]:
    attempt(scan_variant, *variant)
attempt(other_calls)
