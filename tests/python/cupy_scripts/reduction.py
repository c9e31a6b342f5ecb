import cupy as cp

l2norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
x = cp.arange(10, dtype=cp.float32).reshape(2, 5)
print(l2norm(x, axis=1))
print(l2norm(x))

largest = cp.ReductionKernel("T x", "T y", "abs(x)", "max(a, b)", "y = a", None, "largest")
print(largest(x - 6, axis=0, keepdims=True))

mean = cp.ReductionKernel(
    "T x", "T y", "x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", "0", "mean"
)
print(mean(cp.ones((1000, 300))))
