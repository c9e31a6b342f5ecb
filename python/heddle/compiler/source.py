"""Where a function's source stands: its text as it was when the function was defined, and its syntax."""

import ast
import inspect
import linecache

from heddle.errors import UnsupportedError


def lines_of(function):
    """The lines of the file that defines ``function``, as they are now; empty when there is no such file.

    Taken when the function is decorated, so that a file changed later does not change what is compiled.
    """
    file = function.__code__.co_filename
    linecache.checkcache(file)
    return linecache.getlines(file, function.__globals__)


def definition_of(function, lines):
    """The syntax of ``function`` as ``(node, line_offset, first_line, text)``.

    node: ast.FunctionDef or ast.Lambda; its line numbers plus line_offset count as in the file.
    first_line: number in the file of the first line in text, a list of lines without their ends.
    Raises UnsupportedError when the source is missing or is not the function's.
    """
    code = function.__code__
    if not lines:
        raise UnsupportedError(
            f"cannot read the source of '{function.__name__}': '{code.co_filename}' is not a file\n"
            "  hint: define kernels in a file or a notebook cell, not with exec() or in an interactive prompt"
        )
    first = code.co_firstlineno
    if code.co_name == "<lambda>":
        return _lambda(function, lines, first)
    try:
        block, tree, offset = _block(lines, first)
    except (SyntaxError, IndexError, ValueError):
        raise _changed(function) from None
    except (RecursionError, MemoryError):
        raise _too_deep(function) from None
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)  # the compiler refuses the latter
    for node in ast.walk(tree):
        if isinstance(node, kinds) and node.name == code.co_name:
            if _parameters(node) != _parameters_of(code):
                break
            return node, offset, first, [line.rstrip("\r\n") for line in block]
    raise _changed(function)


def _block(lines, first):
    """The lines of a function, its syntax, and what to add to the line numbers in that.

    The function ends before the first line that is indented no deeper than its ``def``. Where that line is in the
    middle of a string, the function is read by tokens, which takes longer.
    """
    block = lines[first - 1 : _end(lines, first - 1)]
    try:
        return block, *_parse(block, first)
    except SyntaxError:
        block = inspect.getblock(lines[first - 1 :])
        return block, *_parse(block, first)


def _end(lines, start):
    """The index after the last line of the function whose decorators start at index ``start``."""
    indent = _indent(lines[start])
    place = start
    while not lines[place][indent:].startswith(("def ", "async ")):
        place += 1
    end = place + 1
    for place in range(end, len(lines)):
        text = lines[place].lstrip()
        if not text or text[0] == "#":
            continue
        if len(lines[place]) - len(text) <= indent and text[0] not in ")]}":
            break
        end = place + 1
    return end


def _indent(line):
    return len(line) - len(line.lstrip())


def _parse(block, first):
    """The block as a module, and what to add to its line numbers. An indented block is put under an ``if``, which
    leaves its columns as they are."""
    text = "".join(block)
    if block and block[0][:1].isspace():
        return ast.parse("if 1:\n" + text), first - 2
    return ast.parse(text), first - 1


def _lambda(function, lines, first):
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        raise _changed(function) from None
    except (RecursionError, MemoryError):
        raise _too_deep(function) from None
    code = function.__code__
    candidates = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda)
        and _parameters(node) == _parameters_of(code)
        and node.lineno <= first <= node.body.end_lineno
    ]
    positions = {p[0::2] for p in code.co_positions() if p[0] and p[2] is not None}
    for node in candidates:
        body = (node.body.lineno, node.body.col_offset)
        end = (node.body.end_lineno, node.body.end_col_offset)
        if any(body <= place < end for place in positions):
            return _found_lambda(node, lines)
    # Python 3.12 gives no columns for a lambda that is a constant: the constant itself tells which it is.
    for node in candidates:
        constant = compile(ast.Expression(node.body), "<lambda>", "eval").co_consts[-1:]
        if repr(constant) == repr(code.co_consts[-1:]):
            return _found_lambda(node, lines)
    raise _changed(function)


def _found_lambda(node, lines):
    text = lines[node.lineno - 1 : node.end_lineno]
    return node, 0, node.lineno, [line.rstrip("\r\n") for line in text]


def _parameters(node):
    arguments = node.args
    return [a.arg for a in arguments.posonlyargs + arguments.args]


def _parameters_of(code):
    return list(code.co_varnames[: code.co_argcount])


def _too_deep(function):
    return UnsupportedError(
        f"'{function.__name__}' in '{function.__code__.co_filename}' is nested too deeply for Python's own parser of "
        "syntax trees\n  hint: split the expression over several statements"
    )


def _changed(function):
    return UnsupportedError(
        f"the source of '{function.__name__}' in '{function.__code__.co_filename}' has changed since it was "
        "imported, or is not Python source\n  hint: import the module again"
    )
