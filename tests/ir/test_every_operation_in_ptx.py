"""Compiles every SIMT IR operation for all its types, one kernel each, and assembles the PTX."""

import itertools
import pathlib
import re
import subprocess

import pytest
from test_filecheck import GPUS, ROOT, find_heddle_opt, find_ptxas

TYPES = {
    "i1": "i1",
    "i8": "i8",
    "i16": "i16",
    "i32": "i32",
    "i64": "i64",
    "i128": "i128",
    "f32": "float",
    "f64": "double",
}
FLOATS = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
INTEGERS = ["i8", "i16", "i32", "i64", "i128"]
DIVIDABLE = INTEGERS[:-1]

TABLE = (ROOT / "src/simt/ir/ops.def").read_text()
ROWS = re.findall(
    r'^SIMT_(?:WARP_)?OP\(\w+, "([^"]+)", "(\w+)", "([^"]*)", "([^"]*)", \d+, ([^,]+),',
    TABLE,
    re.MULTILINE,
)
SITES = '!simt.sites = !{!0}\n!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}\n'


class Module:
    """SIMT IR with one kernel per operation, which takes operands as parameters and stores its result."""

    def __init__(self):
        self.kernels = []
        self.declarations = set()

    def add(self, result, operands, expression):
        """Adds a kernel for `expression`, in which $0, $1 .. stand for operands of the types `operands`."""
        parameters, body = ["ptr addrspace(1) %out"], []
        for i, t in enumerate(operands):
            carrier = {"i1": "i8", "i128": "i64", "ptr": "ptr addrspace(1)"}.get(t, t)
            if t == "ptr addrspace(3)":
                body.append(f"  %v{i} = getelementptr i8, ptr addrspace(3) @shared, i32 0")
                continue
            if carrier == t:
                parameters.append(f"{t} %v{i}")
                continue
            parameters.append(f"{carrier} %p{i}")
            cast = {"i1": "trunc", "i128": "sext", "ptr": "addrspacecast"}[t]
            body.append(f"  %v{i} = {cast} {carrier} %p{i} to {t}")
        expression = re.sub(r"\$(\d)", r"%v\1", expression)
        if result == "void":
            body.append("  " + expression)
        else:
            body.append("  %r = " + expression)
            body.append(f"  store {result} %r, ptr addrspace(1) %out")
        name = f"k{len(self.kernels)}"
        head = f'define void @{name}({", ".join(parameters)}) "simt.kernel" {{'
        self.kernels.append("\n".join([head, *body, "  ret void", "}"]))

    def call(self, function, result, operands, constants=()):
        """Adds a kernel that calls `function`; `constants` are (type, value) pairs after the operands."""
        types = list(operands) + [t for t, _ in constants]
        convergent = " convergent" if re.search(r"barrier|warp\.|yield", function) else ""
        self.declarations.add(f"declare {result} @{function}({', '.join(types)}){convergent}")
        arguments = [f"{t} ${i}" for i, t in enumerate(operands)]
        arguments += [f"{t} {v}" for t, v in constants]
        self.add(result, operands, f"call {result} @{function}({', '.join(arguments)})")

    def text(self):
        shared = "@shared = internal addrspace(3) global [64 x i8] poison, align 16\n"
        return shared + "\n".join([*self.kernels, *sorted(self.declarations), SITES])


def list_overloads(words):
    return words.split() or [None]


def add_operation(module, name, result, operands, overload, pointer, properties):
    def type_of(word):
        return {"T": TYPES.get(overload), "P": pointer, "p3": "ptr addrspace(3)"}.get(
            word, TYPES.get(word, word)
        )

    types = [type_of(word) for word in operands.split()]
    suffix = f".{overload}" if overload else ""
    if pointer:
        suffix += {"ptr": ".p0", "ptr addrspace(1)": ".p1", "ptr addrspace(3)": ".p3"}[pointer]
    function, result = name + suffix, type_of(result)
    if name.endswith(".cached"):
        for which in range(5 if result != "void" else 4):
            module.call(function, result, types[:-1], [("i32", which)])
    elif "ArgMemory" in properties:
        for scope in range(3):
            module.call(function, result, types[:-1], [("i32", scope)])
    elif name.startswith("simt.named."):
        more = [("i1", "true")] if "i1" in types else []
        module.call(function, result, [], [("i32", 0), ("i32", 1), ("i32", 64), *more])
    elif "Site" in properties:
        values = {"i1": "true", "ptr": "null"}
        constants = [("i32", 0)] + [(t, values.get(t, "1")) for t in types[1:]]
        module.call(function, result, [], constants)
    else:
        module.call(function, result, types)


def make_operations(gpu):
    module = Module()
    for name, result, operands, overloads, properties in ROWS:
        is_check = name.startswith(("simt.check.", "simt.filter."))
        if is_check and name != "simt.check.index":
            continue  # only the CPU device runs the checks of `heddle check`
        for overload in list_overloads(overloads):
            if overload == "i128" and gpu < 90:
                continue
            pointers = [None]
            if "P" in operands.split():
                pointers = ["ptr", "ptr addrspace(1)", "ptr addrspace(3)"]
            for pointer in pointers:
                add_operation(module, name, result, operands, overload, pointer, properties)
    return module


def make_float_intrinsics(gpu):
    module = Module()
    arity = {
        1: "sqrt fabs floor ceil trunc rint nearbyint round roundeven canonicalize",
        2: "copysign minnum maxnum minimum maximum minimumnum maximumnum",
        3: "fma fmuladd",
    }
    for f, suffix in FLOATS.items():
        for count, names in arity.items():
            for name in names.split():
                module.call(f"llvm.{name}.{suffix}", f, [f] * count)
        module.call(f"llvm.is.fpclass.{suffix}", "i1", [f], [("i32", 516)])
        for integer, sign in itertools.product(["i1", *DIVIDABLE], "su"):
            module.call(f"llvm.fpto{sign}i.sat.{integer}.{suffix}", integer, [f])
    return module


def make_integer_intrinsics(gpu):
    module = Module()
    for i in INTEGERS:
        for name in ["ctpop", "bitreverse"] + ["bswap"] * (i != "i8"):
            module.call(f"llvm.{name}.{i}", i, [i])
        for name in ["ctlz", "cttz", "abs"]:
            module.call(f"llvm.{name}.{i}", i, [i], [("i1", "false")])
        for name in ["fshl", "fshr"]:
            module.call(f"llvm.{name}.{i}", i, [i] * 3)
        for name in "smin smax umin umax sadd.sat uadd.sat ssub.sat usub.sat".split():
            module.call(f"llvm.{name}.{i}", i, [i, i])
        for name in ["scmp", "ucmp"]:
            module.call(f"llvm.{name}.i8.{i}", "i8", [i, i])
        for name in "sadd uadd ssub usub smul umul".split():
            module.call(f"llvm.{name}.with.overflow.{i}", f"{{ {i}, i1 }}", [i, i])
    return module


def make_instructions(gpu):
    module = Module()
    for f in FLOATS:
        for name in "fadd fsub fmul fdiv frem".split():
            module.add(f, [f, f], f"{name} {f} $0, $1")
        module.add(f, [f], f"fneg {f} $0")
        for predicate in "oeq ogt olt une uno ord ueq".split():
            module.add("i1", [f, f], f"fcmp {predicate} {f} $0, $1")
        for i in ["i1", *DIVIDABLE]:
            module.add(f, [i], f"sitofp {i} $0 to {f}")
            module.add(f, [i], f"uitofp {i} $0 to {f}")
    for narrow, wide in itertools.combinations(FLOATS, 2):
        if (narrow, wide) != ("half", "bfloat"):
            module.add(wide, [narrow], f"fpext {narrow} $0 to {wide}")
            module.add(narrow, [wide], f"fptrunc {wide} $0 to {narrow}")
    for i in INTEGERS:
        for name in "add sub mul and or xor shl lshr ashr".split():
            module.add(i, [i, i], f"{name} {i} $0, $1")
    for i in DIVIDABLE:
        for name in "sdiv udiv srem urem".split():
            module.add(i, [i, i], f"{name} {i} $0, $1")
    return module


def test_every_row_is_read():
    assert len(ROWS) == len(re.findall(r"^SIMT_(?:WARP_)?OP\(", TABLE, re.MULTILINE))


FAMILIES = [make_operations, make_float_intrinsics, make_integer_intrinsics, make_instructions]


@pytest.mark.parametrize("options", ["", "-fastmath", "-no-opt"])
@pytest.mark.parametrize("gpu", GPUS, ids=lambda sm: f"sm_{sm}")
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_every_operation_becomes_ptx(family, gpu, options, tmp_path):
    heddle_opt = find_heddle_opt()
    if not heddle_opt:
        pytest.skip("heddle-opt is not built: configure with -DHEDDLE_TOOLS=ON")
    module = family(gpu)
    source, ptx = tmp_path / "kernels.ll", tmp_path / "kernels.ptx"
    source.write_text(module.text())
    command = [heddle_opt, "-ptx", f"-sm={gpu}", *options.split(), str(source), "-o", str(ptx)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    text = ptx.read_text()
    assert text.count(".visible .entry k") == len(module.kernels)
    assert set(re.findall(r"\bsimt\.[\w.]+", text)) == set()  # calls that no pass has lowered
    if ptxas := find_ptxas():
        assemble(ptxas, gpu, ptx)


def assemble(ptxas, gpu, ptx: pathlib.Path):
    command = [ptxas, f"-arch=sm_{gpu}", "-O0", str(ptx), "-o", str(ptx.with_suffix(".cubin"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
