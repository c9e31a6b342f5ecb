"""Instructions that build tuples, lists, dicts and strings."""

import ast

from heddle.compiler.bytecode.instructions import Operations, pop_unfinished
from heddle.compiler.bytecode.operators import push_unary_plus
from heddle.compiler.bytecode.values import CannotRebuild

operation = Operations()


@operation("BUILD_TUPLE")
def _build_tuple(e, instruction):
    e.push(ast.Tuple(e.pop_many(instruction.arg)))


@operation("BUILD_LIST")
def _build_list(e, instruction):
    e.push(ast.List(e.pop_many(instruction.arg)))


@operation("BUILD_SET")
def _build_set(e, instruction):
    e.push(ast.Set(e.pop_many(instruction.arg)))


@operation("BUILD_MAP")
def _build_dict(e, instruction):
    items = e.pop_many(2 * instruction.arg)
    e.push(ast.Dict(items[::2], items[1::2]))


@operation("BUILD_CONST_KEY_MAP")
def _build_dict_with_constant_keys(e, instruction):
    *values, keys = e.pop_many(instruction.arg + 1)
    e.push(ast.Dict(keys.elts, values))


@operation("LIST_APPEND", "SET_ADD")
def _append_item(e, instruction):
    if instruction.arg != 1:
        raise CannotRebuild("a comprehension")
    _extend_collection_by(e, [e.pop()])


@operation("LIST_EXTEND", "SET_UPDATE")
def _extend_collection(e, instruction):
    more = e.pop()
    is_literal = isinstance(more, (ast.Tuple, ast.Set))
    _extend_collection_by(e, more.elts if is_literal else [ast.Starred(more)])


def _extend_collection_by(e, items):
    collection = pop_unfinished(e, (ast.List, ast.Set))
    e.push(type(collection)([*collection.elts, *items]))


@operation("CALL_INTRINSIC_1")
def _evaluate_intrinsic(e, instruction):
    plus, list_to_tuple = 5, 6  # CPython's Include/internal/pycore_intrinsics.h
    if instruction.arg == plus:
        push_unary_plus(e, instruction)
    elif instruction.arg == list_to_tuple:
        _convert_list_to_tuple(e, instruction)
    else:
        raise CannotRebuild(f"the operation {instruction.argrepr or instruction.opname}")


@operation("LIST_TO_TUPLE")
def _convert_list_to_tuple(e, instruction):
    e.push(ast.Tuple(pop_unfinished(e, ast.List).elts))


@operation("DICT_MERGE", "DICT_UPDATE")
def _merge_dicts(e, instruction):
    more = e.pop()
    known = pop_unfinished(e, ast.Dict)
    e.push(ast.Dict([*known.keys, None], [*known.values, more]))


@operation("FORMAT_VALUE")
def _format_value(e, instruction):
    conversions, has_format = (-1, ord("s"), ord("r"), ord("a")), 4
    pattern = e.pop() if instruction.arg & has_format else None
    _push_formatted(e, e.pop(), conversions[instruction.arg & 3], pattern)


@operation("CONVERT_VALUE")
def _set_format_conversion(e, instruction):
    value = e.pop()
    value.conversion = (-1, ord("s"), ord("r"), ord("a"))[instruction.arg]
    e.push(value)


@operation("FORMAT_SIMPLE")
def _format_by_pending_conversion(e, instruction):
    value = e.pop()
    _push_formatted(e, value, getattr(value, "conversion", -1), None)


@operation("FORMAT_WITH_SPEC")
def _format_with_spec(e, instruction):
    value, pattern = e.pop_many(2)
    _push_formatted(e, value, getattr(value, "conversion", -1), pattern)


def _push_formatted(e, value, conversion, pattern):
    if pattern is not None and not isinstance(pattern, ast.JoinedStr):
        pattern = ast.JoinedStr([pattern])
    e.push(ast.JoinedStr([ast.FormattedValue(value, conversion, pattern)]))


@operation("BUILD_STRING")
def _join_strings(e, instruction):
    pieces = []
    for part in e.pop_many(instruction.arg):
        pieces += part.values if isinstance(part, ast.JoinedStr) else [part]
    e.push(ast.JoinedStr(pieces))
