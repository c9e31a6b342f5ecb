"""The lines that all divergent kernels share, and the conversion of a kernel to C++."""

import re

WORDS = 8  # of output per thread
BEGIN = """def kernel(o, x, h, g, n):
    s = cuda.shared.array(160, np.int32)
    w = cuda.shared.array(160, np.int32)
    c = cuda.shared.array(4, np.int32)"""
ONE_AXIS = """    t = cuda.threadIdx.x
    count = cuda.blockDim.x"""
AXES = """    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    t = (cuda.threadIdx.z * cuda.blockDim.y + ty) * cuda.blockDim.x + tx
    count = cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z"""
START = """    b = cuda.blockIdx.x
    i = b * count + t
    lane = t & 31
    lanes = min(32, count - (t - lane))
    v0, v1, v2, m0, m1, j0, j1 = t % 5, x[i], n, 0, 0, 0, 0
    s[t] = 3 * t + n
    w[t] = t
    g[i] = x[i]
    if t < 4:
        c[t] = t
    cuda.syncthreads()"""
HELPER = """@cuda.jit(device=True)
def helper(o, x, h, s, g, c, i, t, n, b, lane, count, v0, v1, v2):"""
CALL = "helper(o, x, h, s, g, c, i, t, n, b, lane, count, v0, v1, v2)"
HELPER_END = "    return (v0 + v1 + v2) % 10007"
CPP_HELPER = """__device__ long long helper(
    long long* __restrict__ o, const int* __restrict__ x, int* __restrict__ h, int* __restrict__ s,
    int* __restrict__ g, int* __restrict__ c, int i, int t, long long n, int b, int lane, int count,
    long long v0, long long v1, long long v2) {"""
END = "    o[8 * i + 7] = v0 + 10007 * v1 + v2"
CPP_BEGIN = """extern "C" __global__ void kernel(long long* __restrict__ o, const int* __restrict__ x,
                                  int* __restrict__ h, int* __restrict__ g, long long n) {
__shared__ int s[160], w[160], c[4];
int tx = threadIdx.x, ty = threadIdx.y;
int count = blockDim.x * blockDim.y * blockDim.z;
int t = (threadIdx.z * blockDim.y + ty) * blockDim.x + tx, b = blockIdx.x, i = b * count + t;
int lane = t & 31, lanes = min(32, count - (t - lane));
long long v0 = t % 5, v1 = x[i], v2 = n;
unsigned m0 = 0, m1 = 0;
int k0 = 0, k1 = 0, j0 = 0, j1 = 0;"""

# The lines that all kernels share.
FIXED = {
    line
    for text in (BEGIN, ONE_AXIS, AXES, START, HELPER, HELPER_END, END)
    for line in text.splitlines()
}

ATOMICS = {"add": "Add", "sub": "Sub", "max": "Max", "min": "Min", "xor": "Xor", "or_": "Or"}
REPLACED = [
    (
        r"cuda\.atomic\.(\w+)\((\w), (.*), (.*)\)$",
        lambda m: f"atomic{ATOMICS[m[1]]}(&{m[2]}[{m[3]}], int({m[4]}))",
    ),
    (r"cuda\.(\w+)", r"__\1"),
    (r"\bint32\(", "int("),
    (r"\band\b", "&&"),
    (r"\bor\b", "||"),
    (r"\bnot\b", "!"),
]


def convert_to_cpp(lines):
    """C++ lines with the same meaning as the lines that Writer wrote."""
    begin, start = lines.index(BEGIN.splitlines()[0]), lines.index("    s[t] = 3 * t + n")
    text = [CPP_HELPER, *_cpp_statements(lines[2:begin])] if begin else []
    return "\n".join([*text, CPP_BEGIN, *_cpp_statements(lines[start:])]) + "\n"


def _cpp_statements(lines):
    depth = 1
    for line in lines:
        indent = (len(line) - len(line.lstrip())) // 4
        yield from ["}"] * (depth - indent)
        statement = _cpp_statement(line.strip())
        depth = indent + statement.endswith("{")
        yield statement
    yield from ["}"] * depth


def _cpp_statement(statement):
    for pattern, by in REPLACED:
        statement = re.sub(pattern, by, statement)
    if loop := re.match(r"for (\w+) in range\((.*)\):$", statement):
        k = loop[1]
        kind = "int " if k.startswith("q") else ""
        return f"for ({kind}{k} = 0; {k} < {loop[2]}; ++{k}) {{"
    if head := re.match(r"(if|while) (.*):$", statement):
        return f"{head[1]} ({head[2]}) {{"
    return "else {" if statement == "else:" else f"{statement};"
