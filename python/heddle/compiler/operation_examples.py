"""Examples for the docstrings of device operations, by name. Other operations show a call with their parameters."""

_index = "i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x  # as cuda.grid(1)"

_array_at_pointer = """@cfunc("float64(CPointer(float64))")
... def first_row(pointer):
...     values = heddle.{name}(pointer, (2, 3))
...     return values[0, 0] + 10 * values[0, 1] + 100 * values[0, 2]
>>> import ctypes
>>> memory = (ctypes.c_double * 6)(0, 1, 2, 3, 4, 5)
>>> first_row.ctypes(memory)
{digits}"""

# One line of a kernel for each name; for names that host functions use, lines at Python's prompt.
examples = {
    "cuda.threadIdx": _index,
    "cuda.blockIdx": _index,
    "cuda.blockDim": _index,
    "cuda.gridDim": "last = cuda.blockIdx.x == cuda.gridDim.x - 1",
    "cuda.grid": "column, row = cuda.grid(2)",
    "cuda.gridsize": "for i in range(cuda.grid(1), x.size, cuda.gridsize(1)): x[i] += 1",
    "cuda.laneid": "is_first = cuda.laneid == 0",
    "cuda.warpsize": "warp = cuda.threadIdx.x // cuda.warpsize",
    "cuda.shared": "tile = cuda.shared.array((16, 16), float32)",
    "cuda.shared.array": "tile = cuda.shared.array((16, 16), float32)",
    "cuda.local": "own = cuda.local.array(4, float32)",
    "cuda.local.array": "own = cuda.local.array(4, float32)",
    "cuda.const": "weights = cuda.const.array_like(global_weights)",
    "cuda.const.array_like": "weights = cuda.const.array_like(global_weights)",
    "cuda.atomic": "old = cuda.atomic.add(counts, bin, 1)",
    "cuda.atomic.add": "old = cuda.atomic.add(counts, bin, 1)",
    "cuda.atomic.max": "old = cuda.atomic.max(largest, (row, 0), value)",
    "cuda.atomic.cas": "old = cuda.atomic.cas(lock, 0, 0, 1)  # 0: this thread has the lock",
    "cuda.syncthreads": "cuda.syncthreads()  # threads of the block see each other's earlier writes",
    "cuda.syncthreads_count": "found = cuda.syncthreads_count(x[i] > 0)",
    "cuda.syncthreads_and": "all_done = cuda.syncthreads_and(error < 1e-6)",
    "cuda.syncthreads_or": "any_left = cuda.syncthreads_or(x[i] != 0)",
    "cuda.syncwarp": "cuda.syncwarp()",
    "cuda.threadfence": "x[i] = value; cuda.threadfence(); cuda.atomic.exch(ready, 0, 1)",
    "cuda.shfl_sync": "of_lane_0 = cuda.shfl_sync(0xFFFFFFFF, value, 0)",
    "cuda.shfl_up_sync": "left = cuda.shfl_up_sync(0xFFFFFFFF, value, 1)",
    "cuda.shfl_down_sync": "value += cuda.shfl_down_sync(0xFFFFFFFF, value, 16)",
    "cuda.shfl_xor_sync": "value += cuda.shfl_xor_sync(0xFFFFFFFF, value, 16)",
    "cuda.ballot_sync": "count = cuda.popc(cuda.ballot_sync(0xFFFFFFFF, x[i] > 0))",
    "cuda.activemask": "lanes = cuda.popc(cuda.activemask())",
    "cuda.literally": "size = cuda.literally(n)  # compiles a variant for each n",
    "cuda.literal_unroll": "for value in cuda.literal_unroll((1, 2.5)): x[i] += value",
    "cuda.wmma.fragment": "a = cuda.wmma.fragment(cuda.wmma.matrix_a, 16, 16, 16, float16)",
    "cuda.wmma.fill_fragment": "cuda.wmma.fill_fragment(sums, 0)",
    "cuda.wmma.load_matrix_sync": "cuda.wmma.load_matrix_sync(a, tile, (row, k))",
    "cuda.wmma.store_matrix_sync": "cuda.wmma.store_matrix_sync(out, (row, column), sums)",
    "cuda.wmma.mma_sync": "cuda.wmma.mma_sync(sums, a, b, sums)",
    "cuda.wgmma.accumulator": "sums = cuda.wgmma.accumulator(256)  # of zeros",
    "cuda.wgmma.swizzle": "tile[row, cuda.wgmma.swizzle(row, column)] = a[row, column]",
    "cuda.wgmma.mma": "cuda.wgmma.mma(sums, tiles_of_a[stage], tiles_of_b[stage])",
    "cuda.wgmma.wait_prior": "cuda.wgmma.wait_prior(1, sums)  # the last product may still run",
    "cuda.wgmma.store": "cuda.wgmma.store(out, (row, column), sums)",
    "cuda.pipeline.memcpy_async": "cuda.pipeline.memcpy_async(tile, (i, 8 * j), x, (row, 8 * j), 8)",
    "cuda.pipeline.commit": "cuda.pipeline.commit()",
    "cuda.pipeline.wait_prior": "cuda.pipeline.wait_prior(0); cuda.syncthreads()",
    "cuda.selp": "y = cuda.selp(x[i] > 0, x[i], 0)",
    "cuda.cg.this_grid": "cuda.cg.this_grid().sync()",
    "heddle.prange": """@njit(parallel=True)
... def total(x):
...     result = 0.0
...     for i in heddle.prange(x.size):
...         result += x[i]
...     return result
>>> total(np.ones(1000))
1000.0""",
    "heddle.carray": _array_at_pointer.format(name="carray", digits="210.0"),
    "heddle.farray": _array_at_pointer.format(name="farray", digits="420.0"),
    "heddle.get_thread_id": """@njit(parallel=True)
... def count_iterations(counts, n):
...     for i in heddle.prange(n):
...         counts[heddle.get_thread_id()] += 1
>>> counts = np.zeros(heddle.get_num_threads(), np.int64)
>>> count_iterations(counts, 1000)
>>> int(counts.sum())
1000""",
    "heddle.get_num_threads": "counts = np.zeros(heddle.get_num_threads())",
}


def make_operation_example(name, parameters):
    """The example for an operation. parameters: "(ary, idx, val=)", or empty for a value."""
    if name in examples:
        return examples[name]
    if not parameters:
        return f"value = {name}"
    required = [p.strip() for p in parameters.strip("()").split(",") if p and "=" not in p]
    return f"{name}({', '.join(required)})"
