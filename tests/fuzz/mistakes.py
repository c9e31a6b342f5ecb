"""Programs with mistakes: randomly changed kernels in Python and CUDA C++, and randomly changed host programs.

Each must compile or be refused with an error that describes the mistake. Failures are a process that dies, a compiler
that never stops, or an error of another kind. Changed kernels do not run.
"""

import functools
import linecache
import random
import re

import mistakes_in_cuda_cpp
import mistakes_in_python
import mistakes_on_the_host
from case import ArrayArgument, header
from generate import generate


def generate_program(seed):
    """The changed source for the seed, and the Python kernel it was made from (None for other languages)."""
    rng = random.Random(f"mistake {seed}")
    if seed % 4 == 1:
        return mistakes_in_cuda_cpp.make_mistake(rng), None
    if seed % 4 == 3:
        return mistakes_on_the_host.make_mistake(rng), None
    case = generate(seed)
    return mistakes_in_python.make_mistake(case.source, rng), case


def judge_seed(seed):
    source, case = generate_program(seed)
    if case:
        kind, text = compile_python(source, case, seed)
    else:
        kind, text = compile_cuda_cpp(source) if seed % 4 == 1 else run_on_the_host(source)
    answer = {"kind": kind, "text": text}
    if kind == "error":
        answer["script"] = source
    return answer


def classify_error(error, *refusals):
    name = type(error).__name__
    told = (
        isinstance(error, refusals) and len(str(error)) > 10 and "internal error" not in str(error)
    )
    return ("refused", "") if told else ("error", f"{name}: {error}")


def compile_cuda_cpp(source):
    import heddle

    try:
        heddle.RawModule(code=source).compile()
    except Exception as error:
        return classify_error(error, heddle.errors.TypingError, heddle.errors.UnsupportedError)
    return "ok", ""


def run_on_the_host(source):
    errors = mistakes_on_the_host.run_lines(source)
    for line, error in errors:
        if not mistakes_on_the_host.describes_mistake(error):
            return "error", f"{type(error).__name__}: {error}\n  {line}"
    return ("refused" if errors else "ok"), ""


@functools.cache
def get_prelude():
    import compile_calls

    return compile_calls.load_prelude()


def compile_python(source, case, seed):
    from heddle import errors

    file = f"<mistake {seed}>"
    text = header + source
    names = dict(get_prelude())  # the names that numba's calls use
    try:
        exec(compile(text, file, "exec"), names)
        specialize = names[case.kernel].specialize
    except Exception as error:  # an error of Python itself about a function definition
        kind = "error" if re.match("std::|$", str(error)) else "unusable"
        return kind, f"{type(error).__name__}: {error}"
    arrays = {
        name: a.make_copy_and_view()[1]
        for name, a in case.arguments.items()
        if isinstance(a, ArrayArgument)
    }
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    try:
        specialize(*case.list_values(arrays))
    except Exception as error:
        refusals = errors.TypingError, errors.UnsupportedError, errors.LoweringError
        return classify_error(error, *refusals)
    finally:
        del linecache.cache[file]
    return "ok", ""
