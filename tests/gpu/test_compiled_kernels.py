"""The driver's information about a compiled kernel, and the effects of options."""

import shutil

import numpy as np
import pytest

from heddle import cuda, float32


def heavy(x):
    """Needs many registers: the values of a loop that is unrolled stay live."""
    i = cuda.grid(1)
    a = x[i]
    b = a * 1.1 + 2
    c = a * b + 3
    d = b * c + 4
    e = c * d + 5
    f = d * e + 6
    g = e * f + 7
    h = f * g + 8
    for _ in range(x.size):
        a, b, c, d, e, f, g, h = (
            b * c + a,
            c * d + b,
            d * e + c,
            e * f + d,
            f * g + e,
            g * h + f,
            h * a + g,
            a * b + h,
        )
    x[i] = a + b + c + d + e + f + g + h


def registers_of(kernel):
    kernel[1, 32](np.zeros(32))
    (count,) = kernel.get_regs_per_thread().values()
    return count


def test_registers_are_reported():
    assert 16 <= registers_of(cuda.jit(heavy)) <= 255


def test_max_registers_bounds_them():
    free = registers_of(cuda.jit(heavy))
    bounded = registers_of(cuda.jit(max_registers=16)(heavy))
    assert bounded <= 16 < free or bounded <= 24 < free


def test_launch_bounds_reach_the_ptx_and_the_driver():
    @cuda.jit(launch_bounds=(128, 2))
    def k(x):
        x[cuda.grid(1)] = 1

    k[1, 128](np.zeros(128))
    (ptx,) = k.inspect_asm().values()
    assert ".maxntid 128" in ptx and ".minnctapersm 2" in ptx
    (most,) = k.get_max_threads_per_block().values()
    assert most == 128
    with pytest.raises(ValueError, match="this kernel takes at most 128 threads"):
        k[1, 256](np.zeros(256))


def test_lineinfo_names_the_file_in_the_ptx():
    @cuda.jit(lineinfo=True)
    def k(x):
        x[cuda.grid(1)] = 1

    k[1, 32](np.zeros(32))
    (ptx,) = k.inspect_asm().values()
    assert ".loc" in ptx and "test_compiled_kernels.py" in ptx


def test_static_shared_memory_is_reported():
    @cuda.jit
    def k(x):
        s = cuda.shared.array(1000, float32)
        s[cuda.threadIdx.x] = x[cuda.threadIdx.x]
        cuda.syncthreads()
        x[cuda.threadIdx.x] = s[31 - cuda.threadIdx.x]

    k[1, 32](np.arange(32.0))
    (shared,) = k.get_shared_mem_per_block().values()
    assert shared >= 4000


def test_local_arrays_that_stay_in_memory_are_reported():
    @cuda.jit
    def k(x):
        a = cuda.local.array(300, float32)
        for i in range(300):
            a[i] = x[i]
        x[0] = a[int(x[1])]

    k[1, 1](np.zeros(300))
    (local,) = k.get_local_mem_per_thread().values()
    assert local >= 1200


def test_ptx_is_for_this_device(gpu):
    @cuda.jit
    def k(x):
        x[cuda.grid(1)] = 1

    k[1, 1](np.zeros(1))
    (ptx,) = k.inspect_asm().values()
    major, minor = gpu.compute_capability
    assert f".target sm_{major}{minor}" in ptx and ".visible .entry" in ptx


def test_sass_is_shown_where_a_disassembler_is():
    if not shutil.which("nvdisasm") and not shutil.which("/usr/local/cuda/bin/nvdisasm"):
        pytest.skip("nvdisasm is not installed")

    @cuda.jit
    def k(x):
        x[cuda.grid(1)] = 1

    k[1, 1](np.zeros(1))
    (sass,) = k.inspect_sass().values()
    assert "EXIT" in sass and "STG" in sass


def test_occupancy_is_asked_of_the_driver(gpu):
    kernel = cuda.jit(heavy)
    kernel[1, 32](np.zeros(32))
    (compiled,) = kernel.overloads.values()
    context = cuda.current_context()
    blocks = context.get_active_blocks_per_multiprocessor(compiled, 256)
    assert 1 <= blocks <= gpu.MAX_THREADS_PER_MULTIPROCESSOR // 256
    crowded = context.get_active_blocks_per_multiprocessor(compiled, 256, 64 * 1024)
    assert crowded <= blocks
    grid, block = context.get_max_potential_block_size(compiled, None, 0, 0)
    assert grid >= gpu.MULTIPROCESSOR_COUNT and 32 <= block <= 1024


def test_forall_chooses_a_block_that_works():
    x = np.zeros(100_001)

    @cuda.jit
    def k(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += i

    k.forall(x.size)(x)
    np.testing.assert_array_equal(x, np.arange(100_001))


def test_the_profiler_is_started_and_stopped():
    with cuda.profiling():
        x = np.zeros(1)
        cuda.jit(lambda x: None)[1, 1](x)
    cuda.profile_start()
    cuda.profile_stop()


def test_compiled_kernels_are_kept_on_disk(run_python, tmp_path):
    source = """
        import numpy as np
        from heddle import cuda

        @cuda.jit(cache=True)
        def k(x):
            i = cuda.grid(1)
            if i < x.size:
                x[i] += 1

        x = np.zeros(100)
        k[1, 128](x)
        print(len(k.stats.cache_hits), int(x.sum()))
    """
    runs = [run_python(source, HEDDLE_CACHE_DIR=str(tmp_path / "cache")) for _ in range(2)]
    assert [done.stdout for done in runs] == ["0 100\n", "1 100\n"], runs[0].stderr
