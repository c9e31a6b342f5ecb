"""%gpu_timeit: an IPython magic for benchmark()."""

import math
import re
import textwrap

_OPTION = re.compile(
    r"\s*(-n|--n-repeat|-w|--n-warmup|--max-duration)(?:\s+|=|(?=\d))(\S+)(?:\s+|$)"
)
# Option -> (keyword of benchmark(), type).
_KEYWORDS = {
    "-n": ("n_repeat", int),
    "--n-repeat": ("n_repeat", int),
    "-w": ("n_warmup", int),
    "--n-warmup": ("n_warmup", int),
    "--max-duration": ("max_duration", float),
}


def parse_options(line):
    """Parses the options at the start of a line. Returns benchmark()'s keywords and the rest of the line."""
    keywords = {"n_repeat": 10000, "n_warmup": 10, "max_duration": math.inf}
    while (found := _OPTION.match(line)) is not None:
        name, convert = _KEYWORDS[found[1]]
        keywords[name] = convert(found[2])
        line = line[found.end() :]
    return keywords, line.strip()


def make_magic(shell, benchmark):
    """The function of the magic, for an IPython shell."""

    def gpu_timeit(line, cell=None):
        """Times an expression, or a cell, on the host and on the device.

        %gpu_timeit [-n N_REPEAT] [-w N_WARMUP] [--max-duration SECONDS] expression
        %%gpu_timeit [options], with code below
        """
        keywords, expression = parse_options(line)
        if cell is None:
            code = compile(expression, "<gpu_timeit>", "eval")
        else:
            code = compile(textwrap.dedent(cell), "<gpu_timeit>", "exec")
        print(benchmark(lambda: eval(code, shell.user_ns), name="run", **keywords))

    return gpu_timeit
