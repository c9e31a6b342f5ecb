"""Compares Heddle's array algorithms with CuPy's, which use CUB and Thrust: calls including the wait for the result."""

import numpy as np

from gpu_timing import Row, measure_microseconds_per_call

CUB = "CUB, through CuPy"


def measure_algorithm_rows(libs):
    yield from measure_reduction_rows(libs)
    yield from measure_array_rows(libs)


def measure_row(what, ours, theirs=None, factor=None, **peers):
    """A row whose bar is a factor of CUB's time."""
    row = Row(what, "us", measure_microseconds_per_call(ours, calls=10, repeats=15))
    if theirs:
        row.peers[CUB] = measure_microseconds_per_call(theirs, calls=10, repeats=15)
        row.bar = factor * row.peers[CUB] if factor else None
    for name, call in peers.items():
        row.peers[name] = measure_microseconds_per_call(call, calls=5, repeats=5)
    return row


def measure_reduction_rows(libs):
    from heddle.cuda import algorithms

    cuda = libs.heddle
    absolute_sum = cuda.reduce(lambda a, b: abs(a) + abs(b))
    for power in 20, 27:
        values = np.random.default_rng(5).random(1 << power, np.float32)
        own = cuda.to_device(values)
        np.testing.assert_allclose(algorithms.sum(own), values.sum(dtype=np.float64), rtol=1e-4)
        theirs, peers = None, {}
        if libs.cupy:
            array = libs.cupy.asarray(values)

            def theirs(array=array):
                return array.sum().get()

        if libs.numba:
            numbas, add = libs.numba.to_device(values), libs.numba.reduce(lambda a, b: a + b)
            peers["numba-cuda"] = lambda add=add, numbas=numbas: add(numbas)
        size = f"2^{power} float32, result on the host"
        yield measure_row(
            f"sum of {size}", lambda own=own: algorithms.sum(own), theirs, 1.05, **peers
        )
        what = f"cuda.reduce by a function (absolute sum) of {size}"
        yield measure_row(what, lambda own=own: absolute_sum(own), theirs, 1.1)


def measure_array_rows(libs):
    from heddle.cuda import algorithms

    cuda, cupy = libs.heddle, libs.cupy
    count = 1 << 24
    rng = np.random.default_rng(6)
    numbers = rng.integers(-1000, 1000, count, np.int32)
    floats = rng.random(count, np.float32)

    def waiting(call, *arguments, wait=cuda.synchronize):
        def run():
            call(*arguments)
            wait()

        return run

    def scan(array):
        return algorithms.inclusive_scan(array, dtype=np.int32)

    def count_bins(array):
        return algorithms.histogram(array, 256, (0, 1))[0]

    mask = floats < 0.5
    own_mask = cuda.to_device(mask)

    def select_half(array):
        return algorithms.select(array, own_mask)

    order = np.argsort(floats, kind="stable")
    cases = [  # and the factor of CUB's time that is allowed
        ("inclusive scan of 2^24 int32", scan, numbers, np.cumsum(numbers, dtype=np.int32), 1.0),
        ("sort of 2^24 int32", algorithms.sort, numbers, np.sort(numbers), 1.1),
        ("sort of 2^24 float32", algorithms.sort, floats, floats[order], 1.1),
        ("argsort of 2^24 float32", algorithms.argsort, floats, order, 1.1),
        ("select of half of 2^24 float32", select_half, floats, floats[mask], None),
        (
            "histogram of 2^24 float32, 256 bins",
            count_bins,
            floats,
            np.histogram(floats, 256, (0, 1))[0],
            None,
        ),
    ]
    others = {}
    if cupy:
        cupy_mask = cupy.asarray(mask)
        others = {
            scan: lambda a: cupy.cumsum(a, dtype=np.int32),
            algorithms.sort: cupy.sort,
            algorithms.argsort: cupy.argsort,
            select_half: lambda a: a[cupy_mask],
            count_bins: lambda a: cupy.histogram(a, 256, (0, 1)),
        }
    for what, call, values, wanted, factor in cases:
        own = cuda.to_device(values)
        np.testing.assert_array_equal(call(own).copy_to_host(), wanted)
        theirs = None
        if cupy:
            theirs = waiting(
                others[call], cupy.asarray(values), wait=cupy.cuda.runtime.deviceSynchronize
            )
        yield measure_row(what, waiting(call, own), theirs, factor)
