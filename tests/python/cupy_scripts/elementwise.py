import cupy as cp

squared_diff = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
x = cp.arange(10, dtype=cp.float32).reshape(2, 5)
y = cp.arange(5, dtype=cp.float32)
print(squared_diff(x, y))
print(squared_diff(x, 5).sum())

add_reverse = cp.ElementwiseKernel(
    "T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse"
)
print(add_reverse(y, y))

both = cp.ElementwiseKernel("int32 a, int32 b", "int32 q, int32 r", "q = a / b; r = a % b;", "both")
q, r = both(cp.arange(8, dtype=cp.int32), 3)
print(q, r)
