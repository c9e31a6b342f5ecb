"""Pointers that leave their allocation in CUDA C++ kernels on the CPU device: an IndexError, and no other changes."""

import numpy as np
import pytest

from heddle import RawKernel, cuda
from heddle.compat import cupy


def guarded(count):
    """(an array of ones between 100 numbers on each side, all of these numbers)"""
    memory = np.full(count + 200, 7, np.float32)
    array = np.frombuffer(memory.data, np.float32, count, 100 * memory.itemsize)
    array[...] = 1
    return array, memory


SOURCE = r"""
__device__ int table[5];
extern "C" __global__ void k(float* a, const int* index, int kind) {
  __shared__ float s[6];
  extern __shared__ float dynamic[];
  float local[7];
  int i = index[threadIdx.x];
  if (kind == 0) a[i] = 1;
  if (kind == 1) s[i] = 1;
  if (kind == 2) dynamic[i] = 1;
  if (kind == 3) { for (int k = 0; k < 7; ++k) local[k] = k; local[i] = 1; a[0] = local[threadIdx.x]; }
  if (kind == 4) table[i] = 1;
  if (kind == 5) atomicAdd(&a[i], 1.0f);
  if (kind == 6) ((float4*)a)[i] = make_float4(1, 2, 3, 4);
  if (kind == 7) memcpy(a + 4, a, i * sizeof(float));
  if (kind == 8) { float* p = a; for (int k = 0; k < i + 1; ++k) *p++ = 1; }
}
"""
SIZES = [8, 6, 9, 7, 5, 8, 2, 5, 8]


@pytest.mark.parametrize("width", ["1", "4", ""])
@pytest.mark.parametrize("kind", range(9))
def test_pointers_of_cuda_cpp_are_checked(cpu, monkeypatch, kind, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    kernel = RawKernel(SOURCE, "k")
    a, memory = guarded(8)
    kernel((1,), (1,), (a, np.full(1, SIZES[kind] - 1, np.int32), kind), shared_mem=36)
    with pytest.raises(IndexError, match=rf":{kind + 8}: index \d+ is out of bounds of") as error:
        kernel((1,), (1,), (a, np.full(1, SIZES[kind], np.int32), kind), shared_mem=36)
        cuda.synchronize()
    assert "kernel k, block (0, 0, 0), thread (0, 0, 0)" in str(error.value)
    assert (memory[:100] == 7).all() and (memory[-100:] == 7).all()


@pytest.mark.parametrize("part", ["memory", "memory.view(16, 24)"])
def test_pointers_to_allocated_memory_are_checked(cpu, part):
    kernel = RawKernel('extern "C" __global__ void k(int* p, int n) { p[n] = 1; }', "k")
    memory = cuda.current_context().memalloc(40)
    first = 0 if part == "memory" else 4
    kernel((1,), (1,), (eval(part), 9 - first))
    with pytest.raises(IndexError, match=f"index {10 - first} is out of bounds of 'p'"):
        kernel((1,), (1,), (eval(part), 10 - first))
        cuda.synchronize()


def test_addresses_as_numbers_are_checked_against_their_buffer(cpu):
    kernel = RawKernel('extern "C" __global__ void k(int* p, int n) { p[n] = 1; }', "k")
    array = cuda.device_array(10, np.int32)
    address = array.device_ctypes_pointer.value
    kernel((1,), (1,), (address + 8, 7))
    kernel((1,), (1,), (address + 8, -2))
    for index in (8, -3):
        with pytest.raises(IndexError, match=f"index {index} is out of bounds of 'p'"):
            kernel((1,), (1,), (address + 8, index))
            cuda.synchronize()


@pytest.mark.parametrize(
    "copy",
    [
        "memcpy(out, &p, 32)",
        "memcpy(&p, out, 32)",
        "Pair* q = &p; out[0] = ((float*)q)[6]",
        "void* q = &p; float* r = (float*)q + 4; r[2] = 1",
    ],
)
def test_copies_past_a_local_structure_are_checked(cpu, copy):
    kernel = RawKernel(
        "struct Pair { double x, y; int n; };"
        'extern "C" __global__ void k(float* out) { Pair p = {1, 2, 3}; '
        + copy
        + "; *out = p.n; }",
        "k",
    )
    with pytest.raises(IndexError, match="index (24|6) is out of bounds of 'p', which has"):
        kernel((1,), (1,), (np.zeros(8, np.float32),))


def test_a_pointer_to_a_part_reaches_the_whole_array(cpu):
    kernel = RawKernel(
        'extern "C" __global__ void k(float* a) { a[-1] = 2; a[(int)threadIdx.x + 4] = 3; }', "k"
    )
    whole = np.zeros(10, np.float32)
    kernel((1,), (1,), (whole[3:6],))
    assert whole[2] == 2 and whole[7] == 3
    with pytest.raises(IndexError, match="index 7 is out of bounds of 'a', which has 7 elements"):
        kernel((1,), (4,), (whole[3:6],))
        cuda.synchronize()


def test_device_arrays_are_checked_against_their_buffer(cpu):
    kernel = RawKernel('extern "C" __global__ void k(int* a, int i) { a[i] = 1; }', "k")
    a = cuda.to_device(np.zeros(10, np.int32))
    kernel((1,), (1,), (a, 9))
    with pytest.raises(IndexError, match="which has 10 elements"):
        kernel((1,), (1,), (a, 10))
        cuda.synchronize()


EMPTY = [
    lambda: np.zeros(0, np.float32),
    lambda: np.zeros((0, 5), np.float32),
    lambda: cuda.to_device(np.zeros(0, np.float32)),
    lambda: np.ndarray(0, np.float32, np.zeros(10, np.float32), 40),  # at the end of its memory
    lambda: np.zeros(2, np.uint8).view(np.uint16),  # fewer bytes than an element
]


@pytest.mark.parametrize("width", ["1", "4", ""])
@pytest.mark.parametrize("make", EMPTY)
@pytest.mark.parametrize("index", ["threadIdx.x", "0", "i", "threadIdx.x + 100000 * i"])
def test_memory_without_an_element_has_no_index(cpu, monkeypatch, width, make, index):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    kernel = RawKernel(
        f'extern "C" __global__ void k(void* a, int i) {{ ((float*)a)[{index}] = 1; }}', "k"
    )
    with pytest.raises(
        IndexError, match=r"index \d+ is out of bounds of 'a', which has \d+ elements"
    ):
        kernel((1,), (32,), (make(), 7))
        cuda.synchronize()


@pytest.mark.parametrize("width", ["1", "4", ""])
@pytest.mark.parametrize("bytes", [0, 3])
@pytest.mark.parametrize("offset", [0, 5000, 1000000])
def test_a_launch_without_shared_mem_has_no_dynamic_shared_memory(
    cpu, monkeypatch, width, bytes, offset
):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    kernel = RawKernel(
        """extern "C" __global__ void k(float* a, int offset) {
          extern __shared__ float d[];
          d[threadIdx.x + offset] = threadIdx.x;
          __syncthreads();
          a[threadIdx.x] = d[(threadIdx.x ^ 1) + offset];
        }""",
        "k",
    )
    with pytest.raises(IndexError, match=r":3: index \d+ .* 0 elements\n  hint: .*shared_mem"):
        kernel((1,), (32,), (np.zeros(32, np.float32), offset), shared_mem=bytes)
        cuda.synchronize()


def test_a_loop_over_missing_dynamic_shared_memory_is_checked(cpu):
    kernel = RawKernel(
        """extern "C" __global__ void k(int n) {
          extern __shared__ int d[];
          for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = -1;
        }""",
        "k",
    )
    kernel((4,), (32,), (0,))
    with pytest.raises(IndexError, match="0 elements"):
        kernel((4,), (32,), (1000000,))
        cuda.synchronize()


FILL = 'extern "C" __global__ void k(float* a, int i) { a[(int)threadIdx.x + i] = 1; }'


@pytest.mark.parametrize("make", [RawKernel, cupy.RawKernel])
@pytest.mark.parametrize("kind", ["whole", "view", "pointer", "unowned", "empty"])
def test_arrays_of_cupy_are_checked_against_their_memory(cpu, make, kind):
    kernel = make(FILL, "k")
    whole = cupy.zeros(128, np.float32)  # all of a piece of the pool's memory
    middle = whole.data + 256
    unowned = cupy.cuda.MemoryPointer(cupy.cuda.UnownedMemory(middle.ptr, 128, whole), 0)
    array, before, after = {
        "whole": (whole, 0, 128),
        "view": (whole[64:], 64, 64),
        "pointer": (middle, 64, 64),
        "unowned": (cupy.ndarray(8, np.float32, memptr=unowned), 0, 32),
        "empty": (cupy.zeros(0, np.float32), 0, 0),
    }[kind]
    if before + after:
        kernel((1,), (before + after,), (array, np.int32(-before)))
        assert cupy.asnumpy(whole).sum() == before + after
    for start, threads in [
        (after, 1),
        (-before - 1, 1),
        (-before, before + after + 1),
        (10**6, 64),
    ]:
        with pytest.raises(IndexError, match=f"out of bounds of 'a', which has {after} elements"):
            kernel((1,), (threads,), (array, np.int32(start)))
            cuda.synchronize()


SHORT = [
    lambda: cupy.zeros(10, np.float32),
    lambda: cupy.arange(12, dtype=np.float32)[2:],
    lambda: cupy.zeros(10, np.float32).data,
    lambda: cupy.zeros((5, 2), np.float32).T,
    lambda: cupy.cuda.MemoryAsyncPool().malloc(40),
    lambda: cupy.cuda.malloc_managed(40),
    lambda: cupy.ndarray(10, np.float32, memptr=cupy.cuda.alloc(4)),  # larger than requested
]


@pytest.mark.parametrize("make", SHORT)
def test_memory_of_cupy_ends_after_the_requested_bytes(cpu, make):
    kernel = cupy.RawKernel(FILL, "k")
    array = make()
    kernel((1,), (10,), (array, 0))
    with pytest.raises(IndexError, match="index 10 is out of bounds of 'a', which has 10 elements"):
        kernel((1,), (11,), (array, 0))
        cuda.synchronize()


def test_a_view_in_cupy_reaches_the_array_it_was_cut_from(cpu):
    kernel = cupy.RawKernel(FILL, "k")
    whole = cupy.zeros(20, np.float32)
    kernel((1,), (20,), (whole[5:10], -5))
    assert whole.sum() == 20
    for start in -6, 15:
        with pytest.raises(IndexError, match="which has 15 elements"):
            kernel((1,), (1,), (whole[5:10], start))
            cuda.synchronize()


def test_short_raw_arguments_of_elementwise_kernels_are_checked(cpu):
    kernel = cupy.ElementwiseKernel("raw T x, int32 start", "T y", "y = x[i + start]", "shifted")
    with pytest.raises(IndexError, match="which has 10 elements"):
        kernel(cupy.arange(10, dtype=np.float32), 5, cupy.zeros(6, np.float32))
        cuda.synchronize()


def test_raw_arguments_of_elementwise_kernels_are_checked(cpu):
    kernel = cupy.ElementwiseKernel("raw T x, int32 start", "T y", "y = x[i + start]", "shifted")
    x = cupy.arange(128, dtype=np.float32)
    y = cupy.zeros(64, np.float32)
    kernel(x, 64, y)
    assert (cupy.asnumpy(y) == np.arange(64, 128)).all()
    for start in (65, -1, 10**6):
        with pytest.raises(IndexError, match="which has 128 elements"):
            kernel(x, start, y)
            cuda.synchronize()


# A body that chooses a pointer; n and w that it is right with; others that leave the memory, and its elements.
# a has 32 elements, b 16.
CHOICES = {
    "select": ("float* p = w ? a : b; p[n] = 3;", (31, 1), [(32, 1, 32), (16, 0, 16), (-1, 1, 32)]),
    "offsets": (
        "float* p = w ? a + 4 : b + 2; p[n] = 3;",
        (27, 1),
        [(28, 1, 32), (14, 0, 16), (-5, 1, 32), (-3, 0, 16)],
    ),
    "threads": (
        "float* p = threadIdx.x & 1 ? a : b; p[n + (int)threadIdx.x] = 3;",
        (9, 1),
        [(10, 1, 16), (10**6, 1, r"\d+")],
    ),
    "branches": (
        "float* p; if (w == 1) p = a; else if (w == 2) p = b; else p = a + 1; p[n] = 3;",
        (31, 1),
        [(32, 1, 32), (16, 2, 16), (31, 3, 32)],
    ),
    "switch": (
        "float* p = a; switch (w) { case 0: p = b; break; case 1: p = a + 2; break; case 2: p = b + 1; } p[n] = 3;",
        (31, 3),
        [(32, 3, 32), (30, 1, 32), (15, 2, 16), (16, 0, 16)],
    ),
    "null": ("float* p = 0; if (w) p = a; p[n] = 3;", (31, 1), [(32, 1, 32), (0, 0, 0), (5, 0, 0)]),
    "walk": (
        "float* p = w ? a : b; for (int i = 0; i < n; ++i) *p++ = 1;",
        (32, 1),
        [(33, 1, 32), (17, 0, 16)],
    ),
    "rewound": (
        "float* p = a; while (n-- > 0) { if (n == w) p = b; *p = 1; p += 1; }",
        (32, -1),
        [(33, -1, 32), (18, 16, 16)],
    ),
    "shared": (
        "__shared__ float s[8]; float* p = w ? s : a; p[n] = 3; __syncthreads(); a[0] = s[0];",
        (7, 1),
        [(8, 1, 8), (32, 0, 32)],
    ),
    "dynamic": (
        "extern __shared__ float d[]; float* p = w ? d : a; p[n] = 3;",
        (31, 0),
        [(0, 1, 0)],
    ),
    "locals": (
        "float x[4] = {1, 2, 3, 4}, y[3] = {4, 5, 6}; float* p = w ? x : y; p[n] = 7; a[0] = x[w + 1] + y[w];",
        (3, 1),
        [(4, 1, 4), (3, 0, 3)],
    ),
    "atomic": (
        "float* p = w ? a : b; atomicAdd(p + n, 1.0f);",
        (31, 1),
        [(32, 1, 32), (16, 0, 16)],
    ),
    "function": (
        "auto pick = [&](int q) { return q ? a : b; }; pick(w)[n] += pick(1)[0];",
        (31, 1),
        [(32, 1, 32), (16, 0, 16)],
    ),
}


@pytest.mark.parametrize("width", ["1", "4", ""])
@pytest.mark.parametrize("choice", CHOICES)
def test_pointers_that_the_program_chooses_are_checked(cpu, monkeypatch, width, choice):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    body, right, wrong = CHOICES[choice]
    kernel = RawKernel(
        f'extern "C" __global__ void k(float* a, float* b, int n, int w) {{ {body} }}', "k"
    )
    (a, around_a), (b, around_b) = guarded(32), guarded(16)
    kernel((1,), (8,), (a, b, *right))
    for n, w, extent in wrong:
        message = rf"index -?\d+ is out of bounds of .*, which has {extent} elements"
        with pytest.raises(IndexError, match=message):
            kernel((1,), (8,), (a, b, n, w))
            cuda.synchronize()
    for memory in (around_a, around_b):
        assert (memory[:100] == 7).all() and (memory[-100:] == 7).all()


@pytest.mark.parametrize("width", ["1", "4", ""])
@pytest.mark.parametrize("steps", range(5))
def test_arrays_that_a_loop_swaps_are_checked(cpu, monkeypatch, width, steps):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    kernel = RawKernel(
        """extern "C" __global__ void jacobi(float* a, float* b, int first, int steps) {
          int i = (int)threadIdx.x + first;
          for (int s = 0; s < steps; ++s) {
            b[i] = (a[i - 1] + a[i + 1]) / 2;
            __syncthreads();
            float* t = a; a = b; b = t;
          }
        }""",
        "jacobi",
    )
    numbers = np.random.default_rng(1).random((2, 34)).astype(np.float32)
    (a, around_a), (b, around_b) = guarded(34), guarded(34)
    a[...], b[...] = numbers
    kernel((1,), (32,), (a, b, 1, steps))
    now, then = numbers
    for _ in range(steps):
        then[1:-1] = (now[:-2] + now[2:]) / 2
        now, then = then, now
    np.testing.assert_array_equal([a, b], numbers)
    for first in (0, 2, 10**6):
        if steps:
            with pytest.raises(IndexError, match="of 'a' or 'b'|of 'b' or 'a'"):
                kernel((1,), (32,), (a, b, first, steps))
                cuda.synchronize()
    for memory in (around_a, around_b):
        assert (memory[:100] == 7).all() and (memory[-100:] == 7).all()


def test_a_pointer_that_may_be_of_unknown_memory_is_not_checked(cpu):
    kernel = RawKernel(
        """extern "C" __global__ void k(float* a, float** table, int w) {
          float* p = w ? a : table[0];
          p[threadIdx.x] = 3;
        }""",
        "k",
    )
    a, b = np.zeros(8, np.float32), np.zeros(16, np.float32)
    table = np.array([b.ctypes.data], np.uint64)
    kernel((1,), (8,), (a, table.view(np.uint64), 1))
    kernel((1,), (16,), (a, table, 0))
    assert (a == 3).all() and (b == 3).all()


@pytest.mark.parametrize(
    "declaration", ["__shared__ float s[4];", "struct S { float x; }; __shared__ S s[4];"]
)
def test_messages_name_shared_arrays_as_the_source_does(cpu, declaration):
    element = "s[i].x" if "struct" in declaration else "s[i]"
    code = (
        f"template<class T> __device__ void fill(T v, int i) {{ {declaration} {element} = v; }}\n"
        'extern "C" __global__ void k(int i) { fill(2.0, i); }\n'
        "namespace n { __device__ float s[4]; }\n"
        'extern "C" __global__ void l(int i) { n::s[i] = 1; }\n'
    )
    for name in ("k", "l"):
        with pytest.raises(
            IndexError, match="index 4 is out of bounds of 's', which has 4 elements"
        ):
            RawKernel(code, name)((1,), (1,), (4,))
            cuda.synchronize()


LOCALS = {
    "variable": "float* p = x; p[i] = 7;",
    "offset": "float* p = x + 1; p[i - 1] = 7;",
    "parameter": "set(x, i);",
    "reference": "set_array(x, i);",
    "structure": "Four four = {x}; four.p[i] = 7;",
    "atomic": "float* p = x; atomicAdd(p + i, 7.0f);",
    "copy": "float* p = x; float y[4] = {7}; memcpy(p + i, y, 4);",
    "copy from": "float* p = x; memcpy(a, p + i, 4);",
}


@pytest.mark.parametrize("width", ["1", "4", ""])
@pytest.mark.parametrize("way", LOCALS)
def test_local_arrays_are_checked_where_a_pointer_leads_to_them(cpu, monkeypatch, width, way):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    kernel = RawKernel(
        f"""struct Four {{ float* p; }};
        __device__ void set(float* q, int i) {{ q[i] = 7; }}
        __device__ void set_array(float (&q)[4], int i) {{ q[i] = 7; }}
        extern "C" __global__ void k(float* a, int i, int shown) {{
          float x[4] = {{0, 0, 0, 0}};
          {LOCALS[way]}
          a[threadIdx.x + 1] = x[shown];
        }}""",
        "k",
    )
    a, _ = guarded(9)
    kernel((1,), (8,), (a, 3, 3))
    assert (a[1:] == (0 if way == "copy from" else 7)).all()
    for i in (4, -1, 10**6):
        with pytest.raises(IndexError, match=r"index -?\d+ is out of bounds of 'x'"):
            kernel((1,), (8,), (a, i, 3))
            cuda.synchronize()


def test_an_access_larger_than_its_variable_is_described_in_bytes(cpu):
    """The square root of a well-known game: `long` has 8 bytes on Linux."""
    source = """__global__ void k(float* x) {
      float y = x[0];
      long i = *(long*)&y;
      i = 0x5f3759df - (i >> 1);
      x[0] = *(float*)&i;
    }"""
    with pytest.raises(
        IndexError, match="3: an access of 8 bytes is out of bounds of 'y', which has 4 bytes"
    ):
        RawKernel(source, "k")((1,), (1,), (np.ones(1, "f"),))


def test_a_launch_with_the_grid_last_is_explained_for_every_kind_of_kernel(device):
    kernel = RawKernel("__global__ void k(float* x) {}", "k")
    with pytest.raises(ValueError, match=r"hint: .*: grid 10000 and block \(8, 4\) may be meant"):
        kernel((8, 4), (10_000,), (None,))
