"""cuda.wgmma: products of warpgroups with factors in shared memory, compared with NumPy."""

import shutil
import subprocess

import ml_dtypes
import numpy as np
import pytest

import heddle
from heddle import _heddle, cuda
from heddle.cuda import wgmma

ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
KINDS = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
SIZES = [8, 24, 64, 96, 136, 256]


@cuda.jit(device=True)
def fill_tile(tile, a, top, left):
    """Stores a part of a as a factor."""
    for i in range(cuda.threadIdx.x, tile.shape[0] * 64, cuda.blockDim.x):
        row, column = i // 64, i % 64
        tile[row, wgmma.swizzle(row, column)] = a[top + row, left + column]


def make_kernel(n, dtype, transposed):
    """A kernel for one warpgroup: c = a @ b with 64 x 64 parts of a, and n columns of b."""
    panels = (n + 63) // 64

    @cuda.jit
    def by_rows(a, b, c):
        tile_of_a = cuda.shared.array((64, 64), dtype)
        tiles_of_b = cuda.shared.array((panels, 64, 64), dtype)
        sums = wgmma.accumulator(n)
        for k in range(0, a.shape[1], 64):
            fill_tile(tile_of_a, a, 0, k)
            for panel in range(panels):
                fill_tile(tiles_of_b[panel], b, k, 64 * panel)
            cuda.syncthreads()
            wgmma.mma(sums, tile_of_a, tiles_of_b)
            wgmma.wait_prior(0, sums)
            cuda.syncthreads()
        wgmma.store(c, (0, 0), sums)

    @cuda.jit
    def by_columns(a, b, c):
        tile_of_a = cuda.shared.array((64, 64), dtype)
        tile_of_b = cuda.shared.array((n, 64), dtype)
        sums = wgmma.accumulator(n)
        for k in range(0, a.shape[1], 64):
            fill_tile(tile_of_a, a, 0, k)
            fill_tile(tile_of_b, b, 0, k)
            cuda.syncthreads()
            wgmma.mma(sums, tile_of_a, tile_of_b)
            wgmma.wait_prior(0, sums)
            cuda.syncthreads()
        wgmma.store(c, (0, 0), sums)

    return by_columns if transposed else by_rows


def make_factors(n, k, kind):
    """a, b padded to whole panels, and their product, which is exact."""
    a, b = (
        np.random.default_rng(n).integers(-8, 9, shape).astype(np.float32)
        for shape in ((64, k), (k, (n + 63) // 64 * 64))
    )
    return a.astype(KINDS[kind]), b.astype(KINDS[kind]), (a @ b)[:, :n]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_a_warpgroup_multiplies_rows_of_b(device, n, kind):
    a, b, expected = make_factors(n, 128, kind)
    c = np.zeros((64, n), np.float32)
    make_kernel(n, kind, transposed=False)[1, 128](a, b, c)
    np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_a_warpgroup_multiplies_columns_of_b(device, n, kind):
    a, b, expected = make_factors(n, 128, kind)
    c = np.zeros((64, n), np.float32)
    make_kernel(n, kind, transposed=True)[1, 128](a, b.T.copy(), c)
    np.testing.assert_array_equal(c, expected)


@cuda.jit
def multiply_blocks(a, b, c):
    """Two warpgroups of two fragments each; b is transposed. Copies run in the background."""
    tiles_of_a = cuda.shared.array((2, 128, 64), np.float16)
    tiles_of_b = cuda.shared.array((2, 64, 64), np.float16)
    first = cuda.threadIdx.x // 128 * 64
    sums = wgmma.accumulator(32, shape=2)
    steps = a.shape[1] // 64
    for step in range(steps + 1):
        if step < steps:
            for i in range(cuda.threadIdx.x, 128 * 8, 256):
                row, column = i // 8, i % 8 * 8
                place = (step % 2, row, wgmma.swizzle(row, column))
                source = (row, 64 * step + column)
                cuda.pipeline.memcpy_async(tiles_of_a, place, a, source, 8)
                if row < 64:
                    cuda.pipeline.memcpy_async(tiles_of_b, place, b, source, 8)
        cuda.pipeline.commit()
        cuda.pipeline.wait_prior(1)
        cuda.syncthreads()
        if step > 0:
            tile_of_a = tiles_of_a[(step - 1) % 2, first : first + 64]
            for i in range(2):
                wgmma.mma(sums[i], tile_of_a, tiles_of_b[(step - 1) % 2, 32 * i : 32 * i + 32])
        wgmma.wait_prior(0, sums)
        cuda.syncthreads()
    for i in range(2):
        wgmma.store(c, (first, 32 * i), sums[i])


def factors_of_blocks():
    a, b = np.random.default_rng(1).integers(-4, 5, (2, 128, 256)).astype(np.float16)
    b = b[:64].copy()
    return a, b, a.astype("f") @ b.T.astype("f")


def test_warpgroups_hold_several_fragments(device):
    a, b, expected = factors_of_blocks()
    c = np.zeros((128, 64), np.float32)
    multiply_blocks[1, 256](a, b, c)
    np.testing.assert_array_equal(c, expected)


def test_checks_of_a_product_find_nothing(cpu):
    a, b, expected = factors_of_blocks()
    c = np.zeros((128, 64), np.float32)
    with heddle.check(print=False) as report:
        multiply_blocks[1, 256](a, b, c)
    assert [finding.message for finding in report.findings] == []
    np.testing.assert_array_equal(c, expected)


def test_a_factor_that_other_threads_still_write_is_a_race(cpu):
    @cuda.jit
    def kernel(a, c):
        tile = cuda.shared.array((64, 64), np.float16)
        sums = wgmma.accumulator(64)
        fill_tile(tile, a, 0, 0)
        wgmma.mma(sums, tile, tile)
        wgmma.wait_prior(0, sums)
        wgmma.store(c, (0, 0), sums)

    with heddle.check(print=False, lints=False) as report:
        kernel[1, 128](np.ones((64, 64), np.float16), np.zeros((64, 64), np.float32))
    (finding,) = report.findings
    assert finding.message.endswith("`tile` is read and written without a barrier in between")


@cuda.jit
def scale(c):
    """Each sum is 100 * row + column."""
    sums = wgmma.accumulator(24)
    lane, warp = cuda.threadIdx.x % 32, cuda.threadIdx.x // 32
    for i in range(sums.num_elements):
        row = 16 * warp + lane // 4 + 8 * (i // 2 % 2)
        column = 8 * (i // 4) + 2 * (lane % 4) + i % 2
        sums.x[i] += 100 * row + column
    wgmma.store(c, (0, 2), sums)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_thread_knows_the_places_of_its_sums(device, dtype):
    c = np.zeros((64, 28), dtype)
    scale[1, 128](c)
    expected = np.zeros((64, 28), dtype)
    expected[:, 2:26] = 100 * np.arange(64)[:, np.newaxis] + np.arange(24)
    np.testing.assert_array_equal(c, expected)


SETUP = """
a, b, f = cuda.shared.array((64, 64), np.float16), cuda.shared.array((2, 64, 64), np.float16), 0
floats, bytes = cuda.shared.array((64, 64), np.float32), cuda.shared.array((64, 64), np.int8)
brains, sums = cuda.shared.array((64, 64), "bfloat16"), wgmma.accumulator(128, shape=2)
small = cuda.wmma.fragment(cuda.wmma.accumulator, 16, 16, 16, np.float32)
""".strip().replace("\n", "\n  ")


def compile_call(call):
    scope = {"cuda": cuda, "wgmma": wgmma, "np": np}
    exec(f"def kernel(x, c):\n  {SETUP}\n  {call}", scope)
    return cuda.jit("void(float16[:, ::1], float32[:, ::1])")(scope["kernel"])


@pytest.mark.parametrize(
    "call, message",
    [
        ("wgmma.accumulator(12)", "n is a constant multiple of 8, from 8 to 256"),
        ("wgmma.accumulator(264)", "n is a constant multiple of 8, from 8 to 256"),
        ("wgmma.accumulator(x.size)", "n is a constant multiple of 8, from 8 to 256"),
        ("wgmma.accumulator(8, shape=(2, 0))", "shape is the number of fragments"),
        ("wgmma.mma(sums, a, b)", r"mma\(\) takes one fragment, not fragment\(accumulator, 64x128"),
        ("wgmma.mma(small, a, b)", r"mma\(\) takes the sums of a warpgroup, not fragment"),
        ("wgmma.mma(sums[0], x, b)", "a is an array of float16 or bfloat16 in shared memory"),
        ("wgmma.mma(sums[0], floats, b)", "a is an array of float16 or bfloat16 in shared memory"),
        ("wgmma.mma(sums[0], a, bytes)", "b is an array of float16 or bfloat16 in shared memory"),
        ("wgmma.mma(sums[0], b, b)", r"a has the shape \(64, 64\); this is array\(float16, 3d"),
        ("wgmma.mma(sums[0], a, a[0])", r"b has the shape \(n / 64, 64, 64\), or \(n, 64\)"),
        ("wgmma.mma(sums[0], a, brains)", "different types: float16 and bfloat16"),
        ("wgmma.mma(sums[0], a.T, b)", "rows of a must be contiguous"),
        ("wgmma.wait_prior(8, sums)", r"wait_prior\(\) takes a constant from 0 to 7"),
        ("wgmma.wait_prior(0, small)", "takes the sums of a warpgroup"),
        ("wgmma.store(c, (0, 0), sums)", r"store\(\) takes one fragment"),
        ("wgmma.store(c[0], 0, sums[0])", "part of an array of two or more dimensions"),
        ("wgmma.store(bytes, (0, 0), sums[0])", "stored as float32, float16 or bfloat16"),
        ("wgmma.store(c, 0, sums[0])", "one number for each dimension"),
        ("wgmma.store(c.T, (0, 0), sums[0])", "store to the transposed array"),
        ("cuda.wmma.fill_fragment(sums, 1)", "takes a fragment of a warp, not fragment"),
        ("cuda.wmma.store_matrix_sync(c, (0, 0), sums[0])", "takes a fragment of a warp"),
    ],
)
def test_wrong_operands_are_a_typing_error(call, message):
    with pytest.raises(heddle.TypingError, match=message):
        compile_call(call)


@pytest.mark.parametrize(
    "call, kind, message",
    [
        ("wgmma.mma(sums[0], a[:32], b)", ValueError, r"a must have the shape \(64, 64\)"),
        ("wgmma.mma(sums[0], a, b[:1])", ValueError, r"b must have the shape \(2, 64, 64\)"),
        ("wgmma.mma(sums[0], a, a)", ValueError, r"b must have the shape \(128, 64\)"),
        ("wgmma.mma(sums[0], b[0:2:1, 0], b)", ValueError, r"a must have the shape \(64, 64\)"),
        ("wgmma.mma(sums[0], a[:, ::-1], b)", ValueError, "the rows of a must be adjacent"),
        (
            "wgmma.mma(sums[0], b.reshape(128, 64)[4:68], b)",
            ValueError,
            "a must start at a multiple",
        ),
        (
            "wgmma.mma(wgmma.accumulator(64), a, b.reshape(128, 64)[4:68])",
            ValueError,
            "b must start at a multiple of 1024 bytes of shared memory: eight rows",
        ),
        (
            "wgmma.store(c, (0, 1), sums[0])",
            IndexError,
            "the last column of the 64 x 128 tile, 128",
        ),
        ("wgmma.store(c, (1, 0), sums[0])", IndexError, "the last row of the 64 x 128 tile, 64"),
        ("wgmma.store(c[:, 1:], (0, 0), sums[0])", IndexError, "the last column"),
    ],
)
def test_factors_and_tiles_of_the_wrong_shape_raise(cpu, call, kind, message):
    kernel = compile_call(call)
    with pytest.raises(kind, match=message):
        kernel[1, 128](np.zeros((64, 64), np.float16), np.zeros((64, 128), np.float32))


@cuda.jit
def multiply_in_dynamic_memory(first, c):
    """Multiplies a tile of ones by itself. first: the element at which it starts."""
    flags = cuda.shared.array(3, np.int32)
    flags[cuda.threadIdx.x % 3] = 1
    memory = cuda.shared.array(0, np.float16)
    tile = memory[first : first + 4096].reshape(64, 64)
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, 4096, 128):
        tile[i // 64, i % 64] = flags[0]
    cuda.syncthreads()
    sums = wgmma.accumulator(64)
    wgmma.mma(sums, tile, tile)
    wgmma.wait_prior(0, sums)
    wgmma.store(c, (0, 0), sums)


@pytest.mark.parametrize("first", [0, 512, 1536])
def test_factors_are_aligned_in_dynamic_memory(device, first):
    c = np.zeros((64, 64), np.float32)
    multiply_in_dynamic_memory[1, 128, 0, 16384](first, c)
    np.testing.assert_array_equal(c, np.full((64, 64), 64))


@pytest.mark.parametrize("first", [8, 64, 256, 1000])
def test_factors_in_dynamic_memory_that_are_not_aligned_are_a_value_error(cpu, first):
    with pytest.raises(ValueError, match="a must start at a multiple of 1024 bytes"):
        multiply_in_dynamic_memory[1, 128, 0, 16384](first, np.zeros((64, 64), np.float32))


@pytest.mark.parametrize("columns, index", [(130, (0, 1)), (129, (0, 0))])
def test_pairs_of_sums_that_are_not_aligned_are_a_value_error(cpu, columns, index):
    kernel = compile_call(f"wgmma.store(c, {index}, sums[0])")
    with pytest.raises(ValueError, match="must start at an even column"):
        kernel[1, 128](np.zeros((64, 64), np.float16), np.zeros((64, columns), np.float32))


def test_products_outside_kernels_raise():
    with pytest.raises(RuntimeError, match="cuda.wgmma.accumulator only works inside a kernel"):
        wgmma.accumulator(8)


def write_ptx(kernel, capability):
    types = (heddle.float16[:, ::1], heddle.float16[:, ::1], heddle.float32[:, ::1])
    return cuda.compile_ptx(kernel.py_func, types, cc=capability)[0]


def test_hopper_has_instructions_for_warpgroups():
    text = write_ptx(make_kernel(96, "float16", transposed=False), (9, 0))
    assert ".target sm_90a" in text and ".version 8.0" in text
    assert text.count("wgmma.mma_async.sync.aligned.m64n96k16.f32.f16.f16 {") == 4
    assert "fence.proxy.async.shared::cta;" in text and "wgmma.wait_group.sync.aligned 0;" in text
    assert ".align 1024 .b8" in text  # rows of 128 bytes in patterns of eight


def test_factors_of_bfloat16_have_instructions():
    text = write_ptx(make_kernel(8, "bfloat16", transposed=True), (9, 0))
    assert text.count("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {") == 4


@pytest.mark.parametrize("capability", [(8, 0), (10, 0), (12, 0)])
def test_other_gpus_compute_products_of_warpgroups_in_software(capability):
    text = write_ptx(make_kernel(8, "float16", transposed=False), capability)
    assert "wgmma" not in text and "fma.rn.f32" in text


def test_a_kernel_without_these_products_runs_on_later_gpus():
    assert ".target sm_90\n" in write_ptx(cuda.jit(lambda a, b, c: None), (9, 0))


def test_inline_ptx_of_cuda_cpp_may_use_warpgroups():
    source = """__global__ void k() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }"""
    code, _, _ = _heddle.compile_cuda_ahead(
        source, "k.cu", _heddle.CudaOptions([]), [], "cuda", (9, 0), "asm"
    )
    assert b".target sm_90a" in code


@pytest.mark.skipif(not ptxas, reason="ptxas is missing")
def test_products_stay_in_registers_and_run_one_after_the_other(tmp_path):
    path = tmp_path / "k.ptx"
    path.write_text(write_ptx(multiply_blocks, (9, 0)))
    command = [ptxas, "-arch=sm_90a", "-v", path, "-o", tmp_path / "k.cubin"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "wgmma" not in done.stderr  # no warning that ptxas serializes them
    assert "0 bytes spill stores" in done.stderr
