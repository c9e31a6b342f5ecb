"""The features of a generated kernel, by name, so that a run can report features that no kernel had."""

import re

from case import ArrayArgument, SameArray

# name -> a test of the source.
patterns = {
    "loop over a range": r"for \w+ in range\(",
    "loop over a tuple": r"for [\w, ()]+ in (\(.+,\)|[tp]\d+|several|rest):",
    "loop over an array": r"for \w+ in (x\d|view\d+|loc\d+|e\d+)[\[:]",
    "enumerate": r"in enumerate\(",
    "zip": r"in zip\(",
    "reversed": r"in reversed\(",
    "literal_unroll": r"in cuda\.literal_unroll\(",
    "loop over different types": r"total\d+ = total\d+ \+",
    "while": r"^ +while ",
    "break": r"^ +break$",
    "continue": r"^ +continue$",
    "while True": r"^ +while True:",
    "membership": r" (not )?in (\(.*\)|[tp]\d+|several)\)",
    "several targets": r"^ +\w+ = \w+ = ",
    "array to a device function": r"\bf\d\((x|view|loc|e)\d",
    "local array changed by a function": r"^ +fill\(",
    "device function with a barrier": r"= block_total\(",
    "device function of a warp": r"= warp_total\(",
    "halves of a warp": r"shfl_sync\(0xffff,",
    "best of some": r"^ +if o\d+ is None or ",
    "early return": r"^ {5,}return$",
    "nested function": r"^ +def g\d+\(",
    "lambda": r"lambda ",
    "function as an argument": r" apply\(|\(apply\(",
    "device function": r"^def f\d",
    "default value": r"^ *def [fg]\d+\(.*=(?!None)",
    "None by default": r"^ *def [fg]\d+\(.*=None",
    "keyword-only parameter": r"^ *def [fg]\d+\(.*\*, ",
    "keyword argument": r"[fg]\d\([^\n]*\b[ak]\d+=",
    "rest parameter": r"^ *def [fg]\d+\(.*\*rest",
    "unpacked argument": r"[(, ]\*([tp]\d|several)",
    "None in a variable": r"^ +o\d+ = None",
    "is None": r"\bo\d+ is None",
    "is not None": r"\bo\d+ is not None",
    "isinstance": r"isinstance\(",
    "tuple variable": r"^ +t\d+ = \(",
    "namedtuple": r"^ +p\d+ = (Pair|Triple)\(",
    "field of a namedtuple": r"\bp\d+\.(first|second|[xyz])\b",
    "tuple comparison": r"\(\(.*\) (==|!=) \(",
    "sum of a tuple": r"\bsum\(",
    "complex arithmetic": r"\(\S*(z\d+|x\d\[.*\]).* [-+*] |2j|np\.complex",
    "conjugate": r"\.conjugate\(\)",
    "real and imag": r"\)\.(real|imag)\b",
    "float16": r"np\.float16\(",
    "record field by attribute": r"\b(xr|rec)\[[^\n]*\]\.[abc]\b",
    "record field by string": r"\b(xr|rec)\[[^\n]*\]\['[abc]'\]",
    "nested record": r"\.inner|\['inner'\]",
    "record copied": r"^ +rec\[.*\] = xr\[[^\n]*\]$",
    "record variable": r"^ +r\d+ = rec\[",
    "slice": r"view\d+ = x\d\[.*:",
    "new axis": r"view\d+ = x\d\[.*None",
    "ellipsis": r"\.\.\.",
    "reshape": r"\.reshape\(",
    "ravel": r"\.ravel\(\)",
    "transpose": r"\.transpose\(",
    ".T": r"\.T\b",
    "assignment to a view": r"^ +out\d\[[^\n]*?:[^\n]*\] = ",
    "augmented assignment to a view": r"^ +out\d\[[^\n]*?:[^\n]*\] [-+]= ",
    "shuffle": r"cuda\.shfl_sync\(",
    "shuffle up": r"cuda\.shfl_up_sync\(",
    "shuffle down": r"cuda\.shfl_down_sync\(",
    "shuffle xor": r"cuda\.shfl_xor_sync\(",
    "shuffle with a width": r"cuda\.shfl_\w*sync\(.*, (2|4|8|16|32)\)$",
    "vote": r"cuda\.(all|any|eq)_sync\(",
    "ballot": r"cuda\.ballot_sync\(",
    "match_any": r"cuda\.match_any_sync\(",
    "match_all": r"cuda\.match_all_sync\(",
    "warp reduction": r"cuda\.reduce_\w+_sync\(",
    "syncwarp": r"cuda\.syncwarp\(",
    "barrier": r"cuda\.syncthreads\(\)",
    "barrier that votes": r"cuda\.syncthreads_",
    "shared array": r"cuda\.shared\.array\(",
    "shared atomic": r"cuda\.atomic\.\w+\(sh",
    "local array": r"cuda\.local\.array\(",
    "operator function": r"operator\.\w+\(",
    "in-place operator function": r"operator\.i(add|sub|mul|mod|xor|pow|lshift|rshift|floordiv)\(",
    "popc": r"cuda\.popc\(",
    "clz": r"cuda\.clz\(",
    "ffs": r"cuda\.ffs\(",
    "brev": r"cuda\.brev\(",
    "bit_count": r"\.bit_count\(\)",
    "fma": r"cuda\.fma\(",
    "selp": r"cuda\.selp\(",
    "frexp": r"math\.frexp\(",
    "modf": r"math\.modf\(",
    "ldexp": r"math\.ldexp\(",
    "fmod": r"math\.fmod\(",
    "copysign": r"math\.copysign\(",
    "rounding to whole numbers": r"math\.(floor|ceil|trunc)\(",
    "sqrt": r"math\.sqrt\(",
    "isnan": r"math\.isnan\(",
    "divmod": r"divmod\(",
    "conditional expression": r" if .* else ",
    "chained comparison": r"[<>=] \S+ [<>=!]+ \S+ [<>=!]+ ",
}
for _op in ("add", "sub", "min", "max", "nanmin", "nanmax", "and_", "or_", "xor", "inc", "dec"):
    patterns[f"atomic {_op}"] = rf"cuda\.atomic\.{_op}\(acc"
for _op in ("cas", "exch", "compare_and_swap"):
    patterns[f"atomic {_op}"] = rf"cuda\.atomic\.{_op}\("
_compiled = {name: re.compile(pattern, re.MULTILINE) for name, pattern in patterns.items()}


def _list_arrays(case):
    return [a for a in case.arguments.values() if isinstance(a, ArrayArgument)]


def _find_loops_with_else(source):
    """The keywords of loops with an else."""
    found, opened = set(), {}
    for line in source.splitlines():
        depth = len(line) - len(line.lstrip())
        word = line.split(" ", depth + 1)[depth] if line.strip() else ""
        if word == "else:" and opened.get(depth) in ("for", "while"):
            found.add(opened[depth])
        opened[depth] = word
    return found


of_lines = {"for else": "for", "while else": "while"}

# name -> a test of the arguments.
of_arguments = {
    "array of three dimensions": lambda case: any(
        a.make_view(a.base).ndim == 3 for a in _list_arrays(case)
    ),
    "negative stride": lambda case: any(min(_get_strides(a)) < 0 for a in _list_arrays(case)),
    "zero stride": lambda case: any("broadcast" in a.view for a in _list_arrays(case)),
    "complex array": lambda case: any(a.base.dtype.kind == "c" for a in _list_arrays(case)),
    "float16 array": lambda case: any(a.base.dtype == "f2" for a in _list_arrays(case)),
    "array of records": lambda case: any(a.base.dtype.names for a in _list_arrays(case)),
    "the same array twice": lambda case: any(
        isinstance(a, SameArray) for a in case.arguments.values()
    ),
    "tuple as an argument": lambda case: any(isinstance(a, tuple) for a in case.arguments.values()),
    "block with a partial warp": lambda case: int(_product(case.block)) % 32 != 0,
}

names = [*patterns, *of_lines, *of_arguments]


def _get_strides(argument):
    return argument.make_view(argument.base).strides or (0,)


def _product(extents):
    product = 1
    for extent in extents:
        product *= extent
    return product


def find_features(case):
    """The names of the features that a case has."""
    found = [name for name, pattern in _compiled.items() if pattern.search(case.source)]
    loops = _find_loops_with_else(case.source)
    found += [name for name, word in of_lines.items() if word in loops]
    return found + [name for name, has in of_arguments.items() if has(case)]
