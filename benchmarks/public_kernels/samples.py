"""github.com/NVIDIA/cuda-samples: reductions, sorts, filters, stencils, finance, tensor cores, asynchronous copies."""

import numpy as np
from entries import Kernel, Launch, divide_up, make_floats, make_ints, make_rng, make_zeros

_INTRODUCTION = "Samples/0_Introduction/"
_CONCEPTS = "Samples/2_Concepts_and_Techniques/"
_FEATURES = "Samples/3_CUDA_Features/"
_DOMAINS = "Samples/5_Domain_Specific/"
_PERFORMANCE = "Samples/6_Performance/"
_MATH = "Common/helper_math.h"


def _kernel(files, function, make, sizes, **more):
    files = (files,) if isinstance(files, str) else tuple(files)
    return Kernel("cuda-samples", files, function, make, sizes, **more)


def _i(number):
    return np.int32(number)


def _u(number):
    return np.uint32(number)


# Matrix products


def multiply_matrices(tile, block=None, constant=False):
    """constant: of equal numbers, as in the sample. Its kernels with large chunks read the wrong part of b, and the one
    with stages overwrites a stage that is in use."""

    def make(n):
        a, b = make_floats(n, n), make_floats(n, n, low=-2)
        if constant:
            a, b = np.full_like(a, 1), np.full_like(b, 2.1)
        arguments = (make_zeros(n, n), a, b, _i(n), _i(n))
        launch = Launch((n // tile, n // tile), block or (tile, tile), arguments)
        if n <= 512:
            launch.wanted = {0: a.astype(float) @ b}
        return launch

    return make


def multiply_fragments(dtype, of_result, tile=16):
    """a and b are row-major and column-major. tile: rows and columns of a fragment."""

    def make(n):
        if dtype == np.uint8:
            a, b, c = make_ints(n, n, high=3), make_ints(n, n, high=4), make_ints(n, n)
            alpha, beta = _i(1), _i(1)
            wanted = a @ b.T + c if n <= 256 else None
            a, b = a.astype(np.uint8), b.astype(np.uint8)
        else:
            a, b = (make_floats(n, n, low=low).astype(dtype) for low in (-1, -2))
            c, alpha, beta = make_floats(n, n).astype(of_result), of_result(1), of_result(1)
            wanted = a.astype(float) @ b.T.astype(float) + c if n <= 256 else None
        sizes = (_i(n), _i(n), _i(n))
        arguments = (a, b, c, np.zeros((n, n), of_result), *sizes, alpha, beta)
        launch = Launch((divide_up(n, 4 * tile), divide_up(n, 4 * tile)), (128, 4), arguments)
        launch.wanted = {} if wanted is None else {3: wanted}
        return launch

    return make


# Transposes


def transpose(is_transpose=True):
    def make(n):
        matrix = make_floats(n, n)
        arguments = (make_zeros(n, n), matrix, _i(n), _i(n))
        wanted = {0: matrix.T if is_transpose else matrix} if is_transpose is not None else {}
        return Launch((n // 32, n // 32), (32, 16), arguments, wanted=wanted)

    return make


# Reductions, scans, histograms


def sum_blocks(per_block, block=256, shared=1024, blocks=None):
    def make(n):
        numbers = make_ints(n)
        grid = blocks or n // per_block
        arguments = (numbers, make_zeros(grid, dtype=np.int32), _u(n))
        total = int(numbers.sum())
        return Launch(
            (grid,), (block,), arguments, shared, check=lambda found: int(found[1].sum()) == total
        )

    return make


def sum_in_one_pass(n):
    numbers = make_floats(n, low=0)
    arguments = (numbers, make_zeros(256), _u(n))
    total = float(numbers.sum(dtype=float))
    return Launch(
        (256,),
        (256,),
        arguments,
        1024,
        changed=(1,),
        check=lambda found: abs(float(found[1][0]) - total) < 1e-3 * total,
    )


def multiply_vectors(n):
    length = 4096
    a, b = make_floats(n, length), make_floats(n, length, low=0)
    wanted = {0: (a.astype(float) * b).sum(1)}
    sizes = (_i(n), _i(length))
    return Launch((128,), (256,), (make_zeros(n), a, b, *sizes), wanted=wanted)


def multiply_half_vectors(n):
    a, b = (make_floats(2 * n, low=low, high=0.01).astype(np.float16) for low in (-0.01, 0))
    return Launch((128,), (128,), (a, b, make_zeros(128), np.uint64(n)))


def scan_groups(n):
    numbers = make_ints(n, dtype=np.uint32)
    scans = np.cumsum(numbers.reshape(-1, 1024), axis=1, dtype=np.uint32)
    wanted = {0: scans.ravel() - numbers}
    arguments = (np.zeros_like(numbers), numbers, _u(1024))
    return Launch((n // 1024,), (256,), arguments, wanted=wanted)


def scan_by_shuffles(n):
    arguments = (make_ints(n), _i(32), make_zeros(n // 256, dtype=np.int32))
    return Launch((n // 256,), (256,), arguments, 32)


def sum_columns_by_shuffles(n):
    # The kernel works on 1080 rows.
    return Launch((n // 32,), (32, 8), (make_ints(1080, n, dtype=np.uint32), _i(n), _i(1080)))


def count_bytes(bins):
    def make(n):
        numbers = make_ints(n, high=256, dtype=np.uint8)
        words = numbers.view(np.uint32)
        grid, block = (240, 192) if bins == 256 else (divide_up(n // 16, 64 * 240), 64)
        partial = make_zeros(grid * bins, dtype=np.uint32)
        wanted = np.bincount(numbers if bins == 256 else numbers >> 2, minlength=bins)
        count = n // 4 if bins == 256 else n // 16
        return Launch(
            (grid,),
            (block,),
            (partial, words, _u(count)),
            check=lambda found: (found[0].reshape(grid, bins).sum(0) == wanted).all(),
        )

    return make


def filter_positive(n):
    # Few are positive, because the kernel appends the results of each launch to those of the ones before.
    numbers = make_ints(n, low=-5000, high=2)
    arguments = (make_zeros(1 << 24, dtype=np.int32), make_zeros(1, dtype=np.int32), numbers, _i(n))
    positive = int((numbers > 0).sum())
    return Launch(
        (divide_up(n, 512),),
        (512,),
        arguments,
        changed=(1,),
        check=lambda found: int(found[1][0]) == positive,
    )


def find_maxima_of_buckets(n):
    buckets, values = make_ints(n, high=5), make_ints(n, high=1 << 30)
    largest = [values[buckets == bucket].max() for bucket in range(5)]
    arguments = (buckets, values, make_zeros(5, dtype=np.int32), _i(n), _i(5))
    return Launch((2048,), (512,), arguments, wanted={2: np.array(largest)})


def count_odd_numbers(n):
    numbers = make_ints(n)
    arguments = (numbers, make_zeros(1, dtype=np.int32), make_zeros(2, dtype=np.int32), _u(n))
    odd = np.array([(numbers & 1).sum()])
    return Launch((132 * 4,), (256,), arguments, wanted={1: odd})


# Sorts


def sort_groups(*extra):
    """The keys of a group come from one array; the values are their positions."""

    def make(n):
        keys, values = make_ints(n, high=1 << 30, dtype=np.uint32), np.arange(n, dtype=np.uint32)
        arguments = (np.zeros_like(keys), np.zeros_like(values), keys, values)
        return Launch((n // 1024,), (512,), (*arguments, *extra))

    return make


def merge_groups(block, per_block, *extra):
    def make(n):
        keys, values = make_ints(n, high=1 << 30, dtype=np.uint32), np.arange(n, dtype=np.uint32)
        arguments = (np.zeros_like(keys), np.zeros_like(values), keys, values, _u(n))
        return Launch((n // per_block,), (block,), (*arguments, *extra))

    return make


# Images, stencils, transforms


def convolve(grid, block):
    def make(n):
        image, weights = make_floats(n, n), make_floats(17)
        arguments = (make_zeros(n, n), image, _i(n), _i(n), _i(n))
        return Launch(grid(n), block, arguments, constants={"c_Kernel": weights})

    return make


def transform_blocks(width, height, dtype=np.float32):
    """Discrete cosine transforms of blocks of 8 x 8."""

    def make(n):
        image = make_floats(n, n, low=-128, high=127).astype(dtype)
        arguments = (make_zeros(n, n), image) if dtype == np.float32 else (image,)
        block = (8, width // 8, height // 8)
        return Launch((n // width, n // height), block, (*arguments, _i(n)))

    return make


def step_finite_differences(n):
    shape = (n + 8, n + 8, n + 8)
    weights = np.array([1, 0.1, 0.05, 0.025, 0.0125], np.float32)
    arguments = (make_zeros(*shape), make_floats(*shape), _i(n), _i(n), _i(n))
    grid = (divide_up(n, 32), divide_up(n, 16))
    return Launch(grid, (32, 16), arguments, constants={"stencil": weights})


def iterate_optical_flow(n):
    images = [make_floats(n, n, low=low) for low in (-1, -2, -3, -4, -5)]
    sizes = (_i(n), _i(n), _i(n), np.float32(0.1))
    arguments = (*images, *sizes, make_zeros(n, n), make_zeros(n, n))
    return Launch((divide_up(n, 32), divide_up(n, 6)), (32, 6), arguments)


def filter_columns(n):
    numbers = (0.9, -0.5, 0.2, 0.1, -0.6, 0.2, 0.7, 0.3)
    image = make_ints(n, n, high=1 << 31, dtype=np.uint32)
    arguments = (image, np.zeros_like(image), _i(n), _i(n), *map(np.float32, numbers))
    return Launch((n // 64,), (64,), arguments, changed=(1,))


def transpose_pixels(n):
    image = make_ints(n, n, high=1 << 31, dtype=np.uint32)
    arguments = (np.zeros_like(image), image, _i(n), _i(n))
    return Launch((n // 16, n // 16), (16, 16), arguments, wanted={0: image.T})


def filter_by_boxes(n):
    arguments = (make_floats(n, n), make_zeros(n, n), _i(n), _i(n), _i(14))
    return Launch((n // 64,), (64,), arguments)


def transform_walsh(n):
    arguments = (make_zeros(n), make_floats(n), _i(11))
    return Launch((n // 2048,), (512,), arguments, 8192)


def transform_walsh_by_strides(n):
    arguments = (make_zeros(n), make_floats(n), _i(n // 4))
    return Launch((n // 1024, 1), (256,), arguments)


def transform_haar(n):
    arguments = (make_floats(n), make_zeros(n), make_zeros(n // 1024), _u(10), _u(n // 2), _i(512))
    return Launch((n // 1024,), (512,), arguments, 4 * (1024 + 1024 // 16))


def multiply_spectra(n):
    a, b = (make_floats(2 * n, low=low).view(np.complex64) for low in (-1, -2))
    arguments = (a, b, _i(n), np.float32(1 / n))
    return Launch((divide_up(n, 256),), (256,), arguments)


def convert_to_planes(n):
    pixels = make_ints(n * n * 3 // 2, high=256, dtype=np.uint8)
    arguments = (pixels, _i(n), make_zeros(3, n, n), _i(4 * n), _i(n), _i(n), _i(1))
    return Launch((divide_up(n // 2, 64), divide_up(n // 2, 10), 1), (64, 10), arguments)


# Bodies, finance, random numbers


def integrate_bodies(n):
    positions, velocities = make_floats(n, 4), make_floats(n, 4, low=0)
    sizes = (_u(0), _u(n), np.float32(0.016), np.float32(1), _i(n // 256))
    constants = {"softeningSquared": np.array([0.01], np.float32)}
    arguments = (make_zeros(n, 4), positions, velocities, *sizes)
    return Launch((n // 256,), (256,), arguments, 256 * 16, constants)


def price_options(n):
    ranges = ((5, 30), (1, 100), (0.25, 10))
    inputs = [make_floats(n, low=low, high=high) for low, high in ranges]
    arguments = (make_zeros(n), make_zeros(n), *inputs, np.float32(0.02), np.float32(0.3), _i(n))
    return Launch((divide_up(n // 2, 128),), (128,), arguments)


def price_options_by_paths(n):
    rng = make_rng()
    blocks, paths = n, 1 << 13
    states = np.zeros((blocks * 256, 12), np.uint32)
    states[:, :6] = rng.integers(1, 1 << 32, (blocks * 256, 6), np.uint32)
    options = make_floats(n, 4, low=0.1, high=0.5)
    options[:, 0] = make_floats(n, low=5, high=50)
    options[:, 1] = make_floats(n, low=10, high=25)
    arguments = (states.view(np.uint8), options.view(np.uint8), make_zeros(8 * n, dtype=np.uint8))
    return Launch(
        (blocks,), (256,), (*arguments, _i(paths), _i(n)), changed=(2,), types={2: np.float32}
    )


def make_sobol_numbers(n):
    directions = make_ints(64, 32, low=1, high=1 << 31, dtype=np.uint32)
    arguments = (_u(n), _u(64), directions, make_zeros(64, n))
    return Launch((64, 64), (64,), arguments)


def invert_normal_distribution(n):
    numbers = make_ints(n, high=1 << 31, dtype=np.uint32) * _u(2)
    return Launch((1056,), (128,), (make_zeros(n), numbers, _u(n)))


_REDUCTION = _CONCEPTS + "reduction/reduction_kernel.cu"
_TRANSPOSE = _PERFORMANCE + "transpose/transpose.cu"
_COPIES = _FEATURES + "globalToShmemAsyncCopy/globalToShmemAsyncCopy.cu"
_SORTS = [
    _CONCEPTS + f"sortingNetworks/{name}"
    for name in ("sortingNetworks_common.h", "sortingNetworks_common.cuh")
]
_HISTOGRAM = _CONCEPTS + "histogram/histogram_common.h"
_CONVOLUTION = [
    _CONCEPTS + f"convolutionSeparable/convolutionSeparable{name}" for name in ("_common.h", ".cu")
]
_DCT = _CONCEPTS + "dct8x8/"
_WALSH = _DOMAINS + "fastWalshTransform/fastWalshTransform_kernel.cuh"
_GAUSSIAN = [_MATH, _DOMAINS + "recursiveGaussian/recursiveGaussian_kernel.cuh"]
_LENGTH = (1 << 24, 1 << 14)
_IMAGE = (4096, 128)
_PRODUCT = (2048, 128)

KERNELS = [
    _kernel(
        _INTRODUCTION + "matrixMul/matrixMul.cu",
        "MatrixMulCUDA<32>",
        multiply_matrices(32),
        _PRODUCT,
    ),
    _kernel(_COPIES, "MatrixMulNaive<16>", multiply_matrices(16), _PRODUCT),
    _kernel(
        _COPIES, "MatrixMulNaiveLargeChunk<16>", multiply_matrices(16, constant=True), _PRODUCT
    ),
    _kernel(_COPIES, "MatrixMulAsyncCopySingleStage<16>", multiply_matrices(16), _PRODUCT),
    _kernel(
        _COPIES, "MatrixMulAsyncCopyMultiStage<16>", multiply_matrices(16, constant=True), _PRODUCT
    ),
    _kernel(
        _COPIES, "MatrixMulAsyncCopyLargeChunk<16>", multiply_matrices(16, constant=True), _PRODUCT
    ),
    _kernel(
        _COPIES,
        "MatrixMulAsyncCopyMultiStageLargeChunk<16>",
        multiply_matrices(16, constant=True),
        _PRODUCT,
    ),
    _kernel(
        _COPIES,
        "MatrixMulAsyncCopyLargeChunkAWBarrier<16>",
        multiply_matrices(16, constant=True),
        _PRODUCT,
    ),
    _kernel(
        _COPIES,
        "MatrixMulAsyncCopyMultiStageSharedState<16>",
        multiply_matrices(16, (16, 20)),
        _PRODUCT,
    ),
    *[
        _kernel(_TRANSPOSE, function, transpose(is_transpose), _IMAGE)
        for function, is_transpose in (
            ("copySharedMem", False),
            ("transposeNaive", True),
            ("transposeCoalesced", True),
            ("transposeNoBankConflicts", True),
            ("transposeDiagonal", True),
            ("transposeCoarseGrained", None),
        )
    ],
    *[
        _kernel(_REDUCTION, function, make, (1 << 25, 1 << 14))
        for function, make in (
            ("reduce0<int>", sum_blocks(256)),
            ("reduce1<int>", sum_blocks(256)),
            ("reduce2<int>", sum_blocks(256)),
            ("reduce3<int>", sum_blocks(512)),
            ("reduce4<int, 256>", sum_blocks(512)),
            ("reduce5<int, 256>", sum_blocks(512)),
            ("reduce6<int, 256, true>", sum_blocks(0, blocks=1056)),
            ("reduce7<int, 256, true>", sum_blocks(0, shared=36, blocks=1056)),
            ("cg_reduce<int>", sum_blocks(0, blocks=1056)),
        )
    ],
    _kernel(
        _CONCEPTS + "threadFenceReduction/threadFenceReduction_kernel.cuh",
        "reduceSinglePass<256, true>",
        sum_in_one_pass,
        (1 << 25, 1 << 14),
    ),
    _kernel(
        _CONCEPTS + "scalarProd/scalarProd_kernel.cuh", "scalarProdGPU", multiply_vectors, (4096, 8)
    ),
    _kernel(
        _INTRODUCTION + "fp16ScalarProduct/fp16ScalarProduct.cu",
        "scalarProductKernel_native",
        multiply_half_vectors,
        (1 << 22, 1 << 15),
        tolerance=3e-2,  # sums of halves, with other fused operations
    ),
    _kernel(
        [_CONCEPTS + "scan/scan_common.h", _CONCEPTS + "scan/scan.cu"],
        "scanExclusiveShared",
        scan_groups,
        _LENGTH,
    ),
    _kernel(
        _CONCEPTS + "shfl_scan/shfl_scan.cu",
        "shfl_scan_test",
        scan_by_shuffles,
        _LENGTH,
    ),
    _kernel(
        _CONCEPTS + "shfl_scan/shfl_integral_image.cuh",
        "shfl_vertical_shfl",
        sum_columns_by_shuffles,
        (1 << 15, 1 << 7),
    ),
    _kernel(
        [_HISTOGRAM, _CONCEPTS + "histogram/histogram256.cu"],
        "histogram256Kernel",
        count_bytes(256),
        (1 << 27, 1 << 16),
    ),
    _kernel(
        [_HISTOGRAM, _CONCEPTS + "histogram/histogram64.cu"],
        "histogram64Kernel",
        count_bytes(64),
        (1 << 27, 1 << 20),
    ),
    _kernel(
        _FEATURES + "warpAggregatedAtomicsCG/warpAggregatedAtomicsCG.cu",
        "filter_arr",
        filter_positive,
        (1 << 25, 1 << 14),
    ),
    _kernel(
        _FEATURES + "warpAggregatedAtomicsCG/warpAggregatedAtomicsCG.cu",
        "calculateMaxInEachBuckets",
        find_maxima_of_buckets,
        _LENGTH,
    ),
    _kernel(
        _FEATURES + "binaryPartitionCG/binaryPartitionCG.cu",
        "oddEvenCountAndSumCG",
        count_odd_numbers,
        (1 << 22, 1 << 14),
    ),
    *[
        _kernel(
            [*_SORTS, _CONCEPTS + f"sortingNetworks/{file}"], function, make, (1 << 22, 1 << 14)
        )
        for file, function, make in (
            ("bitonicSort.cu", "bitonicSortShared1", sort_groups()),
            ("bitonicSort.cu", "bitonicSortShared", sort_groups(_u(1024), _u(1))),
            (
                "bitonicSort.cu",
                "bitonicMergeShared",
                merge_groups(512, 1024, _u(2048), _u(1)),
            ),
            (
                "bitonicSort.cu",
                "bitonicMergeGlobal",
                merge_groups(256, 512, _u(8192), _u(4096), _u(1)),
            ),
            ("oddEvenMergeSort.cu", "oddEvenMergeSortShared", sort_groups(_u(1024), _u(1))),
            (
                "oddEvenMergeSort.cu",
                "oddEvenMergeGlobal",
                merge_groups(256, 512, _u(8192), _u(4096), _u(1)),
            ),
        )
    ],
    _kernel(
        [_INTRODUCTION + f"mergeSort/{name}" for name in ("mergeSort_common.h", "mergeSort.cu")],
        "mergeSortSharedKernel<1U>",
        sort_groups(_u(1024)),
        (1 << 23, 1 << 14),
    ),
    _kernel(
        _CONVOLUTION,
        "convolutionRowsKernel",
        convolve(lambda n: (n // 128, n // 4), (16, 4)),
        _IMAGE,
    ),
    _kernel(
        _CONVOLUTION,
        "convolutionColumnsKernel",
        convolve(lambda n: (n // 16, n // 64), (16, 8)),
        _IMAGE,
    ),
    *[
        _kernel([_DCT + "Common.h", _DCT + file], function, make, sizes)
        for file, function, make, sizes in (
            ("dct8x8_kernel2.cuh", "CUDAkernel2DCT", transform_blocks(32, 16), _IMAGE),
            ("dct8x8_kernel2.cuh", "CUDAkernel2IDCT", transform_blocks(32, 16), _IMAGE),
            (
                "dct8x8_kernel_short.cuh",
                "CUDAkernelShortDCT",
                transform_blocks(32, 32, np.int16),
                (8192, 128),
            ),
        )
    ],
    _kernel(
        [_DOMAINS + f"FDTD3d/inc/{name}" for name in ("FDTD3dGPU.h", "FDTD3dGPUKernel.cuh")],
        "FiniteDifferencesKernel",
        step_finite_differences,
        (256, 32),
    ),
    _kernel(
        _DOMAINS + "HSOpticalFlow/solverKernel.cuh",
        "JacobiIteration<32, 6>",
        iterate_optical_flow,
        (2048, 128),
    ),
    _kernel(_GAUSSIAN, "d_recursiveGaussian_rgba", filter_columns, (2048, 128)),
    _kernel(_GAUSSIAN, "d_transpose", transpose_pixels, _IMAGE),
    _kernel(
        _CONCEPTS + "boxFilter/boxFilter_kernel.cu",
        "d_boxfilter_y_global",
        filter_by_boxes,
        (2048, 128),
    ),
    _kernel(
        _DOMAINS + "NV12toBGRandResize/nv12_to_bgr_planar.cu",
        "nv12ToBGRplanarBatchKernel",
        convert_to_planes,
        _IMAGE,
    ),
    _kernel(_WALSH, "fwtBatch1Kernel", transform_walsh, _LENGTH),
    _kernel(_WALSH, "fwtBatch2Kernel", transform_walsh_by_strides, _LENGTH),
    _kernel(
        _DOMAINS + "dwtHaar1D/dwtHaar1D_kernel.cuh",
        "dwtHaar1D",
        transform_haar,
        _LENGTH,
        defines="#define INV_SQRT_2 0.70710678118654752440f\n"
        "#define LOG_NUM_BANKS 4\n#define NUM_BANKS 16",
    ),
    _kernel(
        [_DOMAINS + f"convolutionFFT2D/convolutionFFT2D{n}" for n in ("_common.h", ".cuh")],
        "modulateAndNormalize_kernel",
        multiply_spectra,
        (1 << 23, 1 << 14),
    ),
    _kernel(
        [_DOMAINS + f"nbody/{name}" for name in ("bodysystem.h", "bodysystemcuda.cu")],
        "integrateBodies<float>",
        integrate_bodies,
        (32768, 1024),
        drop="class BodySystem|DeviceData|randomizeBodies",
    ),
    _kernel(
        _DOMAINS + "BlackScholes/BlackScholes_kernel.cuh",
        "BlackScholesGPU",
        price_options,
        (1 << 23, 1 << 14),
    ),
    _kernel(
        [
            _DOMAINS + f"MonteCarloMultiGPU/{name}"
            for name in (
                "realtype.h",
                "MonteCarlo_common.h",
                "MonteCarlo_reduction.cuh",
                "MonteCarlo_kernel.cu",
            )
        ],
        "MonteCarloOneBlockPerOption",
        price_options_by_paths,
        (2048, 4),
    ),
    _kernel(
        [_DOMAINS + f"SobolQRNG/{name}" for name in ("sobol.h", "sobol_gpu.cu")],
        "sobolGPU_kernel",
        make_sobol_numbers,
        (1 << 19, 1 << 14),
    ),
    _kernel(
        _DOMAINS + "quasirandomGenerator/quasirandomGenerator_kernel.cu",
        "inverseCNDKernel",
        invert_normal_distribution,
        _LENGTH,
        drop="c_Table",
    ),
    _kernel(
        _FEATURES + "cudaTensorCoreGemm/cudaTensorCoreGemm.cu",
        "simple_wmma_gemm",
        multiply_fragments(np.float16, np.float32),
        (2048, 64),
    ),
    _kernel(
        _FEATURES + "immaTensorCoreGemm/immaTensorCoreGemm.cu",
        "simple_wmma_gemm_imma",
        multiply_fragments(np.uint8, np.int32),
        (2048, 64),
    ),
    _kernel(
        _FEATURES + "dmmaTensorCoreGemm/dmmaTensorCoreGemm.cu",
        "simple_wmma_gemm",
        multiply_fragments(np.float64, np.float64, 8),
        (2048, 64),
    ),
]
