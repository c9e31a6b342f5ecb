"""Kernels that include CUB, Thrust and libcu++, with headers from a package or a toolkit."""

import os

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.compiler import cuda_libraries

TOOLKIT = os.path.join(os.environ.get("CUDA_PATH", "/usr/local/cuda"), "include", "cccl")
needs_package = pytest.mark.skipif(
    not cuda_libraries.find_cub_folder(), reason="the package nvidia-cuda-cccl is not installed"
)
needs_toolkit = pytest.mark.skipif(
    not os.path.isdir(TOOLKIT), reason="no toolkit of CUDA 13 is installed"
)
VALUES = np.random.RandomState(0).randint(0, 1000, 256).astype("i4")
BLOCKS, WARPS = VALUES.reshape(2, 128), VALUES.reshape(8, 32)


def in_blocks(rows):
    return np.concatenate([np.asarray(row) for row in rows])


# The include, the code of the threads (`i` is the thread in the grid, `t` in its block of 128), what comes out.
PROGRAMS = {
    "all of CUB": (
        "cub/cub.cuh",
        """using Reduce = cub::BlockReduce<int, 128>;
        using Scan = cub::WarpScan<int>;
        __shared__ typename Reduce::TempStorage storage;
        __shared__ typename Scan::TempStorage of_warps[4];
        int sum = Reduce(storage).Sum(in[i]), before;
        Scan(of_warps[t / 32]).ExclusiveSum(1, before);
        if (t < 32) out[blockIdx.x * 32 + t] = __shfl_sync(~0u, sum, 0) + before;""",
        in_blocks(row.sum() + np.arange(32) for row in BLOCKS),
    ),
    "mathematical functions of libcu++": (
        "cuda/std/span>\n#include <cuda/std/cmath>\n#include <cuda/std/complex",
        """double x = in[i] / 1000.0;
        double sum = std::pow(std::sin(x), 2.0) + cuda::std::pow(cuda::std::cos(x), 2.0);
        auto z = cuda::std::exp(cuda::std::complex<float>(0, (float)x));
        out[i] = (int)std::lround(10 * sum) + (int)std::lround(cuda::std::abs(z)) +
                 (int)cuda::std::rint(cuda::std::log(cuda::std::exp(7.0 + std::erf(9.0))));""",
        np.full(256, 19),
    ),
    "complex numbers of Thrust": (
        "thrust/complex.h>\n#include <cub/warp/warp_reduce.cuh",
        """using Reduce = cub::WarpReduce<int>;
        __shared__ typename Reduce::TempStorage storage[4];
        thrust::complex<float> z = thrust::polar<float>(in[i], 2) * thrust::complex<float>(0, 1);
        int sum = Reduce(storage[t / 32]).Sum((int)(thrust::abs(z) + 0.5f));
        if (t % 32 == 0) out[i / 32] = sum;""",
        WARPS.sum(1),
    ),
    "BlockReduce": (
        "cub/block/block_reduce.cuh",
        """using Reduce = cub::BlockReduce<int, 128>;
        __shared__ typename Reduce::TempStorage storage;
        int sum = Reduce(storage).Sum(in[i]);
        if (t == 0) out[blockIdx.x] = sum;""",
        BLOCKS.sum(1),
    ),
    "BlockScan": (
        "cub/block/block_scan.cuh",
        """using Scan = cub::BlockScan<int, 128>;
        __shared__ typename Scan::TempStorage storage;
        int before;
        Scan(storage).ExclusiveSum(in[i], before);
        out[i] = before;""",
        in_blocks(np.cumsum(row) - row for row in BLOCKS),
    ),
    "BlockRadixSort": (
        "cub/block/block_radix_sort.cuh",
        """using Sort = cub::BlockRadixSort<int, 128, 1>;
        __shared__ typename Sort::TempStorage storage;
        int keys[1] = {in[i]};
        Sort(storage).Sort(keys);
        out[i] = keys[0];""",
        in_blocks(np.sort(BLOCKS)),
    ),
    "BlockLoad and BlockStore": (
        "cub/block/block_load.cuh>\n#include <cub/block/block_store.cuh",
        """using Load = cub::BlockLoad<int, 128, 1, cub::BLOCK_LOAD_TRANSPOSE>;
        using Store = cub::BlockStore<int, 128, 1, cub::BLOCK_STORE_TRANSPOSE>;
        __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } both;
        int own[1];
        Load(both.load).Load(in + blockIdx.x * 128, own);
        own[0] += t;
        __syncthreads();
        Store(both.store).Store(out + blockIdx.x * 128, own);""",
        in_blocks(BLOCKS + np.arange(128)),
    ),
    "WarpReduce": (
        "cub/warp/warp_reduce.cuh",
        """using Reduce = cub::WarpReduce<int>;
        __shared__ typename Reduce::TempStorage storage[4];
        int most = Reduce(storage[t / 32]).Reduce(in[i], [](int a, int b) { return a > b ? a : b; });
        if (t % 32 == 0) out[i / 32] = most;""",
        WARPS.max(1),
    ),
    "WarpScan": (
        "cub/warp/warp_scan.cuh",
        """using Scan = cub::WarpScan<int>;
        __shared__ typename Scan::TempStorage storage[4];
        int sum;
        Scan(storage[t / 32]).InclusiveSum(in[i], sum);
        out[i] = sum;""",
        in_blocks(np.cumsum(row) for row in WARPS),
    ),
    "WarpMergeSort": (
        "cub/warp/warp_merge_sort.cuh",
        """using Sort = cub::WarpMergeSort<int, 1, 32>;
        __shared__ typename Sort::TempStorage storage[4];
        int keys[1] = {in[i]};
        Sort(storage[t / 32]).Sort(keys, [](int a, int b) { return a > b; });
        out[i] = keys[0];""",
        in_blocks(-np.sort(-WARPS)),
    ),
    "classes of libcu++": (
        "cuda/std/optional>\n#include <cuda/std/span>\n#include <cuda/std/array>\n#include <cuda/std/tuple",
        """cuda::std::array<int, 3> three{1, 2, 3};
        cuda::std::optional<int> large;
        if (in[i] > 500) large = in[i];
        cuda::std::span<const int> all(in, 256);
        auto [first, size] = cuda::std::make_tuple(three[1], (int)all.size());
        out[i] = large.value_or(first) + size;""",
        np.where(VALUES > 500, VALUES, 2) + 256,
    ),
    "algorithms of libcu++": (
        "cuda/std/algorithm>\n#include <cuda/std/numeric>\n#include <cuda/std/bit>\n#include <cuda/std/variant",
        """cuda::std::variant<int, float> either = in[i];
        out[i] = cuda::std::clamp(cuda::std::get<int>(either), 100, 900) + cuda::std::gcd(12, 18) +
                 cuda::std::popcount(7u);""",
        np.clip(VALUES, 100, 900) + 9,
    ),
    "iterators and searches of Thrust": (
        "thrust/iterator/counting_iterator.h>\n#include <thrust/iterator/transform_iterator.h>\n"
        "#include <thrust/binary_search.h>\n#include <thrust/execution_policy.h",
        """thrust::counting_iterator<int> numbers(0);
        auto squares = thrust::make_transform_iterator(numbers, [](int x) { return x * x; });
        out[i] = thrust::lower_bound(thrust::seq, squares, squares + 100, in[i]) - squares;""",
        np.searchsorted(np.arange(100) ** 2, VALUES),
    ),
    "thrust::reduce and its like": (
        "thrust/reduce.h>\n#include <thrust/scan.h>\n#include <thrust/count.h>\n"
        "#include <thrust/execution_policy.h",
        """if (i == 0) {
          out[0] = thrust::reduce(thrust::seq, in, in + 256);
          out[1] = thrust::count_if(thrust::seq, in, in + 256, [](int x) { return x > 500; });
          thrust::inclusive_scan(thrust::seq, in, in + 4, out + 2);
        }""",
        [VALUES.sum(), (VALUES > 500).sum(), *np.cumsum(VALUES[:4])],
    ),
    "the standard library's headers beside": (
        "algorithm>\n#include <utility>\n#include <cstdint>\n#include <limits>\n#include <type_traits>\n"
        "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n#include <cub/block/block_reduce.cuh",
        """using Reduce = cub::BlockReduce<float, 128>;
        __shared__ typename Reduce::TempStorage storage;
        float sum = Reduce(storage).Sum(__half2float(__float2half(1.0f)));
        static_assert(std::is_same<std::int32_t, int>::value, "");
        if (t == 0) out[blockIdx.x] = std::max((int)sum, 0) + std::numeric_limits<uint8_t>::max();""",
        [128 + 255] * 2,
    ),
}


def program(header, body):
    return f"""#include <{header}>
extern "C" __global__ void k(const int *in, int *out) {{
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  {body}
}}"""


@needs_package
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_uses_cudas_libraries(device, name):
    header, body, expected = PROGRAMS[name]
    values, out = cuda.to_device(VALUES), cuda.to_device(np.zeros(256, np.int32))
    heddle.RawKernel(program(header, body), "k")(2, 128, (values, out))
    assert out.copy_to_host()[: len(expected)].tolist() == list(expected)


@needs_package
def test_a_header_that_the_libraries_lack_is_refused_by_name(cpu):
    with pytest.raises(heddle.TypingError, match="'cub/block/block_nothing.cuh' file not found"):
        heddle.RawKernel(program("cub/block/block_nothing.cuh", ""), "k").compile()


@needs_package
def test_an_algorithm_takes_memory_of_the_heap(device):
    source = program(
        "thrust/sort.h>\n#include <thrust/execution_policy.h",
        "if (t == 0) thrust::stable_sort(thrust::seq, out, out + 128);",
    )
    values = np.random.default_rng(3).integers(0, 1000, 256).astype(np.int32)
    out = cuda.to_device(values)
    heddle.RawKernel(source, "k")(1, 1, (out, out))
    np.testing.assert_array_equal(out.copy_to_host()[:128], np.sort(values[:128]))


@needs_package
def test_assertions_of_the_libraries_compile(device):
    header, body, expected = PROGRAMS["BlockReduce"]
    values, out = cuda.to_device(VALUES), cuda.to_device(np.zeros(2, np.int32))
    heddle.RawKernel(program(header, body), "k", ("-DDEBUG",))(2, 128, (values, out))
    assert out.copy_to_host().tolist() == list(expected)


@needs_package
@pytest.mark.parametrize(
    "header, body, message",
    [
        ("thrust/reduce.h", "out[0] = thrust::reduce(in, in + 8);", "thrust::reduce(thrust::seq, "),
        ("thrust/sort.h", "thrust::sort(out, out + 8);", "thrust::sort(thrust::seq, "),
        (
            "cub/device/device_reduce.cuh",
            "size_t n = 0; cub::DeviceReduce::Sum(nullptr, n, in, out, 8);",
            "such as <cub/block/block_reduce.cuh>",
        ),
        ("thrust/device_vector.h", "thrust::device_vector<int> v;", "pass arrays to the kernel"),
    ],
)
def test_what_only_the_host_can_call_is_refused_in_one_message(cpu, header, body, message):
    with pytest.raises(heddle.TypingError) as caught:
        heddle.RawKernel(program(header, body), "k").compile()
    shown = str(caught.value)
    assert message in shown and shown.startswith("<cuda source>:")
    assert len(shown.splitlines()) == 4 and "note:" not in shown


def test_without_the_libraries_the_error_says_what_installs_them(run_python):
    result = run_python(
        "import heddle, heddle.compiler.cuda_libraries\n"
        "heddle.compiler.cuda_libraries.find_cub_folder = lambda: ''\n"
        "heddle.RawKernel('#include <cub/block/block_reduce.cuh>', 'k').compile()\n",
        HEDDLE_DEVICE="cpu",
        CUDA_PATH="/nowhere",
    )
    assert "'cub/block/block_reduce.cuh' file not found" in result.stderr
    assert "pip install nvidia-cuda-cccl" in result.stderr


@needs_toolkit
def test_a_toolkit_brings_the_libraries(device, monkeypatch):
    monkeypatch.setattr(cuda_libraries, "find_cub_folder", lambda: "")
    header, body, expected = PROGRAMS["BlockReduce"]
    values, out = cuda.to_device(VALUES), cuda.to_device(np.zeros(2, np.int32))
    heddle.RawKernel(program(header, body), "k")(2, 128, (values, out))
    assert out.copy_to_host().tolist() == list(expected)


def test_a_package_brings_the_libraries(tmp_path, monkeypatch):
    (tmp_path / "nvidia" / "cu13" / "include" / "cccl" / "cub").mkdir(parents=True)
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    assert cuda_libraries.find_cub_folder() == str(
        tmp_path / "nvidia" / "cu13" / "include" / "cccl"
    )
