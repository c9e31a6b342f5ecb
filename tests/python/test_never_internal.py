"""Any Python code compiles or is refused with a reason, never with an internal error.

Tests every kind of expression and statement inside several kernels, and kernels whose syntax trees were changed at
random from a fixed seed.
"""

import ast
import importlib.util
import itertools
import random

import numpy as np
import pytest

from heddle.errors import InternalError, LoweringError, TypingError, UnsupportedError

numbers = itertools.count()

expressions = """
x; i; f; n; b; t; nt; None; True; ...; 'text'; b'bytes'; 1j; 2**200; 1e400; -0.0; nowhere; int; float; bool; tuple
len; print; x[0]; x[i]; x[f]; x[t]; x[None]; x[...]; x[:]; x[1:]; x[::-1]; x[::0]; x[i, i]; x[()]; x['a']; x[True]
x[x]; x[-1]; m[i]; m[i, i]; m[:, i]; m[i, ...]; m[..., i]; m[:, :, i]; m.T[i]; m[m]; x.size; x.shape; x.shape[0]
x.shape[i]; x.T; x.dtype; x.nothing; x.sum(); x.__class__; x.shape.x; (1).real; t[0]; t[i]; t[-1]; t[5]; nt[0][1]
t[:1]; (); (1,); (1, (2, x)); (x, x)[i]; (*t, 1); [*t]; {**n}; i + 1; i + f; i + x; x + x; t + t; t * 2; 'a' + 'b'
'a' * 3; i @ i; f // 0; i // 0; i % 0; f % 0; i ** -1; i ** f; i << 70; i >> -1; f << 1; ~i; ~f; ~b; not x; not t
not 'a'; -b; +x; i & f; i | b; b ^ b; i and x; x or i; i and 'a'; t and t; b and f; i < 1; i < f < 3; t < t; x < x
i is None; x is None; i is not i; i in t; i in x; 'a' in 'abc'; i == 'a'; t == t; x == x; None == None
1 if i else 2; 1 if i else 'a'; x if i else m; t if b else nt; 1 if x else 2; (lambda: 1)(); [i for i in t]
{i for i in t}; {i: i for i in t}; (i for i in t); {}; {1: 2}; {1}; [1, 2]; [x]; f'{i}'; f'{i:>{n}}'; (yield)
(yield i); (q := i); (q := q); math.sin(i); math.sin('a'); math.sin(x); math.sin(); math.sin(i, i); math.sin(x=i)
math.pi; math.nowhere; math.sin; math; np; cuda; math.floor(f); math.frexp(f); math.ldexp(f, f); math.gcd(i, i)
math.pow(x, x); math.fsum(x); np.sin(f); np.zeros(3); np.float32; np.float32(i); np.int8(f); np.float32('1')
np.complex64(i); np.sum(x); np.dot(x, x); np.linalg.norm(x); np.random.rand(); np.array([1]); np.pi; abs(i); abs(t)
abs(x); min(i); min(i, f); min(t); max(); max(x, x); max(i, 'a'); round(f); round(f, 2); round(f, f); pow(i, 2, 3)
divmod(i, 0); divmod(f, f); int(f); int('3'); int(); int(x); float(i); float(t); bool(x); bool(t); len(x); len(t)
len(i); len(); range(3); range(f); range(); range(1, 2, 0); sum(t); sum(x); sorted(t); enumerate(x); zip(x, x)
map(abs, t); iter(x); next(x); id(x); isinstance(i, int); hasattr(x, 'T'); getattr(x, 'T'); type(i); str(i); repr(i)
chr(i); ord('a'); hash(i); open('a'); eval('1'); vars(); cuda.grid(1); cuda.grid(2); cuda.grid(4); cuda.grid(i)
cuda.grid(); cuda.gridsize(3); cuda.threadIdx; cuda.threadIdx.x; cuda.threadIdx.w; cuda.laneid; cuda.warpsize
cuda.nowhere; cuda.syncthreads(); cuda.syncthreads; cuda.syncthreads(1); cuda.syncthreads_count(x)
cuda.shared.array(3, float32); cuda.shared.array(i, float32); cuda.shared.array(3); cuda.shared.array(-1, float32)
cuda.shared.array((2, 2), 'f4'); cuda.shared.array((2, i), np.int8); cuda.shared.array(0, float32)
cuda.shared.array(3, x); cuda.shared.array(f, float32); cuda.shared.array((), float32)
cuda.shared.array(10**12, float32); cuda.shared.array(3, float32).size; cuda.local.array(3, float32)
cuda.local.array(0, float32); cuda.local.array(3, 'nonsense'); cuda.local.array((3, 3), bool)[0, 0]
cuda.const.array_like(x); cuda.const.array_like(A); cuda.const.array_like(3); cuda.const.array_like(O); A; A[i]
A[i, i]; O; G; E; T; T[i]; cuda.atomic.add(x, 0, 1); cuda.atomic.add(x, f, 1); cuda.atomic.add(m, i, 1)
cuda.atomic.add(m, (i, i), 1); cuda.atomic.add(i, 0, 1); cuda.atomic.add(x, 0, x); cuda.atomic.add(x, 0)
cuda.atomic.cas(x, 0, 1, 2); cuda.atomic.and_(x, 0, 1); cuda.atomic.nowhere(x, 0, 1); cuda.selp(b, i, f)
cuda.selp(i, x, x); cuda.popc(f); cuda.popc(i); cuda.clz(x); cuda.fma(i, i, i); cuda.cbrt('a'); cuda.nanosleep(f)
cuda.syncwarp(); cuda.syncwarp(f); cuda.syncwarp(i, i); cuda.activemask(); cuda.lanemask_lt(); cuda.all_sync(-1, b)
cuda.any_sync(x, b); cuda.ballot_sync(-1, f); cuda.ballot_sync(2**40, i); cuda.match_any_sync(-1, f)
cuda.match_all_sync(-1, i)[1]; cuda.match_all_sync(-1, t); cuda.shfl_sync(-1, f, i); cuda.shfl_sync(-1, t, 0)
cuda.shfl_up_sync(-1, 'a', 0); cuda.shfl_down_sync(-1, i, 1, 8); cuda.shfl_xor_sync(-1, i, 1, width=i)
cuda.shfl_xor_sync(-1, b, 1); cuda.reduce_add_sync(-1, i); cuda.reduce_min_sync(-1, f); cuda.reduce_or_sync(-1, x)
cuda.to_device(x); cuda.jit(device); cuda.synchronize(); device(i); device(x); device(); device(i, i); device(i=i)
device(a=i); device(*t); device; k; k(x, m, i, f, b, t, nt); k[1, 1](x); other(i); cuda; ValueError; ValueError('a')
BaseException; super(); __name__; __file__
""".replace("\n", ";").split(";")
expressions = [text.strip() for text in expressions if text.strip()]

statements = r"""
x = {}|y = {}|y = y = {}|y: int = {}|x[0] = {}|x[i] = {}|m[i] = {}|m[i, 0] = {}|x[{}] = 1|x[0] += {}
y = i; y += {}|y = {}; y *= 2|t[0] = {}|x.size = {}|a, b = {}|(a, (b, c)) = {}|[a, b] = {}|a, *c = {}|del x
{}|return {}|assert {}|assert b, {}|raise {}|raise ValueError({})|if {}: pass|while {}: break
for q in {}: x[0] = q|for q in range({}): x[0] = q|for q, r in {}: pass|y = {} if b else {}|x[0] = {} + {}
if b:\n    y = {}\nelse:\n    y = 1\nx[0] = y|for q in range(3):\n    y = {}\nx[0] = y
while b:\n    y = {}\n    break\nelse:\n    y = 1|with {} as y: pass|try:\n    y = {}\nfinally:\n    pass
import {}|global x|match {}:\n    case 1: pass|def g(): return {}|class C: a = {}
""".replace("\n\n", "\n").strip()
statements = [
    text.replace("\\n", "\n") for line in statements.split("\n") for text in line.split("|")
]

prelude = """
import math
import numpy as np
from heddle import cuda, float32

A, O, G, E, T = np.arange(4.0), np.array([None]), object(), (), tuple(range(5))

@cuda.jit(device=True)
def device(a):
    return a

@cuda.jit
def other(a):
    pass
"""


@pytest.fixture
def module(tmp_path):
    def load(source):
        path = tmp_path / f"thrown_{next(numbers)}.py"
        path.write_text(prelude + source)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded

    return load


def arguments():
    return np.zeros(4), np.zeros((2, 2), np.float32), 1, 2.0, True, (1, 2), ((1, 2.0), 3)


def compile_or_refuse(kernel, shown):
    """Compile for the types of the arguments above; run nothing, because random code may not terminate."""
    try:
        kernel.variant_for(*arguments())
    except InternalError as error:
        pytest.fail(f"{error}\n\n{shown}")
    except (TypingError, UnsupportedError) as error:
        assert ".py:" in str(error) and "^" in str(error), f"{error}\n\n{shown}"
    except LoweringError:
        pass


def kernels_of(bodies):
    """A module with one kernel for each body that is valid Python."""
    source = ""
    for number, body in enumerate(bodies):
        lines = "".join(f"    {line}\n" for line in body.split("\n"))
        text = f"@cuda.jit\ndef k{number}(x, m, i, f, b, t, nt):\n{lines}\n"
        try:
            compile(text, "body", "exec")
        except (SyntaxError, ValueError):
            continue
        source += text
    return source


def throw(module, bodies):
    loaded = module(kernels_of(bodies))
    for number, body in enumerate(bodies):
        kernel = getattr(loaded, f"k{number}", None)
        if kernel is not None:
            compile_or_refuse(kernel, body)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize(
    "statement", ["x[0] = {}", "{}", "y = {}", "x[{}] = 1", "if {}: pass", "x[0] = {} + {}"]
)
def test_every_expression_compiles_or_is_refused(device, module, statement):
    throw(module, [statement.replace("{}", expression) for expression in expressions])


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_every_statement_compiles_or_is_refused(device, module):
    generator = random.Random(1)
    throw(
        module,
        [
            s.replace("{}", e)
            for s in statements
            for e in [*generator.sample(expressions, 3), "i", "f", "x", "t"]
        ],
    )


class Mutation(ast.NodeTransformer):
    """Replaces or removes some expressions, and removes or duplicates some statements."""

    def __init__(self, generator, rate):
        self.random = generator
        self.rate = rate

    def visit(self, node):
        node = self.generic_visit(node)
        if isinstance(node, ast.expr) and self.random.random() < self.rate and self.is_value(node):
            return ast.parse(f"({self.random.choice(expressions)})", mode="eval").body
        if isinstance(node, ast.operator) and self.random.random() < self.rate:
            return self.random.choice(
                [ast.Add, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.MatMult, ast.BitOr]
            )()
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.If, ast.For, ast.While, ast.Expr)):
            chance = self.random.random()
            if chance < self.rate / 2:
                return ast.Pass()
            if chance < self.rate:
                return [node, node]
        return node

    @staticmethod
    def is_value(node):
        return isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


healthy = """
s = cuda.shared.array(8, float32)
j = cuda.grid(1)
tid = cuda.threadIdx.x
a, c = t
total = 0.0
for q in range(0, x.size, 2):
    if q == i:
        continue
    total += x[q] * f
    while total > 100 and b:
        total /= 2
        if m[0, 1] < 0:
            break
    else:
        c += q
s[tid % 8] = total
cuda.syncthreads()
if j < x.size:
    u, v = (a, c) if b else (c, a)
    old = cuda.atomic.add(x, j, s[0] + device(u) + math.sqrt(abs(v)))
    m[0, j % 2] = max(old, nt[0][1], min(q for q in t) if False else 1.0) if b else int(old) // 3
    for r in range(3):
        w = x[r:]
        if w.size > 1:
            w[1] += nt[1] ** r
        else:
            return
""".replace("min(q for q in t) if False else 1.0", "1.0")


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("seed", range(8))
def test_a_kernel_changed_at_random_compiles_or_is_refused(device, module, seed):
    generator = random.Random(seed)
    bodies = [healthy]
    for _ in range(40):
        tree = Mutation(generator, generator.choice([0.01, 0.03, 0.1])).visit(ast.parse(healthy))
        try:
            bodies.append(ast.unparse(ast.fix_missing_locations(tree)))
        except (ValueError, RecursionError):
            continue
    throw(module, bodies)
