"""A variable of the module points to an array. The kernel that uses it takes another array's length."""


from heddle.compat import cupy as cp

SOURCE = r"""
__device__ double* weights;
extern "C" __global__ void set_weights(double* w) { weights = w; }
extern "C" __global__ void scale(double* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    x[i] *= weights[i];  //! bounds //-
    //+ x[i] *= weights[i % 16];
}
"""
module = cp.RawModule(code=SOURCE)
weights, x = cp.full(16, 2.0), cp.ones(100)
module.get_function("set_weights")((1,), (1,), (weights,))
module.get_function("scale")((1,), (32,), (x, 100))
#+ assert x.get()[:16].tolist() == [2] * 16
