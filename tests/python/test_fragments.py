"""cuda.wmma: fragments of matrices that a warp multiplies on tensor cores, compared with NumPy."""

import ml_dtypes
import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.cuda import wmma

# The type of the factors, that of the sums; NumPy's types of the factors and the sums.
KINDS = {
    "half": (np.float16, np.float32, np.float16, np.float32),
    "half in half": (np.float16, np.float16, np.float16, np.float16),
    "bfloat16": ("bfloat16", np.float32, ml_dtypes.bfloat16, np.float32),
    "int8": (np.int8, np.int32, np.int8, np.int32),
    "uint8": (np.uint8, np.int32, np.uint8, np.int32),
    "tf32": (wmma.tf32, np.float32, np.float32, np.float32),
    "double": (np.float64, np.float64, np.float64, np.float64),
}
OF_16 = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
SHAPES = [(kind, shape) for kind in list(KINDS)[:5] for shape in OF_16]
SHAPES += [("tf32", (16, 16, 8)), ("double", (8, 8, 4))]


def multiply_tiles(kind, shape, layout_a, layout_b, a, b, c):
    """a @ b + c by one warp; the result is stored in Fortran order."""
    m, n, k = shape
    factor, sum_type, stored, result = KINDS[kind]

    @cuda.jit
    def kernel(a, b, c, d):
        fa = wmma.fragment(wmma.matrix_a, m, n, k, factor, layout_a)
        fb = wmma.fragment(wmma.matrix_b, m, n, k, factor, layout_b)
        sums = wmma.fragment(wmma.accumulator, m, n, k, sum_type)
        wmma.load_matrix_sync(fa, a, (0, 0))
        wmma.load_matrix_sync(fb, b, (0, 0))
        wmma.load_matrix_sync(sums, c, (0, 0))
        wmma.mma_sync(sums, fa, fb, sums)
        wmma.store_matrix_sync(d, (0, 0), sums)

    def order(x, layout):
        wide = np.zeros((48, 48), stored, "C" if layout == "row_major" else "F")
        wide[: x.shape[0], : x.shape[1]] = x
        return wide

    d = np.zeros((m + 16, n), result, "F")
    kernel[1, 32](order(a, layout_a), order(b, layout_b), c.astype(result), d)
    assert not d[m:].any()
    return d[:m]


@pytest.mark.parametrize("layout_b", ["row_major", "col_major"])
@pytest.mark.parametrize("layout_a", ["row_major", "col_major"])
@pytest.mark.parametrize("kind, shape", SHAPES)
def test_a_warp_multiplies_tiles(device, kind, shape, layout_a, layout_b):
    m, n, k = shape
    rng = np.random.default_rng(1)
    low = 0 if kind == "uint8" else -8
    a, b, c = (rng.integers(low, 8, size) for size in ((m, k), (k, n), (m, n)))
    d = multiply_tiles(kind, shape, layout_a, layout_b, a, b, c)
    np.testing.assert_array_equal(d, a @ b + c)


def test_tf32_ignores_the_last_bits_of_float32(device):
    a, b = np.full((16, 8), 1 + 2**-10 + 2**-11), np.ones((8, 16))
    d = multiply_tiles("tf32", (16, 16, 8), "row_major", "row_major", a, b, np.zeros((16, 16)))
    np.testing.assert_array_equal(d, np.full((16, 16), 8 + 2**-7))


def test_int32_sums_saturate_if_asked(device):
    @cuda.jit
    def kernel(out):
        a = wmma.fragment(wmma.matrix_a, 16, 16, 16, np.uint8)
        b = wmma.fragment(wmma.matrix_b, 16, 16, 16, np.uint8)
        c = wmma.fragment(wmma.accumulator, 16, 16, 16, np.int32, shape=2)
        wmma.fill_fragment(a, 255)
        wmma.fill_fragment(b, 255)
        wmma.fill_fragment(c, 2**31 - 1)
        wmma.mma_sync(c[0], a, b, c[0], satf=True)
        wmma.mma_sync(c[1], a, b, c[1])
        wmma.store_matrix_sync(out, (0, 0), c[0])
        wmma.store_matrix_sync(out, (16, 0), c[1])

    out = np.zeros((32, 16), np.int32)
    kernel[1, 32](out)
    wrapped = np.int64(2**31 - 1 + 16 * 255 * 255).astype(np.uint32).view(np.int32)
    np.testing.assert_array_equal(out, np.repeat([2**31 - 1, wrapped], 16)[:, None].repeat(16, 1))


def test_the_elements_of_fragments_change_like_those_of_arrays(device):
    @cuda.jit
    def kernel(a, b, c, alpha, beta):
        fa = wmma.fragment(wmma.matrix_a, 16, 16, 16, np.float16)
        fb = wmma.fragment(wmma.matrix_b, 16, 16, 16, np.float16)
        sums = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32)
        old = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32)
        wmma.fill_fragment(sums, 0)
        wmma.load_matrix_sync(fa, a, (0, 0))
        wmma.load_matrix_sync(fb, b, (0, 0))
        for i in range(fb.num_elements):
            fb.x[i] = fb.x[i] + np.float16(1)
        wmma.mma_sync(sums, fa, fb, sums)
        wmma.load_matrix_sync(old, c, (0, 0))
        for i in range(sums.num_elements):
            old.x[i] = alpha * sums.x[i] + beta * old.x[i]
        wmma.store_matrix_sync(c, (0, 0), old)

    a, b, c = np.random.default_rng(2).integers(-4, 5, (3, 16, 16))
    out = c.astype(np.float32)
    kernel[1, 32](a.astype(np.float16), b.astype(np.float16), out, 2.0, -3.0)
    np.testing.assert_array_equal(out, 2 * (a @ (b + 1)) - 3 * c)


def make_product(warp_rows, warp_columns):
    """A kernel that multiplies with several fragments for each warp, from tiles in shared memory."""
    down, along = warp_rows // 16, warp_columns // 16

    @cuda.jit
    def product(a, b, c):
        tile_a = cuda.shared.array((2 * warp_rows, 24), np.float16)
        tile_b = cuda.shared.array((2 * warp_columns, 24), np.float16)  # transposed
        thread = cuda.threadIdx.x
        warp = thread // 32
        top, left = warp // 2 * warp_rows, warp % 2 * warp_columns
        sums = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32, shape=(down, along))
        fa = wmma.fragment(wmma.matrix_a, 16, 16, 16, np.float16)
        fb = wmma.fragment(wmma.matrix_b, 16, 16, 16, np.float16, wmma.col_major, along)
        wmma.fill_fragment(sums, 0)
        for k in range(0, a.shape[1], 16):
            for i in range(thread, 2 * warp_rows * 16, cuda.blockDim.x):
                tile_a[i // 16, i % 16] = a[i // 16, k + i % 16]
            for i in range(thread, 2 * warp_columns * 16, cuda.blockDim.x):
                tile_b[i // 16, i % 16] = b[k + i % 16, i // 16]
            cuda.syncthreads()
            for j in range(along):
                wmma.load_matrix_sync(fb[j], tile_b.T, (0, left + 16 * j))
            for i in range(down):
                wmma.load_matrix_sync(fa, tile_a, (top + 16 * i, 0))
                for j in range(along):
                    wmma.mma_sync(sums[i, j], fa, fb[j], sums[i, j])
            cuda.syncthreads()
        for i in range(down):
            for j in range(along):
                wmma.store_matrix_sync(c, (top + 16 * i, left + 16 * j), sums[i, j])

    return product


@pytest.mark.parametrize("warp_rows, warp_columns", [(16, 16), (32, 48)])
def test_warps_hold_several_fragments(device, warp_rows, warp_columns):
    a = np.random.default_rng(3).integers(-4, 5, (2 * warp_rows, 48)).astype(np.float16)
    b = np.random.default_rng(4).integers(-4, 5, (48, 2 * warp_columns)).astype(np.float16)
    c = np.zeros((2 * warp_rows, 2 * warp_columns), np.float32)
    make_product(warp_rows, warp_columns)[1, 128](a, b, c)
    np.testing.assert_array_equal(c, a.astype("f") @ b.astype("f"))


def test_kernels_with_many_fragments_run_as_vectors(cpu):
    kernel = make_product(32, 32)
    a = np.ones((64, 16), np.float16)
    kernel[1, 128](a, a.T.copy(), np.zeros((64, 64), np.float32))
    (remarks,) = kernel.inspect_remarks().values()
    assert "product: runs 32 threads along x at a time, as vectors" in remarks


def test_checks_of_a_product_find_only_the_loads_along_columns(cpu):
    a = np.random.default_rng(5).integers(-4, 5, (128, 32)).astype(np.float16)
    c = np.zeros((128, 128), np.float32)
    with heddle.check(print=False) as report:
        make_product(64, 64)[1, 128](a, a.T.copy(), c)
    (finding,) = report.findings
    assert finding.message.startswith("uncoalesced: reads of `b`")
    np.testing.assert_array_equal(c, a.astype("f") @ a.T.astype("f"))


def test_a_tile_that_other_lanes_still_write_is_a_race(cpu):
    @cuda.jit
    def kernel(x, out):
        tile = cuda.shared.array((16, 16), np.float32)
        frag = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32)
        for i in range(cuda.threadIdx.x, 256, 32):
            tile[i // 16, i % 16] = x[i // 16, i % 16]
        wmma.load_matrix_sync(frag, tile, (0, 0))
        wmma.store_matrix_sync(out, (0, 0), frag)

    x = np.ones((16, 16), np.float32)
    with heddle.check(print=False, lints=False) as report:
        kernel[1, 32](x, np.zeros_like(x))
    (finding,) = report.findings
    assert finding.message.endswith(
        "written and read by threads of a warp without a `syncwarp` in between"
    )
    assert "insert `cuda.syncwarp()` between lines" in finding.hint


def test_device_functions_take_fragments(device):
    @cuda.jit
    def scale(frag, factor):
        for i in range(frag.num_elements):
            frag.x[i] *= factor

    @cuda.jit
    def kernel(c):
        frags = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32, shape=(2,))
        for i, frag in enumerate(frags):
            wmma.load_matrix_sync(frag, c, (0, 16 * i))
            scale(frag, i + 2)
        for i in range(2):
            wmma.store_matrix_sync(c, (0, 16 * i), frags[i])

    c = np.ones((16, 32), np.float32)
    kernel[1, 32](c)
    np.testing.assert_array_equal(c, np.repeat([2, 3], 16)[None].repeat(16, 0))


def test_a_tile_is_in_the_last_two_axes_of_an_array(device):
    @cuda.jit
    def kernel(x, out):
        frag = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32)
        wmma.load_matrix_sync(frag, x, (1, -16, 4))
        wmma.store_matrix_sync(out, (0, 0), frag)

    x = np.arange(2 * 20 * 24, dtype=np.float32).reshape(2, 20, 24)
    out = np.zeros((16, 16), np.float32)
    kernel[1, 32](x, out)
    np.testing.assert_array_equal(out, x[1, 4:, 4:20])


def test_a_tile_is_part_of_a_view(device):
    @cuda.jit
    def kernel(x, out):
        frag = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32)
        wmma.load_matrix_sync(frag, x[::2], (0, 4))
        wmma.store_matrix_sync(out[:, 16:], (0, 0), frag)

    x = np.arange(32 * 24, dtype=np.float32).reshape(32, 24)
    out = np.zeros((16, 32), np.float32)
    kernel[1, 32](x, out)
    np.testing.assert_array_equal(out[:, 16:], x[::2, 4:20])


def load_from(array, index):
    @cuda.jit
    def kernel(x):
        frag = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32)
        wmma.load_matrix_sync(frag, x, index)
        wmma.store_matrix_sync(x, (0, 0), frag)

    kernel[1, 32](array)


@pytest.mark.parametrize(
    "index, message",
    [
        ((5, 0), "the last row of the 16 x 16 tile, 20, is out of bounds for axis 0 with size 20"),
        (
            (0, 12),
            "the last column of the 16 x 16 tile, 27, is out of bounds for axis 1 with size 24",
        ),
        ((20, 0), "index 20 is out of bounds for axis 0"),
    ],
)
def test_a_tile_that_is_not_in_the_array_is_an_index_error(cpu, index, message):
    with pytest.raises(IndexError, match=message):
        load_from(np.zeros((20, 24), np.float32), index)


@pytest.mark.parametrize("columns, index", [(24, (0, 2)), (26, (0, 0))])
def test_rows_that_are_not_aligned_are_a_value_error(cpu, columns, index):
    message = "each row of a tile must start at a multiple of 16 bytes: 4 elements of float32"
    with pytest.raises(ValueError, match=message):
        load_from(np.zeros((20, columns), np.float32), index)


def test_rows_that_are_not_contiguous_are_a_value_error(cpu):
    with pytest.raises(ValueError, match="the rows of the tile are not contiguous in memory"):
        load_from(np.zeros((20, 48), np.float32)[:, ::2], (0, 0))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ('"a", 16, 16, 16, np.float16', "use must be cuda.wmma.matrix_a, cuda.wmma.matrix_b or"),
        ("wmma.matrix_a, 16, 16, 8, np.float16", "no fragments of float16 for products of 16x16x8"),
        ("wmma.matrix_a, 16, 16, 8, np.float16", "are 16x16x16, 32x8x16 or 8x32x16"),
        (
            "wmma.accumulator, 16, 8, 8, np.float32",
            "no fragments of float32 for products of 16x8x8",
        ),
        ("wmma.matrix_b, 16, 16, 16, np.float32", "tensor cores do not multiply float32"),
        ("wmma.matrix_b, 16, 16, 16, np.int32", "tensor cores do not multiply int32"),
        ("wmma.accumulator, 16, 16, 16, np.int16", "accumulators are float32, float16, int32 or"),
        ("wmma.accumulator, 16, 16, 8, wmma.tf32", "products of tf32 are added in float32"),
        ("wmma.matrix_a, 16, 16, x.size, np.float16", "write literals or globals"),
        ('wmma.matrix_a, 16, 16, 16, np.float16, "F"', "layout must be cuda.wmma.row_major or"),
        (
            "wmma.accumulator, 16, 16, 16, np.float32, wmma.row_major",
            "an accumulator has no layout",
        ),
        (
            "wmma.accumulator, 16, 16, 16, np.float32, shape=(2, 0)",
            "shape is the number of fragments",
        ),
    ],
)
def test_a_fragment_that_does_not_exist_is_a_typing_error(arguments, message):
    scope = {"wmma": wmma, "np": np}
    exec(f"def kernel(x):\n  frag = wmma.fragment({arguments})", scope)
    with pytest.raises(heddle.TypingError, match=message):
        cuda.jit("void(float32[::1])")(scope["kernel"])


FRAGMENTS = """
a = wmma.fragment(wmma.matrix_a, 16, 16, 16, np.float16)
b = wmma.fragment(wmma.matrix_b, 16, 16, 16, np.float16, wmma.col_major)
b8 = wmma.fragment(wmma.matrix_b, 32, 8, 16, np.float16)
bi = wmma.fragment(wmma.matrix_b, 16, 16, 16, np.int8)
c = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32, shape=2)
ci = wmma.fragment(wmma.accumulator, 16, 16, 16, np.int32)
""".strip().replace("\n", "\n  ")


@pytest.mark.parametrize(
    "call, message",
    [
        ("mma_sync(c[0], b, a, c[0])", "takes an accumulator, a matrix_a, a matrix_b and an"),
        ("mma_sync(c, a, b, c)", r"mma_sync\(\) takes one fragment, not fragment\(accumulator"),
        ("mma_sync(c[0], a, b8, c[0])", "fragments of one product have the same m, n and k"),
        ("mma_sync(c[0], a, bi, c[0])", "the factors have different types: float16 and int8"),
        ("mma_sync(ci, a, b, ci)", "products of float16 are not added in int32"),
        ("mma_sync(c[0], a, b, c[0], True)", "only sums of int32 saturate"),
        ("load_matrix_sync(h, a, (0, 0))", r"takes a fragment, not array\(float16, 2d, C\)"),
        ("load_matrix_sync(a, f, (0, 0))", "elements are float32, those of the fragment float16"),
        ("load_matrix_sync(a, h, 0)", "one number for each dimension"),
        ("load_matrix_sync(a, h[0], 0)", "a tile is part of an array of two or more dimensions"),
        ("load_matrix_sync(b, h, (0, 0))", "is col_major, but the array is in C order"),
        ("load_matrix_sync(a, h.T, (0, 0))", "is row_major, but the array is in Fortran order"),
        ("store_matrix_sync(h, (0, 0), a)", "takes an accumulator, not fragment"),
        ("fill_fragment(h, 0)", r"takes a fragment, not array\(float16, 2d, C\)"),
    ],
)
def test_wrong_operands_are_a_typing_error(call, message):
    scope = {"wmma": wmma, "np": np}
    exec(f"def kernel(h, f):\n  {FRAGMENTS}\n  wmma.{call}", scope)
    with pytest.raises(heddle.TypingError, match=message):
        cuda.jit("void(float16[:,::1], float32[:,::1])")(scope["kernel"])


def test_errors_underline_the_argument():
    @cuda.jit
    def kernel(x):
        wmma.fragment(wmma.matrix_a, 16, 16, 16, np.float32)

    with pytest.raises(heddle.TypingError) as caught:
        kernel[1, 32](np.zeros(1))
    assert "np.float32)\n       |" in str(caught.value)
    assert " ^^^^^^^^^^" in str(caught.value)


def test_fragments_outside_kernels_raise():
    with pytest.raises(RuntimeError, match="cuda.wmma.fragment only works inside a kernel"):
        wmma.fragment(wmma.matrix_a, 16, 16, 16, np.float16)
