"""Python kernels with changed syntax trees."""

import ast
import copy

import calls_of_numba

# Replacements for expressions, one per line.
EXPRESSIONS = """
None
True
-1
2**70
1e300
float('nan')
1j
'abc'
'x'[0]
f'{1}'
()
(1, 2)
(1, (2.5, 'a'))
[1, 2]
[i for i in range(3)]
{1: 2}
{1}
...
lambda: None
lambda x: x
lambda *x: x
undefined_name
(walrus := 3)
(yield)
__import__('os')
globals()
1 < 2 < 3
not 1
~1.5
1 if 2 else 3
'a' if 1 else 2
1 // 0
1 % 0.0
1 << 100
1 >> -1
pow(2, -1)
int
str
len
print
type(1)
int(1e30)
float(1j)
bool(())
tuple((1, 2))
abs('a')
sum((1, 2))
max(1, 2.5)
min()
round(2.5, 1)
divmod(7, 0)
slice(1, 2)
range(3)
range(0, 10, 0)
enumerate((1, 2))
zip((1, 2), (3, 4))
isinstance(1, int)
hasattr(1, 'x')
getattr(cuda, 'threadIdx')
math
math.sqrt
np
np.pi
np.zeros(3)
np.array([1, 2])
np.int8(300)
np.float16(2)
np.float32
np.dtype('i4')
np.datetime64('2020-01-01')
np.sum
np.dot
np.ndindex(2, 3)
np.ndenumerate(a)
np.nditer((a, a))
np.finfo(np.float32).eps
np.iinfo(a[0]).max
np.searchsorted(a, 1, side='right')
np.digitize(1.5, a)
np.trace(a)
np.ptp(a)
np.take(a, -1)
np.array_equal(a, 1)
np.nan_to_num(a[0], nan=1)
np.sinc(1j)
np.atleast_3d(a)
np.frombuffer(a, np.int16)
np.lib.stride_tricks.as_strided(a, (2, 2), (4, 0))
a.T.flat
a.flat[0]
a.fill(2.5)
a[0].view(np.int32)
range(2.5).start
(*(1, 2), 3)
(0,) * 3
(1, 2)[::-1]
(1, 2).index(1)
3 in range(5)
1 in a
cuda
cuda.jit
cuda.threadIdx
cuda.threadIdx.x
cuda.grid(2)
cuda.gridsize(1)
cuda.syncthreads()
cuda.shared.array(4, np.int32)
cuda.local.array((2, 2), np.float32)
cuda.atomic.add
cuda.shfl_sync(0xffffffff, 1, 0)
cuda.selp(True, 1, 2.0)
cuda.popc(3)
cuda.fma(1, 2, 3)
cuda.libdevice.sinf(1)
cuda.float32x4(1, 2, 3, 4)
cuda.cg.this_grid()
cuda.cg.this_grid().sync()
"""

# Statements to insert, separated by empty lines.
STATEMENTS = """
pass

return

return 1

return undefined_name

break

continue

yield 1

raise

raise ValueError('x')

assert 0, 'no'

del x

import os

global q

nonlocal q

x = 1

x: int = 3

x += 1

x, y = 1, 2

x = y = z = 1

(x, *y) = (1, 2, 3)

x, y = lambda: 0

a[0] = 1

a[0, 0] = 1

a[:] = 1

a[::2] += 1

a.x = 1

q = cuda.shared.array(4, np.int32)

cuda.syncthreads()

print('a', 1, (2, 'b'))

while True: break

while True: pass

for i in range(3): x = i

for i, j in zip((1, 2), (3, 4)): pass

with cuda: pass

try:
  x = 1
except ValueError:
  pass

match 1:
  case 1: pass

match a[0]:
  case 0 | 1.5: x = 1
  case n if n > 2: x = n
  case None as m: x = m

match a:
  case (1, 2): pass

x, y, z = a

x, y = range(3)

a[a] = 1

a[a > 1] = 2.5

a.T.flat[1] = 3

for x in [1, 2.5, (3,)]: pass

for (x, y), z in np.ndenumerate(a): pass

for x in np.nditer(a): x[()] = 1

def g(a, b=2, *c, **d): return a

class K: pass

async def f(): pass
"""

ATTRIBUTES = "x y w T shape size sum real imag foo add max sync copy dtype array item".split()
ATTRIBUTES += "flat view fill index start step".split()
KEYWORDS = ["x", "dtype", "shape", "axis", "out", None]

expressions = [ast.parse(line, mode="eval").body for line in EXPRESSIONS.strip().split("\n")]
statements = [ast.parse(text).body[0] for text in STATEMENTS.strip().split("\n\n")]


def make_mistake(source, rng):
    tree = ast.parse(source)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for _ in range(rng.randint(1, 3)):
        # The module's own statements stay: Python itself runs them.
        rng.choice(CHANGES)(ast.Module(rng.choice(functions).body, []), rng)
    return ast.unparse(ast.fix_missing_locations(tree))


def find_nodes(tree, kind):
    return [node for node in ast.walk(tree) if isinstance(node, kind)]


def find_places(tree, kind):
    """(list or node, index or name) of each child of that kind."""
    found = []
    for parent in ast.walk(tree):
        if isinstance(parent, ast.JoinedStr):
            continue  # its parts are not expressions on their own
        for name, value in ast.iter_fields(parent):
            if name == "format_spec":
                continue
            if isinstance(value, kind):
                found.append((vars(parent), name))
            elif isinstance(value, list):
                found += [(value, i) for i, item in enumerate(value) if isinstance(item, kind)]
    return found


def copy_as_value(node):
    """A copy of an expression that is read instead of assigned."""
    node = copy.deepcopy(node)
    for part in ast.walk(node):
        if hasattr(part, "ctx"):
            part.ctx = ast.Load()
    return node


def choose_expression(tree, rng):
    """One of the expressions above, one of numba's calls, or one of the kernel's own expressions."""
    kind = rng.random()
    if kind < 0.3:
        return copy_as_value(rng.choice(expressions))
    if kind < 0.6:
        return calls_of_numba.take_expression(rng, lambda: choose_own_expression(tree, rng))
    return choose_own_expression(tree, rng)


def choose_own_expression(tree, rng):
    holder, key = rng.choice(find_places(tree, ast.expr))
    return copy_as_value(holder[key])


def replace_expression(tree, rng):
    holder, key = rng.choice(find_places(tree, ast.expr))
    is_target = not isinstance(getattr(holder[key], "ctx", ast.Load()), ast.Load)
    if not is_target or rng.random() < 0.2:
        holder[key] = choose_expression(tree, rng)


def find_bodies(tree):
    found = [value for node in ast.walk(tree) for _, value in ast.iter_fields(node)]
    return [
        value
        for value in found
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt)
    ]


def insert_statement(tree, rng):
    body = rng.choice(find_bodies(tree))
    at = rng.randrange(len(body) + 1)
    if rng.random() < 0.5:
        body.insert(at, copy.deepcopy(rng.choice(statements)))
    else:
        body[at:at] = calls_of_numba.take_statements(rng, lambda: choose_own_expression(tree, rng))


def remove_statement(tree, rng):
    body = rng.choice(find_bodies(tree))
    if len(body) > 1:
        del body[rng.randrange(len(body))]


def swap_names(tree, rng):
    if names := find_nodes(tree, ast.Name):
        rng.choice(names).id = rng.choice(names).id


def change_call(tree, rng):
    calls = find_nodes(tree, ast.Call)
    if not calls:
        return
    call = rng.choice(calls)
    what = rng.randrange(4)
    if what == 0 and call.args:
        del call.args[rng.randrange(len(call.args))]
    elif what == 1:
        call.args.append(choose_expression(tree, rng))
    elif what == 2:
        call.keywords.append(ast.keyword(rng.choice(KEYWORDS), choose_expression(tree, rng)))
    else:
        call.args = [ast.Starred(choose_expression(tree, rng), ast.Load())]


def change_attribute(tree, rng):
    if attributes := find_nodes(tree, ast.Attribute):
        rng.choice(attributes).attr = rng.choice(ATTRIBUTES)


CHANGES = (
    replace_expression,
    replace_expression,
    replace_expression,
    insert_statement,
    remove_statement,
    swap_names,
    change_call,
    change_attribute,
)
