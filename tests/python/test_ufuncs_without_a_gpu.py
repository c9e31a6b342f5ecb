"""The calls of a GPU driver by ufuncs on device arrays, recorded by a fake driver that runs nothing."""

import pytest
from test_driver_without_a_gpu import prelude, pytestmark, run  # noqa: F401

ufunc = """
@cuda.vectorize(["float32(float32, float32)"])
def add(x, y):
    return x + y

@cuda.guvectorize(["void(float32[:], float32[:])"], "(n)->()")
def total(row, out):
    out[0] = 0
    for x in row:
        out[0] += x

def count(call):
    call()
    driver.fakeCudaReset()
    result = call()
    print(calls("cuLaunchKernel") + calls("cuLaunchKernelEx"), type(result).__name__)
    print(calls("cuMemcpyHtoDAsync"), calls("cuMemcpyDtoHAsync"))

host = np.ones((100, 10), np.float32)
array = cuda.to_device(host)
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("add(array, array)", ["1 DeviceNDArray", "0 0"]),
        ("add(array, 2)", ["1 DeviceNDArray", "0 0"]),
        ("add(array, array[0], out=array)", ["1 DeviceNDArray", "0 0"]),
        ("add(host, host)", ["1 ndarray", "2 1"]),
        ("add(array, host)", ["1 DeviceNDArray", "1 0"]),
        ("total(array)", ["1 DeviceNDArray", "0 0"]),
        ("total(array[::2, ::2])", ["1 DeviceNDArray", "0 0"]),
        ("total(host)", ["1 ndarray", "1 1"]),
    ],
)
def test_a_call_is_one_launch_and_copies_host_arrays_only(run, call, expected):  # noqa: F811
    assert run(ufunc + f"count(lambda: {call})") == expected


def test_a_reduction_and_a_stream(run):  # noqa: F811
    source = (
        "stream = cuda.stream()\nresult = add(array, array, stream=stream)\nprint(result.shape)\n"
    )
    source += "print(type(add.reduce(array.ravel())).__name__)"
    assert run(ufunc + source) == ["(100, 10)", "float32"]
