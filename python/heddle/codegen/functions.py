"""Wraps the code that an intrinsic generates in an LLVM IR function."""

from llvmlite import ir

from heddle import types
from heddle.codegen import layouts
from heddle.codegen.internal_calls import InternalCall
from heddle.codegen.target_context import TargetContext
from heddle.errors import LoweringError


def generate_function_text(symbol, signature, codegen, target):
    """The text of a module that defines ``symbol``, with arguments and results in Heddle's parts.

    Returns an InternalCall if the code delegates to a Python function. signature: a Signature. codegen: the program's
    code generator. target: "cuda" or "cpu".
    """
    module = ir.Module(name=symbol)
    arguments = [layouts.part_types(a_type) for a_type in signature.args]
    results = layouts.part_types(signature.return_type)
    flat = [part for parts in arguments for part in parts]
    function = ir.Function(module, ir.FunctionType(_make_return_type(results), flat), symbol)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    parts = iter(function.args)
    values = [
        layouts.build_from_parts(builder, types.unliteral(a_type), parts)
        for a_type in signature.args
    ]
    value = codegen(TargetContext(target), builder, signature, values)
    if isinstance(value, InternalCall):
        value.require_arguments(values)
        return value
    if builder.block.is_terminated:
        return _format_module_without_target(module)
    if value is None and results:
        raise LoweringError(
            f"the code of an intrinsic returned no value, but its signature says {signature.return_type}"
        )
    _build_return(
        builder, layouts.split_into_parts(builder, types.unliteral(signature.return_type), value)
    )
    return _format_module_without_target(module)


def _make_return_type(parts):
    if not parts:
        return ir.VoidType()
    return parts[0] if len(parts) == 1 else ir.LiteralStructType(parts)


def _build_return(builder, parts):
    if not parts:
        builder.ret_void()
    elif len(parts) == 1:
        builder.ret(parts[0])
    else:
        whole = ir.Constant(_make_return_type([part.type for part in parts]), ir.Undefined)
        for i, part in enumerate(parts):
            whole = builder.insert_value(whole, part, i)
        builder.ret(whole)


def _format_module_without_target(module):
    """The module as text, without a target, because Heddle's LLVM sets it."""
    lines = str(module).splitlines()
    return "\n".join(line for line in lines if not line.startswith("target "))
