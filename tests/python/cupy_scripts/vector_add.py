import cupy as cp

add = cp.RawKernel(
    r"""
extern "C" __global__
void add(const float* a, const float* b, float* c, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
""",
    "add",
)

n = 10000
a = cp.random.rand(n).astype(cp.float32)
b = cp.random.rand(n, dtype=cp.float32)
c = cp.empty_like(a)
add(((n + 255) // 256,), (256,), (a, b, c, cp.int32(n)))
print(cp.allclose(c, a + b), float(abs(c - (a + b)).max()))
