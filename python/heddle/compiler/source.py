"""Finds a function's source: its text at the time of definition, and its syntax tree."""

import __future__

import ast
import importlib
import inspect
import itertools
import linecache
import os
import sys
import types

from heddle.compiler.kept_texts import find_kept_source_texts
from heddle.errors import UnsupportedError


def find_source_lines(function):
    """The lines of the file that defines ``function``; empty if there is no source.

    Called when the function is decorated, so that later changes of the file have no effect. Without a file, several
    texts may share a name, such as ``<string>``: returns the one that compiles to the function's code.
    """
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if os.path.exists(code.co_filename):
        return lines
    _register_cell_name(code.co_filename)
    texts = [
        "".join(lines),
        *_find_registered_sources(function),
        *find_kept_source_texts(code.co_filename),
        *sys.orig_argv,
    ]
    found = next((text for text in texts if _compiles_to_code(text, code)), "")
    return found.splitlines(keepends=True)


def _register_cell_name(file):
    """Makes messages call a notebook cell ``Cell In[3]``, as IPython does, because its file name is a number."""
    if name := find_cell_name(file):
        from heddle import _heddle  # late: without cells this module runs where nothing is built

        _heddle.show_file_as(file, name)


def find_cell_name(file):
    """IPython's title of the notebook cell with this file name; None for other files."""
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    name_of = getattr(getattr(shell, "compile", None), "format_code_name", None)
    name = name_of and name_of(file)
    return " ".join(name) if name else None


def _find_registered_sources(function):
    """The source that Python 3.13 and later keeps for the interactive prompt and ``python -c``."""
    try:
        return ["".join(inspect.findsource(function)[0])]
    except (OSError, TypeError, IndexError):
        return []


def _compiles_to_code(text, code):
    if code.co_name not in text and code.co_name.isidentifier():
        return False
    flags = sum(
        feature.compiler_flag & code.co_flags
        for feature in (getattr(__future__, name) for name in __future__.all_feature_names)
    )
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # as in a notebook cell
    try:
        compiled = compile(text, code.co_filename, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(inner == code for inner in _list_nested_codes(compiled))


def _list_nested_codes(code):
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _list_nested_codes(constant)


# Functions ``rewrite(node, function)`` that rewrite with statements and stencils, and the modules that register them.
# These are imported here, because a program that only uses ``numba.objmode`` in functions has not imported them.
rewriters = []
_rewriting_modules = (
    "heddle.compiler.rewriting.object_blocks",
    "heddle.compiler.rewriting.parallel_threads",
    "heddle.compiler.rewriting.stencils_inside",
)


def parse_and_rewrite_definition(function, lines):
    """The syntax of ``function`` as ``(node, line_offset, first_line, text)``.

    node: ast.FunctionDef or ast.Lambda. Its line numbers plus line_offset are those of the file. text: a list of lines
    without line ends. first_line: the file's line number of the first.
    A function that is not in ``lines`` is rebuilt from its bytecode. Raises UnsupportedError if that is not possible.
    """
    code = function.__code__
    try:
        found = _find_definition(lines, code) if lines else None
    except (RecursionError, MemoryError):
        raise _make_depth_error(function) from None
    node, *rest = found or _rebuild_definition(function)
    if any(_may_be_rewritten(part) for part in ast.walk(node)):
        for module in _rewriting_modules:
            importlib.import_module(module)  # late: they register at this module, which they import
        for rewrite in rewriters:
            node = rewrite(node, function)
    if own := vars(function).get("__heddle_rewriter__"):
        node = own(node, function)
    return node, *rest


def _may_be_rewritten(part):
    return isinstance(part, ast.With) or "stencil" in (
        getattr(part, "id", ""),
        getattr(part, "attr", ""),
    )


def _find_definition(lines, code):
    """As ``parse_and_rewrite_definition``, but returns None if the lines do not contain the function."""
    first = code.co_firstlineno
    if code.co_name == "<lambda>":
        return _find_lambda(lines, code)
    try:
        block, tree, offset = _parse_block(lines, first)
    except (SyntaxError, IndexError, ValueError):
        return None
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)  # the compiler rejects the latter
    for node in ast.walk(tree):
        if isinstance(node, kinds) and node.name == code.co_name:
            _mangle_private_names(node, code)
            if _list_parameter_names(node) != _list_code_parameter_names(code):
                break
            return node, offset, first, [line.rstrip("\r\n") for line in block]
    return None


def _mangle_private_names(node, code):
    """Renames private names in a method, and in functions inside of it, as in their bytecode: ``__x`` of a class ``C``
    is ``_C__x``."""
    prefix = _find_prefix_of_private_names(code)
    for part in ast.walk(node) if prefix else ():
        for field in ("id", "attr", "arg", "name"):
            name = getattr(part, field, None)
            is_private = isinstance(name, str) and name[:2] == "__" and name[-2:] != "__"
            if is_private and not isinstance(part, ast.alias) and (part is not node):
                setattr(part, field, prefix + name)


def _find_prefix_of_private_names(code):
    """``_C`` if the innermost class around the function is ``C``; "" outside of classes."""
    *outer, _ = code.co_qualname.split(".")
    classes = [
        name
        for name, inside in itertools.pairwise([*outer, ""])
        if "<locals>" not in (name, inside)
    ]
    name = classes[-1].lstrip("_") if classes else ""
    return name and f"_{name}"


def _rebuild_definition(function):
    from heddle.compiler.bytecode import CannotRebuild, rebuild_with_lines  # late: few need it

    code = function.__code__
    try:
        node, lines = rebuild_with_lines(code)
    except CannotRebuild as reason:
        raise UnsupportedError(
            f"cannot read the source of '{function.__name__}' from '{code.co_filename}', and cannot do without it: the "
            f"function has {reason}\n"
            "  hint: write the function to a file and import it, or run the program with 'heddle run', which keeps the "
            "source text that a program compiles"
        ) from None
    except (RecursionError, MemoryError):
        raise _make_depth_error(function) from None
    text = [lines.get(number, "") for number in range(code.co_firstlineno, max(lines) + 1)]
    return node, 0, code.co_firstlineno, text


def _parse_block(lines, first):
    """The lines of a function, its syntax, and the offset to its line numbers.

    The function ends before the first line that is indented no deeper than its ``def``. If that line is inside a
    string, the function is tokenized, which is slower.
    """
    block = lines[first - 1 : _find_end_of_function(lines, first - 1)]
    try:
        return block, *_parse_block_as_module(block, first)
    except SyntaxError:
        block = inspect.getblock(lines[first - 1 :])
        return block, *_parse_block_as_module(block, first)


def _find_end_of_function(lines, start):
    """The index after the last line of the function whose decorators start at index ``start``."""
    indent = _measure_indent(lines[start])
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


def _measure_indent(line):
    return len(line) - len(line.lstrip())


def _parse_block_as_module(block, first):
    """Parses the block as a module. Also returns the offset to its line numbers. An indented block is put under an
    ``if``, which preserves its columns."""
    text = "".join(block)
    if block and block[0][:1].isspace():
        return ast.parse("if 1:\n" + text), first - 2
    return ast.parse(text), first - 1


def _find_lambda(lines, code):
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return None
    first = code.co_firstlineno
    lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    for node in lambdas:
        _mangle_private_names(node, code)
    candidates = [
        node
        for node in lambdas
        if _list_parameter_names(node) == _list_code_parameter_names(code)
        and node.lineno <= first <= node.body.end_lineno
    ]
    positions = {p[0::2] for p in code.co_positions() if p[0] and p[2] is not None}

    def count_positions_in_lambda(node):
        """The number of code positions in a lambda. Among nested lambdas, prefers the innermost."""
        body = (node.body.lineno, node.body.col_offset)
        end = (node.body.end_lineno, node.body.end_col_offset)
        return sum(body <= place < end for place in positions), body

    nearest = max(candidates, key=count_positions_in_lambda, default=None)
    if nearest is not None and count_positions_in_lambda(nearest)[0]:
        return _make_lambda_result(nearest, lines)
    # Python 3.12 has no columns for a lambda that is a constant: identify it by the constant.
    for node in candidates:
        constant = compile(ast.Expression(node.body), "<lambda>", "eval").co_consts[-1:]
        if repr(constant) == repr(code.co_consts[-1:]):
            return _make_lambda_result(node, lines)
    return None


def _make_lambda_result(node, lines):
    text = lines[node.lineno - 1 : node.end_lineno]
    return node, 0, node.lineno, [line.rstrip("\r\n") for line in text]


def _list_parameter_names(node):
    arguments = node.args
    return [a.arg for a in arguments.posonlyargs + arguments.args]


def _list_code_parameter_names(code):
    return list(code.co_varnames[: code.co_argcount])


def _make_depth_error(function):
    return UnsupportedError(
        f"'{function.__name__}' in '{function.__code__.co_filename}' is nested too deeply for Python's parser of "
        "syntax trees\n  hint: split the expression over several statements"
    )
