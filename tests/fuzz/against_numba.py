"""Random expressions of scalars in numba's njit, in the interpreter and on the current device: types and values.

What numba's CPU compiler does otherwise than numba.cuda is left out: min and max of NaN, floats that do not fit an
integer, functions that only kernels have, int64 that overflows (numba's code takes it that none does). So is what its
type inference settles by the order in which it looks: choices between values of different types.
"""

import ast
import random

import interpret
import numba
import numpy as np
import oracle
from arithmetic import Ambiguous, overflows
from case import ArrayArgument, Case, agrees
from generate_arguments import values
from generate_body import Body
from generate_statements import Source
from judge import devices_named, judge
from kernel_types import Untranslatable
from script import script_of
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
)


def to_integer(text):
    """Whether translated code makes an integer of a float."""
    return any(f"_from_{f}_to_{t}" in text for f in oracle.floating for t in oracle.integral[1:])


def type_of(node, parameters, types):
    program = Program(f"def f({parameters}):\n    return {ast.unparse(node)}\n")
    return program.instance("f", types)[1]


def mixes_types(text, parameters, types):
    """Whether some `a if c else b`, `a and b` or `a or b` of the text chooses among values of different types."""
    for node in ast.walk(ast.parse(text, mode="eval")):
        choices = [node.body, node.orelse] if isinstance(node, ast.IfExp) else []
        if isinstance(node, ast.BoolOp):
            choices = node.values
        if len({type_of(choice, parameters, types) for choice in choices}) > 1:
            return True
    return False


def expressions(rng, types):
    """Texts over the parameters a0, a1, ... that numba and heddle give the same meaning."""
    body = Body(rng, Source(), [])
    body.types = {f"a{i}": t for i, t in enumerate(types)}
    parameters = ", ".join(body.types)
    found = []
    for _ in range(40 * EXPRESSIONS):
        text, _ = body.any(rng.choice([2, 3, 3, 4]))
        if any(word in text for word in ELSEWHERE) or "a" not in text:
            continue
        program = Program(f"def f({parameters}):\n    return {text}\n")
        try:
            program.instance("f", types)
            mixed = mixes_types(text, parameters, types)
        except Untranslatable:
            continue
        if not mixed and not to_integer("\n".join(program.lines)):
            found.append(text)
        if len(found) == EXPRESSIONS:
            break
    return found, parameters


def judge_seed(seed):
    rng = random.Random(seed)
    types = tuple(rng.choice(oracle.scalars) for _ in range(3))
    texts, parameters = expressions(rng, types)
    if not texts:
        return {"kind": "unusable", "text": "no expression"}
    function = f"def f({parameters}):\n    return ({', '.join(texts)},)\n"
    program = Program(function)
    _, result_types, _ = program.instance("f", types)
    inputs = [values(rng, t, INPUTS, wild=False) for t in types]

    try:
        answer = against_numba(function, types, result_types, inputs)
    except numba.core.errors.TypingError as error:
        return {"kind": "unusable", "text": f"numba has no such expression: {error}"}
    if answer:
        return {"kind": "mismatch", "text": f"numba: {answer}", "script": function}
    case = kernel_case(seed, function, parameters, result_types, inputs)
    from heddle import cuda

    verdict = judge(case, devices_named([cuda.get_current_device().type]))
    answer = {"kind": verdict.kind, "text": verdict.text, "fatal": verdict.fatal}
    if verdict.kind in ("mismatch", "error"):
        answer["script"] = script_of(case, verdict.text.splitlines()[0], up=2)
    return answer


def against_numba(source, types, result_types, inputs):
    """What numba finds otherwise than the interpreter; empty when nothing."""
    names = {"np": np, "math": __import__("math")}
    exec(source, names)
    compiled = numba.njit(error_model="numpy")(names["f"])
    signature = tuple(
        numba.types.boolean if t == "bool" else getattr(numba.types, t) for t in types
    )
    compiled.compile(signature)
    theirs = compiled.overloads[signature].signature.return_type
    their_types = tuple("bool" if str(t) == "bool" else str(t) for t in theirs)
    if their_types != result_types:
        return f"types {their_types}, not {result_types}"
    interpreted, _ = interpret.compile_for(source, "f", types)
    for row in zip(*inputs, strict=True):
        overflows.clear()
        try:
            with np.errstate(all="ignore"):
                wanted = interpreted(None, *(x.item() for x in row))
            found = compiled(*row)
        except (Ambiguous, ZeroDivisionError):
            continue
        if "int64" in overflows:
            continue
        for have, want in zip(found, wanted, strict=True):
            if not agrees(have, want):
                return f"{have!r}, not {want!r}, for {row}"
    return ""


def kernel_case(seed, function, parameters, result_types, inputs):
    count = len(inputs)
    outputs = [f"o{i}" for i in range(len(result_types))]
    source = (
        f"@cuda.jit(device=True)\n{function}\n\n"
        f"@cuda.jit\ndef kernel({parameters}, {', '.join(outputs)}):\n"
        f"    i = cuda.grid(1)\n"
        f"    if i < a0.size:\n"
        f"        {''.join(f'{o}[i], ' for o in outputs)} = f({', '.join(f'a{i}[i]' for i in range(count))})\n"
    )
    arguments = {f"a{i}": ArrayArgument(array) for i, array in enumerate(inputs)}
    for name, t in zip(outputs, result_types, strict=True):
        arguments[name] = ArrayArgument(np.zeros(INPUTS, t))
    return Case(seed, source, "kernel", (1,), (32,), arguments)
