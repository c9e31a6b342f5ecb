"""Tables of arrays, of launches on them, and of uses of the results.

Each launch adds 1 to every element of an array of zeros, with more threads than elements. Its kernel takes some
milliseconds, so that a use that does not wait for it sees old values. A use returns the values it reads or writes, and
the correct value. ``tables`` takes the module as an argument: the rows also run with the real CuPy.
"""

import math
from types import SimpleNamespace

import numpy as np

from heddle import cuda, vectorize

COUNT = 6
# A round takes a GPU about ten times as long.
_rounds = 60_000 if cuda.get_current_device().type == "cpu" else 10_000


@cuda.jit
def slow_add(x):
    i = cuda.grid(1)
    if i < x.size:
        v = 0.5
        for _ in range(_rounds):
            v = math.sin(v) + 0.5
        if v > -5:
            x[i] += 1


@cuda.jit
def add_ten(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 10


@vectorize(["float64(float64)"], target="cuda")
def slow_one_more(x):
    v = 0.5
    for _ in range(_rounds):
        v = math.sin(v) + 0.5
    return x + 1 if v > -5 else x


RAW = r"""
extern "C" __global__ void slow_add(double *x, long step, long n) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) {
    double v = 0.5;
    for (int k = 0; k < ROUNDS; k++) v = sin(v) + 0.5;
    if (v > -5) x[i * step] += 1;
  }
}
""".replace("ROUNDS", str(_rounds))


class Holder:
    """An array that offers only the CUDA array interface."""

    def __init__(self, array):
        self._array = array

    @property
    def __cuda_array_interface__(self):
        return self._array.__cuda_array_interface__


class HolderOfHostMemory:
    """A NumPy array that offers its memory by the CUDA array interface, as a library with its own allocator does."""

    def __init__(self, array):
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3}
        self.strides = array.strides


def _filled(array):
    array[:] = 0
    return array


def producers(cp):
    """name -> a function that creates an array of zeros in device memory."""
    return {
        "cupy": lambda: cp.zeros(COUNT),
        "cupy view": lambda: cp.zeros(2 * COUNT)[::2],
        "cupy reversed": lambda: cp.zeros(COUNT)[::-1],
        "cupy of asarray": lambda: cp.asarray(cuda.to_device(np.zeros(COUNT))),
        "cupy managed": lambda: _managed(cp),
        "device": lambda: cuda.to_device(np.zeros(COUNT)),
        "device view": lambda: cuda.to_device(np.zeros(COUNT + 2))[1:-1],
        "mapped": lambda: _filled(cuda.mapped_array(COUNT)),
        "mapped view": lambda: _filled(cuda.mapped_array(COUNT + 2))[2:],
        "managed": lambda: _filled(cuda.managed_array(COUNT)),
    }


def _managed(cp):
    array = cp.ndarray((COUNT,), np.float64, cp.cuda.malloc_managed(8 * COUNT))
    array.fill(0)
    return array


def launches(cp):
    """name -> a function that starts a slow kernel on the default stream, which adds 1 to an array."""
    raw = cp.RawKernel(RAW, "slow_add")
    element = cp.ElementwiseKernel(
        "float64 a", "float64 x", f"double v = 0.5; for (int k = 0; k < {_rounds}; k++) v = sin(v) + 0.5;"
        "if (v > -5) x = a + 1;", "slow_one_more"
    )  # fmt: skip

    def on_stream(x):
        stream = cuda.stream()
        slow_add[1, 16, stream](cuda.as_cuda_array(x))

    def after_an_event(x):
        stream, event = cp.cuda.Stream(non_blocking=True), cp.cuda.Event()
        slow_add[1, 16, cuda.external_stream(stream.ptr)](cuda.as_cuda_array(x))
        event.record(stream)
        cp.cuda.Stream.null.wait_event(event)

    return {
        "numba": lambda x: slow_add[1, 16](x),
        "as_cuda_array": lambda x: slow_add[1, 16](cuda.as_cuda_array(x)),
        "to_device": lambda x: slow_add[1, 16](cuda.to_device(x)),
        "interface": lambda x: slow_add[1, 16](Holder(cuda.as_cuda_array(x))),
        "tuple": lambda x: _add_to_first[1, 16]((x, 1)),
        "cupy of it": lambda x: slow_add[1, 16](cp.asarray(x)),
        "ufunc": lambda x: slow_one_more(cuda.as_cuda_array(x), out=cuda.as_cuda_array(x)),
        "raw": lambda x: raw((1,), (16,), (cp.asarray(x), x.strides[0] // 8, COUNT)),
        "elementwise": lambda x: element(cp.asarray(x), cp.asarray(x)),
        "blocking stream": on_stream,
        "event": after_an_event,
    }


@cuda.jit
def _add_to_first(pair):
    i = cuda.grid(1)
    x = pair[0]
    if i < x.size:
        v = 0.5
        for _ in range(_rounds):
            v = math.sin(v) + 0.5
        if v > -5:
            x[i] += pair[1]


def uses(cp):
    """name -> a function that uses an array. Returns the values it reads or leaves, and the correct value."""
    reads = {
        "get": lambda c: c.get(),
        "asnumpy": cp.asnumpy,
        "tolist": lambda c: c.tolist(),
        "element": lambda c: [float(c[i]) for i in range(COUNT)],
        "item": lambda c: [c[0].item()] * COUNT,
        "text": lambda c: [float(str(c[0]))] * COUNT,
        "sum": lambda c: [float(c.sum()) / COUNT] * COUNT,
        "operator": lambda c: (c * 2).get() / 2,
        "function": lambda c: cp.sqrt(c).get(),
        "copy": lambda c: c.copy().get(),
        "concatenate": lambda c: cp.concatenate([c, c]).get()[:COUNT],
        "mask": lambda c: c[c > -1].get(),
        "view": lambda c: c[1:].get().tolist() + c[:1].get().tolist(),
        "astype": lambda c: c.astype("f").get(),
        "array": lambda c: cp.array(c).get(),
    }

    def reading(read):
        return lambda x: (read(cp.asarray(x)), 1)

    def writing(write, value):
        def use(x):
            write(cp.asarray(x))
            cuda.synchronize()
            return cp.asnumpy(cp.asarray(x)), value

        return use

    def kernel(x):
        add_ten[1, 16](x)
        cuda.synchronize()
        return cp.asnumpy(cp.asarray(x)), 11

    return {
        **{name: reading(read) for name, read in reads.items()},
        "write all": writing(lambda c: c.__setitem__(slice(None), 10), 10),
        "fill": writing(lambda c: c.fill(10), 10),
        "set": writing(lambda c: c.set(np.full(COUNT, 3.0)), 3),
        "add in place": writing(lambda c: c.__iadd__(c), 2),
        "out": writing(lambda c: cp.add(c, 4, out=c), 5),
        "copyto": writing(lambda c: cp.copyto(c, cp.full(COUNT, 7.0)), 7),
        "kernel": kernel,
        "kernel on asarray": lambda x: kernel(cp.asarray(x)),
        "copy_to_host": lambda x: (cuda.as_cuda_array(x).copy_to_host(), 1),
        "copy_to_device": lambda x: _overwritten(cuda.as_cuda_array(x)),
        "device element": lambda x: ([cuda.as_cuda_array(x)[0]] * COUNT, 1),
        "another stream": lambda x: (_read_on_another_stream(cuda.as_cuda_array(x)), 1),
    }


def _read_on_another_stream(device):
    event, stream = cuda.event(), cuda.stream()
    event.record()
    event.wait(stream)
    return device.copy_to_host(stream=stream)


def _overwritten(device):
    device.copy_to_device(np.full(COUNT, 5.0))
    cuda.synchronize()
    return device.copy_to_host(), 5


def exports(cp):
    """name -> a function that creates an array for launches, and a NumPy array over the same memory."""

    def shown(show):
        def make():
            x = cuda.to_device(np.zeros(COUNT))
            return x, show(x)

        return make

    def shown_by_cupy(show):
        def make():
            x = cp.zeros(COUNT)
            return x, show(x)

        return make

    def view_of_export():
        x = cuda.to_device(np.zeros(2 * COUNT))
        return x[COUNT:], np.asarray(memoryview(x))[COUNT:]

    def over_numpy():
        h = np.zeros(COUNT)
        return cuda.as_cuda_array(h), h

    def view_over_numpy():
        h = np.zeros(2 * COUNT)
        return cuda.as_cuda_array(h)[::2], h[::2]

    def cupy_over_numpy():
        h = np.zeros(COUNT)
        return cp.from_dlpack(h), h

    def interface_of(show):
        def make():
            h = np.zeros(COUNT)
            return show(HolderOfHostMemory(h)), h

        return make

    return {
        "buffer": shown(lambda x: np.asarray(memoryview(x))),
        "asarray": shown(np.asarray),
        "no copy": shown(lambda x: x.__array__(copy=False)),
        "DLPack": shown(np.from_dlpack),
        "frombuffer": shown(lambda x: np.frombuffer(x, np.float64)),
        "buffer of cupy": shown_by_cupy(lambda x: np.asarray(memoryview(x))),
        "asarray of cupy": shown_by_cupy(np.asarray),
        "DLPack of cupy": shown_by_cupy(np.from_dlpack),
        "view of an export": view_of_export,
        "over NumPy": over_numpy,
        "view over NumPy": view_over_numpy,
        "cupy over NumPy": cupy_over_numpy,
        "interface of NumPy": interface_of(lambda x: x),
        "as_cuda_array of it": interface_of(cuda.as_cuda_array),
        "cupy of it": interface_of(cp.asarray),
    }


def host_arrays():
    """name -> a function that creates a NumPy array of zeros."""
    return {
        "numpy": lambda: np.zeros(COUNT),
        "numpy view": lambda: np.zeros(2 * COUNT)[::2],
        "numpy reversed": lambda: np.zeros(COUNT)[::-1],
        "pinned": lambda: _filled(cuda.pinned_array(COUNT)),
        "pinned view": lambda: _filled(cuda.pinned_array(COUNT + 1))[1:],
    }


def tables(cp):
    return SimpleNamespace(
        producers=producers(cp), launches=launches(cp), uses=uses(cp), exports=exports(cp)
    )  # fmt: skip
