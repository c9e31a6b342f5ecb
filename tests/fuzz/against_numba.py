"""Compares random numeric expressions and statements in numba's njit, in the interpreter and on the current device.

It leaves out what numba's CPU compiler does differently from numba.cuda: min and max of NaN, floats that do not fit an
integer, functions that only kernels have, and int64 overflow, which numba assumes never happens. It also leaves out
choices between values of different types, which numba's type inference decides by the order in which it looks at them.

Expressions are compared by type and value. Statements (loops over items, branches, tuples, nested functions) are
compared only if numba finds the same types: a variable's type in a loop depends on the order in which numba looks.
"""

import ast
import math
import operator
import random
from collections import namedtuple

import interpret
import numba
import numpy as np
import oracle
from arithmetic import Ambiguous, overflows
from case import ArrayArgument, Case, agrees
from generate_arguments import draw_values
from generate_body import Body
from generate_statements import Source
from generate_tuples import named_tuples
from judge import find_devices, judge
from kernel_types import Untranslatable, complexes
from script import format_script
from translate import Program

EXPRESSIONS = 8
INPUTS = 24
ELSEWHERE = (
    "cuda.",
    "min(",
    "max(",
    "fmin",
    "floor(",
    "ceil(",
    "trunc(",
    "exp2",
    "cbrt",
    "rint",
    "fmod(",
    "modf(",
    "bit_count(",
    "apply(",
    "item in rest",
    "=None",
)


class NumbaUnable(Exception):
    pass


def converts_float_to_integer(text):
    """True if the translated code converts a float to an integer."""
    return any(f"_from_{f}_to_{t}" in text for f in oracle.floating for t in oracle.integral[1:])


def infer_type(node, parameters, types):
    program = Program(f"def f({parameters}):\n    return {ast.unparse(node)}\n")
    return program.translate_instance("f", types)[1]


def mixes_types(text, parameters, types):
    """True if an `a if c else b`, `a and b` or `a or b` in the text chooses between values of different types."""
    for node in ast.walk(ast.parse(text, mode="eval")):
        choices = [node.body, node.orelse] if isinstance(node, ast.IfExp) else []
        if isinstance(node, ast.BoolOp):
            choices = node.values
        if len({infer_type(choice, parameters, types) for choice in choices}) > 1:
            return True
    return False


def generate_expressions(rng, types):
    """Expressions in the parameters a0, a1, ... that have the same meaning in numba and heddle."""
    body = Body(rng, Source(), [])
    body.types = {f"a{i}": t for i, t in enumerate(types)}
    body.fixed = set(body.types)
    body.themes = {"complex"} if any(t in complexes for t in types) else set()
    parameters = ", ".join(body.types)
    found = []
    for _ in range(40 * EXPRESSIONS):
        make = body.make_complex if body.themes and rng.random() < 0.4 else body.make_any
        text, _ = make(rng.choice([2, 3, 3, 4]))
        if any(word in text for word in ELSEWHERE) or "a" not in text:
            continue
        program = Program(f"def f({parameters}):\n    return {text}\n")
        try:
            program.translate_instance("f", types)
            mixed = mixes_types(text, parameters, types)
        except Untranslatable:
            continue
        if not mixed and not converts_float_to_integer("\n".join(program.lines)):
            found.append(text)
        if len(found) == EXPRESSIONS:
            break
    return found, parameters


def make_expression_function(rng, types):
    """(source of f, its parameters), or None."""
    texts, parameters = generate_expressions(rng, types)
    if not texts:
        return None
    return f"def f({parameters}):\n    return ({', '.join(texts)},)\n", parameters


def make_statement_function(rng, types):
    """(source of f, its parameters), or None; f returns the final values of its variables."""
    for _ in range(150):
        source = Source()
        body = Body(rng, source, [])
        body.uniform = False
        body.types = {f"a{i}": t for i, t in enumerate(types)}
        body.fixed = set(body.types)
        body.themes = {"complex"} if any(t in complexes for t in types) else set()
        parameters = ", ".join(body.types)
        body.budget = rng.randint(3, 6)
        while body.budget > 0:
            body.write_statement()
        results = body.list_assignable()[:6]
        text = "\n".join(source.lines)
        if not results or any(word in text for word in (*ELSEWHERE, " else ")):
            continue
        text = f"def f({parameters}):\n{text}\n    return ({', '.join(results)},)\n"
        lines = [
            f'{name} = namedtuple("{name}", {list(fields)})\n'
            for name, fields in named_tuples.items()
            if f"{name}(" in text
        ]
        program = Program("".join(lines) + text)
        try:
            _, found, _ = program.translate_instance("f", types)
        except Untranslatable:
            continue
        plain = all(t in (*oracle.scalars, *complexes) for t in found)
        if plain and not converts_float_to_integer("\n".join(program.lines)):
            return "".join(lines) + text, parameters
    return None


def judge_seed(seed):
    rng = random.Random(seed)
    make = rng.choice([make_expression_function, make_expression_function, make_statement_function])
    kinds = rng.choice([oracle.scalars, oracle.scalars, (*oracle.floating, *complexes)])
    types = tuple(rng.choice(kinds) for _ in range(3))
    made = make(rng, types)
    if made is None:
        return {"kind": "unusable", "text": "nothing that both have"}
    function, parameters = made
    program = Program(function)
    _, result_types, _ = program.translate_instance("f", types)
    inputs = [draw_values(rng, t, INPUTS, wild=False) for t in types]

    try:
        answer = compare_with_numba(function, types, result_types, inputs)
    except NumbaUnable as error:
        return {"kind": "unusable", "text": f"numba has no such function: {error}"}
    if answer.startswith("types") and make is make_statement_function:
        return {"kind": "unusable", "text": f"numba has {answer}"}
    if answer:
        return {"kind": "mismatch", "text": f"numba: {answer}", "script": function}
    case = make_kernel_case(seed, function, parameters, result_types, inputs)
    from heddle import cuda

    verdict = judge(case, find_devices([cuda.get_current_device().type]))
    answer = {"kind": verdict.kind, "text": verdict.text, "fatal": verdict.fatal}
    if verdict.kind in ("mismatch", "error"):
        answer["script"] = format_script(case, verdict.text.splitlines()[0], up=2)
    return answer


def compare_with_numba(source, types, result_types, inputs):
    """Where numba's results differ from the interpreter's; empty if nowhere."""
    names = {"np": np, "math": math, "operator": operator, "namedtuple": namedtuple}
    exec(source, names)
    compiled = numba.njit(error_model="numpy")(names["f"])
    signature = tuple(
        numba.types.boolean if t == "bool" else getattr(numba.types, t) for t in types
    )
    try:
        compiled.compile(signature)
    except Exception as error:  # numba raises many kinds of exceptions
        raise NumbaUnable(error) from error
    theirs = compiled.overloads[signature].signature.return_type
    their_types = tuple(get_type_name(t) for t in theirs)
    if their_types != result_types:
        return f"types {their_types}, not {result_types}"
    interpreted, _ = interpret.compile_kernel(source, "f", types)
    for row in zip(*inputs, strict=True):
        overflows.clear()
        try:
            with np.errstate(all="ignore"):
                wanted = interpreted(None, *map(interpret.to_interpreter_value, row))
            found = compiled(*row)
        except (Ambiguous, ZeroDivisionError):
            continue
        if "int64" in overflows:
            continue
        for have, want in zip(found, wanted, strict=True):
            if not agrees(have, want):
                return f"{have!r}, not {want!r}, for {row}"
    return ""


def get_type_name(t):
    """A type's name in the interpreter; numba gives some results literal types."""
    name = str(t)
    return {"Literal[bool]": "bool", "Literal[int]": "int64"}.get(name.partition("(")[0], name)


def make_kernel_case(seed, function, parameters, result_types, inputs):
    count = len(inputs)
    outputs = [f"o{i}" for i in range(len(result_types))]
    classes, _, definition = function.rpartition("def f(")
    source = (
        f"{classes}@cuda.jit(device=True)\ndef f({definition}\n\n"
        f"@cuda.jit\ndef kernel({parameters}, {', '.join(outputs)}):\n"
        f"    i = cuda.grid(1)\n"
        f"    if i < a0.size:\n"
        f"        {''.join(f'{o}[i], ' for o in outputs)} = f({', '.join(f'a{i}[i]' for i in range(count))})\n"
    )
    arguments = {f"a{i}": ArrayArgument(array) for i, array in enumerate(inputs)}
    for name, t in zip(outputs, result_types, strict=True):
        arguments[name] = ArrayArgument(np.zeros(INPUTS, t))
    return Case(seed, source, "kernel", (1,), (32,), arguments)
