"""The texts of lints: a message with the measured numbers, and a hint."""

import ast
import dataclasses
import functools
import re

from heddle.checking.sources import find_expression_span, get_line, get_lines, is_cpp

_done = {"read": "reads of", "write": "writes to", "atomic": "atomic operations on"}
_literal = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?(?![\w.])")


def format_lint_message(raw, accesses):
    """The message of a lint. raw: the dict from the runtime."""
    return f"{raw['lint']}: {_messages[raw['lint']](raw, accesses)}"


def suggest_improvement(raw, accesses):
    """The hint of a lint."""
    return _hints[raw["lint"]](raw, accesses)


def is_lint_intended(raw, accesses):
    """True if the program intends what the lint reports: it names the type float64."""
    if raw["lint"] != "float64":
        return False
    wide = r"\bdouble\b" if is_cpp(accesses[0].file) else r"\b(?:float64|double|float)\b"
    return any(re.search(wide, line) for _, line in _list_function_lines(accesses[0]))


def _describe_sectors(raw, accesses):
    touched, needed = (_format_number(number) for number in raw["numbers"])
    return (
        f"{_format_access_kind(accesses)} {_format_array_name(raw)} touch {touched} sectors "
        f"of 32 bytes per warp on average, where {needed} would suffice"
    )


def _describe_conflicts(raw, accesses):
    ways = _format_number(raw["numbers"][0])
    return f"{_format_access_kind(accesses)} {_format_array_name(raw)} have {ways}-way bank conflicts on average"


def _describe_float64(raw, accesses):
    return "arithmetic in float64, but the inputs are float32 values, integers and literals"


def _describe_divergence(raw, accesses):
    active, share = raw["numbers"]
    return (
        f"{_format_number(active)} of a warp's 32 lanes are active in this {raw['why']} on average; "
        f"the others waste {share:.0%} of the kernel's instructions"
    )


def _describe_occupancy(raw, accesses):
    first, second = [int(number) for number in (*raw["numbers"], 0)][:2]
    if raw["why"] == "small blocks":
        return f"at most 32 blocks of {first} threads use {32 * first} of the 2048 threads of a multiprocessor"
    if raw["why"] == "partial warps":
        return f"blocks of {first} threads leave {second - first} of the {second} lanes of their warps empty"
    return f"blocks with {first} bytes of shared memory use {second} of a multiprocessor's 2048 threads"


def _describe_local_array(raw, accesses):
    size = int(raw["numbers"][0])
    why = "an index is known only at run time"
    if size > _register_bytes:
        why = f"{size} bytes are more than a thread's 255 registers"
    return f"{_format_array_name(raw)} is in local memory, which is as slow as global memory: {why}"


_register_bytes = 255 * 4

_messages = {
    "uncoalesced": _describe_sectors,
    "bank-conflict": _describe_conflicts,
    "float64": _describe_float64,
    "divergence": _describe_divergence,
    "occupancy": _describe_occupancy,
    "local-array": _describe_local_array,
}


def _format_access_kind(accesses):
    operations = {access.op for access in accesses}
    return _done[operations.pop()] if len(operations) == 1 else "accesses to"


def _format_array_name(raw):
    return f"`{raw['array']}`" if raw["array"] else f"{raw['space']} memory"


def _format_number(number):
    return f"{number:.1f}".removesuffix(".0")


def _get_access_text(raw, access):
    """The access in the source, such as ``a[i, 0]``; empty if it is unknown."""
    line = get_line(access)
    span = find_expression_span(line, access.column, raw["array"])
    return line[slice(*span)] if span else ""


def _suggest_access_order(raw, accesses):
    text = _get_access_text(raw, accesses[0])
    indices = re.search(r"\[(.*)\]", text)
    last = re.split(r",|\]\s*\[", indices[1])[-1].strip() if indices else ""
    if re.search(r"\]\s*(\.|\[\s*['\"])|->", text):
        return "store each field in an array: neighboring threads then access neighboring elements"
    if indices and last.isdigit():
        return "make the last axis the one that follows `threadIdx.x`, as in `a[0, i]` instead of `a[i, 0]`"
    if indices and last != indices[1].strip():
        return "let the last index follow `threadIdx.x`: exchange the roles of x and y, or stage tiles in shared memory"
    return "let neighboring threads access neighboring elements: thread t of n takes elements t, t + n and so on"


def _suggest_padding(raw, accesses):
    if declared := _find_declaration(raw["array"], accesses[0]):
        return f"pad the rows by one element, as in `{declared}`"
    if re.search(r",|\]\s*\[", _get_access_text(raw, accesses[0])):
        return "pad the rows by one element, or exchange the axes"
    index = "i + i / 32" if is_cpp(accesses[0].file) else "i + i // 32"
    return f"let neighboring threads access neighboring elements, or leave out every 33rd element: index `{index}`"


def _find_declaration(array, access):
    """The declaration of a shared array with a padded last axis, ``tile[32][33]``; empty if it is unknown."""
    if not array:
        return ""
    name = re.escape(array)
    for _, line in _list_function_lines(access):
        if rows := re.search(rf"\b{name}((?:\[\d+\])+)\[(\d+)\]\s*;", line):
            return f"{array}{rows[1]}[{int(rows[2]) + 1}]"
        if shape := re.search(
            rf"\b{name}\s*=.*shared\.array\(\s*(?:shape\s*=\s*)?\(([^()]*,)\s*(\d+)\s*\)", line
        ):
            return f"{array} = cuda.shared.array(({shape[1]} {int(shape[2]) + 1}), ...)"
    return ""


def _suggest_float32(raw, accesses):
    """Names the literals that make the arithmetic float64, including initial values of variables."""
    cpp = is_cpp(accesses[0].file)
    fixes = [fix for access in accesses for fix in _list_literals_as_float32(access, cpp)]
    if fixes := list(dict.fromkeys(fixes)):
        return f"write {', '.join(fixes[:-1])}{' and ' if fixes[1:] else ''}{fixes[-1]}"
    if cpp:
        return "call the function for float32, such as `expf`, or convert its argument: `float(n)`"
    return "convert integers before the operation: `np.float32(n)`; `/`, and integers with float32, give float64"


def _list_literals_as_float32(access, cpp):
    """The float64 literals in a line, and those that its function assigns to variables in the line, as float32."""

    def format_as_float32(literal):
        return f"`{literal}f`" if cpp else f"`np.float32({literal})`"

    code = _strip_comment(get_line(access), cpp)
    yield from map(format_as_float32, _literal.findall(code))
    names = set(re.findall(r"[A-Za-z_]\w*", code))
    for number, line in _list_function_lines(access):
        start = re.match(r"\s*(?:const\s+|auto\s+)*(\w+)\s*=\s*(.*?);?\s*$", line)
        if start and start[1] in names and _literal.fullmatch(start[2]):
            yield f"{format_as_float32(start[2])} in line {number}"


def move_access_to_float64_literal(raw, access):
    """The access at the literal that makes the arithmetic of its line float64, if there is one."""
    if raw["lint"] != "float64":
        return access
    found = _literal.search(_strip_comment(get_line(access), is_cpp(access.file)))
    return dataclasses.replace(access, column=found.start() + 1) if found else access


def _suggest_regrouping_threads(raw, accesses):
    if raw["why"] == "loop":
        return "let the threads of a warp iterate equally often: sort the work by its length, or let a warp share it"
    return "let neighboring threads take the same side: number the active threads consecutively"


def _suggest_launch_shape(raw, accesses):
    if raw["why"] == "shared memory":
        return "use less shared memory per block, or more threads: a multiprocessor has 228 KiB for 2048 threads"
    return "use a multiple of 32 threads per block: 128 or 256 suit most kernels"


def _suggest_constant_indices(raw, accesses):
    if raw["numbers"][0] > _register_bytes:
        return "use a smaller array, or shared memory"
    return "index it by constants and by counters of loops with a constant number of iterations, or use shared memory"


_hints = {
    "uncoalesced": _suggest_access_order,
    "bank-conflict": _suggest_padding,
    "float64": _suggest_float32,
    "divergence": _suggest_regrouping_threads,
    "occupancy": _suggest_launch_shape,
    "local-array": _suggest_constant_indices,
}


def _strip_comment(line, cpp):
    return re.split(r"//" if cpp else r"#", line)[0]


def _list_function_lines(access):
    """The lines of the function with an access, as (number, text without comments); the whole file if it is unknown."""
    lines, cpp = get_lines(access), is_cpp(access.file)
    first, last = (_find_cpp_function_range if cpp else _find_python_function_range)(
        lines, access.line
    )
    return [(n, _strip_comment(lines[n - 1], cpp)) for n in range(first, min(last, len(lines)) + 1)]


def _find_python_function_range(lines, line):
    functions = _list_python_function_ranges("".join(lines))
    around = [(first, last) for first, last in functions if first <= line <= last]
    return min(around, default=(1, len(lines)))


@functools.lru_cache(maxsize=16)
def _list_python_function_ranges(text):
    """The first and last lines of the functions in a text."""
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a cell with magic commands
        return []
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return [(node.lineno, node.end_lineno) for node in functions]


def _find_cpp_function_range(lines, line):
    """The first and last line of the outermost braces around a line, including the text before the braces."""
    depth, first = 0, 1
    for number, text in enumerate(lines, 1):
        code = _strip_comment(text, cpp=True)
        depth += code.count("{") - code.count("}")
        if depth == 0 and re.search(r"[};]", code):
            if number >= line:
                return first, number
            first = number + 1
    return first, len(lines)
