"""All kernels of the benchmark, in the order of the runs."""

import hecbench
import llm
import python_kernels
import samples
import sgemm

SUITES = {
    "SGEMM_CUDA": "siboehm/SGEMM_CUDA",
    "llm.c": "karpathy/llm.c",
    "cuda-samples": "NVIDIA/cuda-samples",
    "HeCBench": "zjin-lcf/HeCBench",
    "numba-cuda": "NVIDIA/numba-cuda",
    "numba-examples": "numba/numba-examples",
    "nvidia-cuda-tutorial": "numba/nvidia-cuda-tutorial",
    "gtc2018-numba": "ContinuumIO/gtc2018-numba",
    "numbapro-examples": "ContinuumIO/numbapro-examples",
    "accelerated-computing-hub": "NVIDIA/accelerated-computing-hub",
    "FasterSpMV": "YYCHEN-299/Scientific-Computing-Individual-Research-Project",
    "cuda-nms-numba": "liltommy142/cuda-nms-numba",
}


# Kernels that resemble others of their file come last, in case time runs out.
_LAST = (
    "LargeChunk<16>",
    "copySharedMem",
    "transposeDiagonal",
    "transposeCoarseGrained",
    "reduce1<int>",
    "reduce2<int>",
    "reduce4<int, 256>",
    "bitonicSortShared",
    "oddEvenMergeGlobal",
    "CUDAkernel2IDCT",
    "norm_kernel1<float>",
    "layernorm_forward_kernel4",
)


def list_kernels():
    tables = (sgemm, python_kernels, llm, hecbench, samples)
    kernels = [kernel for table in tables for kernel in table.KERNELS]
    return sorted(kernels, key=lambda kernel: kernel.name.endswith(_LAST))


def find_kernels(names):
    by_name = {kernel.name: kernel for kernel in list_kernels()}
    return [by_name[name] for name in names]
