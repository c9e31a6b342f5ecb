"""CuPy's streams, events, devices and runtime functions."""

import gc
import pickle
import weakref

import pytest

import heddle.compat.cupy as cp
import heddle.compat.cupyx as cupyx

pytestmark = pytest.mark.usefixtures("cpu")

Stream, Device, runtime = cp.cuda.Stream, cp.cuda.Device, cp.cuda.runtime


@pytest.fixture(autouse=True)
def default_stream():
    yield
    Stream.null.use()


class Foreign:
    """A stream of another library."""

    def __init__(self, answer):
        self._answer = answer

    def __cuda_stream__(self):
        return self._answer


def test_the_end_of_a_with_statement_forgets_what_use_chose():
    first, second, third = Stream(), Stream(), Stream()
    first.use()
    with second:
        third.use()
        with first:
            assert cp.cuda.get_current_stream() == first
        assert cp.cuda.get_current_stream() == second
    assert cp.cuda.get_current_stream() is Stream.null


def test_a_current_stream_outlives_its_name():
    stream = Stream().use()
    handle = stream.ptr
    del stream
    assert cp.get_current_stream().ptr == handle


def test_a_stream_tells_how_it_was_made():
    stream = Stream(non_blocking=True, priority=-1)
    assert (stream.is_non_blocking, stream.priority, stream.device_id) == (True, -1, 0)
    assert (Stream().is_non_blocking, Stream.null.device_id) == (False, -1)


def test_default_streams_are_equal_to_themselves_only():
    assert Stream(null=True) == Stream.null and Stream(ptds=True) == Stream.ptds
    assert Stream.null not in (Stream.ptds, Stream())


def test_a_stream_of_another_library_is_kept_alive():
    own = Stream()
    foreign = Foreign((0, own.ptr))
    stream, alive = Stream.from_external(foreign), weakref.ref(foreign)
    del foreign
    gc.collect()
    assert stream.ptr == own.ptr and stream.device_id == 0 and alive() is not None
    del stream
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize(
    "answer, kind, message",
    [
        (7, TypeError, "must return a 2-tuple"),
        ((0,), TypeError, "must return a 2-tuple"),
        (("x", 0), TypeError, r"must return \(int, int\)"),
        ((1, 5), ValueError, "unsupported version 1"),
    ],
)
def test_a_wrong_answer_of_another_librarys_stream_is_refused(answer, kind, message):
    with pytest.raises(kind, match=message):
        Stream.from_external(Foreign(answer))


def test_an_object_that_is_no_stream_is_refused():
    with pytest.raises(AttributeError, match="does not implement"):
        Stream.from_external(object())


def test_a_stream_answers_other_libraries():
    stream = Stream()
    assert stream.__cuda_stream__() == (0, stream.ptr)
    assert Stream.null.__cuda_stream__() == (0, 0)


def test_a_stream_of_a_handle_is_deprecated():
    handle = runtime.streamCreate()
    with pytest.warns(DeprecationWarning, match="ExternalStream is deprecated"):
        stream = cp.cuda.ExternalStream(handle)
    called = []
    stream.add_callback(lambda stream, status, arg: called.append((stream.ptr, arg)), 5)
    stream.synchronize()
    runtime.streamDestroy(handle)
    assert called == [(handle, 5)]


def test_an_event_has_a_handle():
    first, second = cp.cuda.Event(), cp.cuda.Event()
    assert 0 != first.ptr != second.ptr != 0
    with pytest.raises(ValueError, match="disable_timing=True"):
        cp.cuda.Event(interprocess=True)


def test_events_of_the_runtime_measure():
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    start, end = runtime.eventCreate(), runtime.eventCreate()
    runtime.eventRecord(start, stream)
    runtime.eventRecord(end, stream)
    runtime.eventSynchronize(end)
    assert runtime.eventQuery(end) == runtime.streamQuery(stream) == 0
    assert runtime.eventElapsedTime(start, end) >= 0
    runtime.eventDestroy(start)
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorInvalidResourceHandle"):
        runtime.eventQuery(start)


def test_devices_have_an_order():
    assert Device(0) < Device(1) and Device(1) >= Device(0) and Device(0) == Device(0)
    assert Device(0) != 0 and Device(0) is not None
    with pytest.raises(TypeError):
        Device(0) < 1  # noqa: B015


@pytest.mark.parametrize(
    "use", [lambda d: d.use(), lambda d: d.attributes, lambda d: d.__enter__()]
)
def test_a_device_that_is_not_there_is_refused_where_it_is_used(use):
    missing = Device(99)
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorInvalidDevice.*no device 99"):
        use(missing)
    assert cp.cuda.get_device_id() == 0


def test_a_device_is_found_where_it_is_plugged_in():
    assert Device.from_pci_bus_id(Device(0).pci_bus_id) == Device(0)
    assert runtime.deviceGetByPCIBusId(runtime.deviceGetPCIBusId(0)) == 0
    for wrong, message in (("fake:id", "InvalidValue"), ("FFFF:FF:FF.F", "InvalidDevice")):
        with pytest.raises(runtime.CUDARuntimeError, match=message):
            Device.from_pci_bus_id(wrong)


def test_a_device_is_found_by_memory():
    assert cp.cuda.device.from_pointer(cp.empty(1).data.ptr) == Device(0)


def test_attributes_have_the_runtimes_numbers():
    warp = runtime.deviceGetAttribute(runtime.cudaDevAttrWarpSize, 0)
    assert (warp, runtime.cudaDevAttrComputeCapabilityMajor) == (32, 75)
    with pytest.raises(runtime.CUDARuntimeError, match="no device attribute 12345"):
        runtime.deviceGetAttribute(12345, 0)


def test_the_runtime_knows_its_addresses():
    device, host = runtime.mallocManaged(16), runtime.hostAlloc(16)
    assert runtime.pointerGetAttributes(device + 8).type == 3
    assert runtime.pointerGetAttributes(host).type == 1
    assert runtime.pointerGetAttributes(cp.empty(1).data.ptr).device == 0
    runtime.free(device)
    runtime.freeHost(host)


@pytest.mark.parametrize("kind", [runtime.CUDARuntimeError, cp.cuda.driver.CUDADriverError])
def test_exceptions_of_cuda_have_a_code_and_are_pickled(kind):
    error = pickle.loads(pickle.dumps(kind(1)))
    assert type(error) is kind and error.status == 1 and "invalid argument" in str(error)


def test_memos_are_forgotten():
    calls = []

    @cp.memoize()
    def remembered(x):
        calls.append(x)

    remembered(1)
    cp.clear_memo()
    remembered(1)
    assert calls == [1, 1]


def test_numpys_exceptions_are_cupys():
    with pytest.raises(cp.exceptions.AxisError):
        cp.ones(3).sum(axis=2)


@pytest.mark.parametrize("dtype", ["e", "f", "d", "i"])
def test_a_reciprocal_square_root_has_the_floats_type(dtype):
    result = cupyx.rsqrt(cp.array([4, 16], dtype))
    assert result.tolist() == [0.5, 0.25] and result.dtype == cp.sqrt(cp.ones(1, dtype)).dtype


def test_a_range_of_a_with_statement_needs_a_name():
    with pytest.raises(ValueError, match="needs a name"), cupyx.profiler.time_range():
        pass


class Shell:
    """The parts of IPython's shell that the magic needs."""

    def __init__(self, **names):
        self.user_ns = names

    def register_magic_function(self, function, kind, name):
        self.magic = {"kind": kind, "name": name, "call": function}


def test_the_timing_magic_times_a_line_and_a_cell(capsys):
    calls = []
    shell = Shell(calls=calls)
    cupyx.profiler.load_ipython_extension(shell)
    assert (shell.magic["kind"], shell.magic["name"]) == ("line_cell", "gpu_timeit")
    shell.magic["call"]("-n 3 --n-warmup=1 --max-duration 5 calls.append('a b')")
    shell.magic["call"]("-n2 -w 0", "calls.append(2)\n")
    assert calls == ["a b"] * 4 + [2] * 2
    assert capsys.readouterr().out.count("CPU:") == 2
