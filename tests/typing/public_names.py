"""A program that uses the public names of Heddle as programs do. tests/python/test_type_checkers.py runs mypy on it."""

import math
from typing import Any

import numpy as np

import heddle
from heddle import (
    CheckError,
    CompileError,
    CudaSupportError,
    HeddleError,
    KernelRuntimeError,
    LoweringError,
    RawKernel,
    RawModule,
    TypingError,
    UnsupportedError,
    benchmark,
    boolean,
    carray,
    cfunc,
    check,
    complex64,
    complex128,
    cuda,
    float16,
    float32,
    float64,
    from_dtype,
    get_num_threads,
    get_thread_id,
    guvectorize,
    int8,
    int16,
    int32,
    int64,
    jit,
    njit,
    objmode,
    parallel_chunksize,
    prange,
    set_num_threads,
    set_parallel_chunksize,
    stencil,
    threading_layer,
    typeof,
    types,
    uint8,
    uint16,
    uint32,
    uint64,
    vectorize,
    void,
)
from heddle.cuda import algorithms, wgmma, wmma
from heddle.cuda.cudadrv.devicearray import DeviceNDArray
from heddle.cuda.cudadrv.driver import Context, Device, Event, Stream
from heddle.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
from heddle.experimental import jitclass
from heddle.extending import overload, register_jitable
from heddle.typed import Dict, List

# Host functions


@njit
def add(a: int, b: int) -> int:
    return a + b


@njit(cache=True, parallel=True, fastmath=True)
def total(n: int) -> int:
    found = 0
    for i in prange(n):
        found += i + get_thread_id()
    for i in prange(0, n, 2):
        found += i
    return found


@jit("float64(float64)")
def half(x: float) -> float:
    return x / 2


@njit([float64(float64), float32(float32)])
def twice(x: float) -> float:
    with objmode(y="float64"):
        y = 2 * x
    return y


@register_jitable
def clamp(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


@overload(clamp)
def implement_clamp(x: Any, low: Any, high: Any) -> Any:
    return lambda x, low, high: min(max(x, low), high)


@vectorize
def add_elements(a: float, b: float) -> float:
    return a + b


@vectorize(["float32(float32)", "float64(float64)"], target="parallel")
def square(a: float) -> float:
    return a * a


@guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def norm(values: Any, result: Any) -> None:
    result[0] = math.sqrt((values * values).sum())


@stencil
def average(a: Any) -> Any:
    return (a[-1] + a[1]) / 2


@stencil(cval=1.0)
def difference(a: Any) -> Any:
    return a[1] - a[-1]


@cfunc("float64(float64)")
def callback(x: float) -> float:
    return x


@jitclass([("count", int64)])
class Counter:
    def __init__(self) -> None:
        self.count = 0


def use_host_functions() -> None:
    number: int = add(1, 2) + total(3)
    real: float = half(1.0) + twice(2.0) + clamp(number, 0, 1)
    add.inspect_asm()
    add.recompile()
    add.py_func(1, 2)
    print(
        real, add.signatures, add.stats, add_elements(1, 2), add_elements.reduce([1.0]), norm([1.0])
    )
    print(average(np.ones(3)), difference(np.ones(3)), callback.address, Counter().count)
    set_num_threads(get_num_threads())
    set_parallel_chunksize(heddle.get_parallel_chunksize())
    with parallel_chunksize(4):
        print(threading_layer())
    numbers: List[int] = List([1, 2])
    numbers.append(3)
    ages: Dict[str, int] = Dict()
    ages["one"] = len(numbers)
    List.empty_list(int64)
    Dict.empty(types.int64, float64)


# Kernels


@cuda.jit(device=True)
def index_of(row: int, column: int) -> int:
    return row * 10 + column


@cuda.jit
def use_tensor_cores(a: Any, b: Any, c: Any) -> None:
    tile = cuda.shared.array((16, 24), np.float16)
    cuda.pipeline.memcpy_async(tile, (cuda.threadIdx.x, 0), a, (cuda.threadIdx.x, 0), 8)
    cuda.pipeline.commit()
    cuda.pipeline.wait_prior(0)
    part_of_a = cuda.wmma.fragment(cuda.wmma.matrix_a, 16, 16, 16, np.float16)
    part_of_b = wmma.fragment(wmma.matrix_b, 16, 16, 16, np.float16, wmma.col_major)
    sums = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32, shape=(2, 2))
    wmma.fill_fragment(sums, 0)
    wmma.load_matrix_sync(part_of_a, tile, (0, 0))
    wmma.load_matrix_sync(part_of_b, b.T, (0, 0))
    wmma.mma_sync(sums[0, 1], part_of_a, part_of_b, sums[0, 1], satf=False)
    wmma.store_matrix_sync(c, (0, 0), sums[0, 1])
    print(wmma.row_major, wmma.tf32)
    products = wgmma.accumulator(256, shape=2)
    tile[0, wgmma.swizzle(0, 8)] = 1
    wgmma.mma(products[0], tile, b)
    wgmma.wait_prior(0, products)
    wgmma.store(c, (0, 0), products[0])


@cuda.jit
def use_operations(x: Any, states: Any) -> None:
    i = cuda.grid(1)
    column, row = cuda.grid(2)
    _, _, depth = cuda.grid(3)
    step = cuda.gridsize(1)
    i += cuda.threadIdx.x + cuda.blockIdx.y * cuda.blockDim.z + cuda.gridDim.x
    i += cuda.laneid + cuda.warpsize + index_of(row, column) + depth + step
    tile = cuda.shared.array(32, float32)
    own = cuda.local.array((2, 2), dtype=np.float32)
    table = cuda.const.array_like(np.ones(3))
    tile[i] = own[0, 0] + table[0] + xoroshiro128p_uniform_float32(states, i)
    cuda.syncthreads()
    i += cuda.syncthreads_count(i) + cuda.syncthreads_and(i) + cuda.syncthreads_or(i)
    cuda.syncwarp()
    cuda.threadfence()
    cuda.threadfence_block()
    cuda.threadfence_system()
    cuda.nanosleep(20)
    mask = cuda.activemask() | cuda.lanemask_lt()
    x[0] += cuda.all_sync(mask, i) + cuda.any_sync(mask, i) + cuda.eq_sync(mask, i)
    x[0] += cuda.ballot_sync(mask, i) + cuda.match_any_sync(mask, i)
    value, same = cuda.match_all_sync(mask, i)
    x[0] += value + cuda.shfl_sync(mask, i, 0) + cuda.shfl_up_sync(mask, i, 1)
    x[0] += cuda.shfl_down_sync(mask, i, 1) + cuda.shfl_xor_sync(mask, i, 1)
    x[0] += cuda.reduce_add_sync(mask, i) + cuda.reduce_min_sync(mask, i)
    x[0] += cuda.reduce_max_sync(mask, i) + cuda.reduce_and_sync(mask, i)
    x[0] += cuda.reduce_or_sync(mask, i) + cuda.reduce_xor_sync(mask, i)
    x[0] += cuda.selp(same, 1, 2) + cuda.fma(1.0, 2.0, 3.0) + cuda.cbrt(8.0)
    x[0] += cuda.popc(i) + cuda.brev(i) + cuda.clz(i) + cuda.ffs(i)
    x[0] += cuda.ldca(x, 0) + cuda.ldcg(x, 0) + cuda.ldcs(x, 0) + cuda.ldlu(x, 0) + cuda.ldcv(x, 0)
    cuda.stwb(x, 0, 1)
    cuda.stcg(x, 0, 1)
    cuda.stcs(x, 0, 1)
    cuda.stwt(x, 0, 1)
    cuda.atomic.add(x, 0, 1)
    cuda.atomic.sub(x, 0, 1)
    cuda.atomic.max(x, 0, 1)
    cuda.atomic.min(x, 0, 1)
    cuda.atomic.nanmax(x, 0, 1)
    cuda.atomic.nanmin(x, 0, 1)
    cuda.atomic.and_(x, 0, 1)
    cuda.atomic.or_(x, 0, 1)
    cuda.atomic.xor(x, (0, 1), 1)
    cuda.atomic.inc(x, 0, 1)
    cuda.atomic.dec(x, 0, 1)
    cuda.atomic.exch(x, 0, 1)
    cuda.atomic.cas(x, 0, 1, 2)
    cuda.atomic.compare_and_swap(x, 1, 2)
    point = cuda.float32x4(1, 2, 3, 4)
    other = cuda.float4(1, 2, 3, 4)
    x[0] += point.x + point.y + other.z + other.w + cuda.int2(1, 2).x + cuda.uint64x2(1, 2).y
    x[0] += cuda.libdevice.sinf(1.0) + cuda.fp16.hadd(1, 2)
    x[0] += int8(1) + int16(1) + int32(1) + int64(1) + uint8(1) + uint16(1) + uint32(1) + uint64(1)
    x[0] += float16(1) + float32(1) + float64(1) + boolean(1)
    for size in cuda.literal_unroll((1, 2)):
        x[size] = cuda.literally(size)
    cuda.cg.this_grid().sync()


@cuda.jit("void(float32[:], int32)", cache=True, fastmath=True, max_registers=64)
def scale(x: Any, factor: int) -> None:
    x[cuda.grid(1)] *= factor


@cuda.jit(void(float32[:]), debug=True, opt=False)
def clear(x: Any) -> None:
    x[cuda.grid(1)] = 0


@cuda.reduce
def add_values(a: Any, b: Any) -> Any:
    return a + b


@cuda.vectorize(["float32(float32)"])
def negate(a: float) -> float:
    return -a


def use_kernels() -> None:
    stream: Stream = cuda.stream()
    x: DeviceNDArray = cuda.to_device(np.ones((4, 4), np.float32), stream=stream)
    states = create_xoroshiro128p_states(64, seed=1)
    use_operations[2, 32](x, states)
    use_operations[(2, 2), (8, 4), stream, 1024](x, states)
    scale.forall(x.size)(x, 2)
    clear.configure(1, 32)(x)
    clear.compile("void(float32[:])")
    clear.specialize(x)
    clear.inspect(gpu="H100")
    print(clear.inspect_asm(), clear.inspect_llvm(), clear.inspect_remarks(), clear.overloads)
    print(clear.get_regs_per_thread(), clear.get_shared_mem_per_block(), clear.signatures)
    text, result = cuda.compile_ptx(clear, "void(float32[:])", cc=(9, 0))
    cuda.compile(index_of, "int64(int64, int64)")
    cuda.compile_all(index_of, "int64(int64, int64)")
    cuda.compile_for_current_device(index_of, "int64(int64, int64)")
    cuda.compile_ptx_for_current_device(clear, "void(float32[:])")
    source = cuda.CUSource("extern __device__ int one() { return 1; }", options=["-DN=1"])
    cuda.declare_device("one", "int32()", link=source)
    print(text, result.name, add_values(x.ravel(), init=0), negate(np.ones(3)))
    clear[1, 32](cuda.In(np.ones(3)))
    clear[1, 32](cuda.Out(np.ones(3)))
    clear[1, 32](cuda.InOut(np.ones(3)))


# Memory, streams and devices


def use_memory() -> None:
    x = cuda.device_array((2, 3), np.float32)
    y = cuda.device_array_like(x)
    x.copy_to_device(y)
    host = x.copy_to_host()
    x.copy_to_host(host, stream=cuda.default_stream())
    print(x.shape, x.strides, x.dtype, x.ndim, x.size, x.nbytes, x.T.reshape(6).view(np.int32))
    print(len(x), x[0], x[0, 1], x.is_c_contiguous(), list(x.ravel().split(2)), x.gpu_data.size)
    x[0] = 1
    shared = cuda.managed_array(3, np.float32)
    shared[:] = 0
    print(shared + 1, cuda.mapped_array(3).shape, cuda.pinned_array(3).shape)
    cuda.pinned_array_like(host)
    cuda.mapped_array_like(host)
    with cuda.pinned(host), cuda.mapped(host) as mapped:
        print(mapped)
    z = cuda.as_cuda_array(x)
    print(cuda.is_cuda_array(z), cuda.from_cuda_array_interface(z.__cuda_array_interface__))
    with cuda.defer_cleanup(), cuda.profiling():
        cuda.profile_start()
        cuda.profile_stop()


def use_other_processes(x: DeviceNDArray) -> None:
    with x.get_ipc_handle() as opened:
        print(opened.shape)


def use_streams() -> None:
    stream = cuda.stream()
    begin: Event = cuda.event()
    end = cuda.event(timing=True)
    begin.record(stream)
    end.record(stream)
    end.synchronize()
    stream.add_callback(lambda stream, status, argument: None, "argument")
    stream.synchronize()
    with stream.auto_synchronize():
        print(stream.query(), begin.elapsed_time(end), cuda.event_elapsed_time(begin, end))
    cuda.legacy_default_stream().synchronize()
    cuda.per_thread_default_stream().synchronize()
    cuda.external_stream(0)


def use_graphs(x: DeviceNDArray) -> None:
    with cuda.graph() as graph:
        x.copy_to_device(x, stream=graph.stream)
    graph.launch()
    graph.launch(cuda.stream())
    captured: cuda.Graph = graph
    node: cuda.GraphNode = captured.nodes[0]
    if node.kind == "kernel":
        print(node.name, node.grid, node.block, node.sharedmem, node.arguments)
        node.update(x, 2.0)
    print(node.dst, node.src, node.nbytes, node.value)
    with cuda.graph(cuda.stream()):
        pass
    cuda.synchronize()


def use_devices() -> None:
    device: Device = cuda.get_current_device()
    context: Context = cuda.current_context()
    print(device.id, device.name, device.compute_capability, device.MULTIPROCESSOR_COUNT)
    print(context.get_memory_info().free, cuda.current_device().type)
    for gpu in cuda.gpus:
        with gpu:
            print(gpu.name)
    print(len(cuda.list_devices()), cuda.all_devices(), cuda.detect(), cuda.is_available())
    print(cuda.cuda_error(), cuda.is_float16_supported(), cuda.is_bfloat16_supported())
    print(cuda.is_supported_version(), cuda.runtime.get_version())
    cuda.select_device("cpu")
    cuda.close()


# CUDA C++, checks and types


def use_cuda_cpp(code: str) -> None:
    kernel = RawKernel(code, "add", options=("-std=c++17",))
    kernel((1,), (32,), (np.ones(3), np.int32(3)), shared_mem=64)
    module = RawModule(code=code, name_expressions=["scale<float>"])
    module.get_function("scale<float>")(1, 32, (np.ones(3),))
    print(module.get_global("table"), kernel.num_regs, kernel.attributes)


def use_algorithms() -> None:
    keys, values = cuda.to_device(np.array([3, 1, 2])), cuda.to_device(np.ones(3))
    print(algorithms.sum(keys), algorithms.max(values), algorithms.argmin(keys))
    print(algorithms.inclusive_scan(keys).copy_to_host(), algorithms.sort(keys).copy_to_host())
    print(algorithms.argsort(np.array([3, 1])) + 1, algorithms.unique(keys).copy_to_host())
    ordered, moved = algorithms.sort_by_key(keys, values, descending=True)
    distinct, counts = algorithms.unique(keys, return_counts=True)
    chosen = algorithms.select(keys, lambda x: x > 1)
    print(moved.size, distinct.size, counts.dtype)
    print(algorithms.merge(ordered, chosen, descending=True).copy_to_host())
    print(algorithms.segmented_reduce(values, [0, 2, 3], "max").copy_to_host())
    print(algorithms.histogram(values, 4)[0].copy_to_host())


@check
def use_checks() -> None:
    with check(print=False) as report:
        clear[1, 32](np.ones(3))
    print(report.errors, report.findings)
    report.write_json("report.json")
    try:
        use_kernels()
    except (CheckError, KernelRuntimeError, CudaSupportError, LoweringError) as error:
        print(error)
    except (UnsupportedError, TypingError, CompileError, HeddleError) as error:
        print(error)
    print(benchmark(use_memory, n_repeat=3).cpu_times.mean())


def use_types(pointer: Any) -> None:
    signature = void(float32[:], int32, complex64[:, ::1], complex128)
    print(signature.args, typeof(1).name, from_dtype(np.dtype("f4")), types.Tuple([int32, int64]))
    print(types.Array(float32, 2, "C"), types.UniTuple(int32, 3), types.Optional(float64))
    print(carray(pointer, 3, np.float32), heddle.farray(pointer, (3, 3), float64))
    print(heddle.__version__, heddle.intp, heddle.i4, heddle.f8, heddle.uint, heddle.bfloat16)
    print(cuda.int32, cuda.float64, cuda.boolean, cuda.types.intc, heddle.config.OPT)
    print(heddle.i1, heddle.i2, heddle.u1, heddle.u2, heddle.f4, heddle.c8, heddle.c16, heddle.none)
