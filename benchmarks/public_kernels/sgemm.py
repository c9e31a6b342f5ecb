"""github.com/siboehm/SGEMM_CUDA: twelve float32 matrix products, each faster than the one before."""

import numpy as np
from entries import Kernel, Launch, divide_up, make_floats


def multiply(tile, threads, transposed=False):
    """tile: rows and columns of a block's tile of the product. transposed: blockIdx.x counts rows."""

    def make(n):
        a, b, c = make_floats(n, n), make_floats(n + 1, n)[1:].copy(), make_floats(n, n)
        rows, columns = divide_up(n, tile[0]), divide_up(n, tile[1])
        size, alpha, beta = np.int32(n), np.float32(0.5), np.float32(0.25)
        launch = Launch(
            (rows, columns) if transposed else (columns, rows),
            threads,
            (size, size, size, alpha, a, b, beta, c),
        )
        if n <= 512:
            launch.wanted = {7: 0.5 * (a.astype(np.float64) @ b) + 0.25 * c}
        return launch

    return make


def _kernel(file, function, make, defines=""):
    path = f"src/kernels/{file}.cuh"
    return Kernel("SGEMM_CUDA", (path,), function, make, (4096, 256), label=file, defines=defines)


_WARPSIZE = "const int WARPSIZE = 32;"

KERNELS = [
    _kernel("1_naive", "sgemm_naive", multiply((32, 32), (32, 32), transposed=True)),
    _kernel(
        "2_kernel_global_mem_coalesce",
        "sgemm_global_mem_coalesce<32>",
        multiply((32, 32), (1024,), transposed=True),
    ),
    _kernel(
        "3_kernel_shared_mem_blocking",
        "sgemm_shared_mem_block<32>",
        multiply((32, 32), (1024,), transposed=True),
    ),
    _kernel(
        "4_kernel_1D_blocktiling", "sgemm1DBlocktiling<64, 64, 8, 8>", multiply((64, 64), (512,))
    ),
    _kernel(
        "5_kernel_2D_blocktiling",
        "sgemm2DBlocktiling<128, 128, 8, 8, 8>",
        multiply((128, 128), (256,)),
    ),
    _kernel(
        "6_kernel_vectorize", "sgemmVectorize<128, 128, 8, 8, 8>", multiply((128, 128), (256,))
    ),
    _kernel(
        "7_kernel_resolve_bank_conflicts",
        "sgemmResolveBankConflicts<128, 128, 8, 8, 8>",
        multiply((128, 128), (256,)),
    ),
    _kernel(
        "8_kernel_bank_extra_col",
        "sgemmResolveBankExtraCol<128, 128, 8, 8, 8>",
        multiply((128, 128), (256,)),
    ),
    _kernel(
        "9_kernel_autotuned",
        "sgemmAutotuned<128, 128, 16, 8, 8>",
        multiply((128, 128), (256,)),
    ),
    _kernel(
        "10_kernel_warptiling",
        "sgemmWarptiling<128, 128, 16, 64, 64, 4, 8, 4, 128>",
        multiply((128, 128), (128,)),
    ),
    _kernel(
        "11_kernel_double_buffering",
        "sgemmDoubleBuffering<128, 256, 16, 128, 32, 1, 8, 8, 256>",
        multiply((128, 256), (256,)),
        _WARPSIZE,
    ),
    _kernel(
        "12_kernel_double_buffering",
        "runSgemmDoubleBuffering2<128, 128, 16, 64, 64, 4, 8, 4, 128>",
        multiply((128, 128), (128,)),
        _WARPSIZE,
    ),
]
