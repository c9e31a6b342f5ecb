"""The instructions for tensor cores, asynchronous copies and barriers in the PTX of CUDA C++ programs. ptxas assembles
the PTX if it is installed."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import heddle
from heddle import _heddle, cuda, int32

ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
T4, A100, H100 = (7, 5), (8, 0), (9, 0)


@pytest.fixture
def instructions(tmp_path):
    """A function that compiles a program with a kernel for a GPU, and returns its instructions in order."""

    def compile_program(source, capability):
        code, _, _ = _heddle.compile_cuda_ahead(
            source, "k.cu", _heddle.CudaOptions([]), [], "cuda", capability, "asm"
        )
        path = tmp_path / "k.ptx"
        path.write_bytes(code)
        if ptxas:
            architecture = "sm_" + "".join(map(str, capability))
            command = [ptxas, "-arch", architecture, path, "-o", tmp_path / "k.cubin"]
            subprocess.run(command, check=True)
        return re.findall(r"(?:^|[{;])\s*(?:@!?%\w+\s+)?([a-z][\w.:]+)[\s;]", code.decode(), re.M)

    return compile_program


def select(instructions, *prefixes):
    return [i for i in instructions if i.startswith(prefixes)]


COPY = """
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
typedef cuda::barrier<cuda::thread_scope_block> Barrier;
struct Pair { int a, b; };
__global__ void k(const TYPE* in, TYPE* out, int n) {
  __shared__ Barrier barrier;
  __shared__ TYPE tile[64];
  int i = threadIdx.x;
  cg::thread_block block = cg::this_thread_block();
  if (i == 0) init(&barrier, 64);
  block.sync();
  BODY
  out[i] = tile[63 - i];
}"""


def write_copy(body, element="int"):
    return COPY.replace("BODY", body).replace("TYPE", element)


@pytest.mark.parametrize(
    "body, element, expected",
    [
        ("__pipeline_memcpy_async(tile + i, in + i, 4);", "int", ["ca"]),
        ("__pipeline_memcpy_async(tile + i, in + i, 8, n);", "Pair", ["ca"]),
        ("__pipeline_memcpy_async(tile + i, in + i, 16);", "float4", ["cg"]),
        ("cuda::memcpy_async(tile + i, in + i, 4, barrier);", "float", ["ca"]),
        ("cuda::memcpy_async(tile + i, in + i, 8, barrier);", "double", ["ca"]),
        (
            "cuda::memcpy_async(tile + i, in + i, cuda::aligned_size_t<8>(8), barrier);",
            "Pair",
            ["ca"],
        ),
        ("cuda::memcpy_async(tile, in, cuda::aligned_size_t<16>(n), barrier);", "float", ["cg"]),
        ("cg::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(256));", "int", ["cg"]),
        ("cg::memcpy_async(block, tile, 64, in, n);", "int", ["ca", "ca", "cg"]),
    ],
)
def test_copies_to_shared_memory_run_in_the_background(instructions, body, element, expected):
    for gpu in A100, H100:
        copies = select(instructions(write_copy(body, element), gpu), "cp.async.c")
        copies = [c for c in copies if "commit" not in c]
        assert sorted(copies) == [f"cp.async.{level}.shared.global" for level in expected]


@pytest.mark.parametrize(
    "body",
    [
        "cuda::memcpy_async(out + i, in + i, 4, barrier);",
        "int local[2] = {n, i}; cuda::memcpy_async(tile + i, local + n % 2, 4, barrier);",
        "cuda::memcpy_async((char*)tile + 2 * i, (const char*)in + 2 * i, 2, barrier);",
    ],
    ids=["to global memory", "from local memory", "of 2 bytes"],
)
def test_other_copies_run_immediately(instructions, body):
    found = instructions(write_copy(body), H100)
    assert [i for i in found if i.startswith("cp.async") and "mbarrier" not in i] == []


def test_gpus_without_the_instructions_copy_and_count_in_software(instructions):
    body = "cuda::memcpy_async(block, tile, in, 256, barrier); barrier.arrive_and_wait();"
    assert select(instructions(write_copy(body), T4), "cp", "mbarrier") == []


def test_a_barrier_waits_for_copies_in_hardware(instructions):
    body = """cuda::memcpy_async(tile + i, in + i, 4, barrier);
    barrier.wait(barrier.arrive());"""
    for gpu, wait in (A100, "test_wait"), (H100, "try_wait"):
        assert select(
            instructions(write_copy(body), gpu), "cp", "mbarrier", "isspacep", "atom"
        ) == [
            "mbarrier.init.shared.b64",
            "cp.async.ca.shared.global",
            "cp.async.mbarrier.arrive.shared.b64",
            "mbarrier.arrive.shared.b64",
            f"mbarrier.{wait}.shared.b64",
        ]


@pytest.mark.parametrize(
    "call, gpu, expected",
    [
        ("barrier.arrive_and_drop();", H100, "arrive_drop.shared.b64"),
        ("(void)barrier.arrive(3);", H100, "arrive.shared.b64"),
        ("barrier.wait_parity(n);", H100, "try_wait.parity.shared.b64"),
        ("barrier.wait_parity(n);", A100, "test_wait.parity.shared.b64"),
        ("if (barrier.try_wait_parity(n)) out[0] = 1;", H100, "try_wait.parity.shared.b64"),
    ],
)
def test_the_other_functions_of_a_barrier_are_instructions(instructions, call, gpu, expected):
    found = select(instructions(write_copy(call), gpu), "mbarrier")
    assert found == ["mbarrier.init.shared.b64", f"mbarrier.{expected}"]


def test_several_arrivals_of_a_thread_complete_a_phase_with_the_last(instructions):
    found = select(instructions(write_copy("(void)barrier.arrive(3);"), A100), "mbarrier.arrive")
    assert found == ["mbarrier.arrive.noComplete.shared.b64", "mbarrier.arrive.shared.b64"]


def test_barriers_with_a_completion_or_for_several_blocks_are_software(instructions):
    for kind in (
        "cuda::barrier<cuda::thread_scope_block, Nothing>",
        "cuda::barrier<cuda::thread_scope_device>",
    ):
        source = f"""#include <cuda/barrier>
        struct Nothing {{ __device__ void operator()() {{}} }};
        __global__ void k() {{
          __shared__ {kind} barrier;
          if (threadIdx.x == 0) init(&barrier, blockDim.x);
          __syncthreads();
          barrier.arrive_and_wait();
        }}"""
        assert select(instructions(source, H100), "mbarrier") == []


def test_the_address_space_of_an_unknown_barrier_is_tested(instructions):
    source = """#include <cuda/barrier>
    typedef cuda::barrier<cuda::thread_scope_block> Barrier;
    __global__ void k(Barrier** barriers) { barriers[blockIdx.x]->arrive_and_wait(); }"""
    found = instructions(source, H100)
    assert "isspacep.shared" in found and "mbarrier.arrive.shared.b64" in found
    assert any(i.startswith("atom.") for i in found)


def test_a_stage_of_a_pipeline_is_a_group_of_copies(instructions):
    body = """auto pipe = cuda::make_pipeline();
    for (int stage = 0; stage < 2; ++stage) {
      pipe.producer_acquire();
      cuda::memcpy_async(tile + 32 * stage, in + 32 * stage, 4, pipe);
      pipe.producer_commit();
    }
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    out[i] += tile[i];
    pipe.consumer_release();
    pipe.consumer_wait();
    """
    found = select(instructions(write_copy(body), A100), "cp")
    assert (
        found
        == ["cp.async.ca.shared.global", "cp.async.commit_group"] * 2 + ["cp.async.wait_group"] * 2
    )


def test_stages_of_a_block_end_with_a_barrier_in_hardware(instructions):
    body = """__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(256), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();"""
    found = select(instructions(write_copy(body), H100), "cp", "mbarrier.arrive", "mbarrier.try")
    assert found == [
        "cp.async.cg.shared.global",
        "cp.async.mbarrier.arrive.shared.b64",
        "mbarrier.arrive.shared.b64",
        "mbarrier.try_wait.parity.shared.b64",
    ]


def test_functions_of_c_are_instructions(instructions):
    body = """__shared__ __mbarrier_t counter;
    if (i == 0) __mbarrier_init(&counter, 64);
    __syncthreads();
    __pipeline_memcpy_async(tile + i, in + i, 4);
    __pipeline_arrive_on(&counter);
    __mbarrier_token_t token = __mbarrier_arrive(&counter);
    while (!__mbarrier_test_wait(&counter, token)) {}
    __pipeline_commit();
    __pipeline_wait_prior(1);"""
    found = select(instructions(write_copy(body), A100), "cp", "mbarrier")[2:]
    assert found == [
        "cp.async.ca.shared.global",
        "cp.async.mbarrier.arrive.shared.b64",
        "mbarrier.arrive.shared.b64",
        "mbarrier.test_wait.shared.b64",
        "cp.async.commit_group",
        "cp.async.wait_group",
    ]


MULTIPLY = """
#include <mma.h>
using namespace nvcuda;
template <class T, class Sum, class Kept, int m, int n, int k, class A, class B>
__device__ void multiply(const Kept* a, const Kept* b, Sum* c) {
  __shared__ __align__(32) Sum results[m * n];
  wmma::fragment<wmma::matrix_a, m, n, k, T, A> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, T, B> fb;
  wmma::fragment<wmma::accumulator, m, n, k, Sum> sums;
  wmma::load_matrix_sync(fa, a, 64);
  wmma::load_matrix_sync(fb, b, 64);
  wmma::load_matrix_sync(sums, c, 64, wmma::mem_row_major);
  wmma::mma_sync(sums, fa, fb, sums);
  for (int e = 0; e < sums.num_elements; ++e)
    sums.x[e] = sums.x[e] + sums.x[e];
  wmma::store_matrix_sync(results, sums, 64, wmma::mem_col_major);
  c[threadIdx.x] = results[threadIdx.x];
}
__global__ void k(const KEPT* a, const KEPT* b, SUM* c) {
  multiply<TYPE, SUM, KEPT, SHAPE, wmma::A_major, wmma::B_major>(a, b, c);
}"""

# C++'s type of the factors, its type in memory, and that of the sums; PTX's types of factors and sums
HALF = ("half", "half", "float", "f16", "f32")
SHORT = ("half", "half", "half", "f16", "f16")
BFLOAT = ("__nv_bfloat16", "__nv_bfloat16", "float", "bf16", "f32")
SIGNED = ("signed char", "signed char", "int", "s8", "s32")
UNSIGNED = ("unsigned char", "unsigned char", "int", "u8", "s32")
TF32 = ("wmma::precision::tf32", "float", "float", "tf32", "f32")
DOUBLE = ("double", "double", "double", "f64", "f64")
KINDS = [
    (kind, shape)
    for kind in (HALF, SHORT, BFLOAT, SIGNED, UNSIGNED)
    for shape in ((16, 16, 16), (32, 8, 16), (8, 32, 16))
]
KINDS += [(TF32, (16, 16, 8)), (DOUBLE, (8, 8, 4))]


def write_product(kind, shape, a="row", b="col"):
    words = {"TYPE": kind[0], "KEPT": kind[1], "SUM": kind[2], "A_major": f"{a}_major"}
    words |= {"B_major": f"{b}_major", "SHAPE": ", ".join(map(str, shape))}
    return re.sub("|".join(words), lambda word: words[word.group()], MULTIPLY)


@pytest.mark.parametrize("a, b", [("row", "col"), ("col", "row")])
@pytest.mark.parametrize("kind, shape", KINDS)
def test_fragments_are_multiplied_by_tensor_cores(instructions, kind, shape, a, b):
    factors, sums = kind[3:]
    name = "m{}n{}k{}".format(*shape)
    types = f"{sums}.{sums}" if factors == "f16" else f"{sums}.{factors}.{factors}.{sums}"
    found = instructions(write_product(kind, shape, a, b), A100)
    assert select(found, "wmma", "shfl") == [
        f"wmma.load.a.sync.aligned.{a}.{name}.global.{factors}",
        f"wmma.load.b.sync.aligned.{b}.{name}.global.{factors}",
        f"wmma.load.c.sync.aligned.row.{name}.global.{sums}",
        f"wmma.mma.sync.aligned.{a}.{b}.{name}.{types}",
        f"wmma.store.d.sync.aligned.col.{name}.shared.{sums}",
    ]


def test_turing_multiplies_halves_and_chars_by_tensor_cores(instructions):
    for kind in HALF, SHORT, SIGNED, UNSIGNED:
        found = select(instructions(write_product(kind, (16, 16, 16)), T4), "wmma.mma")
        assert len(found) == 1
    for kind, shape in (TF32, (16, 16, 8)), (DOUBLE, (8, 8, 4)):
        assert select(instructions(write_product(kind, shape), T4), "wmma") == []


def test_turing_has_no_products_of_bfloat16(instructions):
    message = "tensor cores multiply __nv_bfloat16 from compute capability 8.0 on"
    with pytest.raises(heddle.TypingError, match=message):
        instructions(write_product(BFLOAT, (16, 16, 16)), T4)


def test_sums_in_half_start_from_sums_in_float(instructions):
    source = """#include <mma.h>
    using namespace nvcuda::wmma;
    __global__ void k(const half* a, half* d) {
      fragment<matrix_a, 16, 16, 16, half, row_major> fa;
      fragment<matrix_b, 16, 16, 16, half, col_major> fb;
      fragment<accumulator, 16, 16, 16, float> c;
      fragment<accumulator, 16, 16, 16, half> sums;
      load_matrix_sync(fa, a, 16);
      load_matrix_sync(fb, a, 16);
      fill_fragment(c, 1);
      mma_sync(sums, fa, fb, c);
      store_matrix_sync(d, sums, 16, mem_row_major);
    }"""
    found = select(instructions(source, A100), "wmma.mma")
    assert found == ["wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32"]


def test_sums_of_chars_saturate_in_hardware(instructions):
    source = write_product(SIGNED, (16, 16, 16)).replace("fa, fb, sums)", "fa, fb, sums, true)")
    found = select(instructions(source, A100), "wmma.mma")
    assert found == ["wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32.satfinite"]


def test_the_same_device_function_is_compiled_for_each_device(cpu):
    """The CPU device has the compute capability of an H100."""
    copied = cuda.declare_device(
        "copied",
        "int32(CPointer(int32))",
        link=cuda.CUSource("""#include <cuda_pipeline.h>
        extern "C" __device__ int copied(int* result, const int* from) {
          __shared__ int tile[32];
          __pipeline_memcpy_async(tile + threadIdx.x, from + threadIdx.x, 4);
          __pipeline_commit();
          __pipeline_wait_prior(0);
          *result = tile[threadIdx.x];
          return 0;
        }"""),
    )

    @cuda.jit
    def kernel(x, out):
        out[cuda.threadIdx.x] = copied(x) + 1

    x, out = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
    kernel[1, 32](x, out)
    np.testing.assert_array_equal(out, x + 1)
    ptx, _ = cuda.compile_ptx(kernel.py_func, (int32[::1], int32[::1]), cc=H100)
    assert "cp.async.ca.shared.global" in ptx
    kernel[1, 32](x, out)
    np.testing.assert_array_equal(out, x + 1)
