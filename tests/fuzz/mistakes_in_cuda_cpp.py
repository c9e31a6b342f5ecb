"""CUDA C++ programs changed token by token."""

import functools
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "python" / "cuda_programs", HERE / "programs_with_libraries"
TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
# Tokens to insert; a directive has its own line.
WORDS = (
    """
__global__ __device__ __shared__ __constant__ __host__ __restrict__ __noinline__ __launch_bounds__(1024)
extern "C" template < > ( ) { } ; , * & && :: ... struct class union enum namespace using friend typedef operator
auto int unsigned long float double void char bool __half float4 __int128 _Complex __bf16 const volatile static
constexpr inline thread_local register mutable alignas(4096) __align__(16) __attribute__((vector_size(64)))
return if else for while do switch case default break continue goto try throw this new delete virtual typename
sizeof alignof decltype concept requires co_await nullptr [[noreturn]] [] [ ] lambda asm
cub::BlockReduce<float,64> cg::tiled_partition<64>(block) cuda::std::optional<int> thrust::seq curandState curand(&own)
cuda::atomic<int> cuDoubleComplex complex<double> float16 <cub/warp/warp_scan.cuh> <cuda/std/variant> <curand_kernel.h>
__syncthreads() threadIdx.x blockDim threadIdx printf assert atomicAdd __shfl_sync(-1,0,0)
__builtin_unreachable() __builtin_trap() 0 1 -1 1000000000 0.5f 1e400 'abcd' "text" ~ ! + - / % << >> <<< >>> ? : = ==
""".split()
    + ["#define X X\n", "#if 0\n", "#include __FILE__\n", "#pragma unroll\n", "asm volatile("]
)


@functools.cache
def read_programs():
    return [
        TOKEN.findall(p.read_text()) for folder in PROGRAMS for p in sorted(folder.glob("*.cu"))
    ]


def make_mistake(rng):
    tokens = list(rng.choice(read_programs()))
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(tokens))
        rng.choice(CHANGES)(tokens, at, rng)
    return "".join(tokens)


def remove_tokens(tokens, at, rng):
    del tokens[at : at + rng.choice((1, 1, rng.randint(1, 10)))]


def insert_token(tokens, at, rng):
    tokens.insert(at, f" {rng.choice(WORDS)} ")


def replace_token(tokens, at, rng):
    tokens[at] = f" {rng.choice(WORDS)} "


def swap_tokens(tokens, at, rng):
    other = rng.randrange(len(tokens))
    tokens[at], tokens[other] = tokens[other], tokens[at]


def repeat_tokens(tokens, at, rng):
    tokens[at:at] = tokens[at : at + rng.randint(1, 30)]


def insert_from_another_program(tokens, at, rng):
    other = rng.choice(read_programs())
    start = rng.randrange(len(other))
    tokens[at:at] = other[start : start + rng.randint(1, 20)]


CHANGES = (
    remove_tokens,
    insert_token,
    replace_token,
    swap_tokens,
    repeat_tokens,
    insert_from_another_program,
)
