import cupy as cp
from cupyx.profiler import benchmark, time_range


@time_range()
def total(x):
    return cp.sqrt(x).sum()


with time_range("preparation"):
    x = cp.ones((100, 100))
result = benchmark(total, (x,), n_repeat=5, n_warmup=1)
print(result.name, result.cpu_times.shape, result.gpu_times.shape, "CPU:" in str(result))
