"""What each instruction does to the stack. Python 3.11 to 3.14 say the same with different instructions.

@operation("BINARY_SUBSCR")              the instructions that mean this, in whichever Python
def _subscript(e, instruction):          e: the block that is read, an Evaluation
"""

import ast
import sys
import types

from heddle.bytecode.values import (
    NULL,
    CannotRebuild,
    Item,
    Iterator,
    Unpacking,
    is_none,
    literal,
    name,
    slice_of,
)

_binary = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "//": ast.FloorDiv,
    "%": ast.Mod,
    "**": ast.Pow,
    "<<": ast.LShift,
    ">>": ast.RShift,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
    "@": ast.MatMult,
}
_compared = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
}
_unary = {"UNARY_NEGATIVE": ast.USub, "UNARY_INVERT": ast.Invert, "UNARY_NOT": ast.Not}

operations = {}


def operation(*names):
    def register(function):
        operations.update(dict.fromkeys(names, function))
        return function

    return register


@operation(
    "CACHE",
    "COPY_FREE_VARS",
    "EXTENDED_ARG",
    "MAKE_CELL",
    "NOP",
    "NOT_TAKEN",
    "PRECALL",
    "RESUME",
    "TO_BOOL",
)
def _nothing(e, instruction):
    pass


@operation("LOAD_CONST", "LOAD_SMALL_INT", "LOAD_CONST_IMMORTAL")
def _constant(e, instruction):
    is_code = isinstance(instruction.argval, types.CodeType)
    e.push(instruction.argval if is_code else literal(instruction.argval))


@operation(
    "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLOSURE"
)
def _variable(e, instruction):
    e.push(name(instruction.argval))


@operation("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW")
def _variables(e, instruction):
    e.push(*map(name, instruction.argval))


@operation("LOAD_GLOBAL")
def _global(e, instruction):
    found = [name(instruction.argval)]
    if instruction.arg & 1:  # below the function up to Python 3.12, then above it
        found.insert(sys.version_info >= (3, 13), NULL)
    e.push(*found)


@operation("LOAD_ASSERTION_ERROR")
def _assertion_error(e, instruction):
    error = name("AssertionError")
    error.is_of_assert = True
    e.push(error)


@operation("LOAD_COMMON_CONSTANT")
def _common_constant(e, instruction):
    if instruction.arg:
        raise CannotRebuild(f"the operation {instruction.opname}")
    _assertion_error(e, instruction)


@operation("LOAD_ATTR")
def _attribute(e, instruction):
    e.push(ast.Attribute(e.pop(), instruction.argval))
    if sys.version_info >= (3, 12) and instruction.arg & 1:
        e.push(NULL)


@operation("LOAD_METHOD")
def _method(e, instruction):
    e.push(ast.Attribute(e.pop(), instruction.argval), NULL)


@operation("PUSH_NULL")
def _null(e, instruction):
    e.push(NULL)


@operation("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL", "STORE_NAME")
def _store(e, instruction):
    e.store(name(instruction.argval))


@operation("STORE_FAST_STORE_FAST")
def _store_two(e, instruction):
    for variable in instruction.argval:
        e.store(name(variable))


@operation("STORE_FAST_LOAD_FAST")
def _store_and_load(e, instruction):
    stored, loaded = instruction.argval
    e.store(name(stored))
    e.push(name(loaded))


@operation("STORE_ATTR")
def _store_attribute(e, instruction):
    e.store(ast.Attribute(e.pop(), instruction.argval))


@operation("STORE_SUBSCR")
def _store_subscript(e, instruction):
    e.store(ast.Subscript(*e.pops(2)))


@operation("STORE_SLICE")
def _store_slice(e, instruction):
    container, lower, upper = e.pops(3)
    e.store(ast.Subscript(container, slice_of(lower, upper)))


@operation("DELETE_FAST", "DELETE_DEREF", "DELETE_NAME", "DELETE_GLOBAL")
def _delete(e, instruction):
    e.emit(ast.Delete([name(instruction.argval)]), {instruction.argval})


@operation("DELETE_SUBSCR")
def _delete_subscript(e, instruction):
    e.emit(ast.Delete([ast.Subscript(*e.pops(2))]))


@operation("DELETE_ATTR")
def _delete_attribute(e, instruction):
    e.emit(ast.Delete([ast.Attribute(e.pop(), instruction.argval)]))


@operation("BINARY_OP")
def _binary_operation(e, instruction):
    left, right = e.pops(2)
    symbol = instruction.argrepr
    if symbol.startswith("["):
        e.push(ast.Subscript(left, right))
        return
    result = ast.BinOp(left, _binary[symbol.removesuffix("=")](), right)
    result.is_in_place = symbol.endswith("=")
    e.push(result)


@operation("BINARY_SUBSCR")
def _subscript(e, instruction):
    e.push(ast.Subscript(*e.pops(2)))


@operation("BINARY_SLICE")
def _slice(e, instruction):
    container, lower, upper = e.pops(3)
    e.push(ast.Subscript(container, slice_of(lower, upper)))


@operation("BUILD_SLICE")
def _build_slice(e, instruction):
    e.push(slice_of(*e.pops(instruction.arg)))


@operation(*_unary)
def _unary_operation(e, instruction):
    e.push(ast.UnaryOp(_unary[instruction.opname](), e.pop()))


@operation("UNARY_POSITIVE")
def _positive(e, instruction):
    e.push(ast.UnaryOp(ast.UAdd(), e.pop()))


@operation("COMPARE_OP")
def _compare(e, instruction):
    _push_comparison(e, _compared[instruction.argval])


@operation("IS_OP")
def _is(e, instruction):
    _push_comparison(e, ast.IsNot if instruction.arg else ast.Is)


@operation("CONTAINS_OP")
def _contains(e, instruction):
    _push_comparison(e, ast.NotIn if instruction.arg else ast.In)


def _push_comparison(e, operator):
    left, right = e.pops(2)
    e.push(ast.Compare(left, [operator()], [right]))


@operation("BUILD_TUPLE")
def _tuple(e, instruction):
    e.push(ast.Tuple(e.pops(instruction.arg)))


@operation("BUILD_LIST")
def _list(e, instruction):
    e.push(ast.List(e.pops(instruction.arg)))


@operation("BUILD_SET")
def _set(e, instruction):
    e.push(ast.Set(e.pops(instruction.arg)))


@operation("BUILD_MAP")
def _dict(e, instruction):
    items = e.pops(2 * instruction.arg)
    e.push(ast.Dict(items[::2], items[1::2]))


@operation("BUILD_CONST_KEY_MAP")
def _dict_of_constant_keys(e, instruction):
    *values, keys = e.pops(instruction.arg + 1)
    e.push(ast.Dict(keys.elts, values))


@operation("LIST_APPEND", "SET_ADD")
def _append(e, instruction):
    if instruction.arg != 1:
        raise CannotRebuild("a comprehension")
    _extend_by(e, [e.pop()])


@operation("LIST_EXTEND", "SET_UPDATE")
def _extend(e, instruction):
    more = e.pop()
    is_literal = isinstance(more, (ast.Tuple, ast.Set))
    _extend_by(e, more.elts if is_literal else [ast.Starred(more)])


def _extend_by(e, items):
    collection = _literal(e, (ast.List, ast.Set))
    e.push(type(collection)([*collection.elts, *items]))


def _literal(e, kind):
    """The top of the stack, which is still being put together."""
    value = e.pop()
    if not isinstance(value, kind):
        raise CannotRebuild("a value that is used in an unusual way")
    return value


@operation("CALL_INTRINSIC_1")
def _intrinsic(e, instruction):
    positive, list_to_tuple = 5, 6  # CPython's Include/internal/pycore_intrinsics.h
    if instruction.arg == positive:
        _positive(e, instruction)
    elif instruction.arg == list_to_tuple:
        _list_to_tuple(e, instruction)
    else:
        raise CannotRebuild(f"the operation {instruction.argrepr or instruction.opname}")


@operation("LIST_TO_TUPLE")
def _list_to_tuple(e, instruction):
    e.push(ast.Tuple(_literal(e, ast.List).elts))


@operation("UNPACK_SEQUENCE")
def _unpack(e, instruction):
    e.push(*Unpacking(e.stack.pop(), instruction.arg).parts())


@operation("UNPACK_EX")
def _unpack_with_star(e, instruction):
    before, after = instruction.arg & 0xFF, instruction.arg >> 8
    e.push(*Unpacking(e.stack.pop(), before + 1 + after, star=before).parts())


@operation("COPY")
def _copy(e, instruction):
    e.copy(instruction.arg)


@operation("SWAP")
def _swap(e, instruction):
    e.swap(instruction.arg)


@operation("POP_TOP", "POP_ITER")
def _pop(e, instruction):
    e.drop()


@operation("END_FOR")
def _end_for(e, instruction):
    if sys.version_info < (3, 13):  # later ones have an instruction more for the iterator
        e.drop()


@operation("GET_ITER")
def _iterator(e, instruction):
    e.push(Iterator(e.pop()))


@operation("KW_NAMES")
def _keywords_of_next_call(e, instruction):
    e.keywords = e.code.co_consts[instruction.arg]


@operation("CALL")
def _call(e, instruction):
    _push_call(e, instruction.arg, e.keywords)
    e.keywords = ()


@operation("CALL_KW")
def _call_with_keywords(e, instruction):
    _push_call(e, instruction.arg, [key.value for key in e.pop().elts])


def _push_call(e, count, keywords):
    arguments = e.pops(count)
    callee, receiver = _callee(e)
    arguments = receiver + arguments
    positional = len(arguments) - len(keywords)
    named = [ast.keyword(*pair) for pair in zip(keywords, arguments[positional:], strict=True)]
    e.push(ast.Call(callee, arguments[:positional], named))


def _callee(e):
    """What is called, and a list of the first argument where it lies in the place of ``self``.

    Python 3.13 has a missing ``self`` above the function, earlier ones below it.
    """
    pair = [e.stack.pop(), e.stack.pop()]
    receiver = []
    if NULL in pair:
        pair.remove(NULL)
    else:
        e.push(pair.pop(0))
        receiver = [e.pop()]
    e.push(*pair)
    return e.pop(), receiver


@operation("CALL_FUNCTION_EX")
def _call_of_tuple(e, instruction):
    named = None
    if sys.version_info >= (3, 14):  # there is always an entry
        named = e.stack.pop()
    elif instruction.arg & 1:
        named = e.pop()
    arguments = e.pop()
    callee, _ = _callee(e)
    is_literal = isinstance(arguments, ast.Tuple)
    positional = arguments.elts if is_literal else [ast.Starred(arguments)]
    e.push(ast.Call(callee, list(positional), _keywords(named)))


def _keywords(named):
    if named is None or named is NULL:
        return []
    if isinstance(named, ast.Dict) and all(key is None or _is_name(key) for key in named.keys):
        pairs = zip(named.keys, named.values, strict=True)
        return [ast.keyword(key and key.value, value) for key, value in pairs]
    return [ast.keyword(None, named)]


def _is_name(key):
    return isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier()


@operation("DICT_MERGE", "DICT_UPDATE")
def _merge(e, instruction):
    more = e.pop()
    known = _literal(e, ast.Dict)
    e.push(ast.Dict([*known.keys, None], [*known.values, more]))


@operation("FORMAT_VALUE")
def _format_value(e, instruction):
    conversions, has_format = (-1, ord("s"), ord("r"), ord("a")), 4
    pattern = e.pop() if instruction.arg & has_format else None
    _push_formatted(e, e.pop(), conversions[instruction.arg & 3], pattern)


@operation("CONVERT_VALUE")
def _convert(e, instruction):
    value = e.pop()
    value.conversion = (-1, ord("s"), ord("r"), ord("a"))[instruction.arg]
    e.push(value)


@operation("FORMAT_SIMPLE")
def _format(e, instruction):
    value = e.pop()
    _push_formatted(e, value, getattr(value, "conversion", -1), None)


@operation("FORMAT_WITH_SPEC")
def _format_by(e, instruction):
    value, pattern = e.pops(2)
    _push_formatted(e, value, getattr(value, "conversion", -1), pattern)


def _push_formatted(e, value, conversion, pattern):
    if pattern is not None and not isinstance(pattern, ast.JoinedStr):
        pattern = ast.JoinedStr([pattern])
    e.push(ast.JoinedStr([ast.FormattedValue(value, conversion, pattern)]))


@operation("BUILD_STRING")
def _join_strings(e, instruction):
    pieces = []
    for part in e.pops(instruction.arg):
        pieces += part.values if isinstance(part, ast.JoinedStr) else [part]
    e.push(ast.JoinedStr(pieces))


@operation("RETURN_VALUE")
def _return(e, instruction):
    value = e.pop()
    e.stack.clear()
    e.emit(ast.Return(None if is_none(value) else value))


@operation("RETURN_CONST")
def _return_constant(e, instruction):
    _constant(e, instruction)
    _return(e, instruction)


@operation("RAISE_VARARGS")
def _raise(e, instruction):
    error, *cause = e.pops(instruction.arg) or [None]
    e.stack.clear()
    e.emit(ast.Raise(error, *cause))


@operation("MAKE_FUNCTION")
def _make_function(e, instruction):
    code = e.stack.pop()
    e.push(e.nested(code))
    if sys.version_info < (3, 13):
        function = e.stack.pop()
        for flag in (8, 4, 2, 1):
            if instruction.arg & flag:
                _set_attribute(function, flag, e)
        e.push(function)


@operation("SET_FUNCTION_ATTRIBUTE")
def _set_function_attribute(e, instruction):
    function = e.stack.pop()
    _set_attribute(function, instruction.arg, e)
    e.push(function)


def _set_attribute(function, flag, e):
    """Takes a function's defaults from the stack. What else is there, annotations and a closure, tells nothing new."""
    defaults, keyword_defaults = 1, 2
    if flag == defaults:
        function.args.defaults = _literal(e, ast.Tuple).elts
    elif flag == keyword_defaults:
        value = _literal(e, ast.Dict)
        named = {key.value: given for key, given in zip(value.keys, value.values, strict=True)}
        function.args.kw_defaults = [named.get(one.arg) for one in function.args.kwonlyargs]
    else:
        e.drop()


@operation("FOR_ITER")
def _next_item(e, instruction):
    e.push(Item())
