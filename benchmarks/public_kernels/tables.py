"""All kernels of the benchmark, in the order of the runs."""

import llm
import samples
import sgemm

SUITES = {
    "SGEMM_CUDA": "siboehm/SGEMM_CUDA",
    "llm.c": "karpathy/llm.c",
    "cuda-samples": "NVIDIA/cuda-samples",
}


def list_kernels():
    return [*sgemm.KERNELS, *llm.KERNELS, *samples.KERNELS]


def find_kernels(names):
    by_name = {kernel.name: kernel for kernel in list_kernels()}
    return [by_name[name] for name in names]
