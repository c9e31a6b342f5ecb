"""Warp matrices in inline PTX (mma, ldmatrix, stmatrix, movmatrix), compared with NumPy."""

import ml_dtypes
import numpy as np
import pytest
from in_cuda_cpp import run

import heddle

# m, n, k, .type of the factors (two for a and b) and of the sums; NumPy's
PRODUCTS = [
    ((16, 8, 8), "f16", "f16", "f32", np.float16, np.float16, np.float32),
    ((16, 8, 16), "f16", "f16", "f32", np.float16, np.float16, np.float32),
    ((16, 8, 8), "f16", "f16", "f16", np.float16, np.float16, np.float16),
    ((16, 8, 16), "f16", "f16", "f16", np.float16, np.float16, np.float16),
    ((16, 8, 8), "bf16", "bf16", "f32", ml_dtypes.bfloat16, ml_dtypes.bfloat16, np.float32),
    ((16, 8, 16), "bf16", "bf16", "f32", ml_dtypes.bfloat16, ml_dtypes.bfloat16, np.float32),
    ((16, 8, 4), "tf32", "tf32", "f32", np.float32, np.float32, np.float32),
    ((16, 8, 8), "tf32", "tf32", "f32", np.float32, np.float32, np.float32),
    ((8, 8, 16), "s8", "s8", "s32", np.int8, np.int8, np.int32),
    ((16, 8, 16), "u8", "s8", "s32", np.uint8, np.int8, np.int32),
    ((16, 8, 32), "s8", "u8", "s32", np.int8, np.uint8, np.int32),
    ((8, 8, 4), "f64", "f64", "f64", np.float64, np.float64, np.float64),
]


def registers(matrix, size):
    """A factor's numbers by lane, register and position in it: groups of four lanes hold a row, `size` adjacent numbers
    each."""
    lines, length = matrix.shape
    split = matrix.reshape(lines // 8, 8, length // (4 * size), 4, size)
    return np.ascontiguousarray(split.transpose(1, 3, 2, 0, 4)).reshape(32, -1, size)


def sums_by_lane(matrix):
    """The rows and columns of a sum: two adjacent numbers in a row, in every eighth row."""
    split = matrix.reshape(-1, 8, 4, 2)
    return split.transpose(1, 2, 0, 3).copy().reshape(32, -1)


def mma(m, n, k, words, a, b, c):
    """Run mma on fragments in 32- or 64-bit registers, which the kernel reads from memory lane by lane."""
    is_double = words[1] == "f64"
    word = np.uint64 if is_double else np.uint32
    kept = "d" if is_double else "f" if words[2] == "f32" and c.dtype == np.float32 else "r"
    a, b = (np.ascontiguousarray(x).reshape(32, -1).view(word) for x in (a, b))
    c = c.view(word if kept == "r" else c.dtype)
    names = iter(range(100))
    sums = [f"%{next(names)}" for _ in range(c.shape[1])]
    lists = [[f"%{next(names)}" for _ in range(x.shape[1])] for x in (a, b)]
    braces = ["{" + ", ".join(x) + "}" for x in (sums, *lists, sums)]
    factor = "d" if is_double else "r"
    T, S = (
        ("double", "double") if is_double else ("unsigned", "float" if kept == "f" else "unsigned")
    )
    inputs = [f'"{factor}"(a[lane * {a.shape[1]} + {i}])' for i in range(a.shape[1])]
    inputs += [f'"{factor}"(b[lane * {b.shape[1]} + {i}])' for i in range(b.shape[1])]
    outputs = [f'"+{kept}"(c[lane * {c.shape[1]} + {i}])' for i in range(c.shape[1])]
    opcode = f"mma.sync.aligned.m{m}n{n}k{k}.row.col." + ".".join(words)
    source = f"""__global__ void k(const {T}* a, const {T}* b, {S}* c) {{
      int lane = threadIdx.x;
      asm volatile("{opcode} {", ".join(braces)};"
        : {", ".join(outputs)} : {", ".join(inputs)});
    }}"""
    if is_double:
        a, b = a.view(np.float64), b.view(np.float64)
    run(source, a, b, c, block=32)
    return c


@pytest.mark.parametrize("shape, type_a, type_b, type_sum, of_a, of_b, of_sum", PRODUCTS)
def test_a_warp_multiplies_matrices(cpu, shape, type_a, type_b, type_sum, of_a, of_b, of_sum):
    m, n, k = shape
    rng = np.random.default_rng(m + k)
    a = rng.integers(0 if type_a[0] == "u" else -8, 8, (m, k)).astype(of_a)
    b = rng.integers(0 if type_b[0] == "u" else -8, 8, (k, n)).astype(of_b)
    c = rng.integers(-8, 8, (m, n)).astype(of_sum)
    size = 1 if of_a == np.float64 else 4 // np.dtype(of_a).itemsize
    words = (type_sum, type_a, type_b, type_sum)
    d = mma(m, n, k, words, registers(a, size), registers(b.T, size), sums_by_lane(c))
    wide = np.int64 if np.dtype(of_sum).kind == "i" else np.float64
    expected = (a.astype(wide) @ b.astype(wide) + c).astype(of_sum)
    np.testing.assert_array_equal(d.view(of_sum), sums_by_lane(expected))


@pytest.mark.parametrize("saturates", [True, False])
def test_sums_of_bytes_saturate_if_asked(cpu, saturates):
    a, b = np.full((16, 16), 127, np.int8), np.full((8, 16), 127, np.int8)
    c = sums_by_lane(np.full((16, 8), 2**31 - 1, np.int32))
    words = ("satfinite." if saturates else "") + "s32", "s8", "s8", "s32"
    d = mma(16, 8, 16, words, registers(a, 4), registers(b, 4), c).view(np.int32)
    wrapped = np.int64(2**31 - 1 + 16 * 127 * 127).astype(np.uint32).view(np.int32)
    np.testing.assert_array_equal(d, np.full(c.shape, 2**31 - 1 if saturates else wrapped))


# The state space of an address, and its register: a generic address may point to shared memory.
SPACES = {
    ".shared": "unsigned at = __cvta_generic_to_shared(&%s)",
    "": "unsigned long long at = reinterpret_cast<unsigned long long>(&%s)",
}


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("transposes", [False, True])
@pytest.mark.parametrize("space", SPACES)
def test_matrices_are_read_from_shared_memory(cpu, count, transposes, space):
    """Rows are 24 numbers apart; each lane gets two adjacent numbers of each matrix."""
    matrices = np.arange(count * 64, dtype=np.uint16).reshape(count, 8, 8)
    rows = np.zeros((count * 8, 24), np.uint16)
    rows[:, :8] = matrices.reshape(-1, 8)
    results = ", ".join(f'"=r"(out[threadIdx.x * {count} + {i}])' for i in range(count))
    braces = "{" + ", ".join(f"%{i}" for i in range(count)) + "}"
    opcode = f"ldmatrix.sync.aligned.m8n8.x{count}{'.trans' * transposes}{space}.b16"
    address = SPACES[space] % f"s[threadIdx.x % ({count} * 8)][0]"
    constraint = "r" if space else "l"
    source = f"""__global__ void k(const unsigned short* in, unsigned* out) {{
      __shared__ unsigned short before[8], s[{count} * 8][24];
      before[0] = 1;
      for (int i = threadIdx.x; i < {count} * 8 * 24; i += 32) s[i / 24][i % 24] = in[i];
      __syncthreads();
      {address};
      asm volatile("{opcode} {braces}, [%{count}];" : {results} : "{constraint}"(at) : "memory");
    }}"""
    out = np.zeros((32, count), np.uint32)
    run(source, rows, out, block=32)
    seen = matrices.transpose(0, 2, 1) if transposes else matrices
    expected = np.ascontiguousarray(seen).reshape(count, 32, 2).transpose(1, 0, 2)
    np.testing.assert_array_equal(out.view(np.uint16).reshape(32, count, 2), expected)


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("transposes", [False, True])
@pytest.mark.parametrize("space", SPACES)
def test_matrices_are_written_to_shared_memory(cpu, count, transposes, space):
    matrices = np.arange(count * 64, dtype=np.uint16).reshape(count, 8, 8)
    held = matrices.reshape(count, 32, 2).transpose(1, 0, 2).copy().reshape(32, -1).view(np.uint32)
    inputs = ", ".join(f'"r"(in[threadIdx.x * {count} + {i}])' for i in range(count))
    braces = "{" + ", ".join(f"%{i + 1}" for i in range(count)) + "}"
    opcode = f"stmatrix.sync.aligned.m8n8.x{count}{'.trans' * transposes}{space}.b16"
    address = SPACES[space] % f"s[threadIdx.x % ({count} * 8)][0]"
    constraint = "r" if space else "l"
    source = f"""__global__ void k(const unsigned* in, unsigned short* out) {{
      __shared__ unsigned short s[{count} * 8][24];
      {address};
      asm volatile("{opcode} [%0], {braces};" :: "{constraint}"(at), {inputs} : "memory");
      __syncthreads();
      for (int i = threadIdx.x; i < {count} * 64; i += 32) out[i] = s[i / 8][i % 8];
    }}"""
    out = np.zeros((count, 8, 8), np.uint16)
    run(source, held, out, block=32)
    np.testing.assert_array_equal(out, matrices.transpose(0, 2, 1) if transposes else matrices)


def test_a_matrix_is_transposed_between_the_lanes(cpu):
    matrix = np.arange(64, dtype=np.uint16).reshape(8, 8)
    out = np.zeros(32, np.uint32)
    run(
        """__global__ void k(const unsigned* in, unsigned* out) {
      asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
        : "=r"(out[threadIdx.x]) : "r"(in[threadIdx.x]));
    }""",
        matrix.reshape(-1).view(np.uint32),
        out,
        block=32,
    )
    np.testing.assert_array_equal(out.view(np.uint16).reshape(8, 8), matrix.T)


@pytest.mark.parametrize(
    "assembly, message",
    [
        ("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", "CPUs support products of .f16"),
        ("mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32", "a must be .row, and b must be .col"),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "operand 2 has 4 registers"),
    ],
)
def test_a_product_that_is_not_there_is_refused(cpu, assembly, message):
    source = """__global__ void k(float* x) {
      asm volatile("OPCODE {%0, %1, %2, %3}, {%4}, {%4}, {%0, %1, %2, %3};"
        : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]) : "r"(1));
    }""".replace("OPCODE", assembly)
    with pytest.raises(heddle.UnsupportedError, match=message):
        run(source, np.zeros(4, "f"), block=32)
