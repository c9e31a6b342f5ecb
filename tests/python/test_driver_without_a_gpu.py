"""The package's calls of a GPU driver, recorded by a fake driver without a GPU, which runs no kernels.

Each program runs in a separate process, with two fake GPUs unless it says otherwise.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import heddle

PACKAGE = Path(heddle.__file__).parent.parent
DRIVER = Path(os.environ.get("HEDDLE_FAKE_CUDA", PACKAGE.parent / "tests" / "libfakecuda.so"))

pytestmark = pytest.mark.skipif(not DRIVER.exists(), reason="built without the driver for tests")

prelude = """
import ctypes, os
import numpy as np
from heddle import cuda

driver = ctypes.CDLL(os.environ["HEDDLE_LIBCUDA"])

def calls(name):
    return driver.fakeCudaCalls(name.encode())

def fail(name, code, times=1):
    driver.fakeCudaFail(name.encode(), code, 0, times)

class Producer:
    def __init__(self, array):
        self.array = array
    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

class Interface:
    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}

@cuda.jit
def add(x, y):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += y[i]

"""


@pytest.fixture
def run(tmp_path):
    """A function that runs a program, which must succeed, and returns the lines it printed."""

    def finish(source, **environment):
        (tmp_path / "program.py").write_text(prelude + source)
        variables = {
            **os.environ,
            "PYTHONPATH": f"{PACKAGE}{os.pathsep}{tmp_path}",
            "HEDDLE_LIBCUDA": str(DRIVER),
            "FAKE_CUDA_DEVICES": "2",
            **environment,
        }
        variables.pop("HEDDLE_DEVICE", None)
        variables.update({k: v for k, v in environment.items() if k == "HEDDLE_DEVICE"})
        result = subprocess.run(
            [sys.executable, str(tmp_path / "program.py")],
            env=variables,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (result.returncode, result.stderr) == (0, "")
        return result.stdout.splitlines()

    return finish


# Devices


def test_gpus_are_listed_without_the_cpu_and_the_first_is_the_default(run):
    source = "print([d.type for d in cuda.gpus], [d.type for d in cuda.all_devices()])\n"
    source += "print(cuda.get_current_device().id, cuda.cuda_error(), cuda.runtime.get_version())"
    assert run(source) == ["['cuda', 'cuda'] ['cuda', 'cuda', 'cpu']", "0 None (13, 0)"]


@pytest.mark.parametrize(("name", "index"), [("cuda", 0), ("cuda:1", 1), ("cpu", 0)])
def test_the_environment_names_the_default_device(run, name, index):
    source = "import threading\nseen = []\n"
    source += "work = threading.Thread(target=lambda: seen.append(cuda.device_array(3).device))\n"
    source += "work.start(); work.join(); seen.append(cuda.device_array(3).device)\n"
    source += "print(*(f'{d.type}{d.index}' for d in seen))"
    expected = f"{name.partition(':')[0]}{index}"
    assert run(source, HEDDLE_DEVICE=name) == [f"{expected} {expected}"]


def test_a_machine_without_a_gpu_says_why(run):
    source = "print(cuda.get_current_device().type, '|', cuda.cuda_error())\n"
    source += (
        "try:\n    cuda.select_device('cuda')\nexcept cuda.CudaSupportError as e:\n    print(e)"
    )
    first, second = run(source, FAKE_CUDA_DEVICES="0")
    kind, reason = first.split(" | ")
    assert kind == "cpu" and reason
    assert second == f"there is no device 'cuda': there is no GPU here: {reason}"


def test_another_gpu_is_current_inside_its_context(run):
    source = "with cuda.gpus[1]:\n    print(cuda.device_array(3).device.index)\n"
    source += "with cuda.current_context('cpu'):\n    print(cuda.device_array(3).device.type)\n"
    source += "print(cuda.select_device('cuda:1').device.id, cuda.to_device([1]).device.index)"
    assert run(source) == ["1", "cpu", "1 1"]


def test_a_gpu_may_reach_the_memory_of_another(run):
    source = "here = cuda.current_context(0)\n"
    source += "print(here.can_access_peer(1), here.can_access_peer(cuda.current_context('cpu')))\n"
    source += "here.enable_peer_access(cuda.gpus[1]); print(calls('cuCtxEnablePeerAccess'))"
    assert run(source) == ["True False", "1"]


def test_the_profiler_is_started_and_stopped(run):
    source = "with cuda.profiling():\n    pass\n"
    source += "print(calls('cuProfilerStart'), calls('cuProfilerStop'))"
    assert run(source) == ["1 1"]


# Arrays


def test_arrays_are_copied_between_host_and_gpus(run):
    source = "a = np.arange(12.0).reshape(3, 4)\nd = cuda.to_device(a)\n"
    source += "print(d.device.index, d[2, 1], (np.asarray(d) == a).all(), d[:, 1].copy_to_host())\n"
    source += "cuda.select_device(1)\ne = cuda.to_device(d)\n"
    source += "print(e.device.index, (e.copy_to_host() == a).all())\n"
    source += "cuda.select_device('cpu')\nf = cuda.to_device(e)\nf[0] = 7\nd.copy_to_device(f)\n"
    source += "print(f.device.type, d[0].copy_to_host())"
    assert run(source) == [
        "0 9.0 True [1. 5. 9.]",
        "1 True",
        "cpu [7. 7. 7. 7.]",
    ]


def test_a_large_array_is_filled_without_a_copy(run):
    source = "d = cuda.to_device(np.ones(100_000))\nd[:] = 0\n"
    source += "print(calls('cuMemsetD8Async'), d.copy_to_host().any())"
    assert run(source) == ["1 False"]


def test_scattered_elements_are_moved_by_a_kernel(run):
    source = "d = cuda.to_device(np.ones((300, 300)))\nd[:, ::2] = np.zeros((300, 150))\n"
    source += "print(driver.fakeCudaLaunchCount())"
    assert run(source) == ["1"]


def test_pinned_arrays_are_registered_and_released(run):
    source = "a, b = np.zeros(1 << 16), np.zeros(1 << 16)\nwith cuda.pinned(a, b, a[:0]):\n"
    source += "    with cuda.pinned(a):\n        print(calls('cuMemHostRegister'))\n"
    source += "print(calls('cuMemHostRegister'), calls('cuMemHostUnregister'))"
    assert run(source) == ["2", "2 2"]


def test_an_array_that_is_registered_already_is_left_alone(run):
    source = "fail('cuMemHostRegister', 712)\nwith cuda.pinned(np.zeros(1 << 16)):\n    pass\n"
    source += "print(calls('cuMemHostUnregister'))"
    assert run(source) == ["0"]


def test_arrays_stay_unpinned_when_one_cannot_be(run):
    source = "fail('cuMemHostRegister', 1, -1)\ntry:\n    with cuda.pinned(np.zeros(1 << 16)):\n"
    source += "        print('inside')\nexcept Exception as e:\n    print(type(e).__name__)\n"
    source += "fail('cuMemHostRegister', 0)\nprint(calls('cuMemHostUnregister'))"
    assert run(source) == ["CudaAPIError", "0"]


@pytest.mark.parametrize("make", ["mapped_array", "managed_array"])
def test_shared_arrays_reach_kernels_in_place(run, make):
    source = f"x = cuda.{make}(8)\nx[:] = 1\nadd[1, 32](x[2:], x[2:])\n"
    source += "class Launch(ctypes.Structure):\n    _fields_ = [('kernel', ctypes.c_char_p)]\n"
    source += "    _fields_ += [('grid', ctypes.c_uint * 3), ('block', ctypes.c_uint * 3)]\n"
    source += "    _fields_ += [('shared', ctypes.c_uint), ('stream', ctypes.c_void_p)]\n"
    source += "    _fields_ += [('cooperative', ctypes.c_bool), ('count', ctypes.c_size_t)]\n"
    source += "    _fields_ += [('arguments', ctypes.POINTER(ctypes.c_uint64))]\n"
    source += "driver.fakeCudaLaunchAt.restype = ctypes.POINTER(Launch)\n"
    source += "launch = driver.fakeCudaLaunchAt(ctypes.c_size_t(0)).contents\n"
    source += "print(launch.arguments[0] == x.ctypes.data + 16)"
    assert run(source) == ["True"]


def test_an_array_of_another_gpu_is_refused_by_a_launch(run):
    source = "d = cuda.to_device(np.ones(3))\ncuda.select_device(1)\n"
    source += (
        "try:\n    add[1, 32](d, d)\nexcept TypeError as e:\n    print('to_device()' in str(e))"
    )
    assert run(source) == ["True"]


# Other libraries


def test_the_array_interface_is_offered_and_taken(run):
    source = "d = cuda.to_device(np.arange(6).reshape(2, 3))\n"
    source += "shared = cuda.as_cuda_array(Interface(d[:, ::-1]))\n"
    source += (
        "print(shared.copy_to_host().tolist(), cuda.to_device(Interface(d)).address == d.address)\n"
    )
    source += "print(cuda.as_cuda_array(Interface(d, data=(d.address, True))).readonly)\n"
    source += "print(cuda.device_array((0, 3)).__cuda_array_interface__['data'])"
    assert run(source) == ["[[2, 1, 0], [5, 4, 3]] True", "True", "(0, False)"]


@pytest.mark.parametrize(
    ("options", "environment", "waits"),
    [("", {}, 1), ("sync=False", {}, 0), ("", {"NUMBA_CUDA_ARRAY_INTERFACE_SYNC": "0"}, 0)],
    ids=["default", "argument", "environment"],
)
def test_an_array_is_taken_when_its_stream_is_done(run, options, environment, waits):
    source = (
        "import heddle.cuda.streams as streams\nwaited = []\nwait = streams.Stream.synchronize\n"
    )
    source += "streams.Stream.synchronize = lambda self: (waited.append(self), wait(self))\n"
    source += "s = cuda.stream()\nd = cuda.to_device(np.arange(3))\n"
    source += f"e = cuda.as_cuda_array(Interface(d, stream=int(s)), {options})\n"
    source += "print(len(waited), e.stream == s, Interface(e).__cuda_array_interface__['stream'] == int(s))"
    assert run(source, **environment) == [f"{waits} True True"]


def test_a_masked_array_is_refused(run):
    source = "d = cuda.device_array(3)\ntry:\n    cuda.as_cuda_array(Interface(d, mask=d))\n"
    source += "except NotImplementedError as e:\n    print('mask' in str(e))"
    assert run(source) == ["True"]


def test_dlpack_makes_the_consumers_stream_wait(run):
    source = "s, d = cuda.stream(), cuda.device_array(3)\nbound = d.bind(s)\n"
    source += "for array, stream in [(d, None), (d, 1), (d, -1), (bound, int(s)), (bound, -1)]:\n"
    source += "    array.__dlpack__(stream=stream)\nprint(calls('cuStreamWaitEvent'))\n"
    source += "bound.__dlpack__(stream=1); d.__dlpack__(stream=int(s)); print(calls('cuStreamWaitEvent'))\n"
    source += "try:\n    d.__dlpack__(stream=0)\nexcept ValueError as e:\n    print('ambiguous' in str(e))"
    assert run(source) == ["0", "2", "True"]


def test_dlpack_gives_a_copy_where_one_is_asked_for(run):
    source = "d = cuda.to_device(np.arange(3))\n"
    source += "class Copying(Producer):\n    def __dlpack__(self, **options):\n"
    source += "        return self.array.__dlpack__(copy=True, **options)\n"
    source += (
        "e = cuda.as_cuda_array(Copying(d))\nprint(e.address == d.address, e.copy_to_host())\n"
    )
    source += "print(cuda.as_cuda_array(Producer(d)).address == d.address)"
    assert run(source) == ["False [0 1 2]", "True"]


def test_dlpack_gives_a_copy_on_the_host_where_one_is_asked_for(run):
    source = "class OnHost(Producer):\n    def __dlpack__(self, **options):\n"
    source += (
        "        return self.array.__dlpack__(**{**options, 'dl_device': (1, 0), 'copy': None})\n"
    )
    source += "    def __dlpack_device__(self):\n        return 1, 0\n"
    source += "print(np.from_dlpack(OnHost(cuda.to_device(np.arange(3)))))"
    assert run(source) == ["[0 1 2]"]


def test_dlpack_says_that_an_array_is_read_only_where_it_can(run):
    source = (
        "d = cuda.device_array(3)\nr = cuda.as_cuda_array(Interface(d, data=(d.address, True)))\n"
    )
    source += "print(cuda.as_cuda_array(Producer(r)).readonly)\n"
    source += "try:\n    r.__dlpack__()\nexcept BufferError as e:\n    print('read-only' in str(e))"
    assert run(source) == ["True", "True"]


def test_an_array_of_another_gpu_is_not_taken(run):
    source = "d = cuda.device_array(3)\ncuda.select_device(1)\n"
    source += "try:\n    cuda.as_cuda_array(Producer(d))\nexcept cuda.CudaSupportError as e:\n    print(e)"
    (message,) = run(source)
    assert "memory of GPU 0" in message and "cuda.select_device(0)" in message


def test_streams_of_other_libraries_are_taken(run):
    source = "driver.fakeCudaMakeStream.restype = ctypes.c_uint64\n"
    source += "handle = driver.fakeCudaMakeStream(0)\n"
    source += "class Torch:\n    cuda_stream = handle\nclass Cupy:\n    ptr = handle\n"
    source += "class Core:\n    def __cuda_stream__(self):\n        return 0, handle\n"
    source += "d = cuda.to_device(np.arange(3))\n"
    source += (
        "for s in (handle, Torch(), Cupy(), Core()):\n    print(d.copy_to_host(stream=s).sum())\n"
    )
    source += "s = cuda.external_stream(handle)\n"
    source += "print(s.external, int(s) == handle == s.handle.value, s.__cuda_stream__() == (0, handle))\n"
    source += (
        "print(cuda.external_stream(handle) is s, cuda.external_stream(1) == cuda.default_stream())"
    )
    assert run(source) == ["3"] * 4 + ["True True True", "True True"]


# Output of kernels

PRINTS = """
import io, sys
from heddle import _heddle

@cuda.jit
def k(x):
    print(x[0])

d, s, e = cuda.to_device(np.zeros(3)), cuda.stream(), cuda.event()
k[1, 1](d)
cuda.synchronize()
_heddle.print_to_python(True)

def print_around(wait):
    shown, sys.stdout = sys.stdout, io.StringIO()
    print("before")
    k[1, 1, s](d)
    driver.fakeCudaPrint(b"of the kernel\\n")
    e.record(s)
    wait()
    print("after")
    kept, sys.stdout = sys.stdout.getvalue(), shown
    print(kept.split("\\n")[:-1])
"""


@pytest.mark.parametrize("wait", ["cuda.synchronize", "s.synchronize", "e.synchronize"])
def test_what_the_driver_prints_goes_to_python_in_order(run, wait):
    printed = run(PRINTS + f"os.write(1, b'untouched\\n'); print_around({wait})")
    assert printed == ["untouched", "['before', 'of the kernel', 'after']"]


# Other processes


@pytest.mark.parametrize("shape, offset", [("1 << 40", 0), ("3", 1 << 40)])
def test_more_memory_of_another_process_than_it_shares_is_refused(run, shape, offset):
    source = "shared = cuda.to_device(np.arange(10))\n"  # its memory must not be freed
    source += "handle = shared.get_ipc_handle()._ipc_handle.handle\n"
    source += "try:\n"
    source += f"    with cuda.open_ipc_array(handle, {shape}, np.int64, offset={offset}): pass\n"
    source += "except ValueError as e:\n    print('bytes of another process' in str(e))"
    assert run(source) == ["True"]


def test_an_array_of_another_process_is_opened(run):
    source = "import pickle\nd = cuda.to_device(np.arange(10))\n"
    source += "handle = pickle.loads(pickle.dumps(d[4:8:2].get_ipc_handle()))\n"
    source += "with handle as shared:\n    print(shared.copy_to_host())\n"
    source += "    try:\n        handle.open()\n    except ValueError as e:\n        print('open already' in str(e))\n"
    source += "del shared\nimport time\nend = time.time() + 30\n"
    source += (
        "while not calls('cuIpcCloseMemHandle') and time.time() < end:\n    time.sleep(0.01)\n"
    )
    source += "print(calls('cuIpcOpenMemHandle'), calls('cuIpcCloseMemHandle'))\n"
    source += (
        "with cuda.open_ipc_array(handle._ipc_handle.handle, 3, np.int64, offset=16) as shared:\n"
    )
    source += "    print(shared.copy_to_host())"
    assert run(source) == ["[4 6]", "True", "1 1", "[2 3 4]"]


def test_memory_of_another_library_is_not_shared_with_processes(run):
    source = (
        "d = cuda.device_array(3)\ntry:\n    cuda.as_cuda_array(Producer(d)).get_ipc_handle()\n"
    )
    source += "except cuda.CudaSupportError as e:\n    print('copy the array first' in str(e))"
    assert run(source) == ["True"]


# Memory managers


def test_the_environment_names_a_memory_manager(run, tmp_path):
    (tmp_path / "pool.py").write_text(
        "from heddle import cuda\n"
        "class Pool(cuda.HostOnlyCUDAMemoryManager):\n"
        "    sizes = []\n"
        "    def memalloc(self, size):\n"
        "        Pool.sizes.append((self.context.id, size))\n"
        "        memory = self.context.device._native.allocate(size)\n"
        "        return cuda.MemoryPointer(self.context, memory.address, size, owner=memory)\n"
        "    def get_ipc_handle(self, memory): ...\n"
        "    def get_memory_info(self): return cuda.MemoryInfo(1, 2)\n"
        "_numba_memory_manager = Pool\n"
    )
    source = (
        "import pool\ncuda.to_device(np.zeros(3))\ncuda.select_device(1)\ncuda.device_array(4)\n"
    )
    source += "cuda.select_device('cpu')\ncuda.device_array(5)\nprint(pool.Pool.sizes)\n"
    source += "print(cuda.current_context(0).get_memory_info())"
    assert run(source, NUMBA_CUDA_MEMORY_MANAGER="pool") == [
        "[(0, 24), (1, 32)]",
        "MemoryInfo(free=1, total=2)",
    ]


# Errors


def test_memory_that_has_run_out_is_told_and_the_device_stays_usable(run):
    source = (
        "try:\n    cuda.device_array(1 << 40, np.int8)\nexcept MemoryError as e:\n    print(e)\n"
    )
    source += "print(cuda.to_device([5])[0])"
    message, element = run(source, FAKE_CUDA_MEMORY=str(1 << 30))
    assert str(1 << 40) in message and "free" in message
    assert element == "5"


def test_a_context_that_is_lost_is_told_by_every_call_and_the_process_ends_well(run):
    source = "d = cuda.to_device(np.arange(3))\nfail('cuMemcpyDtoHAsync', 700, -1)\n"
    source += "fail('cuMemcpyAsync', 700, -1)\nfail('cuStreamQuery', 700, -1)\n"
    source += (
        "from heddle.errors import CudaAPIError\nfor use in (d.copy_to_host, cuda.synchronize):\n"
    )
    source += "    try:\n        use()\n    except CudaAPIError as e:\n        print(e.code, 'context' in str(e))"
    assert run(source) == ["700 True", "700 True"]


def test_the_driver_is_not_taken_down_while_a_thread_is_in_it(run):
    source = "import threading, time\ncuda.to_device(np.ones(3))\n"
    source += "driver.fakeCudaStall(b'cuCtxSynchronize')\n"
    source += "threading.Thread(target=cuda.synchronize, daemon=True).start()\n"
    source += "while not calls('cuCtxSynchronize'):\n    time.sleep(0.001)\nprint('end')"
    assert run(source, FAKE_CUDA_STALL_MS="300") == ["end"]


# The driver's assembler


@pytest.mark.parametrize(
    ("level", "asked"), [("0", 0), ("1", 1), ("4", 4), ("", 4), ("5", 4), ("-1", 4), ("fast", 4)]
)
def test_the_environment_names_the_level_of_the_assembler(run, level, asked):
    source = "add[1, 32](cuda.device_array(32), cuda.device_array(32))\n"
    source += "print(driver.fakeCudaJitLevel())"
    variables = {"HEDDLE_PTX_OPTIMIZATION": level, "PYTHONWARNINGS": "ignore"}  # of wrong levels
    assert run(source, **variables) == [str(asked)]


def test_code_of_another_level_of_the_assembler_is_not_taken_from_the_cache(run, tmp_path):
    source = "cached = cuda.jit(cache=True)(add.py_func)\n"
    source += "cached[1, 32](cuda.device_array(32), cuda.device_array(32))\n"
    source += "print(len(cached.stats.cache_hits))"
    cache = {"HEDDLE_CACHE_DIR": str(tmp_path / "cache")}
    hits = [run(source, HEDDLE_PTX_OPTIMIZATION=level, **cache)[0] for level in ("0", "0", "", "1")]
    assert hits == ["0", "1", "0", "0"]


def test_the_fuzzer_has_kernels_assembled_at_two_levels(run):
    fuzz = Path(__file__).parents[1] / "fuzz"
    source = f"import sys; sys.path.insert(0, {str(fuzz)!r})\n"
    source += "import assembler_levels, case, generate\n"
    source += "made, levels, right = generate.generate(7), [], case.run_on_device\n"
    source += "def noted(*arguments):\n"
    source += "    found = right(*arguments)\n"
    source += "    levels.append(driver.fakeCudaJitLevel())\n"
    source += "    return found\n"
    source += "case.run_on_device = noted\n"
    source += (
        "for level in '0', '', '2': assembler_levels.run_at_level(level, made, cuda.gpus[0])\n"
    )
    source += "print(levels, 'HEDDLE_PTX_OPTIMIZATION' in os.environ)"
    assert run(source) == ["[0, 4, 2] False"]


def test_a_launch_that_is_not_checked_is_a_warning(run):
    assert run(
        "import heddle, warnings\n"
        "x, stream = cuda.to_device(np.ones(4)), cuda.stream()\n"
        "with warnings.catch_warnings(record=True) as caught, heddle.check(print=False):\n"
        "    warnings.simplefilter('always')\n"
        "    add[1, 4, stream](x, x)\n"
        "    y = cuda.to_device(np.ones(4))\n"
        "    add[1, 4](y, y)\n"
        "for w in caught:\n"
        "    print(w.category.__name__, os.path.basename(w.filename), w.lineno, w.message)\n"
    ) == [
        "HeddleWarning program.py 37 this launch on a GPU is not checked",
        "  hint: create the stream and the arrays inside of the block of heddle.check(), or set HEDDLE_DEVICE=cpu",
    ]


def test_a_capturing_stream_of_another_library_is_not_asked_for_its_flags(run):
    assert run(
        "x = cuda.to_device(np.ones(4))\n"
        "add[1, 4](x, x)\n"
        "cuda.synchronize()\n"
        "create, foreign = ctypes.c_void_p(), ctypes.c_void_p()\n"
        "status = ctypes.c_int()\n"
        "where = ctypes.byref(create), 13000, ctypes.c_uint64(0), ctypes.byref(status)\n"
        "driver.cuGetProcAddress_v2(b'cuStreamCreate', *where)\n"
        "create = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint)(create.value)\n"
        "assert create(ctypes.addressof(foreign), 0) == 0\n"
        "names = 'cuStreamGetFlags', 'cuEventRecord', 'cuStreamQuery', 'cuEventQuery'\n"
        "def launch():\n"
        "    before = [calls(name) for name in names]\n"
        "    add[1, 4, cuda.external_stream(foreign.value)](x, x)\n"
        "    print([calls(name) - n for name, n in zip(names, before)])\n"
        "driver.fakeCudaCapture(True)\n"
        "launch()\n"
        "driver.fakeCudaCapture(False)\n"
        "launch()\n"
    ) == ["[0, 0, 0, 0]", "[1, 0, 0, 0]"]
