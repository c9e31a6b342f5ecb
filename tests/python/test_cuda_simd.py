"""CUDA C++ intrinsics on several small integers in one word, and its memory functions, compared with NumPy."""

import numpy as np
import pytest
from in_cuda_cpp import run


def lanes(words, kind):
    """The lanes of the words, in a type that holds any result. kind: "s2", "u2", "s4" or "u4"."""
    bits = {"2": 16, "4": 8}[kind[1]]
    return words.view(f"{'i' if kind[0] == 's' else 'u'}{bits // 8}").astype("i4")


def packed(values, kind):
    """The words with those lanes; bits that do not fit are lost."""
    return values.astype({"2": "u2", "4": "u1"}[kind[1]]).view("u4")


def words(seed):
    """Random words, and words whose lanes are at the ends of their ranges."""
    ends = np.array(
        [0, 0x80808080, 0x7F7F7F7F, 0xFFFFFFFF, 0x80008000, 0x7FFF7FFF, 0x01010101], "u4"
    )
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [rng.integers(0, 2**32, 158, dtype="u4"), rng.permutation(ends), rng.permutation(ends)]
    )[:160]


def saturated(values, kind):
    bits = {"2": 16, "4": 8}[kind[1]]
    low = -(1 << bits - 1) if kind[0] == "s" else 0
    return np.clip(values, low, low + (1 << bits) - 1)


# The meaning of the name: whether lanes are signed, and a function of the lanes and their kind.
FUNCTIONS = {
    "__vadd": ("s", lambda x, y, kind: x + y),
    "__vaddss": ("s", lambda x, y, kind: saturated(x + y, kind)),
    "__vaddus": ("u", lambda x, y, kind: saturated(x + y, kind)),
    "__vsub": ("s", lambda x, y, kind: x - y),
    "__vsubss": ("s", lambda x, y, kind: saturated(x - y, kind)),
    "__vsubus": ("u", lambda x, y, kind: saturated(x - y, kind)),
    "__vabsdiffs": ("s", lambda x, y, kind: abs(x - y)),
    "__vabsdiffu": ("u", lambda x, y, kind: abs(x - y)),
    "__vavgs": ("s", lambda x, y, kind: np.sign(x + y) * ((abs(x + y) + 1) // 2)),
    "__vavgu": ("u", lambda x, y, kind: (x + y + 1) // 2),
    "__vhaddu": ("u", lambda x, y, kind: (x + y) // 2),
    "__vmaxs": ("s", lambda x, y, kind: np.maximum(x, y)),
    "__vmaxu": ("u", lambda x, y, kind: np.maximum(x, y)),
    "__vmins": ("s", lambda x, y, kind: np.minimum(x, y)),
    "__vminu": ("u", lambda x, y, kind: np.minimum(x, y)),
    "__vcmpeq": ("s", lambda x, y, kind: -(x == y).astype("i4")),
    "__vcmpne": ("s", lambda x, y, kind: -(x != y).astype("i4")),
    "__vcmplts": ("s", lambda x, y, kind: -(x < y).astype("i4")),
    "__vcmpleu": ("u", lambda x, y, kind: -(x <= y).astype("i4")),
    "__vcmpgtu": ("u", lambda x, y, kind: -(x > y).astype("i4")),
    "__vsetges": ("s", lambda x, y, kind: x >= y),
    "__vsetltu": ("u", lambda x, y, kind: x < y),
    "__vseteq": ("u", lambda x, y, kind: x == y),
}


@pytest.mark.parametrize("count", ["2", "4"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_lanes_of_two_words(device, name, count):
    source = """
    __global__ void k(const unsigned* a, const unsigned* b, unsigned* out) {
      out[threadIdx.x] = NAME(a[threadIdx.x], b[threadIdx.x]);
    }""".replace("NAME", name + count)
    a, b, out = words(1), words(2), np.zeros(160, "u4")
    run(source, a, b, out, block=160)
    signedness, function = FUNCTIONS[name]
    kind = signedness + count
    np.testing.assert_array_equal(out, packed(function(lanes(a, kind), lanes(b, kind), kind), kind))


@pytest.mark.parametrize("count", ["2", "4"])
@pytest.mark.parametrize(
    "name, function",
    [("__vneg", np.negative), ("__vabs", abs), ("__vnegss", np.negative), ("__vabsss", abs)],
)
def test_lanes_of_one_word(device, name, count, function):
    source = "__global__ void k(const unsigned* a, unsigned* out) { out[threadIdx.x] = NAME(a[threadIdx.x]); }"
    a, out = words(3), np.zeros(160, "u4")
    run(source.replace("NAME", name + count), a, out, block=160)
    kind = "s" + count
    expected = function(lanes(a, kind))
    np.testing.assert_array_equal(
        out, packed(saturated(expected, kind) if name.endswith("ss") else expected, kind)
    )


@pytest.mark.parametrize("kind", ["s2", "u2", "s4", "u4"])
def test_sums_of_absolute_differences(device, kind):
    source = """
    __global__ void k(const unsigned* a, const unsigned* b, unsigned* out) {
      out[threadIdx.x] = __vsadKIND(a[threadIdx.x], b[threadIdx.x]);
    }""".replace("KIND", kind)
    a, b, out = words(4), words(5), np.zeros(160, "u4")
    run(source, a, b, out, block=160)
    np.testing.assert_array_equal(out, abs(lanes(a, kind) - lanes(b, kind)).reshape(160, -1).sum(1))


@pytest.mark.parametrize("kind, type", [("s", "int"), ("u", "unsigned")])
def test_dot_products_of_halves_and_bytes(device, kind, type):
    source = """
    __global__ void k(const TYPE* a, const TYPE* b, TYPE* out) {
      out[2 * threadIdx.x] = __dp2a_lo(a[threadIdx.x], b[threadIdx.x], (TYPE)7);
      out[2 * threadIdx.x + 1] = __dp2a_hi(a[threadIdx.x], b[threadIdx.x], (TYPE)7);
    }""".replace("TYPE", type)
    a, b, out = words(6), words(7), np.zeros((160, 2), "u4")
    dtype = "i4" if kind == "s" else "u4"
    run(source, a.view(dtype), b.view(dtype), out.view(dtype), block=160)
    x, y = (
        lanes(a, kind + "2").reshape(160, 1, 2).astype("i8"),
        lanes(b, kind + "4").reshape(160, 2, 2),
    )
    np.testing.assert_array_equal(out, ((x * y).sum(2) + 7).astype("u4"))


def test_steps_of_dynamic_programming(device):
    source = """
    __global__ void k(int* out) {
      bool first;
      out[0] = __vimax3_s32(-1, 5, 3); out[1] = __vimin3_u32(7, ~0u, 9); out[2] = __viaddmax_s32(2, 3, 4);
      out[3] = __viaddmin_s32_relu(-9, 2, 4); out[4] = __vibmin_s32(4, 3, &first); out[5] = first;
    }"""
    out = np.zeros(6, "i4")
    run(source, out)
    assert out.tolist() == [5, 7, 5, 0, 3, 0]


@pytest.mark.parametrize("kind, type", [("s", "i2"), ("u", "u2")])
def test_steps_of_dynamic_programming_on_halfwords(device, kind, type):
    source = """
    __global__ void k(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out, bool* first) {
      int i = threadIdx.x, n = blockDim.x;
      out[i] = __vimax3_K16x2(a[i], b[i], c[i]);
      out[n + i] = __vimin3_K16x2(a[i], b[i], c[i]);
      out[2 * n + i] = __viaddmax_K16x2(a[i], b[i], c[i]);
      out[3 * n + i] = __viaddmin_K16x2(a[i], b[i], c[i]);
      out[4 * n + i] = __vibmax_K16x2(a[i], b[i], first + 4 * i + 1, first + 4 * i);
      out[5 * n + i] = __vibmin_K16x2(a[i], b[i], first + 4 * i + 3, first + 4 * i + 2);
    }""".replace("K", kind)
    a, b, c = words(8), words(9), words(10)
    a[:40] = b[:40]
    out, first = np.zeros((6, 160), "u4"), np.zeros((160, 2, 2), "?")
    run(source, a, b, c, out, first, block=160)
    x, y, z = a.view(type), b.view(type), c.view(type)
    more, less = np.maximum, np.minimum
    expected = [
        more(more(x, y), z),
        less(less(x, y), z),
        more(x + y, z),
        less(x + y, z),
        more(x, y),
        less(x, y),
    ]
    np.testing.assert_array_equal(out.view(type), expected)
    np.testing.assert_array_equal(first[:, 0].ravel(), x >= y)
    np.testing.assert_array_equal(first[:, 1].ravel(), x <= y)


def test_steps_of_dynamic_programming_on_halfwords_end_at_0(device):
    source = """
    __global__ void k(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out) {
      int i = threadIdx.x, n = blockDim.x;
      out[i] = __vimax3_s16x2_relu(a[i], b[i], c[i]);
      out[n + i] = __vimin3_s16x2_relu(a[i], b[i], c[i]);
      out[2 * n + i] = __viaddmax_s16x2_relu(a[i], b[i], c[i]);
      out[3 * n + i] = __viaddmin_s16x2_relu(a[i], b[i], c[i]);
      out[4 * n + i] = __vimax_s16x2_relu(a[i], b[i]);
      out[5 * n + i] = __vimin_s16x2_relu(a[i], b[i]);
    }"""
    a, b, c, out = words(11), words(12), words(13), np.zeros((6, 160), "u4")
    run(source, a, b, c, out, block=160)
    x, y, z = a.view("i2"), b.view("i2"), c.view("i2")
    more, less = np.maximum, np.minimum
    expected = [
        more(more(x, y), z),
        less(less(x, y), z),
        more(x + y, z),
        less(x + y, z),
        more(x, y),
        less(x, y),
    ]
    np.testing.assert_array_equal(out.view("i2"), more(expected, 0))


def test_memory_is_copied_moved_and_set(device):
    source = """
    #include <cstring>
    __global__ void k(unsigned char* x, int n) {
      memset(x, 7, n);
      memcpy(x + n, "abcd", 4);
      memmove(x + n + 1, x + n, 4);
    }"""
    x = np.zeros(8, "u1")
    run(source, x, 3)
    assert bytes(x) == b"\7\7\7aabcd"
