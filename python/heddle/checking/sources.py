"""Source lines of kernels, and the expressions and loops in them, for Python and CUDA C++."""

import ast
import linecache
import os
import re

from heddle.compiler.kept_texts import find_kept_source_texts
from heddle.compiler.linkable_code import CUSource
from heddle.compiler.source import find_cell_name

_cpp_endings = (".cu", ".cuh", ".cpp", ".cc", ".h", ".hpp")
_opening = {"(": ")", "[": "]"}
_closing = {end: start for start, end in _opening.items()}


def is_cpp(file):
    """True if a file is CUDA C++, False for Python."""
    return file in ("<cuda source>", CUSource.default_name) or file.endswith(_cpp_endings)


def display_name(file):
    """A file's name in reports: relative to the working folder if the file is in it; a notebook cell's title."""
    if cell := find_cell_name(file):
        return cell
    if not os.path.isabs(file):
        return file
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative


def get_lines(access):
    """The lines of the file with an access; empty if the source is unknown.

    Notebook cells may share a name. Returns the latest one that can contain the access.
    """
    if access.text is not None:
        return access.text.splitlines(keepends=True)
    if lines := linecache.getlines(access.file):
        return lines
    texts = [text.splitlines(keepends=True) for text in find_kept_source_texts(access.file)]
    return next((lines for lines in texts if _mentions_function(lines, access)), [])


def _mentions_function(lines, access):
    name = re.match(r"\w*", access.function)[0]
    return len(lines) >= access.line and any(re.search(rf"\b{name}\b", line) for line in lines)


def get_line(access):
    """The source line of an access, without the line break; empty if it is unknown."""
    lines = get_lines(access)
    return lines[access.line - 1].rstrip("\r\n") if 0 < access.line <= len(lines) else ""


def find_expression_span(line, column, array=""):
    """The element access in a line, as (start, end): ``s[t + 1]``, ``p->x``, ``cuda.atomic.add(h, i, 1)``.

    column: where it starts, from 1; or where the operator of an assignment to it is, as in Clang's locations. If the
    column is 0, takes the first access of ``array``. Returns None if there is none.
    """
    if column == 0:
        found = array and re.search(rf"(?<![\w.]){re.escape(array)}\b(?=\s*[\[.]|\W*$)", line)
        return (found.start(), _find_expression_end(line, found.start())) if found else None
    start = column - 1
    if start >= len(line):
        return None
    if re.match(r"[-+*/%&|^]?=(?!=)|<<=|>>=|(\+\+|--)(?!\s*[\w*(])", line[start:]):
        end = len(line[:start].rstrip())
        return _find_expression_start(line, end), end
    return start, _find_expression_end(line, start)


def find_array_and_index_count(access):
    """The array of an access and the number of indices, such as ("s", 1) for ``s[t + 1]``.

    None if the source is not a subscript of a name.
    """
    line = get_line(access)
    span = find_expression_span(line, access.column)
    subscript = span and re.fullmatch(r"(\w+)\s*\[(.*)\]", line[slice(*span)])
    if not subscript or "]" in re.sub(r"\[[^][]*\]", "", subscript[2]):
        return None
    return subscript[1], 1 + _remove_bracketed_text(subscript[2]).count(",")


def _remove_bracketed_text(text):
    """Removes brackets and their contents from a text."""
    while (shorter := re.sub(r"[(\[{][^()\[\]{}]*[)\]}]", "", text)) != text:
        text = shorter
    return text


def _find_expression_end(line, start):
    """The end of the names, subscripts and calls that start at an index."""
    end = re.compile(r"(?:\+\+|--|[*&\s])*\w*").match(line, start).end()
    while end < len(line):
        if line[end] in _opening:
            end = _skip_brackets(line, end, 1, _opening)
        elif member := re.compile(r"(?:\.|->|::)\s*\w+").match(line, end):
            end = member.end()
        else:
            break
    return max(end, start + 1)


def _find_expression_start(line, end):
    """The start of the names and subscripts that end at an index."""
    start = end
    while start > 0:
        if line[start - 1] in _closing:
            start = _skip_brackets(line, start - 1, -1, _closing) + 1
        elif name := re.search(r"(?:\w+|\.|->|::)$", line[:start]):
            start = name.start()
        else:
            break
    return len(line[:start].rstrip("*"))


def _skip_brackets(line, index, step, partner):
    """The index after the bracket that matches the one at ``index``, or the line's end if there is none."""
    expected = []
    while 0 <= index < len(line):
        if line[index] in partner:
            expected.append(partner[line[index]])
        elif expected and line[index] == expected[-1]:
            expected.pop()
            if not expected:
                return index + step
        index += step
    return len(line) if step > 0 else -1


def find_innermost_common_loop(access, other):
    """The line of the innermost loop that contains two accesses of one file; None if there is none."""
    first, last = sorted((access.line, other.line))
    return max(
        (
            start
            for start, end, is_loop in _list_branches(access)
            if is_loop and start <= first and last <= end
        ),
        default=None,
    )


def find_branch(access):
    """The innermost branch or loop around an access, as (line, whether it is a loop); None if there is none."""
    around = [
        (start, is_loop)
        for start, end, is_loop in _list_branches(access)
        if start <= access.line <= end
    ]
    return max(around, default=None)


def _list_branches(access):
    """The branches and loops of the file with an access, as (first line, last line, whether it is a loop)."""
    text = "".join(get_lines(access))
    return _list_cpp_branches(text) if is_cpp(access.file) else _list_python_branches(text)


def has_barrier(access, first, last):
    """True if a line from ``first`` to ``last`` of the file with an access calls a barrier."""
    lines = get_lines(access)[first - 1 : last]
    return any(re.search(r"sync\w*\s*\(", re.split("#|//", line)[0]) for line in lines)


def _list_python_branches(text):
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a cell with magic commands
        return []
    loops = (ast.For, ast.While)
    return [
        (node.lineno, node.end_lineno, isinstance(node, loops))
        for node in ast.walk(tree)
        if isinstance(node, (ast.If, *loops))
    ]


def _list_cpp_branches(text):
    """The branches and loops with braces."""
    text = re.sub(r"//[^\n]*", "", text)
    branches, open = [], []
    for brace in re.finditer(r"[{}]", text):
        if brace[0] == "{":
            open.append(_match_cpp_block_keyword(text[: brace.start()].rstrip()))
        elif open and (head := open.pop()):
            start = text.count("\n", 0, head.start()) + 1
            is_loop = head[1] in ("for", "while", "do")
            branches.append((start, text.count("\n", 0, brace.start()) + 1, is_loop))
    return branches


def _match_cpp_block_keyword(text):
    """The match of the keyword whose statement's brace follows the text; None if the brace is another one."""
    if not text.endswith(")"):
        return re.search(r"\b(do|else)$", text)
    condition = _skip_brackets(text, len(text) - 1, -1, _closing) + 1
    return re.search(r"\b(for|while|if)\s*$", text[:condition])
