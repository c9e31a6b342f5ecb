"""The kernels and driver calls of reductions, scans and sorts, recorded by a fake driver that runs nothing."""

import shutil
import subprocess

import pytest
from test_driver_without_a_gpu import prelude, pytestmark, run  # noqa: F401

ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")

reduction = """
add = cuda.reduce(lambda a, b: a + b)
array = cuda.device_array(1 << 20, "{dtype}")
add(array)
kernel, = add._kernels.values()
ptx, = kernel.inspect_asm().values()
"""


@pytest.mark.parametrize(
    ("dtype", "load"),
    [("i1", "v4.b32"), ("f2", "v4.b32"), ("f4", "v4.b32"), ("f8", "v2.b64"), ("c8", "v4.b32")],
)
def test_a_thread_loads_16_bytes_at_once(run, tmp_path, dtype, load):  # noqa: F811
    source = reduction.format(dtype=dtype)
    source += f"print('ld.global.nc.{load}' in ptx, '.local' in ptx)\n"
    source += "print(ptx, file=open('reduction.ptx', 'w'))"
    assert run("os.chdir(os.path.dirname(__file__))\n" + source) == ["True False"]
    if ptxas:
        command = [ptxas, "-arch=sm_90", tmp_path / "reduction.ptx", "-o", tmp_path / "cubin"]
        subprocess.run(command, check=True)


def test_a_result_costs_one_launch_and_no_copy(run):  # noqa: F811
    source = reduction.format(dtype="f4") + (
        "driver.fakeCudaReset()\n"
        "add(array)\n"
        "print(calls('cuLaunchKernel') + calls('cuLaunchKernelEx'))\n"
        "print(calls('cuMemcpyDtoHAsync'), calls('cuMemAllocAsync'), calls('cuMemsetD8Async'))"
    )
    assert run(source) == ["1", "0 0 0"]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("inclusive_scan(array, dtype='i4', out=array)", "1 0 0 0 0"),
        ("exclusive_scan(array, dtype='i4', out=array)", "1 0 0 0 0"),
        ("sort(array)", "5 1 0 0 0"),
        ("argsort(array)", "5 1 0 0 0"),
        ("sort_by_key(array, array)", "5 1 0 0 0"),
    ],
)
def test_a_scan_costs_one_launch_and_a_sort_six_pieces_of_work(run, call, expected):  # noqa: F811
    source = f"""
from heddle.cuda import algorithms
array = cuda.device_array(1 << 14, "i4")
for _ in range(2):
    algorithms.{call}
driver.fakeCudaReset()
algorithms.{call}
names = "cuLaunchKernel cuMemsetD8Async cuMemAllocAsync cuMemAlloc cuLaunchHostFunc"
print(*map(calls, names.split()))
"""
    assert run(source) == [expected]
