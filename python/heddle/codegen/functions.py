"""A function of LLVM IR around the code that an intrinsic builds."""

from llvmlite import ir

from heddle import types
from heddle.codegen import layouts
from heddle.codegen.internal_calls import InternalCall
from heddle.codegen.target_context import TargetContext
from heddle.errors import LoweringError


def text_of_function(symbol, signature, codegen, target):
    """The text of a module that defines ``symbol``: it takes and returns values in heddle's parts.

    An InternalCall where the code is a function in Python.

    signature: a Signature. codegen: the program's function that builds the code. target: "cuda" or "cpu".
    """
    module = ir.Module(name=symbol)
    arguments = [layouts.part_types(a_type) for a_type in signature.args]
    results = layouts.part_types(signature.return_type)
    flat = [part for parts in arguments for part in parts]
    function = ir.Function(module, ir.FunctionType(_returned(results), flat), symbol)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    parts = iter(function.args)
    values = [
        layouts.from_parts(builder, types.unliteral(a_type), parts) for a_type in signature.args
    ]
    value = codegen(TargetContext(target), builder, signature, values)
    if isinstance(value, InternalCall):
        value.require_arguments(values)
        return value
    if builder.block.is_terminated:
        return _text_of(module)
    if value is None and results:
        raise LoweringError(
            f"the code of an intrinsic returned no value, but its signature says {signature.return_type}"
        )
    _return(builder, layouts.to_parts(builder, types.unliteral(signature.return_type), value))
    return _text_of(module)


def _returned(parts):
    if not parts:
        return ir.VoidType()
    return parts[0] if len(parts) == 1 else ir.LiteralStructType(parts)


def _return(builder, parts):
    if not parts:
        builder.ret_void()
    elif len(parts) == 1:
        builder.ret(parts[0])
    else:
        whole = ir.Constant(_returned([part.type for part in parts]), ir.Undefined)
        for i, part in enumerate(parts):
            whole = builder.insert_value(whole, part, i)
        builder.ret(whole)


def _text_of(module):
    """The module as text, without a target: heddle's LLVM has its own."""
    lines = str(module).splitlines()
    return "\n".join(line for line in lines if not line.startswith("target "))
