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
def programs():
    return [
        TOKEN.findall(p.read_text()) for folder in PROGRAMS for p in sorted(folder.glob("*.cu"))
    ]


def changed(rng):
    tokens = list(rng.choice(programs()))
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(tokens))
        rng.choice(CHANGES)(tokens, at, rng)
    return "".join(tokens)


def leave_out(tokens, at, rng):
    del tokens[at : at + rng.choice((1, 1, rng.randint(1, 10)))]


def put_in(tokens, at, rng):
    tokens.insert(at, f" {rng.choice(WORDS)} ")


def replace(tokens, at, rng):
    tokens[at] = f" {rng.choice(WORDS)} "


def exchange(tokens, at, rng):
    other = rng.randrange(len(tokens))
    tokens[at], tokens[other] = tokens[other], tokens[at]


def repeat(tokens, at, rng):
    tokens[at:at] = tokens[at : at + rng.randint(1, 30)]


def take_from_another(tokens, at, rng):
    other = rng.choice(programs())
    start = rng.randrange(len(other))
    tokens[at:at] = other[start : start + rng.randint(1, 20)]


CHANGES = leave_out, put_in, replace, exchange, repeat, take_from_another
