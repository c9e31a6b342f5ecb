"""Replays of a graph of 100 small kernels: host time, and time until the GPU is done."""

import ctypes
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from gpu_timing import Row

KERNELS = 100


def measure_launches_and_waits(contenders, repeats=200):
    """Medians in microseconds, a dict by name: host time of a launch, and time until the GPU is done.

    contenders: {name: (launch, wait)}. They take turns.
    """
    times = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, (launch, wait) in contenders.items():
            wait()
            start = time.perf_counter()
            launch()
            enqueued = time.perf_counter()
            wait()
            times[name].append((enqueued - start, time.perf_counter() - start))
    return {
        name: [1e6 * statistics.median(column) for column in zip(*found, strict=True)]
        for name, found in times.items()
    }


def make_driver_graph():
    """A function that launches a graph of the same kernels, built with the driver's functions from C++; or None."""
    folder = tempfile.mkdtemp()
    library = Path(folder) / "driver_graph.so"
    source = Path(__file__).parent / "driver_launch.cpp"
    for compiler in ("c++", "g++", "clang++"):
        try:
            subprocess.run(
                [compiler, "-O2", "-fPIC", "-shared", source, "-ldl", "-o", library], check=True
            )
            break
        except (OSError, subprocess.CalledProcessError):
            continue
    else:
        return None
    driver = ctypes.CDLL(library)
    driver.prepare.restype = driver.prepareGraph.restype = ctypes.c_bool
    if not driver.prepare() or not driver.prepareGraph(KERNELS):
        return None
    return driver.launchGraph


def measure_graph_rows(libs):
    heddle, host = libs.heddle, np.zeros(256, np.float32)
    kernel = libs.heddle_kernels.vector_add
    a, b, c = (heddle.to_device(host) for _ in range(3))
    with heddle.graph() as graph:
        for _ in range(KERNELS):
            kernel[1, 256](a, b, c)
    contenders = {"ours": (graph.launch, heddle.synchronize)}
    driver = make_driver_graph()
    if driver:
        contenders["the driver, called from C++"] = driver, heddle.synchronize
    if libs.cupy:
        stream = libs.cupy.cuda.Stream(non_blocking=True)
        raw = libs.make_raw_kernel("vector_add")
        x, y, z = (libs.cupy.asarray(host) for _ in range(3))
        with stream:
            stream.begin_capture()
            for _ in range(KERNELS):
                raw((1,), (256,), (x, y, z, np.int32(256)))
            theirs = stream.end_capture()
        contenders["CuPy"] = theirs.launch, libs.cupy.cuda.runtime.deviceSynchronize
    times = measure_launches_and_waits(contenders)
    for i, what in enumerate(("host time of", "time until the end of")):
        peers = {name: found[i] for name, found in times.items()}
        row = Row(f"{what} a graph of {KERNELS} small kernels", "us", peers.pop("ours"), peers)
        if driver:
            row.bar = 1.1 * times["the driver, called from C++"][i]
        yield row
