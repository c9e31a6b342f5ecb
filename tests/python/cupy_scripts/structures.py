"""Structures as arguments: vectors, a template's matrix, structures in structures, variables of a module."""

import cupy as cp
import numpy as np

module = cp.RawModule(
    code=r"""
template <typename T, int N> struct Matrix { T values[N][N]; };
struct Part { char kind; int number; float sizes[3]; };
struct Whole { Part first; double scale; Part others[2]; };
__constant__ double weights[3];

template <typename T> __global__ void transpose(const Matrix<T, 3> m, T* out) {
  out[threadIdx.y * 3 + threadIdx.x] = m.values[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void brighten(const float4 by, float4* pixels) {
  float4& p = pixels[threadIdx.x];
  p = make_float4(p.x * by.x, p.y * by.y, p.z * by.z, p.w);
}
extern "C" __global__ void add_up(const Whole w, double* out, Whole* changed) {
  *out = w.first.number + w.scale + w.others[1].sizes[2] + weights[0] * weights[2];
  changed->others[0].number = 42;
}
""",
    name_expressions=("transpose<float>", "transpose<double>"),
)
for number, name in ((np.float32, "float"), (np.float64, "double")):
    matrix = np.zeros((), [("values", number, (3, 3))])
    matrix["values"] = np.arange(9).reshape(3, 3)
    out = cp.zeros(9, number)
    module.get_function(f"transpose<{name}>")((1,), (3, 3), (matrix, out))
    print(out.dtype, out.tolist())
float4 = np.dtype([(name, np.float32) for name in "xyzw"])
pixels = cp.ones(8, np.float32)
module.get_function("brighten")((1,), (2,), (np.array((2, 3, 4, 0), float4), pixels))
print(pixels.tolist())
part = np.dtype([("kind", "i1"), ("number", "i4"), ("sizes", "f4", 3)], align=True)
whole = np.dtype([("first", part), ("scale", "f8"), ("others", part, 2)], align=True)
value = np.zeros((), whole)
value["first"]["number"], value["scale"], value["others"][1]["sizes"][2] = 3, 0.5, 7
weights = np.array([4.0, 5.0, 6.0])
module.get_global("weights").copy_from(weights.ctypes.data, weights.nbytes)
out, changed = cp.zeros(1), cp.zeros(whole.itemsize, np.uint8)
module.get_function("add_up")((1,), (1,), (value, out, changed))
print(out.tolist(), changed.get().view(whole)[0]["others"][0]["number"])
