"""Kernels for litmus tests: source in CUDA C++ or Python, for a way to access memory, a scope, a place and a memory."""

import itertools
from dataclasses import dataclass

from shapes import Shape

# How strong accesses and fences are written.
WAYS = ("volatile", "atomic", "relaxed", "acq_rel fences", "release-acquire", "python")
PLACES = ("one warp", "two warps", "two blocks")
_scopes_of = {
    "one warp": ("block", "device", "system"),
    "two warps": ("block", "device", "system"),
    "two blocks": ("device", "system"),
}
_types_of_volatile = ("unsigned char", "unsigned short", "unsigned", "unsigned long long", "float")
_types_of_atomics = ("unsigned", "unsigned long long")
_fence_of = {
    "block": "__threadfence_block",
    "device": "__threadfence",
    "system": "__threadfence_system",
}
_suffix_of = {"block": "_block", "device": "", "system": "_system"}
_ptx_scope_of = {"block": "cta", "device": "gpu", "system": "sys"}
_dtype_of = {
    "unsigned char": "uint8",
    "unsigned short": "uint16",
    "unsigned": "uint32",
    "unsigned long long": "uint64",
    "float": "float32",
}


@dataclass(frozen=True)
class Configuration:
    """type: of the locations, as C writes it. space: "global" or "shared"."""

    shape: Shape
    way: str
    place: str
    scope: str
    space: str
    type: str
    fences: bool = True

    @property
    def dtype(self):
        return _dtype_of[self.type]

    def __str__(self):
        parts = (self.shape.name, self.way, self.place, self.scope, self.space, self.type)
        return ", ".join(parts)


def _can_write(way, shape):
    if way in ("acq_rel fences", "release-acquire") and shape.needs == "sc":
        return False
    if shape.only_atomics:
        return way in ("atomic", "python")
    return True


def list_configurations(shape):
    """All of a test."""
    types = {way: itertools.cycle(_types_of_atomics) for way in WAYS}
    types["volatile"] = itertools.cycle(_types_of_volatile)
    return [
        Configuration(shape, way, place, scope, space, next(types[way]))
        for way in WAYS
        if _can_write(way, shape)
        for place in PLACES
        for scope in _scopes_of[place]
        for space in (("global",) if place == "two blocks" else ("global", "shared"))
    ]


def generate_source(configuration):
    """The kernel ``litmus``, and what its language is: "python" or "c++"."""
    if configuration.way == "python":
        return _generate_python(configuration), "python"
    return _generate_cuda(configuration), "c++"


def _split_operations(line):
    return [operation.strip() for operation in line.split(";")]


# CUDA C++


def _format_ptx_access(c, name, place, *, load_to="", store=0):
    word, letter = ("u64", "l") if c.type.endswith("long long") else ("u32", "r")
    opcode = f"{name}.{_ptx_scope_of[c.scope]}.{word}"
    if load_to:
        text = f'"{opcode} %0, [%1];" : "={letter}"({load_to}) : "l"({place}) : "memory"'
    else:
        text = f'"{opcode} [%0], %1;" :: "l"({place}), "{letter}"((T){store}) : "memory"'
    return f"asm volatile({text});"


def _format_cuda_store(c, place, value):
    if c.way == "volatile":
        return f"*(volatile T*){place} = {value};"
    if c.way == "atomic":
        return f"atomicExch{_suffix_of[c.scope]}({place}, (T){value});"
    kind = "st.release" if c.way == "release-acquire" else "st.relaxed"
    return _format_ptx_access(c, kind, place, store=value)


def _format_cuda_load(c, register, place):
    if c.way == "volatile":
        return f"{register} = *(volatile T*){place};"
    if c.way == "atomic":
        return f"{register} = atomicAdd{_suffix_of[c.scope]}({place}, (T)0);"
    kind = "ld.acquire" if c.way == "release-acquire" else "ld.relaxed"
    return _format_ptx_access(c, kind, place, load_to=register)


def _format_cuda_fence(c):
    if c.way == "release-acquire" or not c.fences:
        return ""
    if c.way in ("relaxed", "acq_rel fences"):
        kind = "sc" if c.way == "relaxed" else "acq_rel"
        return f'asm volatile("fence.{kind}.{_ptx_scope_of[c.scope]};" ::: "memory");'
    return f"{_fence_of[c.scope]}();"


def _format_cuda_operation(c, operation):
    if operation == "F":
        return _format_cuda_fence(c)
    condition, _, rest = operation.rpartition("?")
    to, value = rest.split("=")
    if condition:
        return f"{to} = {condition} ? *{value.lower()} : (T)1;"
    if value.endswith("+1"):
        return f"{to} = atomicAdd{_suffix_of[c.scope]}({value[0]}, (T)1);"
    if to == "X":
        return f"*x = {value};"
    return (
        _format_cuda_load(c, to, value) if to.startswith("r") else _format_cuda_store(c, to, value)
    )


_cuda_places = {
    "two blocks": """
  int parts = gridDim.x / ROLES, part = blockIdx.x / ROLES;
  int role = blockIdx.x % ROLES, slots = blockDim.x, slot = t;""",
    "two warps": """
  int parts = gridDim.x, part = blockIdx.x;
  int role = t / 32 % ROLES, slots = blockDim.x / ROLES, slot = t / 32 / ROLES * 32 + t % 32;""",
    "one warp": """
  const int inWarp = 32 / ROLES;
  int parts = gridDim.x, part = blockIdx.x, lane = t % 32;
  int role = lane < inWarp * ROLES ? lane % ROLES : -1;
  int slots = blockDim.x / 32 * inWarp, slot = t / 32 * inWarp + lane / ROLES;""",
}


def _generate_cuda(c):
    registers = range(c.shape.registers)
    cases = ""
    for role, line in enumerate(c.shape.threads):
        body = "\n        ".join(_format_cuda_operation(c, o) for o in _split_operations(line))
        written = [n for n in registers if f"r{n}=" in line]
        keep = " ".join(f"r[{n} * n + i] = r{n};" for n in written)
        declared = "".join(f"T r{n} = 0; " for n in written)
        lines = (declared, body, keep, "break;")
        cases += f"      case {role}: {{\n        " + "\n        ".join(lines) + "\n      }\n"
    if c.space == "shared":
        shared = "  __shared__ T sx[512], sy[512], sz[512];\n"
        begin = """
    int at = (slot + scatter) % slots;
    T *x = sx + slot, *y = sy + at, *z = sz + slot;
    if (role == 0) *x = *y = *z = 0;
    __syncthreads();"""
        end = """
    __syncthreads();
    if (role == 0) { gx[i] = *x; gy[j] = *y; gz[i] = *z; }
    __syncthreads();"""
    else:
        shared, end = "", ""
        begin = "\n    T *x = gx + i, *y = gy + j, *z = gz + i;"
    return f"""
typedef {c.type} T;
const int ROLES = {len(c.shape.threads)};
extern "C" __global__ void litmus(T* gx, T* gy, T* gz, T* r, int n, int rounds, int scatter) {{
{shared}  int t = threadIdx.x;{_cuda_places[c.place]}
  if (scatter > 1) role = ROLES - 1 - role; // the CPU device runs threads in order
  for (int k = 0; k < rounds; ++k) {{
    int i = (k * parts + part) * slots + slot;
    int j = (long long)i * scatter % n;{begin}
    switch (role) {{
{cases}    }}{end}
  }}
}}
"""


# Python


def _format_python_operation(c, operation):
    if operation == "F":
        name = {
            "block": "threadfence_block",
            "device": "threadfence",
            "system": "threadfence_system",
        }
        return f"cuda.{name[c.scope]}()" if c.fences else "pass"
    places = {"x": "x, ix", "y": "y, iy", "z": "z, iz"}
    condition, _, rest = operation.rpartition("?")
    to, value = rest.split("=")
    if condition:
        return f"{to} = x[ix] if {condition} else T(1)"
    if value.endswith("+1"):
        return f"{to} = cuda.atomic.add({places[value[0]]}, 1)"
    if to == "X":
        return f"x[ix] = {value}"
    if to.startswith("r"):
        return f"{to} = cuda.atomic.add({places[value]}, 0)"
    return f"cuda.atomic.exch({places[to]}, T({value}))"


_python_places = {
    "two blocks": """
    parts = cuda.gridDim.x // ROLES
    part, role = cuda.blockIdx.x // ROLES, cuda.blockIdx.x % ROLES
    slots, slot = cuda.blockDim.x, t""",
    "two warps": """
    parts, part = cuda.gridDim.x, cuda.blockIdx.x
    role, slots, slot = t // 32 % ROLES, cuda.blockDim.x // ROLES, t // 32 // ROLES * 32 + t % 32""",
    "one warp": """
    parts, part, lane = cuda.gridDim.x, cuda.blockIdx.x, t % 32
    role = lane % ROLES if lane < 32 // ROLES * ROLES else -1
    slots, slot = cuda.blockDim.x // 32 * (32 // ROLES), t // 32 * (32 // ROLES) + lane // ROLES""",
}


def _generate_python(c):
    cases = ""
    for role, line in enumerate(c.shape.threads):
        written = [n for n in range(c.shape.registers) if f"r{n}=" in line]
        lines = [_format_python_operation(c, o) for o in _split_operations(line)]
        lines += [f"r[{n} * n + i] = r{n}" for n in written]
        body = "".join(f"\n            {text}" for text in lines)
        cases += f"        if role == {role}:{body}\n"
    if c.space == "shared":
        shared = "".join(f"    s{v} = cuda.shared.array(512, T)\n" for v in "xyz")
        begin = """
        x, y, z, ix, iy, iz = sx, sy, sz, slot, (slot + scatter) % slots, slot
        if role == 0:
            sx[ix], sy[iy], sz[iz] = 0, 0, 0
        cuda.syncthreads()"""
        end = """        cuda.syncthreads()
        if role == 0:
            gx[i], gy[j], gz[i] = sx[ix], sy[iy], sz[iz]
        cuda.syncthreads()
"""
    else:
        shared, end = "", ""
        begin = "\n        x, y, z, ix, iy, iz = gx, gy, gz, i, j, i"
    return f"""
import numpy as np
from heddle import cuda
T, ROLES = np.{c.dtype}, {len(c.shape.threads)}

@cuda.jit
def litmus(gx, gy, gz, r, n, rounds, scatter):
{shared}    t = cuda.threadIdx.x{_python_places[c.place]}
    if scatter > 1:
        role = ROLES - 1 - role
    for k in range(rounds):
        i = (k * parts + part) * slots + slot
        j = i * scatter % n{begin}
{cases}{end}"""
