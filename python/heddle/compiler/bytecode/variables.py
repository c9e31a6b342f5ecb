"""Instructions for names, the stack, and returns."""

import ast
import opcode
import sys
import types

from heddle.compiler.bytecode.instructions import Operations
from heddle.compiler.bytecode.values import (
    NULL,
    CannotRebuild,
    Item,
    Iterator,
    Unpacking,
    is_none_constant,
    make_literal,
    make_name,
)

operation = Operations()


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
def _ignore_instruction(e, instruction):
    pass


@operation("LOAD_CONST", "LOAD_SMALL_INT", "LOAD_CONST_IMMORTAL")
def _load_constant(e, instruction):
    is_code = isinstance(instruction.argval, types.CodeType)
    e.push(instruction.argval if is_code else make_literal(instruction.argval))


@operation(
    "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLOSURE"
)
def _load_variable(e, instruction):
    e.push(make_name(instruction.argval))


@operation("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW")
def _load_variables(e, instruction):
    e.push(*map(make_name, instruction.argval))


@operation("LOAD_GLOBAL")
def _load_global(e, instruction):
    found = [make_name(instruction.argval)]
    if instruction.arg & 1:  # below the function up to Python 3.12, above it later
        found.insert(sys.version_info >= (3, 13), NULL)
    e.push(*found)


@operation("LOAD_ASSERTION_ERROR")
def _load_assertion_error(e, instruction):
    error = make_name("AssertionError")
    error.is_of_assert = True
    e.push(error)


@operation("LOAD_COMMON_CONSTANT")
def _load_common_constant(e, instruction):
    value = opcode._common_constants[instruction.arg]
    if value is AssertionError:
        _load_assertion_error(e, instruction)
    elif value is None or isinstance(value, (int, str)):  # since Python 3.15
        e.push(make_literal(value))
    else:
        raise CannotRebuild(f"the operation {instruction.opname}")


@operation("LOAD_ATTR")
def _load_attribute(e, instruction):
    e.push(ast.Attribute(e.pop(), instruction.argval))
    if sys.version_info >= (3, 12) and instruction.arg & 1:
        e.push(NULL)


@operation("LOAD_METHOD")
def _load_method(e, instruction):
    e.push(ast.Attribute(e.pop(), instruction.argval), NULL)


@operation("PUSH_NULL")
def _push_null(e, instruction):
    e.push(NULL)


@operation("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL", "STORE_NAME")
def _store_variable(e, instruction):
    e.pop_and_assign(make_name(instruction.argval))


@operation("STORE_FAST_STORE_FAST")
def _store_two_variables(e, instruction):
    for variable in instruction.argval:
        e.pop_and_assign(make_name(variable))


@operation("STORE_FAST_LOAD_FAST")
def _store_and_load_variables(e, instruction):
    stored, loaded = instruction.argval
    e.pop_and_assign(make_name(stored))
    e.push(make_name(loaded))


@operation("STORE_ATTR")
def _store_attribute(e, instruction):
    e.pop_and_assign(ast.Attribute(e.pop(), instruction.argval))


@operation("DELETE_FAST", "DELETE_DEREF", "DELETE_NAME", "DELETE_GLOBAL")
def _delete_variable(e, instruction):
    e.spill_affected_and_emit(ast.Delete([make_name(instruction.argval)]), {instruction.argval})


@operation("DELETE_ATTR")
def _delete_attribute(e, instruction):
    e.spill_affected_and_emit(ast.Delete([ast.Attribute(e.pop(), instruction.argval)]))


@operation("UNPACK_SEQUENCE")
def _unpack_sequence(e, instruction):
    e.push(*Unpacking(e.stack.pop(), instruction.arg).list_unpacked_parts())


@operation("UNPACK_EX")
def _unpack_with_star(e, instruction):
    before, after = instruction.arg & 0xFF, instruction.arg >> 8
    e.push(*Unpacking(e.stack.pop(), before + 1 + after, star=before).list_unpacked_parts())


@operation("COPY")
def _copy_stack_entry(e, instruction):
    e.push_copy_of_entry(instruction.arg)


@operation("SWAP")
def _swap_stack_entries(e, instruction):
    e.swap_with_top(instruction.arg)


@operation("POP_TOP", "POP_ITER")
def _drop_or_emit_stack_entry(e, instruction):
    e.drop_or_emit()


@operation("END_FOR")
def _drop_exhausted_iterator(e, instruction):
    if sys.version_info < (3, 13):  # later versions have another instruction for the iterator
        e.drop_or_emit()


@operation("GET_ITER")
def _push_iterator(e, instruction):
    e.push(Iterator(e.pop()))


@operation("FOR_ITER")
def _push_loop_item(e, instruction):
    e.push(Item())


@operation("RETURN_VALUE")
def _emit_return(e, instruction):
    value = e.pop()
    e.stack.clear()
    e.spill_affected_and_emit(ast.Return(None if is_none_constant(value) else value))


@operation("RETURN_CONST")
def _emit_return_of_constant(e, instruction):
    _load_constant(e, instruction)
    _emit_return(e, instruction)


@operation("RAISE_VARARGS")
def _emit_raise(e, instruction):
    error, *cause = e.pop_many(instruction.arg) or [None]
    e.stack.clear()
    e.spill_affected_and_emit(ast.Raise(error, *cause))
