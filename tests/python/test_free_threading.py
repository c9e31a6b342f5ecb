"""Sixteen threads that compile, launch and run functions at the same time, with and without a GIL."""

import sysconfig
import threading

import numpy as np
import pytest

import heddle
import heddle.compat.cupy as cp
from heddle import cuda, float64, guvectorize, njit, prange, types, vectorize

THREADS = 16
ROUNDS = 8


def run_on_threads(work):
    """Calls ``work(number)`` on sixteen threads that start together, on the current device. Returns the results, or
    raises an error of one."""
    start = threading.Barrier(THREADS)
    results, errors = [None] * THREADS, []
    device = cuda.get_current_device()

    def run(number):
        try:
            start.wait()
            with device:
                results[number] = work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def make_kernel(added, **options):
    @cuda.jit(**options)
    def add_number(values):
        i = cuda.grid(1)
        if i < values.size:
            values[i] += added

    return add_number


ADD = r"""
extern "C" __global__ void add(float* values, float added, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += added;
}
template <typename T> __global__ void scale(T* values, T factor) { values[threadIdx.x] *= factor; }
"""


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a GIL")
def test_importing_heddle_leaves_the_gil_disabled(run_python):
    done = run_python("import sys, heddle, heddle.cuda; print(sys._is_gil_enabled())")
    assert done.stdout == "False\n", done.stderr


def test_threads_share_the_code_of_one_kernel(cpu):
    kernel = make_kernel(3)

    def launch(number):
        values = np.full(100, number)
        kernel[4, 32](values)
        return values

    for number, values in enumerate(run_on_threads(launch)):
        np.testing.assert_array_equal(values, np.full(100, number + 3))
    assert len(kernel.overloads) == 1


def test_threads_compile_one_kernel_for_different_types(cpu):
    kernel = make_kernel(1)
    dtypes = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.float32, np.float64, np.complex64]

    def launch(number):
        values = np.zeros(100, dtypes[number % len(dtypes)])
        kernel[4, 32](values)
        return values

    for number, values in enumerate(run_on_threads(launch)):
        np.testing.assert_array_equal(values, np.ones(100, dtypes[number % len(dtypes)]))
    assert len(kernel.overloads) == len(dtypes)


def test_threads_compile_different_kernels(cpu):
    def launch(number):
        values = np.zeros((3, 100))
        for round in range(3):
            make_kernel(number + round)[4, 32](values[round])
        return values

    for number, values in enumerate(run_on_threads(launch)):
        np.testing.assert_array_equal(values[:, 0], [number, number + 1, number + 2])


def test_threads_launch_while_one_recompiles(cpu):
    kernel = make_kernel(1)

    def launch(number):
        values = np.zeros(100)
        for _ in range(ROUNDS):
            if number == 0:
                kernel.recompile()
            kernel[4, 32](values)
        return values

    for values in run_on_threads(launch):
        np.testing.assert_array_equal(values, np.full(100, ROUNDS))


def test_threads_with_streams_and_events_of_their_own(cpu):
    kernel = make_kernel(2)

    def launch(number):
        first, second = cuda.stream(), cuda.stream()
        event = cuda.event()
        values = cuda.to_device(np.full(1000, number), stream=first)
        for _ in range(ROUNDS):
            kernel[8, 128, first](values)
            event.record(first)
            event.wait(second)
            kernel[8, 128, second](values)
            event.record(second)
            event.wait(first)
        result = values.copy_to_host(stream=first)
        first.synchronize()
        return result

    for number, values in enumerate(run_on_threads(launch)):
        np.testing.assert_array_equal(values, np.full(1000, number + 4 * ROUNDS))


def test_threads_add_to_one_device_array(cpu):
    @cuda.jit
    def count(total):
        cuda.atomic.add(total, 0, 1)

    total = cuda.to_device(np.zeros(1, np.int64))
    run_on_threads(lambda number: [count[4, 64](total) for _ in range(ROUNDS)])
    cuda.synchronize()
    assert total.copy_to_host()[0] == THREADS * ROUNDS * 4 * 64


def test_threads_use_the_buffers_of_one_device_array(cpu):
    array = cuda.to_device(np.arange(100))

    def read(number):
        return sum(int(np.asarray(array)[number]) for _ in range(100))

    assert run_on_threads(read) == [100 * number for number in range(THREADS)]


def test_no_thread_sets_a_field_of_an_array_that_others_use():
    """Only the constructor and change_layout() set the fields of the native object."""
    properties = {
        name: value
        for name, value in vars(heddle._heddle.DeviceArrayBase).items()
        if isinstance(value, property)
    }
    assert "readonly" in properties
    assert [name for name, value in properties.items() if value.fset] == []


def test_threads_read_the_layout_of_an_array_that_one_reshapes(cpu):
    array = cp.arange(64)
    shapes = [(64,), (8, 8), (4, 4, 4), (2, 2, 2, 2, 2, 2)]

    def use(number):
        seen = set()
        for round in range(100):
            if number == 0:
                array.shape = shapes[round % len(shapes)]
            seen.add((array.size, array.itemsize, array.nbytes))
            assert array.ndim in (1, 2, 3, 6)
        return seen

    assert run_on_threads(use) == [{(64, 8, 512)}] * THREADS


def test_threads_allocate_and_free_device_arrays(cpu):
    def copy(number):
        for round in range(50):
            array = cuda.to_device(np.full(number + round + 1, number))
            assert array.copy_to_host().sum() == number * (number + round + 1)

    run_on_threads(copy)


def test_threads_fill_the_disk_cache(cpu, monkeypatch, tmp_path):
    monkeypatch.setenv("HEDDLE_CACHE_DIR", str(tmp_path))

    def launch(number):
        values = np.zeros(100)
        make_kernel(number // 2, cache=True)[4, 32](values)  # two threads store the same file
        return values

    for _ in range(2):
        for number, values in enumerate(run_on_threads(launch)):
            np.testing.assert_array_equal(values, np.full(100, number // 2))
    assert list(tmp_path.rglob("*"))


def test_threads_launch_a_raw_kernel(cpu):
    kernel = heddle.RawKernel(ADD, "add")

    def launch(number):
        values = np.zeros(100, np.float32)
        for _ in range(ROUNDS):
            kernel((4,), (32,), (values, np.float32(number), np.int32(100)))
        return values

    for number, values in enumerate(run_on_threads(launch)):
        np.testing.assert_array_equal(values, np.full(100, number * ROUNDS))


def test_threads_instantiate_templates_of_one_module(cpu):
    names = ["scale<float>", "scale<double>", "scale<int>"]
    module = heddle.RawModule(code=ADD, name_expressions=names)
    dtypes = [np.float32, np.float64, np.int32]

    def launch(number):
        dtype = dtypes[number % 3]
        values = np.ones(32, dtype)
        module.get_function(names[number % 3])((1,), (32,), (values, dtype(number)))
        return values

    for number, values in enumerate(run_on_threads(launch)):
        np.testing.assert_array_equal(values, np.full(32, number))


def test_threads_call_host_functions(everything_is_freed):
    @njit
    def describe(values, name):
        parts = [name, str(len(values))]
        return values.sum(), " ".join(parts), {int(v) for v in values}

    def call(number):
        for size in range(1, ROUNDS):
            values = np.arange(number, number + size)
            total, text, elements = describe(values, f"thread {number}")
            assert total == values.sum()
            assert text == f"thread {number} {size}"
            assert elements == set(values.tolist())

    run_on_threads(call)


def test_threads_call_one_generator_function():
    @njit
    def count_from(first, n):
        for i in range(n):
            yield first + i

    results = run_on_threads(lambda number: list(count_from(number, 100)))
    assert results == [list(range(number, number + 100)) for number in range(THREADS)]


def test_threads_run_parallel_loops():
    @njit(parallel=True)
    def add_squares(values):
        total = 0.0
        for i in prange(values.size):
            total += values[i] * values[i]
        return total

    def call(number):
        return [add_squares(np.full(10_000, float(number))) for _ in range(ROUNDS)]

    results = run_on_threads(call)
    assert results == [[10_000.0 * number**2] * ROUNDS for number in range(THREADS)]


def test_exceptions_reach_their_threads():
    @njit
    def check_number(number):
        if number % 2:
            raise ValueError("odd", number)
        return number

    def call(number):
        try:
            return check_number(number)
        except ValueError as error:
            return error.args

    expected = [("odd", number) if number % 2 else number for number in range(THREADS)]
    assert run_on_threads(call) == expected


def test_errors_of_kernels_are_raised_on_the_threads_of_their_streams(cpu):
    @cuda.jit
    def store(values, i):
        values[i] = 1

    def launch(number):
        with pytest.raises(IndexError, match=f"index {100 + number} "):
            store[1, 1, cuda.stream()](np.zeros(8), 100 + number)

    run_on_threads(launch)


def test_type_errors_are_raised_on_all_threads(cpu):
    @cuda.jit
    def call_nothing(values):
        values[0] = missing_function(values)  # noqa: F821

    def launch(number):
        with pytest.raises(heddle.TypingError, match="missing_function"):
            call_nothing[1, 1](np.zeros(8))

    run_on_threads(launch)


def test_threads_call_a_ufunc():
    @vectorize
    def combine(a, b):
        return 2 * a + b

    def call(number):
        return combine(np.arange(1000.0), number), combine(np.arange(10), number)

    for number, (floats, ints) in enumerate(run_on_threads(call)):
        np.testing.assert_array_equal(floats, 2 * np.arange(1000.0) + number)
        np.testing.assert_array_equal(ints, 2 * np.arange(10) + number)


def test_threads_check_their_kernels():
    kernel = make_kernel(1)

    def check(number):
        with heddle.check(print=False) as report:
            values = cuda.to_device(np.full(100, number))
            kernel[4, 32](values)
            result = values.copy_to_host()
        return result, report.errors

    for number, (values, errors) in enumerate(run_on_threads(check)):
        np.testing.assert_array_equal(values, np.full(100, number + 1))
        assert not errors


def test_a_check_goes_on_after_one_that_another_thread_started_first_has_ended():
    @cuda.jit
    def store(values):
        values[0] = cuda.threadIdx.x

    first, second = heddle.check(print=False), heddle.check(print=False)
    first.start()
    second.start()
    first.stop()
    with cuda.current_context("cpu"):
        store[1, 64](cuda.device_array(1, np.int64))
    second.stop()
    assert [finding.kind for finding in second.findings] == ["race"]
    assert not heddle._heddle.set_checking(False)


def test_threads_find_the_mistake_of_their_kernel():
    @cuda.jit
    def store(values):
        values[0] = cuda.threadIdx.x

    found = []

    def check(number):
        with heddle.check(print=False) as report:
            store[1, 64](cuda.device_array(1, np.int64))
        found.extend(report.findings)

    run_on_threads(check)
    assert {finding.kind for finding in found} == {"race"}
    assert sum(finding.count for finding in found) >= THREADS


def test_all_threads_get_the_same_type_objects():
    def make_types(number):
        return types.Array(float64, 3, "F"), types.Tuple((float64, types.Array(float64, 4, "C")))

    made = run_on_threads(make_types)
    assert all(a is made[0][0] and b is made[0][1] for a, b in made)


def test_all_threads_get_the_same_stream_object(cpu):
    native = cuda.stream()._native
    streams = run_on_threads(
        lambda number: [cuda.streams.Stream._wrap_native(native) for _ in range(100)]
    )
    assert len({id(stream) for found in streams for stream in found}) == 1


def test_records_and_structures_have_one_type_on_all_threads(cpu):
    dtype = np.dtype([("position", np.float32, (3,)), ("count", np.int32)])

    @cuda.jit
    def move(points):
        i = cuda.grid(1)
        points[i].position[0] += 1
        points[i].count += 1

    def launch(number):
        points = np.zeros(64, dtype if number % 2 else np.dtype(dtype.descr))
        for _ in range(ROUNDS):
            move[2, 32](points)
        return points

    for points in run_on_threads(launch):
        np.testing.assert_array_equal(points["count"], np.full(64, ROUNDS))
        np.testing.assert_array_equal(points["position"][:, 0], np.full(64, ROUNDS))


def test_threads_call_a_generalized_ufunc():
    @guvectorize("(n)->(n)")
    def double(values, result):
        for i in range(values.size):
            result[i] = 2 * values[i]

    def call(number):
        dtype = [np.int32, np.int64, np.float32, np.float64][number % 4]
        values = np.arange(100, dtype=dtype)
        result = np.zeros(100, dtype)
        double(values, result)
        return values, result

    for values, result in run_on_threads(call):
        np.testing.assert_array_equal(result, 2 * values)
