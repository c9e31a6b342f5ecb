import cupy as cp

scale = cp.RawKernel(
    "__global__ void scale(double* x, double f) { x[blockIdx.x * blockDim.x + threadIdx.x] *= f; }",
    "scale",
)
x = cp.ones(256)
start, end = cp.cuda.Event(), cp.cuda.Event()
calls = []
with cp.cuda.Stream(non_blocking=True) as stream:
    start.record()
    scale((2,), (128,), (x, 3.0))
    end.record(stream)
other = cp.cuda.Stream()
other.wait_event(end)
other.use()
scale((2,), (128,), (x, 2.0))
other.launch_host_func(calls.append, "called")
other.synchronize()
cp.cuda.Stream.null.use()
end.synchronize()
print(x.get().sum(), calls, cp.cuda.get_elapsed_time(start, end) >= 0, stream.done, end.done)
