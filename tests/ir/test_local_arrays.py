"""Local arrays whose elements constant loops select are in registers on GPUs: the PTX declares no local memory."""

import pytest

from heddle import _heddle, cuda
from heddle.compiler.signatures import parse_signature

FORMS = {
    "tile of sums": """
        float c[4][4] = {}, a[4], b[4];
        for (int k = 0; k < n; k++) {
          for (int i = 0; i < 4; i++) { a[i] = x[k * 8 + i]; b[i] = x[k * 8 + 4 + i]; }
          for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) c[i][j] += a[i] * b[j];
        }
        for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) o[t * 16 + i * 4 + j] = c[i][j];""",
    "warp tile": """
        float sums[2 * 4 * 2 * 4] = {}, a[2 * 4], b[2 * 4];
        for (int k = 0; k < n; k++) {
          for (int w = 0; w < 2; w++) for (int i = 0; i < 4; i++) {
            a[w * 4 + i] = x[k + w * 16 + i];
            b[w * 4 + i] = x[k + w * 8 + i];
          }
          for (int w = 0; w < 2; w++) for (int v = 0; v < 2; v++)
            for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++)
              sums[(w * 4 + i) * (2 * 4) + v * 4 + j] += a[w * 4 + i] * b[v * 4 + j];
        }
        for (int i = 0; i < 64; i++) o[t * 64 + i] = sums[i];""",
    "structures in a sort": """
        struct Pair { float key; int value; } p[6];
        for (int i = 0; i < 6; i++) { p[i].key = x[t + i]; p[i].value = i; }
        for (int i = 0; i < 5; i++)
          for (int j = 0; j < 5 - i; j++)
            if (p[j].key > p[j + 1].key) { Pair q = p[j]; p[j] = p[j + 1]; p[j + 1] = q; }
        for (int i = 0; i < 6; i++) o[6 * t + i] = p[i].value;""",
    "members of float4": """
        float4 sums[8];
        for (int i = 0; i < 8; i++) sums[i] = make_float4(0, 0, 0, 0);
        for (int k = 0; k < n; k++) for (int i = 0; i < 8; i++) {
          float4 v = ((const float4 *)x)[t + i * k];
          sums[i].x += v.x; sums[i].y += v.y; sums[i].z += v.z; sums[i].w += v.w;
        }
        for (int i = 0; i < 8; i++) ((float4 *)o)[8 * t + i] = sums[i];""",
    "array as float4": """
        float a[16], s = 0;
        for (int i = 0; i < 16; i += 4) *(float4 *)&a[i] = *(const float4 *)&x[16 * t + i];
        for (int i = 0; i < 16; i++) s += a[i] * a[15 - i];
        o[t] = s;""",
    "argument of functions": "float a[12]; fill(a, x + t, 12); o[t] = sum(a);",
    "pointers": """
        float a[12], *p = a, s = 0;
        for (int i = 0; i < 12; i++) *p++ = x[t + i];
        for (const float *q = a; q != a + 12; q++) s = s * 0.5f + *q;
        o[t] = s;""",
    "ring buffer": """
        float w[4] = {};
        for (int k = 0; k < 64; k++) { w[k % 4] = x[t + k]; o[t + k] = w[(k + 1) % 4] + w[k & 3]; }""",
    "break": """
        float a[8], s = 0;
        int m = 0;
        for (int i = 0; i < 8; i++) { a[i] = x[t + i]; if (a[i] < 0) break; m++; }
        for (int i = 0; i < 8; i++) { if (i >= m) break; s += a[i]; }
        o[t] = s;""",
    "steps that double": """
        float a[15];
        for (int i = 0; i < 15; i++) a[i] = x[t + i];
        for (int s = 1; s < 15; s *= 2)
          for (int i = 0; i + s < 15; i += 2 * s) a[i] = fmaxf(a[i], a[i + s]);
        o[t] = a[0];""",
    "sliding window": """
        float w[8];
        for (int i = 0; i < 8; i++) w[i] = x[i];
        for (int k = 8; k < n; k++) {
          for (int i = 0; i < 7; i++) w[i] = w[i + 1];
          w[7] = x[k];
          o[k] = w[0] + w[7];
        }""",
    "loop around a long loop": """
        float sums[4] = {};
        for (int i = 0; i < 4; i++) for (int k = 0; k < n; k++) sums[i] += sqrtf(x[k + i]);
        for (int i = 0; i < 4; i++) o[t * 4 + i] = sums[i];""",
    "table of indices": """
        float a[4];
        for (int i = 0; i < 4; i++) a[order[i]] = x[t + i];
        for (int i = 0; i < 4; i++) o[t + i] = a[i];""",
}
IN_MEMORY = {
    "index from data": "float a[16]; for (int i = 0; i < 16; i++) a[i] = x[i]; o[t] = a[n & 3] + a[t & 3];",
    "unroll 1": """
        float a[40];
        #pragma unroll 1
        for (int i = 0; i < 40; i++) a[i] = x[t * i];
        #pragma unroll 1
        for (int i = 0; i < 40; i++) o[t * i] = a[i] + a[39 - i];""",
    "too large": """
        float a[300];
        for (int i = 0; i < 300; i++) a[i] = x[t * i];
        for (int i = 0; i < 300; i++) o[t * i] = a[i] + a[299 - i];""",
}
BEFORE = """
__constant__ const int order[4] = {2, 0, 3, 1};
__device__ void fill(float *a, const float *x, int n) { for (int i = 0; i < n; i++) a[i] = x[i]; }
template <int N> __device__ float sum(const float (&a)[N]) {
  float s = 0;
  for (int i = 0; i < N; i++) s += a[i];
  return s;
}
"""


def compile_to_ptx(body):
    source = f"""{BEFORE}
extern "C" __global__ void kernel(const float *x, float *o, int n) {{
  int t = threadIdx.x;{body}
}}
"""
    options = _heddle.CudaOptions([])
    code, *_ = _heddle.compile_cuda_ahead(source, "kernel.cu", options, [], "cuda", (9, 0), "asm")
    return code.decode()


@pytest.mark.parametrize("form", FORMS)
def test_array_in_registers(form):
    assert ".local" not in compile_to_ptx(FORMS[form])


@pytest.mark.parametrize("form", IN_MEMORY)
def test_array_in_memory(form):
    assert ".local" in compile_to_ptx(IN_MEMORY[form])


def test_python_kernel():
    @cuda.jit
    def tile(x, y):
        sums = cuda.local.array((4, 4), "float32")
        weights = (1.0, 4.0, 6.0, 4.0)
        for i in range(4):
            for j in range(4):
                sums[i, j] = 0
        for k in range(x.size):
            for i in range(4):
                for j in range(4):
                    sums[i, j] += x[k + i] * weights[j]
        for i in range(4):
            for j in range(-1, -5, -1):
                y[cuda.grid(1) + 4 * i + j] = sums[i, j]

    signature = parse_signature("void(float32[::1], float32[::1])")
    code, _ = _heddle.compile_ahead(tile, signature, "tile", "cuda", (9, 0), "asm")
    assert ".local" not in code.decode()
