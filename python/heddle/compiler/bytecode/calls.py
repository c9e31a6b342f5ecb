"""Instructions that call and create functions."""

import ast
import sys

from heddle.compiler.bytecode.instructions import Operations, pop_unfinished
from heddle.compiler.bytecode.values import NULL

operation = Operations()


@operation("KW_NAMES")
def _set_pending_keyword_names(e, instruction):
    e.keywords = e.code.co_consts[instruction.arg]


@operation("CALL")
def _push_call_with_pending_keywords(e, instruction):
    _push_call(e, instruction.arg, e.keywords)
    e.keywords = ()


@operation("CALL_KW")
def _push_call_with_keyword_names(e, instruction):
    _push_call(e, instruction.arg, [key.value for key in e.pop().elts])


def _push_call(e, count, keywords):
    arguments = e.pop_many(count)
    callee, receiver = _pop_callee(e)
    arguments = receiver + arguments
    positional = len(arguments) - len(keywords)
    named = [ast.keyword(*pair) for pair in zip(keywords, arguments[positional:], strict=True)]
    e.push(ast.Call(callee, arguments[:positional], named))


def _pop_callee(e):
    """The callee, and a list with the receiver if there is one in the slot of ``self``.

    Python 3.13 has a missing ``self`` above the function, earlier versions have it below.
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
def _push_call_with_tuple(e, instruction):
    named = None
    if sys.version_info >= (3, 14):  # there is always an entry
        named = e.stack.pop()
    elif instruction.arg & 1:
        named = e.pop()
    arguments = e.pop()
    callee, _ = _pop_callee(e)
    is_literal = isinstance(arguments, ast.Tuple)
    positional = arguments.elts if is_literal else [ast.Starred(arguments)]
    e.push(ast.Call(callee, list(positional), _make_keywords(named)))


def _make_keywords(named):
    if named is None or named is NULL:
        return []
    if isinstance(named, ast.Dict) and all(
        key is None or _is_identifier_constant(key) for key in named.keys
    ):
        pairs = zip(named.keys, named.values, strict=True)
        return [ast.keyword(key and key.value, value) for key, value in pairs]
    return [ast.keyword(None, named)]


def _is_identifier_constant(key):
    return isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier()


@operation("MAKE_FUNCTION")
def _push_function_definition(e, instruction):
    code = e.stack.pop()
    e.push(e.nested(code))
    if sys.version_info < (3, 13):
        function = e.stack.pop()
        for flag in (8, 4, 2, 1):
            if instruction.arg & flag:
                _pop_and_set_function_attribute(function, flag, e)
        e.push(function)


@operation("SET_FUNCTION_ATTRIBUTE")
def _set_function_attribute(e, instruction):
    function = e.stack.pop()
    _pop_and_set_function_attribute(function, instruction.arg, e)
    e.push(function)


def _pop_and_set_function_attribute(function, flag, e):
    """Pops a function's defaults. Annotations and a closure add no information."""
    defaults, keyword_defaults = 1, 2
    if flag == defaults:
        function.args.defaults = pop_unfinished(e, ast.Tuple).elts
    elif flag == keyword_defaults:
        value = pop_unfinished(e, ast.Dict)
        named = {key.value: given for key, given in zip(value.keys, value.values, strict=True)}
        function.args.kw_defaults = [named.get(one.arg) for one in function.args.kwonlyargs]
    else:
        e.drop_or_emit()
