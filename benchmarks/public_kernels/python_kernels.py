"""Kernels in Python for numba.cuda: numba's own examples, tutorials, and two projects."""

import numpy as np
from entries import Kernel, Launch, divide_up, make_floats, make_ints, make_rng, make_zeros


def _kernel(suite, file, function, make, sizes, **more):
    return Kernel(suite, (file,), function, make, sizes, **more)


def _i(number):
    return np.int32(number)


def _over(count, block, arguments, **more):
    return Launch((divide_up(count, block),), (block,), arguments, **more)


def _over_matrix(n, block, arguments, **more):
    return Launch((divide_up(n, block), divide_up(n, block)), (block, block), arguments, **more)


def multiply_matrices(block, size=None):
    def make(n):
        n = size or n
        a, b = make_floats(n, n), make_floats(n, n, low=-2)
        launch = _over_matrix(n, block, (a, b, make_zeros(n, n)))
        launch.wanted = {2: a.astype(float) @ b} if n <= 512 else {}
        return launch

    return make


def price_options(n):
    ranges = ((5, 30), (1, 100), (0.25, 10))
    inputs = [make_floats(n, low=low, high=high).astype(float) for low, high in ranges]
    outputs = [make_zeros(n, dtype=float) for _ in range(2)]
    return _over(n, 1024, (*outputs, *inputs, np.float64(0.02), np.float64(0.3)))


def fill_histogram(n):
    numbers = make_floats(n, low=0)
    bins = make_zeros(256, dtype=np.int32)
    arguments = (numbers, np.float32(-1e-6), np.float32(1.000001), bins)
    return Launch((512,), (256,), arguments, check=lambda found: int(found[3].sum()) == n)


def find_extremes(n):
    numbers = make_floats(n)
    extremes = np.array([np.finfo(np.float32).max, np.finfo(np.float32).min], np.float32)
    wanted = {1: np.array([numbers.min(), numbers.max()])}
    return Launch((512,), (256,), (numbers, extremes), wanted=wanted)


def relax(block, by_blocks=False):
    def make(n):
        a = make_floats(n, n).astype(float)
        errors = make_zeros(*((n // block,) * 2 if by_blocks else (n, n)), dtype=float)
        return _over_matrix(n, block, (a, np.zeros_like(a), errors))

    return make


def draw_fractal(n):
    limits = map(np.float64, (-2, 1, -1, 1))
    image = make_zeros(n, n, dtype=np.uint8)
    return _over_matrix(n, 16, (*limits, image, _i(100)))


def transpose(n):
    matrix = make_ints(n, n)
    arguments = (matrix, np.zeros_like(matrix))
    return Launch((n // 32, n // 32), (32, 8), arguments, wanted={1: matrix.T})


_STATE = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)


def _make_states(n):
    numbers = make_rng().integers(1, 1 << 63, 2 * n, np.uint64)
    return numbers.view(_STATE)


def estimate_pi(n):
    return _over(n, 128, (_make_states(n), _i(1000), make_zeros(n)))


def fill_randomly(n):
    blocks = min(16, n // 8)
    states = _make_states((8 * blocks) ** 3)
    return Launch((blocks,) * 3, (8, 8, 8), (make_zeros(n, n, n), states), changed=(0,))


def remove_colors(n):
    image = make_ints(n, n, 4, high=256, dtype=np.uint8)
    return _over_matrix(n, 16, (image, np.zeros_like(image)))


def split_numbers(n):
    numbers = make_floats(n)
    return _over(n, 256, (numbers, np.zeros_like(numbers)), wanted={1: numbers})


def combine_angles(n):
    return _over(n, 256, (make_zeros(n), make_floats(n, high=0.5), make_floats(n, low=0)))


def raise_to_powers(n):
    bases, exponents = (make_floats(n, 2, low=low).view(np.complex64)[:, 0] for low in (0.1, -1))
    arguments = (np.zeros_like(bases), bases, exponents)
    return _over(n, 256, arguments)


def multiply_spectra(n):
    a, b = (make_floats(n, 2 * n, low=low).view(np.complex64) for low in (-1, -0.5))
    return _over_matrix(n, 32, (a, b))


def filter_positive(n):
    # Few are positive, because the kernel appends the results of each launch to those of the ones before.
    numbers = make_ints(n, low=-5000, high=2)
    arguments = (make_zeros(1 << 24, dtype=np.int32), make_zeros(1, dtype=np.int32), numbers)
    positive = int((numbers > 0).sum())
    return _over(n, 256, arguments, changed=(1,), check=lambda found: int(found[1][0]) == positive)


def multiply_csr(n):
    counts = make_rng().integers(8, 25, n)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    columns, values = make_ints(int(starts[-1]), high=n), make_floats(int(starts[-1]))
    x = make_floats(n, low=0)
    wanted = {4: np.add.reduceat(values.astype(float) * x[columns], starts[:-1])}
    return Launch((n,), (1,), (starts, columns, values, x, make_zeros(n)), wanted=wanted)


def multiply_slices(n):
    height, width = 32, 16
    starts = np.arange(n // height + 1, dtype=np.int32) * (height * width)
    columns, values = make_ints(n * width, high=n), make_floats(n * width)
    arguments = (starts, columns, values, make_floats(n, low=0), _i(height), make_zeros(n))
    return Launch((n // height,), (height,), arguments)


def _make_boxes(n):
    corners = make_floats(n, 2, low=0, high=1000)
    return np.concatenate([corners, corners + make_floats(n, 2, low=5, high=100)], 1)


def overlap_boxes(n):
    return _over_matrix(n, 16, (_make_boxes(n), make_zeros(n, n)))


def _make_columns(n):
    return tuple(np.ascontiguousarray(column) for column in _make_boxes(n).T)


def overlap_columns(n):
    return _over_matrix(n, 16, (*_make_columns(n), make_zeros(n, n)))


def mark_overlaps(n):
    masks = make_zeros(n // 64, n, dtype=np.uint64)
    arguments = (*_make_columns(n), masks, _i(n), np.float32(0.3))
    return Launch((n // 64, n // 64), (64,), arguments)


def find_largest_overlaps(n):
    return Launch((n,), (256,), (*_make_columns(n), make_zeros(n), _i(n)))


def decay_scores(n):
    scores, largest = make_floats(n, low=0.5), make_floats(n, low=0, high=0.5)
    arguments = (*_make_columns(n), scores, largest, _i(n), _i(1), np.float32(0.5))
    return Launch((n,), (256,), arguments)


_DOCS = "numba_cuda/numba/cuda/tests/doc_examples/"
_RANDOM = (("xoroshiro128p_uniform_float32", "cuda.random.xoroshiro128p_uniform_float32"),)
_FMA = (("fmaf", "cuda.libdevice.fmaf"),)
_FLOAT32 = (("float32", "float32"),)
_FLOAT64 = (("f8", "float64"),)
_DEMOS = "notebooks/Numba_{}_CUDA_Release_Demo.ipynb"
_TRANSPOSE = "6 - Extra Topics.ipynb"
_TILES = ("TILE_DIM", "BLOCK_ROWS", "TILE_DIM_PADDED")
_SPMV = "FasterSpMV/cuda_spmv.py"
_BOX_TYPES = (("nb_float32", "float32"), ("nb_uint64", "uint64"))

KERNELS = [
    _kernel("numba-cuda", _DOCS + "test_matmul.py", "matmul", multiply_matrices(16), (1024, 128)),
    _kernel(
        "numba-cuda",
        _DOCS + "test_matmul.py",
        "fast_matmul",
        multiply_matrices(16),
        (2048, 128),
        names=("TPB",),
        imports=_FLOAT32,
    ),
    _kernel(
        "numba-cuda",
        _DOCS + "test_random.py",
        "random_3d",
        fill_randomly,
        (320, 16),
        imports=_RANDOM,
    ),
    _kernel(
        "numba-examples",
        "examples/finance/blackscholes/blackscholes_cuda.py",
        "black_scholes_cuda_kernel",
        price_options,
        (1 << 22, 1 << 12),
        names=("cnd_cuda",),
    ),
    _kernel(
        "numba-examples",
        "examples/density_estimation/histogram/gpu.py",
        "histogram",
        fill_histogram,
        (1 << 24, 1 << 16),
        names=("compute_bin",),
    ),
    _kernel(
        "numba-examples",
        "examples/density_estimation/histogram/gpu.py",
        "min_max",
        find_extremes,
        (1 << 26, 1 << 16),
    ),
    *[
        _kernel(
            "numba-examples",
            f"legacy/laplace2d/laplace2d-numba-cuda{file}.py",
            "jacobi_relax_core",
            make,
            (4096, 128),
            names=("tpb", "get_max"),
            imports=_FLOAT64,
        )
        for file, make in (("", relax(32)), ("-improve", relax(16, True)))
    ],
    *[
        _kernel(
            "numba-examples",
            f"legacy/cudajit/{file}.py",
            "cu_square_matrix_mul",
            multiply_matrices(32, 1600),
            (1600, 1600),
            names=("bpg", "tpb", "n"),
            imports=_FLOAT32,
        )
        for file in ("matmul", "matmul_smem")
    ],
    _kernel(
        "numba-examples",
        _DEMOS.format("052"),
        "cuda_frexp_ldexp",
        split_numbers,
        (1 << 24, 1 << 14),
    ),
    _kernel(
        "numba-examples",
        _DEMOS.format("052"),
        "fast_trig_functions",
        combine_angles,
        (1 << 24, 1 << 14),
        imports=(("void", "void"), *_FLOAT32, ("libdevice", "cuda.libdevice")),
    ),
    _kernel(
        "numba-examples",
        _DEMOS.format("052"),
        "complex_power",
        raise_to_powers,
        (1 << 20, 1 << 12),
    ),
    _kernel(
        "numba-examples",
        _DEMOS.format("054"),
        "filter_k",
        filter_positive,
        (1 << 24, 1 << 14),
        names=("atomicAggInc",),
        imports=(("uint32", "uint32"),),
    ),
    _kernel(
        "nvidia-cuda-tutorial",
        "session-1/mandelbrot/solutions/mandel_cuda.py",
        "create_fractal",
        draw_fractal,
        (4096, 128),
        names=("mandel",),
    ),
    _kernel("gtc2018-numba", _TRANSPOSE, "transpose", transpose, (4096, 128), names=_TILES),
    _kernel("gtc2018-numba", _TRANSPOSE, "tile_transpose", transpose, (4096, 128), names=_TILES),
    _kernel(
        "gtc2018-numba",
        _TRANSPOSE,
        "compute_pi",
        estimate_pi,
        (1 << 17, 1 << 8),
        imports=_RANDOM,
    ),
    _kernel(
        "accelerated-computing-hub",
        "tutorials/accelerated-python/notebooks/kernels/solutions/"
        "43__kernel_authoring__black_and_white__SOLUTION.ipynb",
        "black_white",
        remove_colors,
        (4096, 128),
    ),
    _kernel(
        "numbapro-examples",
        "convolution/fftconvolve.py",
        "mult_inplace",
        multiply_spectra,
        (4096, 128),
    ),
    _kernel("FasterSpMV", _SPMV, "cuda_csr_spmv", multiply_csr, (1 << 18, 1 << 10), imports=_FMA),
    _kernel(
        "FasterSpMV", _SPMV, "cuda_sell_spmv", multiply_slices, (1 << 19, 1 << 10), imports=_FMA
    ),
    _kernel("cuda-nms-numba", "src/gpu_v1.py", "_iou_matrix_kernel", overlap_boxes, (8192, 128)),
    _kernel(
        "cuda-nms-numba",
        "src/gpu_v2.py",
        "_iou_matrix_coalesced_kernel",
        overlap_columns,
        (8192, 128),
    ),
    _kernel(
        "cuda-nms-numba",
        "src/gpu_v2.py",
        "_nms_bitmask_kernel",
        mark_overlaps,
        (16384, 256),
        imports=_BOX_TYPES,
    ),
    _kernel(
        "cuda-nms-numba",
        "src/gpu_v3.py",
        "_iou_max_kernel",
        find_largest_overlaps,
        (16384, 256),
        imports=_BOX_TYPES,
    ),
    _kernel(
        "cuda-nms-numba",
        "src/gpu_v3.py",
        "_decay_scores_kernel",
        decay_scores,
        (16384, 256),
        imports=_BOX_TYPES,
    ),
]
