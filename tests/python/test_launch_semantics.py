"""Launches: arguments, variants, order, and the information that a kernel offers about itself."""

import gc
import os
import pickle
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import heddle
from heddle import cuda, float32, float64, int32, void


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


@cuda.jit
def shift(source, target):
    i = cuda.grid(1)
    if i < target.size:
        target[i] = source[i]


@cuda.jit
def spin(x, rounds):
    i = cuda.grid(1)
    for r in range(rounds):
        x[i] = x[i] * 0.5 + r


class Kernels:
    @cuda.jit
    def method(x, value):
        x[0] = value

    @staticmethod
    @cuda.jit
    def free(x):
        x[0] = 7


# Arrays


@pytest.mark.parametrize(
    "make", [np.zeros, lambda n: np.zeros(2 * n)[::2], lambda n: np.zeros(n + 1)[1:]]
)
def test_the_cpu_device_uses_a_host_array_in_place(cpu, make, monkeypatch):
    x = make(8)
    monkeypatch.setattr(np, "copy", lambda *_: pytest.fail("copied"))
    scale[1, 32](x, 2)
    shift[1, 32](cuda.In(np.arange(8.0)), cuda.Out(x))
    np.testing.assert_array_equal(x, np.arange(8))


def test_an_array_that_overlaps_another_is_read_as_it_was_before(device):
    x = np.arange(10.0)
    shift[1, 32](x[:-1], x[1:])
    np.testing.assert_array_equal(x, [0, 0, 1, 2, 3, 4, 5, 6, 7, 8])


def test_the_same_array_may_be_read_and_written(device):
    x = np.arange(10.0)
    add[1, 32](x, x, x)
    np.testing.assert_array_equal(x, 2 * np.arange(10))


def test_the_same_device_array_may_be_read_and_written(device):
    d = cuda.to_device(np.arange(10.0))
    add[1, 32](d, d, d)
    np.testing.assert_array_equal(d.copy_to_host(), 2 * np.arange(10))


def test_interleaved_views_of_one_array_may_be_read_and_written(device):
    x = np.arange(10.0)
    shift[1, 32](x[::2], x[1::2])
    np.testing.assert_array_equal(x, [0, 0, 2, 2, 4, 4, 6, 6, 8, 8])


def test_what_a_kernel_writes_to_an_in_array_is_not_seen(device):
    x = np.ones(10)
    scale[1, 32](cuda.In(x), 5)
    np.testing.assert_array_equal(x, 1)


def test_a_misaligned_array_is_changed_as_any_other(device):
    buffer = np.zeros(8 * 10 + 1, np.uint8)
    x = buffer[1:].view(np.float64)
    x[:] = 1
    scale[1, 32](x, 3)
    np.testing.assert_array_equal(x, 3)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "view", [np.s_[:, :], np.s_[::2, :], np.s_[:, ::-1], np.s_[1:, 1:]], ids=str
)
def test_an_array_of_any_layout_is_read_and_written(device, order, view):
    @cuda.jit
    def twice(source, target):
        i, j = cuda.grid(2)
        if i < target.shape[0] and j < target.shape[1]:
            target[i, j] = 2 * source[i, j]

    whole = np.asarray(np.arange(24.0).reshape(4, 6), order=order)
    source, target = whole[view], np.zeros((4, 6), order=order)[view]
    twice[(1, 1), (8, 8)](source, target)
    np.testing.assert_array_equal(target, 2 * source)


def test_arrays_of_another_layout_make_another_variant(device):
    kernel = cuda.jit(scale.py_func)
    kernel[1, 1](np.zeros(4), 1)
    kernel[1, 1](np.zeros(8)[::2], 1)
    kernel[1, 1](np.zeros(4, np.float32), 1)
    kernel[1, 1](np.zeros(6), 1)
    names = [str(arguments[0]) for arguments in kernel.signatures]
    assert names == ["array(float64, 1d, C)", "array(float64, 1d, A)", "array(float32, 1d, C)"]


def test_an_array_of_no_elements_is_launched(device):
    @cuda.jit
    def count(x, out):
        if cuda.grid(1) < x.size + 1:
            out[0] = x.size + 1

    for empty in (np.zeros(0), np.zeros((0, 3)).ravel(), cuda.device_array(0)):
        out = np.zeros(1)
        count[4, 32](empty, out)
        assert out[0] == 1


def test_an_array_of_no_dimensions_is_launched(device):
    @cuda.jit
    def put(x):
        x[()] = 3

    x = np.array(0.0)
    put[1, 1](x)
    assert x == 3


# Device arrays: what a variant is made for is looked at again in every launch


@cuda.jit
def chain(source, target):
    for i in range(1, target.size):
        target[i] = source[i - 1] + 1


@pytest.mark.parametrize("offset", [0, 1, 2, 3, 4, 7])
def test_a_device_array_may_start_anywhere(device, offset):
    whole, target = cuda.to_device(np.arange(1000, dtype=np.float32)), cuda.device_array(904)
    for first in (0, offset):
        add[8, 128](whole[first : first + 904], whole[first : first + 904], target)
        np.testing.assert_array_equal(target.copy_to_host(), 2 * np.arange(first, first + 904))


@pytest.mark.parametrize(
    "view", [np.s_[:, :], np.s_[::2, :], np.s_[:, 1::3], np.s_[:, 2], np.s_[1:, 1:]], ids=str
)
def test_a_view_of_a_device_array_is_read_and_written(device, view):
    @cuda.jit
    def negate(x):
        i = cuda.grid(1)
        if x.ndim == 1:
            if i < x.shape[0]:
                x[i] = -x[i]
        elif i < x.shape[0]:
            for j in range(x.shape[1]):
                x[i, j] = -x[i, j]

    expected = np.arange(24.0).reshape(4, 6)
    whole = cuda.to_device(expected)
    negate[1, 32](whole)
    negate[1, 32](whole[view])
    expected *= -1
    expected[view] *= -1
    np.testing.assert_array_equal(whole.copy_to_host(), expected)


def test_device_arrays_apart_once_may_overlap_the_next_time(device):
    x, y = cuda.to_device(np.zeros(32)), cuda.to_device(np.zeros(32))
    chain[1, 1](y, x)
    np.testing.assert_array_equal(x.copy_to_host()[1:], 1)
    chain[1, 1](x, x)
    np.testing.assert_array_equal(x.copy_to_host(), np.arange(32))
    chain[1, 1](x[:-1], x[1:])
    np.testing.assert_array_equal(x.copy_to_host(), (np.arange(32) + 1) // 2)


def test_a_device_array_may_be_in_a_tuple_and_beside_it(device):
    @cuda.jit
    def both(pair, x):
        for i in range(1, x.size):
            x[i] = pair[0][i - 1] + pair[1]

    x = cuda.to_device(np.zeros(16))
    both[1, 1]((x, 2), x)
    np.testing.assert_array_equal(x.copy_to_host(), 2 * np.arange(16))


# Scalars and tuples


@pytest.mark.parametrize(
    "value",
    [
        *(np.dtype(t).type(3) for t in "bhilqBHILQfd"),
        np.bool_(True),
        True,
        3,
        3.5,
        2**63,
        np.float64(2.5),
        np.int8(-3),
        np.uint64(2**64 - 1),
    ],
    ids=lambda v: f"{type(v).__name__}-{v}",
)
def test_a_scalar_arrives_as_it_is(device, value):
    @cuda.jit
    def put(x, v):
        x[0] = v

    x = np.zeros(1, np.asarray(value).dtype)
    put[1, 1](x, value)
    assert x[0] == value


def test_scalars_have_the_types_of_numba(device):
    @cuda.jit
    def take(a, b, c, d, e):
        pass

    take[1, 1](1, 1.0, True, np.float32(1), np.uint8(1))
    (arguments,) = take.signatures
    assert [str(t) for t in arguments] == ["int64", "float64", "bool", "float32", "uint8"]


def test_a_subclass_of_int_is_an_int(device):
    import enum

    class Color(enum.IntEnum):
        RED = 7

    x = np.zeros(1)
    Kernels.method[1, 1](x, Color.RED)
    assert x[0] == 7


def test_tuples_nest_and_hold_arrays(device):
    @cuda.jit
    def sum_of(x, t):
        a, (b, c), arrays = t
        x[0] = a + b * 10 + c * 100 + arrays[0][0] + arrays[1][1]

    x = np.zeros(1)
    sum_of[1, 1](x, (1, (2.5, np.int8(3)), (np.full(1, 1000.0), np.full(2, 20000))))
    assert x[0] == 1 + 25 + 300 + 1000 + 20000


def test_an_array_in_a_tuple_is_written(device):
    @cuda.jit
    def fill(arrays, value):
        arrays[0][cuda.grid(1)] = value

    x = np.zeros(4)
    fill[1, 4]((x,), 5)
    np.testing.assert_array_equal(x, 5)


def test_an_empty_tuple_is_launched(device):
    @cuda.jit
    def size(x, t):
        x[0] = len(t)

    x = np.ones(1)
    size[1, 1](x, ())
    assert x[0] == 0


@pytest.mark.parametrize(
    ("given", "expected"), [((), 5 + 30), ((1,), 1 + 30), ((1, (2, 3)), 1 + 20)]
)
def test_a_launch_may_leave_out_parameters_with_defaults(device, given, expected):
    @cuda.jit
    def put(x, a=5, t=(3, 4.0)):
        x[0] = a + 10 * t[0]

    x = np.zeros(1)
    put[1, 1](x, *given)
    assert x[0] == expected


# Geometry


@pytest.mark.parametrize(
    "dims",
    [4, (4,), [4], np.int64(4), np.uint8(4), (np.int32(4), 1), [4, 1, 1], np.array(4)],
    ids=repr,
)
def test_extents_are_ints_of_any_kind(device, dims):
    x = np.zeros(4)
    spin[dims, 1](x, 2)
    spin[1, dims](x, 2)
    assert (x != 0).all()


def test_forall_launches_enough_threads(device):
    x = np.ones(1000)
    scale.forall(x.size)(x, 4)
    scale.forall(0)(x, 4)
    scale.forall(x.size, tpb=64, stream=cuda.stream(), sharedmem=16)(x, 2)
    np.testing.assert_array_equal(x, 8)


def test_a_configured_kernel_may_be_kept(device):
    launch = scale[4, 32]
    x = np.ones(100)
    launch(x, 2)
    launch(x, 2)
    np.testing.assert_array_equal(x, 4)


# Signatures


@pytest.mark.parametrize(
    "signature",
    [
        "void(float32[:], float32)",
        "(float32[:], float32)",
        (float32[:], float32),
        void(float32[:], float32),
    ],
    ids=["string", "string_without_result", "tuple", "types"],
)
def test_a_kernel_with_a_signature_is_compiled_at_once(device, signature):
    kernel = cuda.jit(signature)(scale.py_func)
    assert len(kernel.overloads) == 1 and kernel.specialized
    x = np.ones(4, np.float32)
    kernel[1, 32](x, 2)
    np.testing.assert_array_equal(x, 2)


def test_arguments_are_converted_to_the_signature(device):
    @cuda.jit("void(float64[:], int32, float32, boolean)")
    def put(x, i, f, b):
        x[0], x[1], x[2] = i, f, b

    x = np.zeros(3)
    put[1, 1](x, 3.9, 0.1, 7)
    np.testing.assert_array_equal(x, [3, np.float32(0.1), 1])


@pytest.mark.parametrize(
    ("declared", "value", "error"),
    [
        ("int32", 1e12, OverflowError),
        ("int8", np.float32(-129), OverflowError),
        ("uint64", -1.0, OverflowError),
        ("int64", float("inf"), OverflowError),
        ("int64", float("nan"), ValueError),
    ],
)
def test_a_signature_refuses_floats_that_its_integers_do_not_have(device, declared, value, error):
    @cuda.jit(f"void(int64[::1], {declared})")
    def k(out, n):
        out[0] = n

    out = cuda.to_device(np.full(1, 7))
    with pytest.raises(error, match="convert"):
        k[1, 1](out, value)
    assert out.copy_to_host()[0] == 7


def test_the_signature_that_fits_best_is_launched(device):
    @cuda.jit([void(float64[:], int32), void(float64[:], float64)])
    def put(x, v):
        x[0] = v / 2

    x = np.zeros(1)
    for value, expected in [(3, 1.5), (3.5, 1.75), (np.float32(2.5), 1.25)]:
        put[1, 1](x, value)
        assert x[0] == expected
    assert len(put.overloads) == 2 and not put.specialized


def test_no_other_types_than_declared_are_compiled(device):
    kernel = cuda.jit([void(float32[:], float32), void(int32[:], int32)])(scale.py_func)
    with pytest.raises(
        TypeError, match=r"(?s)no signature of scale takes.*declared for.*float32.*int32"
    ):
        kernel[1, 32](np.ones(3), 2)
    assert len(kernel.overloads) == 2


def test_declared_types_are_those_of_every_device(device):
    kernel = cuda.jit([void(float32[:], float32), void(int32[:], int32)])(scale.py_func)
    for other in cuda.all_devices():
        with other:
            x, y = np.ones(3, np.float32), np.ones(3, np.int32)
            kernel[1, 32](x, 3)
            kernel[1, 32](y, 3)
            assert x.tolist() == y.tolist() == [3, 3, 3]


def test_specialize_compiles_for_the_types_of_arguments(device):
    special = scale.specialize(np.ones(3, np.float32), 2.0)
    assert special.specialized and len(special.overloads) == 1
    x = np.ones(3, np.float32)
    special[1, 32](x, 3)
    np.testing.assert_array_equal(x, 3)


# Attributes of kernels


def test_a_kernel_keeps_the_function_and_its_facts(device):
    assert add.py_func.__name__ == add.__name__ == "add"
    assert add.__module__ == __name__ and "kernel" in repr(add)
    function = add.py_func
    assert function.__code__.co_varnames[:3] == ("a", "b", "c")


def test_a_kernel_shows_its_code(device, capsys):
    kernel = cuda.jit(scale.py_func)
    kernel[1, 32](np.ones(3), 2)
    (ir,) = kernel.inspect_llvm().values()
    (assembly,) = kernel.inspect_asm().values()
    assert "define" in ir and "scale" in ir and assembly
    assert kernel.inspect_llvm(kernel.signatures[0]) == ir
    kernel.inspect_types()
    assert "float64" in capsys.readouterr().out
    with pytest.raises(KeyError, match=r"(?s)not compiled for.*float64"):
        kernel.inspect_asm((float32[:], float32))


def test_a_kernel_tells_its_resources(device):
    @cuda.jit
    def uses(x):
        s = cuda.shared.array(64, float32)
        s[cuda.threadIdx.x] = 1
        cuda.syncthreads()
        x[0] = s[3]

    uses[1, 64](np.zeros(1))
    (shared,) = uses.get_shared_mem_per_block().values()
    assert shared >= 256
    assert all(n > 0 for n in uses.get_max_threads_per_block().values())


# Kernels as objects


def test_jit_of_a_kernel_takes_other_options(device):
    checked = cuda.jit(scale, debug=True, opt=False)
    assert checked.py_func is scale.py_func
    x = np.ones(3)
    checked[1, 32](x, 2)
    cuda.jit()(scale)[1, 32](x, 2)
    np.testing.assert_array_equal(x, 4)


def test_a_redefined_kernel_is_another_kernel(device):
    x = np.zeros(1)
    for value in (1, 2):

        @cuda.jit
        def put(x):
            x[0] = value

        put[1, 1](x)
        assert x[0] == value


def test_globals_are_frozen_when_a_kernel_is_compiled(device):
    value = 3

    @cuda.jit
    def put(x):
        x[0] = value

    x = np.zeros(1)
    put[1, 1](x)
    value = 4
    put[1, 1](x)
    assert x[0] == 3
    cuda.jit(put.py_func)[1, 1](x)
    assert x[0] == 4


def test_a_kernel_may_be_a_class_attribute(device):
    x = np.zeros(1)
    Kernels.method[1, 1](x, 3)
    assert x[0] == 3
    Kernels().free[1, 1](x)
    assert x[0] == 7
    with pytest.raises(
        TypeError, match=r"argument 1 \(x\) of method\(\) is a value of type .*Kernels"
    ):
        Kernels().method[1, 1](x)


replaced_global = 1


@pytest.mark.parametrize("signature", [(), ("void(float64[:])",)], ids=["launched", "declared"])
def test_recompile_takes_the_present_globals(device, monkeypatch, signature):
    @cuda.jit(*signature)
    def k(x):
        x[0] = replaced_global

    x = np.zeros(1)
    k[1, 1](x)
    monkeypatch.setitem(globals(), "replaced_global", 2)
    k.recompile()
    k[1, 1](x)
    assert x[0] == 2


def test_a_kernel_of_a_module_is_pickled(device):
    assert pickle.loads(pickle.dumps(add)) is add


# Order


def test_a_stream_runs_launches_in_order(device):
    stream = cuda.stream()
    d = cuda.to_device(np.ones(64), stream=stream)
    for factor in (2, 3, 5):
        spin[64, 1, stream](d, 1000)
        scale[2, 32, stream](d, 0)
        scale[2, 32, stream](d, factor)
    np.testing.assert_array_equal(d.copy_to_host(stream=stream), 0)


def test_a_launch_on_a_stream_returns_before_the_kernel_ends(device):
    stream, gate = cuda.stream(), threading.Event()
    d = cuda.to_device(np.ones(64))
    stream.add_callback(lambda *_: gate.wait(30), None)
    scale[2, 32, stream](d, 3)
    done = cuda.event()
    done.record(stream)
    assert not done.query()
    gate.set()
    stream.synchronize()
    assert done.query()
    np.testing.assert_array_equal(d.copy_to_host(), 3)


def test_a_launch_with_host_arrays_waits(device):
    x = np.zeros(64)
    spin[64, 1, cuda.stream()](x, 20_000)
    assert (x > 10_000).all()


def test_a_debug_launch_reports_its_own_error(device):
    @cuda.jit(debug=True)
    def beyond(x):
        x[x.size] = 1

    with pytest.raises(IndexError):
        beyond[1, 1, cuda.stream()](cuda.to_device(np.zeros(3)))


# A GPU frees memory in the order of its streams, so that nothing has to hold the array there.
def test_the_cpu_device_holds_a_device_array_until_the_kernel_has_run(cpu):
    stream, gate = cuda.stream(), threading.Event()
    d = cuda.to_device(np.ones(64))
    watched = weakref.ref(d)
    stream.add_callback(lambda *_: gate.wait(30), None)
    scale[2, 32, stream](d, 3)
    del d
    assert watched() is not None
    gate.set()
    stream.synchronize()
    cuda.synchronize()
    scale[1, 1](np.ones(1), 1)
    assert watched() is None


def test_a_kernel_goes_with_the_module_that_names_it(device, tmp_path):
    file = tmp_path / "module.py"
    file.write_text("""
from heddle import cuda

class Mark: pass
mark = Mark()

@cuda.jit(device=True)
def twice(x, factor=2):
    return factor * x

@cuda.jit
def kernel(out):
    out[0] = twice(out[0])
""")
    names = {}
    exec(compile(file.read_text(), file, "exec"), names)
    out = np.ones(1)
    names["kernel"][1, 1](out)
    assert out[0] == 2
    mark = weakref.ref(names["mark"])
    del names
    gc.collect()
    assert mark() is None


# Processes


@pytest.fixture
def run(tmp_path):
    """Run a program with its kernel cache in tmp_path/cache; return its stdout."""

    def finish(source, name="program.py"):
        path = tmp_path / name
        path.write_text("import sys\nimport numpy as np\n" + source)
        package = str(Path(heddle.__file__).parent.parent)
        environment = {
            **os.environ,
            "PYTHONPATH": package,
            "HEDDLE_CACHE_DIR": str(tmp_path / "cache"),
        }
        result = subprocess.run(
            [sys.executable, str(path)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout.split()

    return finish


cached = """
from heddle import cuda
C = {constant}
@cuda.jit(device=True)
def inner(v):
    return v {operator} 1
@cuda.jit(cache=True, {options})
def k(x):
    x[0] = inner(x[1]) * C {rest}
x = np.full(2, {value}, np.{dtype})
k[1, 1](x)
print(len(k.stats.cache_hits), len(k.stats.cache_misses), x[0])
"""
plain = {"constant": 2, "operator": "+", "options": "", "rest": "", "value": 1, "dtype": "float64"}


def test_a_cached_kernel_is_found_by_the_next_process(run):
    assert run(cached.format(**plain)) == ["0", "1", "4.0"]
    assert run(cached.format(**plain)) == ["1", "0", "4.0"]
    assert run(cached.format(**{**plain, "value": 2})) == ["1", "0", "6.0"]


@pytest.mark.parametrize(
    ("change", "result"),
    [
        ({"constant": 3}, 6),
        ({"operator": "-"}, 0),
        ({"rest": "+ 1"}, 5),
        ({"dtype": "float32"}, 4),
        ({"options": "fastmath=True"}, 4),
        ({"options": "debug=True"}, 4),
        ({"options": "opt=False"}, 4),
    ],
    ids=["global", "device_function", "source", "types", "fastmath", "debug", "opt"],
)
def test_a_cached_kernel_is_compiled_anew_when_something_changed(run, change, result):
    run(cached.format(**plain))
    hits, misses, value = run(cached.format(**{**plain, **change}))
    assert (hits, misses, float(value)) == ("0", "1", result)


uses_both = """
def with_heddle():
    from heddle import cuda
    @cuda.jit
    def k(x):
        x[cuda.grid(1)] += 1
    x = np.zeros(4)
    k[1, 4](x)
    return x.sum()

def with_numba():
    import numba
    @numba.njit
    def f(n):
        s = 0.0
        for i in range(n):
            s += i
        return s
    return f(4)

"""


@pytest.mark.parametrize("order", ["with_heddle, with_numba", "with_numba, with_heddle"])
def test_numba_in_the_same_process_does_no_harm(run, order):
    pytest.importorskip("numba")
    out = run(uses_both + f"print(*[f() for f in ({order}, {order})])\n")
    assert sorted(map(float, out)) == [4.0, 4.0, 6.0, 6.0]


def test_a_kernel_goes_to_spawned_processes(run):
    source = "from heddle import cuda\nimport multiprocessing\n@cuda.jit\ndef k(x):\n    x[0] = 5\n"
    source += "def work(kernel):\n    x = np.zeros(1)\n    kernel[1, 1](x)\n    return x[0]\n"
    source += "if __name__ == '__main__':\n    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
    source += "        print(*pool.map(work, [k, k]))\n"
    assert run(source) == ["5.0", "5.0"]


@pytest.mark.parametrize("kind", [int, np.int32, np.int64])
def test_a_kernel_launched_with_a_small_integer_is_right_for_a_negative_one_too(device, kind):
    @cuda.jit
    def k(out, marks, n):
        i = cuda.grid(1)
        out[i] = n * 3 + i
        if i == 0:
            marks[n] = n

    for n in (2, -2, 5):
        out, marks, expected = np.zeros(8, np.int64), np.zeros(8, np.int64), np.zeros(8, np.int64)
        k[1, 8](out, marks, kind(n))
        expected[n] = n
        np.testing.assert_array_equal(out, np.arange(8) + 3 * n)
        np.testing.assert_array_equal(marks, expected)


def test_a_kernel_launched_with_a_small_integer_is_right_for_one_beyond_32_bits(device):
    @cuda.jit
    def k(out, n):
        out[0] = n + 1
        out[1] = n // 2

    out = np.zeros(2, np.int64)
    for n in (7, 2**31 - 1, 2**31, 2**40):
        k[1, 1](out, n)
        np.testing.assert_array_equal(out, [n + 1, n // 2])


@pytest.mark.parametrize("truth", [1, "yes", {"contract"}, 2.5])
def test_an_option_that_is_true_in_python_is_on(truth):
    @cuda.jit(fastmath=truth, debug=0, opt=truth)
    def kernel(out):
        out[0] = 7

    out = np.zeros(1)
    kernel[1, 1](out)
    assert out[0] == 7


def test_the_only_signature_takes_integers_of_the_same_size(device):
    @cuda.jit("void(uint32[:])")
    def k(x):
        x[0] = x[0] >> 1

    x = np.array([-2], np.int32)
    k[1, 1](x)
    assert x[0] == 2**31 - 1


def test_several_signatures_tell_signs_apart(device):
    @cuda.jit(["void(uint32[:])", "void(float32[:])"])
    def k(x):
        x[0] = 1

    with pytest.raises(TypeError, match="no signature of k takes"):
        k[1, 1](np.zeros(1, np.int32))


def test_a_configured_kernel_tells_its_configuration(device):
    stream = cuda.stream()
    configured = add[(2, 3), 4, stream, 16]
    assert (configured.griddim, configured.blockdim) == ((2, 3, 1), (4, 1, 1))
    assert configured.stream is stream
    assert configured.sharedmem == 16
    assert configured.dispatcher is add


def test_a_configured_kernel_is_pickled(device):
    a = np.arange(4.0)
    c = np.zeros(4)
    pickle.loads(pickle.dumps(add[1, 4]))(a, a, c)
    np.testing.assert_array_equal(c, 2 * a)


def test_a_configured_kernel_with_a_stream_is_not_pickled(device):
    with pytest.raises(TypeError, match="a stream belongs to its process"):
        pickle.dumps(add[1, 4, cuda.stream()])


@pytest.mark.parametrize("carveout", [-1, 0, 100, "MaxShared", "maxl1", "default"])
def test_a_share_of_shared_memory_is_taken_as_a_hint(carveout):
    @cuda.jit(shared_memory_carveout=carveout)
    def reverse(x):
        tile = cuda.shared.array(32, np.float64)
        i = cuda.threadIdx.x
        tile[i] = x[i]
        cuda.syncthreads()
        x[i] = tile[31 - i]

    x = np.arange(32.0)
    reverse[1, 32](x)
    np.testing.assert_array_equal(x, np.arange(32.0)[::-1])


@pytest.mark.parametrize("carveout", [-2, 101, "most"])
def test_a_share_of_shared_memory_that_cannot_be_is_refused(carveout):
    with pytest.raises(ValueError, match="shared_memory_carveout"):
        cuda.jit(shared_memory_carveout=carveout)


@cuda.jit
def past_the_end(a):
    a[cuda.grid(1)] = 1


@cuda.jit
def copy_of(a, b):
    b[cuda.grid(1)] = a[cuda.grid(1)]


@pytest.mark.parametrize(
    "waits",
    [
        lambda d, e: cuda.default_stream().synchronize(),
        lambda d, e: d.copy_to_host(),
        lambda d, e: (copy_of[1, 64](d, e), e.copy_to_host()),
        lambda d, e: copy_of[1, 64](d, np.zeros(64)),
    ],
)
def test_the_default_stream_tells_errors_of_the_streams_that_it_waits_for(cpu, waits):
    stream = cuda.stream()
    d, e = cuda.to_device(np.zeros(64)), cuda.to_device(np.zeros(64))
    past_the_end[2, 64, stream](d)
    with pytest.raises(IndexError, match="index 64 is out of bounds"):
        waits(d, e)
    stream.synchronize()  # once is enough
    cuda.synchronize()
