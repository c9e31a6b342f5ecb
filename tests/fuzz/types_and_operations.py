"""Tests every type and every kind of value with every operation for every target.

    python types_and_operations.py --list                 prints the names of all batches
    python types_and_operations.py BATCH [FIRST]          runs a batch, starting with case FIRST

A case is a type (or a value), an operation and a target: a kernel, a device function, a host function, a function that
is only declared, or a ufunc. It must end with a result or with an exception that describes the program; an internal
error, or a message with compiler-internal terms, is a failure. Each case's name is printed before it runs, so that a
crash can be attributed; failures are lines that start with FAIL.
"""

import collections
import contextlib
import enum
import importlib.util
import io
import re
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np

import heddle
from heddle import _heddle, cuda, errors, guvectorize, njit, types, vectorize
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.host_dispatcher import HostDispatcher
from heddle.compiler.jit_options import convert_code_options
from heddle.experimental import jitclass

EXPRESSIONS = """
x; x[0]; x[-1]; x[0][0]; x[0, 0]; x[...]; x[:]; x[1:2]; x[::-1]; x[None]; x['a']; x[x]; x[2.5]; x[()]; len(x); x.shape
x.real; x.a; x.nothing; x.value; x.size; x.dtype; x.T; x.start; x.x; x(); x(1); x(x); x + x; x + 1; 1.5 - x; x * 2
x / x; x // 2; x % x; x ** 2; x @ x; x & x; x | 1; x ^ x; x << 1; x >> x; -x; +x; ~x; not x; x == x; x != 1; x < x
1 >= x; x < x < x; x is None; x is x; 1 in x; x in x; x in (1, 2); x not in x; bool(x); int(x); float(x); complex(x)
str(x); repr(x); hash(x); abs(x); min(x, x); max(x); sum(x); sorted(x); list(x); tuple(x); set(x); dict(x); iter(x)
next(x); range(x); round(x); divmod(x, 2); pow(x, 2); ord(x); chr(x); id(x); type(x); enumerate(x); zip(x, x)
reversed(x); map(abs, x); (x, x); (x,)[0]; (x, 1)[x]; [x, x]; [x][0]; {x: 1}; {1: x}; {x}; (*x, 1); [*x]; f'{x}'
f'{x:>5}'; isinstance(x, int); isinstance(x, (float, tuple)); x if x else 1; x and x; x or 1; same(x); same(same(x))
first(x); ignore(x); np.float32(x); np.int8(x); np.bool_(x); np.datetime64(x); math.sin(x); math.floor(x); np.sin(x)
np.add(x, x); np.sum(x); np.zeros(x); np.array(x); np.array([x]); np.asarray(x); np.empty_like(x); np.dot(x, x)
np.where(x, x, x); np.max(x); x.append(1); x.pop(); x.get(1); x.keys(); x.items(); x.copy(); x.sum(); x.astype(x)
x.view(x); x.reshape(x); x.upper(); x.add(1); x.imag; x.ndim; x.flat; x.fill(1); x.item(); (lambda: x)()
[q for q in x]; [x for q in range(2)]; {q: x for q in range(2)}; sum([1 for q in x]); any(x); all(x); getattr(x, 'a')
hasattr(x, 'a'); slice(x); x.close(); x.send(1); callable(x); x == None; 'a' == x; x + 'a'; x.__class__; x.__len__()
""".replace("\n", ";").split(";")

STATEMENTS = (
    """
x[0] = 1|x[0] = x|x[0:1] = 1|x[:] = x|x['a'] = 1|x[0, 0] = 2|x[...] = 0|x.a = 1|x.real = 1|x[0] += 1|x.a += 1
for q in x: pass|for q in x: ignore(q)|for i, q in enumerate(x): pass|for q, r in zip(x, x): pass
for q in range(x): pass
for q, r in x: pass|a, b = x|(a,) = x|a, *b = x|(a, (b, c)) = x|del x[0]|del x|print(x)|print(x, 1)|y = x; y += 1
y = x; y *= y|if x: pass|while x: break|raise x|raise ValueError(x)|assert x|assert x, x|with x: pass|y: int = x
match x:\\n    case 1: pass|match x:\\n    case (a, b): pass|y = None\\nif 1 > len(y0): y = x
y = 1\\nif len(y0): y = x
for q in range(3):\\n    y = x\\nignore(y)|z = (1, 2)\\nz = (x, x)|global x|return x|return (x, 1)|return [x]
return {1: x}
try:\\n    ignore(x)\\nexcept x: pass|def g(): return x\\nignore(g())|def g(a=x): return a\\nignore(g())
y0[0] = x|y0[x] = 1
y = [x]; y.append(x)|y = {x}; y.add(x)|y = {1: x}; y[2] = x|y = (x, y0); ignore(y[0])|x = 1|x = x, x|yield x
""".replace("\\n", "\x00")
    .replace("\n", "|")
    .split("|")
)

PRELUDE = """
import math
import numpy as np
from heddle import cuda, njit

@DECORATOR
def same(a):
    return a

@DECORATOR
def first(a):
    return a[0]

@DECORATOR
def ignore(a):
    pass

"""


def list_operations():
    """The name and the body of each operation on `x`; `y0` is an array."""
    for text in EXPRESSIONS:
        if text.strip():
            yield text.strip(), [f"return {text.strip()}"]
    for text in STATEMENTS:
        if text.strip():
            yield (
                text.strip().replace("\x00", "; "),
                text.strip().replace("\x00", "\n").split("\n"),
            )


def make_functions(kind, folder):
    """The operations as Python functions, by name. kind: "kernel", "device" or "host"."""
    names, source = (
        [],
        PRELUDE.replace("DECORATOR", "njit" if kind == "host" else "cuda.jit(device=True)"),
    )
    for number, (name, lines) in enumerate(list_operations()):
        if kind == "kernel" and lines[0].startswith("return "):
            lines = [f"y = {lines[0][7:]}"]
        # A parameter cannot be declared global.
        body = "".join(f"    {line}\n" for line in lines if not line.startswith("global"))
        if "y0" in body:
            made = "np.zeros(3)" if kind == "host" else "cuda.local.array(3, np.float64)"
            body = f"    y0 = {made}\n{body}"
        source += f"def f{number}(x):\n{body or '    pass' + chr(10)}\n"
        names.append(name)
    path = Path(folder) / f"operations_of_a_{kind}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: getattr(module, f"f{number}") for number, name in enumerate(names)}


Point = collections.namedtuple("Point", "x y")
Colour = enum.Enum("Colour", "red green")
Number = enum.IntEnum("Number", "one two")
Fractions = enum.Enum("Fractions", {"half": 0.5, "third": 0.25})
Texts = enum.Enum("Texts", {"a": "b"})
RECORD = np.dtype([("a", "i4"), ("b", "f8")])
NESTED = np.dtype([("a", RECORD), ("x", "i2", (3,)), ("value", "S3")], align=True)


@jitclass([("a", types.int64), ("value", types.float64[:])])
class Holder:
    def __init__(self):
        self.a = 1
        self.value = np.zeros(3)

    def get(self, i):
        return self.value[i]


@njit
def compiled(a):
    return a


@njit
def counted(n):
    for i in range(n):  # noqa: UP028 - a generator of its own
        yield i


@cuda.jit(device=True)
def on_device(a):
    return a


def plain(a=1):
    return a


def try_make(make):
    """The result of `make`; None if there is no such type or value."""
    try:
        return make()
    except (TypeError, ValueError, errors.HeddleError, AttributeError):
        return None


def list_types():
    """Types by name: everything that heddle.types can express."""
    t = types
    node = t.deferred_type()
    defined = t.deferred_type()
    try_make(lambda: defined.define(Holder.class_type.instance_type))
    record, nested = t.from_dtype(RECORD), t.from_dtype(NESTED)
    instance = Holder.class_type.instance_type
    ints = t.DictType(t.int64, t.int64)
    out = {}

    def add(*made):
        for type in made:
            if type is not None:
                out.setdefault(str(type) if isinstance(type, t.Type) else repr(type), type)

    add(
        *(t.int8, t.uint16, t.int32, t.int64, t.uint64, t.boolean, t.float32, t.float64),
        *(t.float16, t.complex64, t.complex128, t.void, t.unicode_type, record, nested),
        *(instance, node, defined, ints, t.DictType(t.unicode_type, t.float64[:])),
        *(t.DictType(t.UniTuple(t.int64, 2), t.ListType(t.int64)), t.ListType(t.int64)),
        *(t.ListType(t.ListType(t.float32)), t.ListType(instance), t.ListType(record)),
        *(t.List(t.int64), t.List(t.float64[:]), t.List(t.unicode_type), t.List(t.List(t.int8))),
        *(t.List(t.Tuple((t.int64, t.unicode_type))), t.Set(t.int64), t.Set(t.unicode_type)),
        *(t.Tuple(()), t.UniTuple(t.int64, 3), t.Tuple((t.int64, t.float32[:])), t.voidptr),
        *(t.Tuple((t.Tuple((t.int8,)), t.boolean)), t.Tuple((ints, t.int64)), t.CPointer(ints)),
        *(t.Tuple((t.unicode_type, t.int64)), t.UniTuple(t.List(t.int64), 2)),
        *(t.NamedTuple([t.int64, t.float64[:]], Point), t.NamedUniTuple(t.complex64, 2, Point)),
        *(t.NamedTuple([ints, t.int64], Point), t.EnumMember(Colour), t.IntEnumMember(Number)),
        *(t.CPointer(t.float64), t.CPointer(record), t.CPointer(t.CPointer(t.int32))),
        *(t.NPDatetime("ns"), t.NPTimedelta("D"), t.NPDatetime(""), t.NPTimedelta("")),
        *(t.UnicodeCharSeq(5), t.CharSeq(3), t.RangeType(t.int64), t.RangeType(t.int32)),
        *(t.Optional(t.int64), t.Optional(t.float64[:]), t.Optional(t.UniTuple(t.int8, 2))),
    )
    for make in (
        *(lambda: t.Optional(ints), lambda: t.Optional(instance), lambda: t.Optional(record)),
        *(lambda: t.Optional(t.unicode_type), lambda: t.Optional(t.List(t.int64))),
        *(lambda: t.Optional(node), lambda: t.EnumMember(Fractions), lambda: t.EnumMember(Texts)),
        *(lambda: t.CPointer(t.unicode_type), lambda: t.CPointer(t.int64[:]), lambda: t.bfloat16),
        *(lambda: t.CPointer(instance), lambda: t.CPointer(t.UniTuple(t.int64, 2))),
        *(lambda: t.CPointer(t.Optional(t.int64)), lambda: t.CPointer(t.RangeType(t.int64))),
        *(lambda: t.literal(3), lambda: t.literal("text"), lambda: t.literal(True)),
        *(lambda: t.TypeRef(t.int64), lambda: t.FunctionType(t.int64(t.int64)), lambda: t.pyobject),
        *(
            lambda: t.List(ints),
            lambda: t.Set(t.UniTuple(t.int64, 2)),
            lambda: t.List(t.Set(t.int8)),
        ),
        *(
            lambda: t.List(record),
            lambda: t.List(instance),
            lambda: t.Set(record),
            lambda: t.Set(ints),
        ),
        *(lambda: t.List(t.Optional(t.int64)), lambda: t.List(t.RangeType(t.int64))),
        *(
            lambda: t.List(t.void),
            lambda: t.List(t.voidptr),
            lambda: t.Set(t.void),
            lambda: t.undefined,
        ),
        *(
            lambda: t.List(t.EnumMember(Colour)),
            lambda: t.Tuple((t.void, t.void)),
            lambda: t.Omitted(3),
        ),
        *(lambda: t.UniTuple(t.RangeType(t.int64), 2), lambda: t.UniTuple(t.Optional(t.int64), 2)),
        *(
            lambda: t.float32x4,
            lambda: cuda.types.float32x4,
            lambda: t.slice2_type,
            lambda: t.slice3_type,
        ),
        *(
            lambda: t.ellipsis,
            lambda: t.none,
            lambda: t.npy_rng,
            lambda: t.DType(t.int64),
            lambda: t.opaque,
        ),
        *(lambda: t.MemoryView(t.uint8, 1, "C"), lambda: t.Bytes(t.uint8, 1, "C"), lambda: t.any),
        *(
            lambda: t.typeof(counted(3)),
            lambda: t.typeof(compiled),
            lambda: t.typeof(np),
            lambda: t.range_iter64_type,
        ),
        *(
            lambda: t.typeof(np.random.default_rng()),
            lambda: t.typeof(slice(1, 2)),
            lambda: t.typeof(np.int32),
        ),
        *(
            lambda: t.typeof(plain),
            lambda: t.typeof(int),
            lambda: t.typeof(ValueError),
            lambda: t.typeof(...),
        ),
        lambda: t.Array(t.UniTuple(t.int64, 2), 1, "C"),
        lambda: t.Array(t.unicode_type, 1, "C"),
    ):
        add(try_make(make))
    for element in (
        t.float64,
        t.boolean,
        t.float16,
        t.complex64,
        t.NPDatetime("s"),
        record,
        t.CharSeq(3),
    ):
        for rank, layout in ((0, "C"), (1, "C"), (1, "A"), (2, "F")):
            add(try_make(lambda e=element, r=rank, k=layout: t.Array(e, r, k)))
    add(t.Array(t.int64, 1, "C", readonly=True), t.Array(t.UnicodeCharSeq(2), 2, "A"))
    add(try_make(lambda: t.Array(nested, 1, "A")), t.Array(t.float32, 5, "A"))
    add(t.List(t.Array(t.int8, 2, "F", readonly=True)), try_make(lambda: t.Array(t.int64, 32, "C")))
    return out


def list_values():
    """Functions that create values, by name."""
    texts = """
    7; -1; 2**63; 2**70; True; 2.5; float('nan'); 1j; None; ...; 'text'; ''; b'bytes'; bytearray(b'ab')
    memoryview(b'ab')
    np.int8(3); np.uint64(2**63); np.float16(1.5); np.float32(1); np.complex64(1j); np.bool_(True)
    np.datetime64('2020-01-01')
    np.timedelta64(3, 's'); np.datetime64('nat'); np.str_('abc'); np.bytes_(b'abc'); np.zeros(3, RECORD)[0]
    np.zeros(3, NESTED)[0]; np.zeros(3); np.zeros((2, 2), 'f4', order='F'); np.zeros(()); np.zeros(6)[::2]
    np.zeros((0, 3))
    np.zeros(3, RECORD); np.zeros(2, NESTED); np.zeros(3, 'S4'); np.zeros(3, 'U2'); np.zeros(3, 'M8[D]')
    np.zeros(3, 'f2')
    np.zeros(3, 'O'); np.zeros(3, '>i4'); np.zeros(2, 'c8'); np.zeros((2,) * 6); readonly(); np.zeros(3, 'V5')
    np.zeros(3, 'g')
    (); (1, 2.5); (1, (2, 'a')); ('a', 'b'); (np.zeros(2), np.zeros(3, 'i2')); Point(1, 2.0)
    Point(np.zeros(2), 'a'); (None,)
    [1, 2]; [1.5]; []; ['a']; [[1], [2]]; [(1, 'a')]; [np.zeros(2)]; [1, 'a']; [None]; [True]; {1, 2}; {'a'}
    set(); {(1, 2)}
    {1: 2}; {}; {'a': 1, 'b': 'c'}; List([1, 2]); List(['a']); List([List([1])]); Dict.empty(types.int64, types.int64)
    Dict.empty(types.unicode_type, types.float64[:]); List.empty_list(types.int64); List(); Dict(); frozenset({1})
    Holder(); List([Holder()]); Colour.red; Number.one; Fractions.half; Texts.a; Colour; Number; counted(3)
    (i for i in (1, 2))
    range(3); range(2**40, 0, -1); slice(1, 2); slice(None); slice('a'); np.dtype('f4'); np.float32; int
    float; tuple; list
    types.int64; types.float64[:]; math; np; math.sin; np.sin; np.add; len; plain; compiled; counted
    on_device; cuda; object()
    lambda a: a; ValueError; ValueError('a'); Holder; Point; iter([1]); enumerate([1]); zip([1], [2])
    reversed([1]); type
    decimal.Decimal(1); fractions.Fraction(1, 2); np.random.default_rng(1); np.random; np.ma.masked
    np.matrix([[1.0]])
    np.rec.array([(1, 2.0)], dtype=RECORD); types.Literal(3) if 0 else 3; NotImplemented; property()
    np.ndindex(2); cuda.grid
    heddle.types; cuda.device_array(3) if cuda else 0; cuda.shared; cuda.stream(); [Point(1, 2)]
    {Point(1, 2)}; {1: [1]}; {1: {2: 3}}
    """
    return {
        text.strip(): text.strip() for text in texts.replace("\n", ";").split(";") if text.strip()
    }


def readonly():
    array = np.zeros(3)
    array.flags.writeable = False
    return array


# Terms internal to the compiler and its libraries.
INTERNAL = re.compile(
    r"LLVM|llvm::|std::|heddle::|nanobind|Assertion|bad_cast|bad_alloc|basic_string|vector::|__at|"
    r"TypeKind|Opcode|Python\.h|Unhandled|unreachable|invalid SIMT IR|compiler crashed"
)
ALLOWED = (
    *(
        errors.HeddleError,
        TypeError,
        ValueError,
        IndexError,
        KeyError,
        AttributeError,
        ZeroDivisionError,
    ),
    *(OverflowError, NotImplementedError, StopIteration, AssertionError, NameError),
)


def find_problem(run):
    """Calls ``run``. Returns the problem with the result or the exception; None if there is none."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            run()
    except errors.InternalError as error:
        return f"internal error: {error}"
    except ALLOWED as error:
        found = INTERNAL.search(str(error))
        return f"{type(error).__name__} says {found[0]!r}: {error}" if found else None
    except Exception as error:  # includes exceptions raised by a value in the operation
        ours = any(
            "heddle/_heddle" in str(f.filename) for f in traceback.extract_tb(error.__traceback__)
        )
        known = isinstance(error, (RuntimeError, OSError, MemoryError)) and not ours
        found = INTERNAL.search(str(error))
        return None if known and not found else f"{type(error).__name__}: {error}"
    return None


def to_signature_type(type):
    return type.literal_type if hasattr(type, "literal_type") else type


def compile_function(kind, function, signature):
    """Compile to verified SIMT IR; host functions are compiled completely."""
    if kind == "host":
        HostDispatcher(function, {}, {}).compile(signature)
        return
    dispatcher = Dispatcher(function, convert_code_options({"device": kind == "device"}))
    parsed = _heddle.Signature(None, list(signature))
    _heddle.compile_ahead(dispatcher, parsed, "f", "cuda", (7, 5), "simt")


def generate_signature_cases(kind):
    with tempfile.TemporaryDirectory() as folder:
        operation = make_functions(kind, folder)
        for type_name, type in list_types().items():
            for name, function in operation.items():
                yield (
                    f"{kind}, {type_name}: {name}",
                    lambda f=function, t=type: compile_function(kind, f, (to_signature_type(t),)),
                )


def generate_call_cases(kind):
    with tempfile.TemporaryDirectory() as folder:
        operation = make_functions(kind, folder)
        jitted = {n: (njit if kind == "host" else cuda.jit)(f) for n, f in operation.items()}
        for value_name, text in list_values().items():
            for name, function in jitted.items():

                def call(function=function, text=text):
                    value = eval(text, globals())
                    if kind == "host":
                        function(value)
                    else:
                        function[1, 1](value)
                        cuda.synchronize()

                yield f"{kind} called with {value_name}: {name}", call


def generate_declaration_cases():
    """Signatures in which each type is a parameter, the result, both, or a part of another type."""
    t = types
    for type_name, type in list_types().items():
        shapes = {
            "parameter": lambda s: t.int64(s),
            "result": lambda s: s(t.int64),
            "both": lambda s: s(s),
            "in a tuple": lambda s: t.int64(t.Tuple((s, t.int64))),
            "no result": lambda s: t.void(s, s),
            "optional": lambda s: t.Optional(s)(t.Optional(s)),
            "in a list": lambda s: t.List(s)(t.List(s)),
            "in a set": lambda s: t.Set(s)(t.Set(s)),
            "in a dict": lambda s: t.DictType(t.int64, s)(t.DictType(s, s)),
            "pointer": lambda s: t.CPointer(s)(t.CPointer(s)),
            "array": lambda s: s[:](s[:]),
        }

        def same(a, *more):
            return a

        def fill(a, out):
            pass

        def declare(signature):
            declared = cuda.declare_device("outside", signature)

            def caller(a):
                return declared(a)

            compile_function("device", caller, signature.args)

        uses = {
            "declare_device": declare,
            "vectorize": lambda s: vectorize([s])(same),
            "vectorize for cuda": lambda s: vectorize([s], target="cuda")(same),
            "guvectorize": lambda s: guvectorize([t.void(s.args[0], s.return_type)], "(),()")(fill),
            "guvectorize for cuda": lambda s: guvectorize(
                [t.void(s.args[0], s.return_type)], "(n)->(n)", target="cuda"
            )(fill),
            "njit": lambda s: njit(s)(same),
            "cuda.jit": lambda s: cuda.jit(s)(fill),
            "cuda.jit device": lambda s: cuda.jit(s, device=True)(same),
            "compile": lambda s: cuda.compile(same, s, device=True),
            "compile for the numba ABI": lambda s: cuda.compile(same, s, device=True, abi="numba"),
            "kernel": lambda s: cuda.compile_ptx(fill, s),
            "cfunc": lambda s: heddle.cfunc(s)(same),
        }
        for shape, make in shapes.items():
            for use, run in uses.items():
                yield (
                    f"{use} with {type_name} as {shape}",
                    lambda run=run, make=make, given=type: run(make(to_signature_type(given))),
                )


BATCHES = {
    "device": lambda: generate_signature_cases("device"),
    "kernel": lambda: generate_signature_cases("kernel"),
    "host": lambda: generate_signature_cases("host"),
    "calls of kernels": lambda: generate_call_cases("kernel"),
    "calls of host functions": lambda: generate_call_cases("host"),
    "declarations": generate_declaration_cases,
}


def main(batch, first, step):
    """Run every `step`-th case of a batch, starting with case `first`."""
    warnings.simplefilter("ignore")
    for number, (name, run) in enumerate(BATCHES[batch]()):
        if number < first or (number - first) % step:
            continue
        print(f"{number} {name}", flush=True)
        if problem := find_problem(run):
            print("FAIL", name, "->", problem.replace("\n", " | ")[:600], flush=True)
    print("END", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print(*BATCHES, sep="\n")
    else:
        first, step = [*sys.argv[2:], "0", "1"][:2] if len(sys.argv) != 3 else (sys.argv[2], "1")
        main(sys.argv[1], int(first), int(step))
