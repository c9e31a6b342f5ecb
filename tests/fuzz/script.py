"""A case as a separate program that runs itself and prints what is wrong."""

import numpy as np
from case import ArrayArgument, Case, SameArray, header

_template = '''"""A kernel from the fuzzer, seed {seed}. {reason}

Run this file to compare a device with the interpreter in tests/fuzz. HEDDLE_DEVICE selects the device.
"""

{header}

{source}

GRID, BLOCK = {grid}, {block}
OPTIONS = {options}

# A base array and the view of it that the launch is given, whether it may be written; another argument's name for the
# same array; or a scalar.
ARGUMENTS = {{
{arguments}
}}

if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[{up}]))
    from script import replay

    replay(__file__)
'''


def _format_array(base):
    if base.dtype == bool:
        return f"{_format_array(base.view(np.uint8))}.view(np.bool_)"
    values = base.ravel().tolist()
    text = repr(values).replace("nan", "np.nan").replace("inf", "np.inf")
    if base.dtype.names:
        return f"np.array({text}, np.{base.dtype!r}){_format_shape(base)}"
    return f"np.array({text}, np.{base.dtype.name}){_format_shape(base)}"


def _format_shape(base):
    return f".reshape({base.shape})" if base.ndim != 1 else ""


def _format_argument(value):
    if isinstance(value, ArrayArgument):
        return f"({_format_array(value.base)}, {value.view!r}, {value.writeable})"
    if isinstance(value, SameArray):
        return repr(value.of)
    if isinstance(value, tuple):
        return f"[{', '.join(_format_argument(item) for item in value)}]"
    name = value.dtype.name if value.dtype != bool else "bool_"
    number = repr(value.item())
    return f"np.{name}({number})" if number[-1] not in "nf" else f"np.{name}('{number}')"


def format_script(case, reason="", up=1):
    """The text of a program. up: how many folders tests/fuzz is above it."""
    used = case.arguments
    return _template.format(
        seed=case.seed,
        reason=" ".join(reason.split()),
        header=header.rstrip(),
        source=case.source.rstrip(),
        grid=case.grid,
        block=case.block,
        options=case.options,
        arguments="\n".join(
            f"    {name!r}: {_format_argument(value)}," for name, value in used.items()
        ),
        up=up - 1,
    )


def _parse_argument(value):
    if isinstance(value, str):
        return SameArray(value)
    if isinstance(value, list):
        return tuple(value)
    return ArrayArgument(*value) if isinstance(value, tuple) else value


def read_case(path):
    """The case in a saved program."""
    with open(path) as file:
        text = file.read()
    names = {"__name__": "saved"}
    code = text[: text.index("GRID, BLOCK")]
    tail = "import numpy as np\n" + text[text.index("GRID, BLOCK") :]
    exec(compile(tail, str(path), "exec"), names)
    arguments = {name: _parse_argument(value) for name, value in names["ARGUMENTS"].items()}
    start = "from heddle import cuda\n"
    source = code[code.index(start) + len(start) :].strip() + "\n"
    return Case(0, source, "kernel", names["GRID"], names["BLOCK"], arguments, names["OPTIONS"])


def replay(path):
    """Run a saved case on the current device and print the verdict."""
    from judge import judge

    from heddle import cuda

    verdict = judge(read_case(path), [cuda.get_current_device()], watched=True)
    print(verdict.kind, verdict.text)
    raise SystemExit(verdict.kind != "ok")
