"""Rebuilds the definition of a function from its code."""

import ast
import dis
import inspect
import itertools

from heddle.compiler.bytecode.blocks import build_graph
from heddle.compiler.bytecode.evaluation import Temporaries
from heddle.compiler.bytecode.graph import Goto, Node, Reduction, skip_empty_nodes
from heddle.compiler.bytecode.loops import merge_duplicated_tests, replace_loops_by_statements
from heddle.compiler.bytecode.tidy import simplify_statements
from heddle.compiler.bytecode.values import CannotRebuild, UnusualFlow

_comprehensions = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def rebuild_with_lines(code):
    """The definition of a function as ``(node, text)``: an ast.FunctionDef or ast.Lambda, and a dict of lines.

    Lines are numbered as in the original program. Their text is that of the code, without comments and with constants
    folded. Raises CannotRebuild.
    """
    return _place_on_original_lines(rebuild_definition(code), code.co_firstlineno)


def rebuild_definition(code):
    """The definition without positions; a lambda if the function was one and can be."""
    if code.co_name in _comprehensions:
        raise CannotRebuild("a comprehension")
    is_named = code.co_name.isidentifier()
    definition = _build_definition(code, code.co_name if is_named else "function")
    match definition.body:
        case [ast.Return(value=value)] if value is not None and not is_named:
            return ast.Lambda(definition.args, value)
    return definition


def _build_definition(code, name):
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise CannotRebuild("a generator or an async function")
    names = {*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars}
    if not all(map(str.isidentifier, names)):
        raise CannotRebuild("names that no program can have")
    temporaries = Temporaries(names)
    numbers = itertools.count(1)

    def make_new_name():
        return temporaries.make_temporary_name_at(("new", next(numbers)))

    try:
        statements = _build_statements(code, temporaries, make_new_name, merge_duplicated_tests)
    except UnusualFlow:  # a partly equal test leads into the middle of a loop
        statements = _build_statements(code, temporaries, make_new_name, skip_empty_nodes)
    variables = {*code.co_varnames, *code.co_cellvars}
    body = _make_scope_declarations(code) + simplify_statements(statements, temporaries, variables)
    if isinstance(body[-1], ast.Return) and body[-1].value is None:
        body = body[:-1] or [ast.Pass()]
    definition = ast.FunctionDef(name, _make_parameters(code), body, [])
    definition.lineno = code.co_firstlineno
    return definition


def _build_statements(code, temporaries, new_name, simplify):
    first = build_graph(code, temporaries, rebuild_definition)
    entry = Node(first.line, -1, [], Goto(first))  # no edge leads to it
    simplify(entry)
    reduction = Reduction(new_name)
    replace_loops_by_statements(entry, reduction, new_name)
    reduction.join_into_one_node(entry)
    if entry.end is not None:
        raise UnusualFlow
    return entry.statements


def _make_scope_declarations(code):
    """The ``global`` and ``nonlocal`` statements for the outer variables that the function assigns."""
    assigned = {"GLOBAL": set(), "DEREF": set()}
    for instruction in dis.get_instructions(code):
        action, _, scope = instruction.opname.partition("_")
        if action in ("STORE", "DELETE") and scope in assigned:
            assigned[scope].add(instruction.argval)
    outer = assigned["DEREF"] & set(code.co_freevars)
    declared = [(ast.Global, assigned["GLOBAL"]), (ast.Nonlocal, outer)]
    return [kind(sorted(names)) for kind, names in declared if names]


def _make_parameters(code):
    names = iter(code.co_varnames)

    def make_next_parameters(count):
        return [ast.arg(name) for name in itertools.islice(names, count)]

    positional_only = make_next_parameters(code.co_posonlyargcount)
    positional = make_next_parameters(code.co_argcount - code.co_posonlyargcount)
    keyword_only = make_next_parameters(code.co_kwonlyargcount)
    rest = make_next_parameters(bool(code.co_flags & inspect.CO_VARARGS)) or [None]
    named_rest = make_next_parameters(bool(code.co_flags & inspect.CO_VARKEYWORDS)) or [None]
    defaults = [None] * len(keyword_only)
    return ast.arguments(
        positional_only, positional, rest[0], keyword_only, defaults, named_rest[0], []
    )


def _place_on_original_lines(definition, first_line):
    """The definition with positions, and the text that they refer to.

    Each statement is on its original line. Several statements on one line are separated by semicolons.
    """
    text = ast.unparse(definition)
    placed = ast.parse(text).body[0]
    if isinstance(definition, ast.Lambda):
        placed = placed.value
    pairs = zip(_list_statements(definition), _list_statements(placed), strict=True)
    known = {1: first_line, **{new.lineno: getattr(old, "lineno", 0) for old, new in pairs}}
    line, lines, line_of, moved = first_line, {}, {}, {}
    for number, written in enumerate(text.split("\n"), 1):
        if number not in known:  # `else:`
            continue
        line = line_of[number] = max(known[number] or line, first_line)
        before = lines.get(line)
        if before is None or before.strip() == written.strip():
            lines[line] = written
            moved[number] = 0
        else:
            separator = " " if before.endswith(":") else "; "
            lines[line] = before + separator + written.strip()
            moved[number] = len(lines[line].encode()) - len(written.encode())
    for node in ast.walk(placed):
        if not hasattr(node, "lineno"):
            continue
        number = node.lineno
        node.lineno = line_of[number]
        node.col_offset += moved[number]
        if node.end_lineno == number:
            node.end_col_offset += moved[number]
        else:  # a statement with others in it ends with its first line
            node.end_col_offset = len(lines[node.lineno].encode())
        node.end_lineno = node.lineno
    return placed, lines


def _list_statements(definition):
    return [node for node in ast.walk(definition) if isinstance(node, ast.stmt)]
