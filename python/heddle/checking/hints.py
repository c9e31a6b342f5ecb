"""How to fix a finding: the call to insert, and where."""

import ast
import re

from heddle.checking.lints import suggest_improvement
from heddle.checking.sources import (
    find_branch,
    find_expression_span,
    find_innermost_common_loop,
    get_line,
    has_barrier,
    is_cpp,
)

# (Python, CUDA C++)
_barriers = {
    "barrier": ("`cuda.syncthreads()`", "`__syncthreads()`"),
    "warp": ("`cuda.syncwarp()`", "`__syncwarp()`"),
}
_grid_barriers = ("`cuda.cg.this_grid().sync()`", "`cooperative_groups::this_grid().sync()`")
_wider_scopes = (
    "`cuda.threadfence()` instead of `cuda.threadfence_block()`",
    "`atomicAdd` instead of `atomicAdd_block`, `__threadfence` instead of `__threadfence_block`",
)
_wait_for_copies = (
    "call `cuda.pipeline.wait_prior(0)` in the thread that copies, then `cuda.syncthreads()`",
    "call `__pipeline_wait_prior(0)` in the thread that copies, then `__syncthreads()`",
)
_fences = {
    "block": ("`cuda.threadfence_block()`", "`__threadfence_block()`"),
    "grid": ("`cuda.threadfence()`", "`__threadfence()`"),
}
_one_thread = ("`if cuda.threadIdx.x == 0:`", "`if (threadIdx.x == 0)`")
_python_atomics = {ast.Add: "add", ast.Sub: "sub", ast.BitAnd: "and_", ast.BitOr: "or_"}
_python_atomics[ast.BitXor] = "xor"
_cpp_atomics = {"+": "atomicAdd", "-": "atomicAdd", "&": "atomicAnd", "|": "atomicOr"}
_cpp_atomics["^"] = "atomicXor"


def suggest_fix(raw, accesses):
    """The hint of a finding; empty if there is none. raw: the dict from the runtime."""
    if raw["kind"] == "lint":
        return suggest_improvement(raw, accesses)
    suggest = {
        "race": _suggest_race_fix,
        "bounds": _suggest_bounds_check,
        "misaligned": _suggest_alignment,
        "uninit": _suggest_initialization,
        "barrier": _suggest_uniform_barrier,
        "warp": _suggest_mask,
        "division": _suggest_divisor_check,
        "leak": _suggest_freeing,
    }
    return suggest[raw["kind"]](raw, accesses) if accesses and raw["kind"] in suggest else ""


def _suggest_race_fix(raw, accesses):
    language = is_cpp(accesses[0].file)
    why = raw["why"]
    if why == "streams":
        return _suggest_stream_order(*(access.operation for access in accesses))
    if why == "same value":
        return f"harmless while all values are equal; {_one_thread[language]} makes one thread write it"
    if why == "compare":
        return "harmless: a stale value only costs another iteration"
    if why == "copy":
        return _wait_for_copies[language]
    if why == "scope":
        return f"use a wider scope: {_wider_scopes[language]}"
    blocks = {access.block for access in accesses if access.block}
    if why == "fence":
        fence = _fences["grid" if len(blocks) > 1 else "block"][language]
        return f"call {fence} after taking the lock and again before releasing it"
    if atomic := _suggest_atomic(raw, *accesses):
        return f"use `{atomic}`"
    if why == "blocks" or len(blocks) > 1:
        return f"use two launches or a grid barrier, {_grid_barriers[language]}; or let each block write other elements"
    order = _suggest_barrier(_barriers.get(why, _barriers["barrier"])[language], *accesses)
    if why == "atomic":
        return f"make both accesses atomic, or {order}"
    return order or f"let one thread write the element: {_one_thread[language]}"


def _suggest_stream_order(first, second):
    """Suggests an event that orders two operations of different streams."""
    if "graph" in first.stream:
        return "let one branch of the graph wait for an event that the other one records"
    after, before = (
        f" {side} line {one.line}" if one.line else ""
        for side, one in (("after", first), ("before", second))
    )
    return (
        f"record an event in {first.stream}{after} and let {second.stream} wait for it{before}, "
        f"or synchronize {first.stream}"
    )


def _suggest_barrier(barrier, first, second):
    """Where to insert a barrier; empty if none separates the accesses.

    The order of the accesses does not tell whether they are in one iteration of a loop, because threads run one after
    another. Only a barrier that the loop already has does.
    """
    if (first.file, first.function) != (second.file, second.function):
        return f"insert {barrier} between the two accesses"
    low, high = sorted((first.line, second.line))
    loop = find_innermost_common_loop(first, second)
    at_end = f"insert {barrier} at the end of the body of the loop in line {loop}"
    if low < high:
        between = f"insert {barrier} between lines {low} and {high}"
        return at_end if loop and has_barrier(first, low, high) else between
    if first.op == second.op:
        return ""
    apart = f"read into a variable, then {barrier}, then write"
    return f"{at_end}; if threads race within an iteration, {apart}" if loop else apart


def _suggest_atomic(raw, first, second):
    """The atomic operation for a race of one statement, ``x[i] += v``, with itself; None for others."""
    if (first.file, first.line) != (second.file, second.line):
        return None
    line = get_line(first)
    targets = {
        _get_text_of_span(line, find_expression_span(line, a.column, raw["array"]))
        for a in (first, second)
    }
    if len(targets) != 1 or None in targets:
        return None
    make = _format_cpp_atomic_call if is_cpp(first.file) else _format_python_atomic_call
    return make(line, *targets)


def _get_text_of_span(line, span):
    return None if span is None else line[slice(*span)]


def _format_python_atomic_call(line, target):
    try:
        tree = ast.parse(line.strip())
    except SyntaxError:  # the statement has several lines
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.AugAssign):
            place, name, value = node.target, _python_atomics.get(type(node.op)), node.value
        elif isinstance(node, ast.Assign):
            place, (name, value) = node.targets[0], _parse_update(node.targets[0], node.value)
        else:
            continue
        if name and isinstance(place, ast.Subscript) and _is_same_expression(place, target):
            array, index, value = map(ast.unparse, (place.value, place.slice, value))
            return f"cuda.atomic.{name}({array}, {index}, {value})"
    return None


def _parse_update(place, value):
    """The operation and operand of a value that updates a place, such as ``x[i] + v`` and ``max(x[i], v)``."""
    if isinstance(value, ast.BinOp) and _is_same_expression(value.left, ast.unparse(place)):
        return _python_atomics.get(type(value.op)), value.right
    if isinstance(value, ast.Call) and ast.unparse(value.func) in ("max", "min"):
        others = [a for a in value.args if not _is_same_expression(a, ast.unparse(place))]
        if len(value.args) == 2 and len(others) == 1:
            return value.func.id, others[0]
    return None, value


def _is_same_expression(node, text):
    try:
        return ast.unparse(node) == ast.unparse(ast.parse(text.strip(), mode="eval"))
    except SyntaxError:
        return False


def _format_cpp_atomic_call(line, target):
    target = re.sub(r"^(\+\+|--)|(\+\+|--)$", "", target.strip())
    lvalue = re.escape(target)
    if step := re.search(rf"(\+\+|--)\s*{lvalue}|{lvalue}\s*(\+\+|--)", line):
        operator, value = step[0].replace(target, "").strip()[0], "1"
    elif update := re.search(rf"{lvalue}\s*([-+&|^])=(?!=)\s*([^;]+?)\s*;", line):
        operator, value = update[1], update[2].strip()
    else:
        return None
    if operator == "-":
        value = f"-{value}" if re.fullmatch(r"[\w.]+", value) else f"-({value})"
    address = target[1:] if target.startswith("*") else f"&{target}"
    return f"{_cpp_atomics[operator]}({address}, {value})"


def _suggest_bounds_check(raw, accesses):
    """The condition under which the access is in bounds, such as ``if i < x.shape[0]``."""
    first = accesses[0]
    if "array has been freed" in raw["why"]:
        return "keep the array until the last launch that uses its address has ended"
    if "has been freed" in raw["why"]:
        return "free the memory after its last use by any thread"
    if is_cpp(first.file) or raw["space"] == "local" or not raw["array"]:
        return "compare the index with the number of elements before the access"
    index = _find_axis_and_index(first, raw)
    if index is None:
        return f"compare the index with `{raw['array']}.shape` before the access"
    axis, text = index
    extent = f"{raw['array']}.shape[{axis}]"
    condition = f"0 <= {text} < {extent}" if "index -" in raw["why"] else f"{text} < {extent}"
    return f"access the element only if `{condition}`"


def _find_axis_and_index(access, raw):
    """The axis that the explanation names and its index in the source; None if they are unknown."""
    line = get_line(access)
    text = _get_text_of_span(line, find_expression_span(line, access.column, raw["array"]))
    axis = re.search(r"for axis (\d+)", raw["why"])
    try:
        node = ast.parse(text or "", mode="eval").body
    except SyntaxError:
        return None
    if not (axis and isinstance(node, ast.Subscript) and ast.unparse(node.value) == raw["array"]):
        return None
    indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    number = int(axis[1])
    return (number, ast.unparse(indices[number])) if number < len(indices) else None


def _suggest_alignment(raw, accesses):
    return "start at an address that is a multiple of the size of the type"


# By the memory's space; {name} and {barrier} are filled in.
_initializations = {
    "shared": "shared memory starts with arbitrary values: set all of {name} that the block uses, then {barrier}",
    "local": "local variables start with arbitrary values: set {name} on every path before it is read",
    "global": "new device memory holds arbitrary values: fill {name} before the launch by a copy, a memset or zeros",
}


def _suggest_initialization(raw, accesses):
    """The code that should set the element before its use."""
    name = f"`{raw['array']}`" if raw["array"] else "it"
    barrier = _barriers["barrier"][is_cpp(accesses[0].file)]
    return _initializations[raw["space"]].format(name=name, barrier=barrier)


def _suggest_uniform_barrier(raw, accesses):
    if "wait or have ended" in raw["why"]:
        return (
            "every thread that others wait for must arrive at the barrier, set the flag or release the lock "
            "before it waits or ends"
        )
    if " at a barrier for " in raw["why"]:
        return "let as many threads reach the barrier as it waits for"
    line, is_loop = find_branch(accesses[0]) or (0, False)
    if re.match(r"(blocks|a block|\d+ blocks?) wait", raw["why"]):
        branch = (
            f"move the barrier out of the branch in line {line}: " if line and not is_loop else ""
        )
        return f"{branch}all blocks of the grid must reach the barrier equally often, and none may return before"
    if not line:
        return "all threads of a block must reach the same barriers, or return before"
    if not is_loop:
        return f"move the barrier out of the branch in line {line}: all threads of the block must reach it"
    if "in different iterations" in raw["why"]:
        return f"all threads of the block must reach the barrier in each iteration of the loop in line {line}"
    return f"all threads of the block must make the same number of iterations of the loop in line {line}"


def _suggest_mask(raw, accesses):
    if "reads the value" in raw["why"]:
        return "read the value of a lane that the mask names and that makes the same call"
    if "the lane itself" in raw["why"]:
        return "use a mask that names all lanes that make the call, and no others"
    ballot = ("`cuda.ballot_sync(0xFFFFFFFF, condition)`", "`__ballot_sync(0xffffffff, condition)`")
    line, is_loop = find_branch(accesses[0]) or (0, False)
    outside = f"call it outside of the branch in line {line}, or " if line and not is_loop else ""
    mask = ballot[is_cpp(accesses[0].file)]
    return f"{outside}use the mask of the lanes that make the call: {mask} before they branch"


def _suggest_divisor_check(raw, accesses):
    divisor = (_find_cpp_divisor if is_cpp(accesses[0].file) else _find_python_divisor)(
        get_line(accesses[0])
    )
    return f"divide only if `{divisor} != 0`" if divisor else "divide only if the divisor is not 0"


def _find_python_divisor(line):
    """The divisor of the only integer division in a line; None if there is none or several."""
    try:
        tree = ast.parse(line.strip())
    except SyntaxError:  # the statement has several lines
        return None
    divisors = {
        ast.unparse(node.right if isinstance(node, ast.BinOp) else node.value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.BinOp, ast.AugAssign))
        and isinstance(node.op, (ast.FloorDiv, ast.Mod))
    }
    return divisors.pop() if len(divisors) == 1 else None


def _find_cpp_divisor(line):
    divisors = set(re.findall(r"[/%]=?\s*([a-zA-Z_][\w.]*(?:\[[^][]*\])?)", line.split("//")[0]))
    return divisors.pop() if len(divisors) == 1 else None


def _suggest_freeing(raw, accesses):
    deletes = re.search(r"\bnew\b", get_line(accesses[0]))
    return f"call `{'delete' if deletes else 'free'}` on every path, also before each `return`"
