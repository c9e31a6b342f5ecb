"""Structured dtypes in kernels: record arrays, their fields, records as arguments."""

import numpy as np
import pytest

from heddle import cuda, float32, from_dtype, njit, types
from heddle.errors import TypingError

point = np.dtype([("x", np.float32), ("n", np.int64)])
aligned = np.dtype([("tag", np.int8), ("x", np.float64), ("n", np.int16)], align=True)
nested = np.dtype([("id", np.uint8), ("at", point), ("m", np.int16, (2, 3)), ("ok", np.bool_)])


def points(count):
    made = np.zeros(count, point)
    made["x"] = np.arange(count) + 0.5
    made["n"] = np.arange(count) * 10
    return made


def test_fields_are_read_by_attribute_and_by_name(device):
    @cuda.jit
    def k(a, out):
        i = cuda.grid(1)
        out[i] = a[i].x + a[i]["n"]

    out = np.zeros(4)
    k[1, 4](points(4), out)
    np.testing.assert_array_equal(out, np.arange(4) * 11 + 0.5)


def test_fields_are_assigned_by_attribute_and_by_name(device):
    @cuda.jit
    def k(a):
        i = cuda.grid(1)
        a[i].x = i * 2
        a[i]["n"] = -i

    a = points(5)
    k[1, 5](a)
    np.testing.assert_array_equal(a["x"], np.arange(5) * 2)
    np.testing.assert_array_equal(a["n"], -np.arange(5))


def test_a_field_is_updated_in_place(device):
    @cuda.jit
    def k(a):
        i = cuda.grid(1)
        a[i].x += 1
        a[i]["n"] *= 2

    a = points(3)
    k[1, 3](a)
    np.testing.assert_array_equal(a["x"], [1.5, 2.5, 3.5])
    np.testing.assert_array_equal(a["n"], [0, 20, 40])


def test_fields_of_an_aligned_dtype_lie_where_numpy_puts_them(device):
    @cuda.jit
    def k(a):
        i = cuda.grid(1)
        a[i].tag, a[i].x, a[i].n = -i, i * 1.25, i + 100

    a = np.zeros(6, aligned)
    k[1, 6](a)
    np.testing.assert_array_equal(a["tag"], -np.arange(6))
    np.testing.assert_array_equal(a["x"], np.arange(6) * 1.25)
    np.testing.assert_array_equal(a["n"], np.arange(6) + 100)


def test_a_record_within_a_record(device):
    @cuda.jit
    def k(a):
        i = cuda.grid(1)
        a[i].at.x = 1.5
        a[i]["at"]["n"] = a[i].id

    a = np.zeros(2, nested)
    a["id"] = [7, 250]
    k[1, 2](a)
    np.testing.assert_array_equal(a["at"]["x"], [1.5, 1.5])
    np.testing.assert_array_equal(a["at"]["n"], [7, 250])


def test_a_field_that_is_an_array_is_a_view(device):
    @cuda.jit
    def k(a, out):
        m = a[0].m
        m[1, 2] = 30
        a[0]["m"][0, 1] = m.shape[0] * 10 + m.shape[1]
        for i in range(m.shape[0]):
            for j in range(m.shape[1]):
                out[0] += m[i, j]

    a, out = np.zeros(1, nested), np.zeros(1)
    k[1, 1](a, out)
    np.testing.assert_array_equal(a["m"], [[[0, 23, 0], [0, 0, 30]]])
    assert out[0] == 53


def test_a_bool_field(device):
    @cuda.jit
    def k(a):
        i = cuda.grid(1)
        a[i].ok = not a[i].ok

    a = np.zeros(2, nested)
    a["ok"] = [True, False]
    k[1, 2](a)
    np.testing.assert_array_equal(a["ok"], [False, True])


def test_one_field_of_every_record_is_an_array(device):
    @cuda.jit
    def k(a, out):
        i = cuda.grid(1)
        a["n"][i] = i
        out[i] = a.x[-1 - i]

    a, out = points(4), np.zeros(4)
    k[1, 4](a, out)
    np.testing.assert_array_equal(a["n"], np.arange(4))
    np.testing.assert_array_equal(out, points(4)["x"][::-1])


def test_one_array_field_of_every_record_has_its_axes_last(device):
    @cuda.jit
    def k(a, out):
        m = a["m"]
        out[0], out[1], out[2] = m.shape
        out[3] = m[1, 1, 2]

    a, out = np.zeros(5, nested), np.zeros(4, np.int64)
    a["m"][1, 1, 2] = 77
    k[1, 1](a, out)
    np.testing.assert_array_equal(out, [5, 2, 3, 77])


def test_a_record_is_copied_whole(device):
    @cuda.jit
    def k(a, b):
        i = cuda.grid(1)
        b[i] = a[a.size - 1 - i]

    a, b = np.zeros(3, nested), np.zeros(3, nested)
    a["id"], a["at"]["n"], a["m"][1] = [1, 2, 3], [4, 5, 6], 9
    k[1, 3](a, b)
    np.testing.assert_array_equal(b, a[::-1])


def test_a_field_that_is_an_array_is_assigned_whole(device):
    @cuda.jit
    def k(a, b):
        a[0].m = b
        a[1]["m"] = a[0].m
        a[1].m += 1
        a[2].m = 7

    a, b = np.zeros(3, nested), np.arange(6, dtype=np.int16).reshape(2, 3)
    k[1, 1](a, b)
    np.testing.assert_array_equal(a["m"], [b, b + 1, np.full((2, 3), 7)])


def test_one_field_of_every_record_is_assigned_at_once(device):
    @cuda.jit
    def k(a):
        a["n"] = 3
        a.x += a["n"]
        a["n"][1:] = 4

    a = points(3)
    k[1, 1](a)
    np.testing.assert_array_equal(a["x"], points(3)["x"] + 3)
    np.testing.assert_array_equal(a["n"], [3, 4, 4])


def test_records_are_copied_to_a_view(device):
    @cuda.jit
    def k(a, b):
        a[1:3] = b[:2]
        a[3:] = b[2]

    a, b = points(5), points(5)[::-1].copy()
    k[1, 1](a, b)
    np.testing.assert_array_equal(a, [points(5)[0], b[0], b[1], b[2], b[2]])


def test_a_field_of_complex_numbers(device):
    wave = np.dtype([("tag", np.int8), ("z", np.complex64)])

    @cuda.jit
    def k(a):
        i = cuda.grid(1)
        a[i].z = a[i].z * 1j + i
        a[i] = a[i]

    a = np.zeros(2, wave)
    a["z"] = [1 + 2j, 3 - 1j]
    k[1, 2](a)
    np.testing.assert_allclose(a["z"], [-2 + 1j, 2 + 3j], rtol=1e-6)  # products are fused


def test_a_large_record_is_copied_whole(device):
    large = np.dtype([("a", np.float64, (100,)), ("b", np.int8, (3,))])

    @cuda.jit
    def k(a, b):
        i = cuda.grid(1)
        b[i] = a[i]

    a, b = np.zeros(4, large), np.zeros(4, large)
    a["a"] = np.arange(400).reshape(4, 100)
    a["b"] = [1, 2, 3]
    k[1, 4](a, b)
    np.testing.assert_array_equal(b, a)


def test_a_tuple_is_assigned_to_a_record_field_by_field(device):
    @cuda.jit
    def k(a):
        i = cuda.grid(1)
        a[i] = (i, i * 3)

    a = points(3)
    k[1, 3](a)
    np.testing.assert_array_equal(a, np.array([(0, 0), (1, 3), (2, 6)], point))


def test_a_record_variable_is_the_place_itself(device):
    @cuda.jit
    def k(a):
        r = a[1]
        r.n = 5
        if a[0].n == 0:
            r = a[2]
        r.n += 1

    a = points(3)
    k[1, 1](a)
    np.testing.assert_array_equal(a["n"], [0, 5, 21])


def test_a_device_function_takes_and_returns_a_record(device):
    @cuda.jit(device=True)
    def pick(a, i):
        return a[i]

    @cuda.jit(device=True)
    def double(r):
        r.x *= 2

    @cuda.jit
    def k(a):
        double(pick(a, cuda.grid(1)))

    a = points(4)
    k[1, 4](a)
    np.testing.assert_array_equal(a["x"], points(4)["x"] * 2)


def test_a_record_argument_that_a_kernel_changes_is_changed(device):
    @cuda.jit
    def k(r):
        r.x = 4.5
        r.n = r.n + 1

    a = points(2)
    k[1, 1](a[1])
    np.testing.assert_array_equal(a, np.array([(0.5, 0), (4.5, 11)], point))


def test_a_recarray_and_its_record(device):
    @cuda.jit
    def k(a, r):
        a[0].n = r.n

    a = points(3).view(np.recarray)
    k[1, 1](a, a[2])
    assert a[0].n == 20


def test_records_in_shared_and_local_memory(device):
    kind = from_dtype(nested)

    @cuda.jit
    def k(a):
        i = cuda.grid(1)
        shared = cuda.shared.array(4, nested)
        own = cuda.local.array(2, dtype=kind)
        own[1].m[0, 0] = i
        shared[i] = own[1]
        shared[i].id = i * 2
        cuda.syncthreads()
        a[i].m[0, 0] = shared[3 - i].m[0, 0]
        a[i].id = shared[3 - i].id

    a = np.zeros(4, nested)
    k[1, 4](a)
    np.testing.assert_array_equal(a["m"][:, 0, 0], [3, 2, 1, 0])
    np.testing.assert_array_equal(a["id"], [6, 4, 2, 0])


def test_a_structured_global_array_is_frozen(device):
    table = points(4)

    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        out[i] = table[i].n + table["x"][i]

    out = np.zeros(4)
    k[1, 4](out)
    np.testing.assert_array_equal(out, np.arange(4) * 11 + 0.5)


def test_views_of_structured_arrays(device):
    @cuda.jit
    def k(a):
        i = cuda.grid(1)
        a[i].n += 1000

    a = points(10)
    k[1, 3](a[8:2:-2])
    np.testing.assert_array_equal(np.flatnonzero(a["n"] >= 1000), [4, 6, 8])


def test_a_field_of_a_packed_array_as_an_argument(device):
    @cuda.jit
    def k(n):
        n[cuda.grid(1)] += 1

    a = np.zeros(3, nested)
    k[1, 3](a["at"]["n"])
    np.testing.assert_array_equal(a["at"]["n"], [1, 1, 1])


def test_a_structured_device_array(device):
    @cuda.jit
    def k(a):
        a[cuda.grid(1)].x += 1

    a = cuda.to_device(points(4))
    k[1, 4](a)
    np.testing.assert_array_equal(a.copy_to_host()["x"], points(4)["x"] + 1)


def test_an_element_of_a_structured_device_array_is_a_device_record(device):
    @cuda.jit
    def k(r):
        r.n = 99

    a = cuda.to_device(points(4))
    r = a[2]
    k[1, 1](r)
    assert r["n"] == 99
    r["x"] = 8.5
    np.testing.assert_array_equal(a.copy_to_host()[2], np.array((8.5, 99), point))


def test_a_record_moved_to_the_device(device):
    @cuda.jit
    def k(r, out):
        out[0] = r.at.n

    r = np.zeros(1, nested)
    r["at"]["n"] = 17
    moved, out = cuda.to_device(r[0]), np.zeros(1)
    k[1, 1](moved, out)
    assert out[0] == 17
    assert moved["at"]["n"] == 17
    assert moved["m"].shape == (2, 3)


def test_atomics_work_on_a_field_of_every_record(device):
    @cuda.jit
    def k(a):
        cuda.atomic.add(a["x"], 0, 1.5)

    a = np.zeros(2, aligned)
    k[2, 32](a)
    np.testing.assert_array_equal(a["x"], [96, 0])


def test_a_signature_names_a_record(device):
    kind = from_dtype(aligned)

    @cuda.jit((kind[:], float32))
    def k(a, x):
        a[cuda.grid(1)].x = x

    a = np.zeros(3, aligned)
    k[1, 3](a, 2.5)
    np.testing.assert_array_equal(a["x"], [2.5, 2.5, 2.5])


def test_a_record_of_a_read_only_array_is_not_written():
    @cuda.jit
    def k(a):
        a[0].x = 1

    a = points(1)
    a.flags.writeable = False
    with pytest.raises(TypingError, match="cannot write to a read-only record"):
        k[1, 1](a)


def test_a_field_that_the_record_lacks_is_named():
    @cuda.jit
    def k(a):
        a[0].x = a[0]["y"]

    with pytest.raises(TypingError, match="the record has no field 'y'") as caught:
        k[1, 1](points(1))
    assert "its fields are x and n" in str(caught.value)


def test_an_attribute_that_is_no_field_is_not_assigned():
    @cuda.jit
    def k(a):
        a.color = 1

    with pytest.raises(TypingError, match="cannot assign to attribute 'color'"):
        k[1, 1](np.zeros(1))


def test_records_of_other_fields_are_not_copied():
    @cuda.jit
    def k(a, b):
        a[0] = b[0]

    with pytest.raises(TypingError, match="cannot store Record"):
        k[1, 1](points(1), np.zeros(1, aligned))


@pytest.mark.parametrize(
    "dtype, reason",
    [
        (
            [("x", ">f4")],
            "dtype >f4 (field 'x')\n  hint: bring them into this machine's byte order",
        ),
        ([("x", object)], "dtype object: they are Python objects"),
        ([("x", ">U4")], "dtype >U4"),
    ],
)
def test_a_field_that_kernels_have_no_type_for_is_named(dtype, reason):
    @cuda.jit
    def k(a):
        a[0]

    with pytest.raises(TypeError) as caught:
        k[1, 1](np.zeros(1, dtype))
    assert reason in str(caught.value)
    assert "(field 'x')" in str(caught.value)


def test_the_only_signature_takes_records_that_do_not_say_that_they_are_aligned(device):
    pair = np.dtype([("a", np.int32), ("b", np.float64)], align=True)

    @cuda.jit((from_dtype(pair)[:],))
    def k(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i].b = x[i].a

    x = np.recarray(3, dtype=pair)
    x.a, x.b = [1, 2, 3], 0
    k[1, 4](x)
    assert x.b.tolist() == [1, 2, 3]


def test_characters_of_a_text_of_a_record_are_numbers(device):
    named = np.zeros(2, [("name", "S4"), ("n", np.int32), ("title", "U2")])
    named["name"], named["title"] = [b"abc", b"wxyz"], ["é!", "x"]

    @cuda.jit
    def k(records):
        i = cuda.grid(1)
        r = records[i]
        r.n = r.name[1] + 1000 * r.title[0]

    d = cuda.to_device(named)
    k[1, 2](d)
    after = d.copy_to_host()
    assert after["n"].tolist() == [ord("b") + 1000 * ord("é"), ord("x") + 1000 * ord("x")]
    assert after["name"].tolist() == [b"abc", b"wxyz"]


@pytest.mark.parametrize("text", ["i4,(2,3)f8", "f8, i4", "i1,S3", "(2,)i4,f4"])
def test_structured_dtypes_are_named_by_texts(text):
    made = njit(lambda: np.zeros(3, text))()
    assert made.dtype == np.dtype(text)
    assert made.tobytes() == np.zeros(3, text).tobytes()


def test_fields_of_a_dtype_named_by_a_text_are_written():
    @njit
    def fill():
        a = np.zeros(2, "i4,(2,3)f8")
        a[1]["f1"][1, 2] = 5
        a[0].f0 = 3
        return a

    made = fill()
    assert (made["f0"].tolist(), made["f1"][1, 1, 2], made["f1"].sum()) == ([3, 0], 5, 5)


def test_a_wrong_text_is_not_a_dtype():
    with pytest.raises(TypingError, match="'i4,zz' is not the name of a type"):
        njit(lambda: np.zeros(3, "i4,zz"))()


more = np.dtype([("x", np.float32), ("n", np.int64), ("y", np.float64)])


def test_a_record_may_have_more_fields_than_declared(device):
    declared = njit(types.float64(from_dtype(point)))(lambda r: r.x + r.n)
    r = np.array([(1.5, 2, 3.0)], more)[0]
    assert declared(r) == 3.5

    @cuda.jit(types.void(from_dtype(point), types.float64[:]))
    def k(r, out):
        out[0] = r.x + r.n

    out = np.zeros(1)
    k[1, 1](r, out)
    assert out[0] == 3.5


def test_a_written_record_keeps_its_other_fields():
    @njit(types.int64(from_dtype(point)))
    def change(r):
        r.n += 1
        return r.n

    a = np.array([(1.5, 2, 3.0)], more)
    assert change(a[0]) == 3
    assert a[0].tolist() == (1.5, 3, 3.0)


@pytest.mark.parametrize(
    "other",
    [
        [("x", np.float32)],
        [("x", np.float32), ("m", np.int64), ("y", np.float64)],
        [("x", np.float32), ("n", np.int32), ("y", np.float64)],
        [("n", np.int64), ("x", np.float32), ("y", np.float64)],
    ],
)
def test_a_record_with_other_fields_than_declared_is_refused(other):
    declared = njit(types.float64(from_dtype(point)))(lambda r: r.x + r.n)
    with pytest.raises(TypeError, match="no signature"):
        declared(np.zeros(1, other)[0])
