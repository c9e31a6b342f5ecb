"""Extracts the device code from CUDA C++ files by rules, so that a runtime compiler can compile it.

- Comments are left out, and ``#include`` lines, except for headers that both runtime compilers have and that the
  remaining code uses (``HEADERS``).
- Host functions, their declarations and host variables are left out. Types, aliases, constants, macros and conditional
  compilation stay.
- Kernels other than the requested ones are left out.
"""

import re

# Headers by the start of their names, and the words for which programs include them.
HEADERS = {
    "cooperative_groups": r"\bcooperative_groups\b",
    "cuda/barrier": r"\bcuda::",
    "cuda/pipeline": r"\bcuda::",
    "cuda_awbarrier": r"\bawbarrier\b",
    "cuda_bf16": r"bfloat16",
    "cuda_fp16": r"half",
    "cuda_pipeline": r"\bpipeline_|\b__pipeline_",
    "cuComplex": r"\bcu\w*Complex\b",
    "curand_kernel": r"\bcurand",
    "math_constants": r"\bCUDART_",
    "mma": r"\bwmma\b",
}

# Names that nvcc programs get from the host's headers. NVRTC has none of them.
PROLOGUE = """\
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#ifndef NULL
#define NULL 0
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38F
#endif
#ifndef FLT_MIN
#define FLT_MIN 1.175494351e-38F
#endif
#ifndef FLT_EPSILON
#define FLT_EPSILON 1.192092896e-07F
#endif
#ifndef DBL_MAX
#define DBL_MAX 1.7976931348623157e+308
#endif
#ifndef INT_MAX
#define INT_MAX 2147483647
#endif
#ifndef UINT_MAX
#define UINT_MAX 4294967295U
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
"""

_TYPE = r"\s*(template\s*<[^{;]*>\s*)?(struct|class|union|enum|typedef|using)\b"
_ON_DEVICE = re.compile(r"__(global|device|constant|shared|managed)__|\bconstexpr\b")
_CONSTANT = re.compile(r"\s*(static\s+)?const\b|\s*(static_assert|namespace)\b|" + _TYPE)


def make_program(texts, kernel, defines="", keep="", drop="", replace=()):
    """The program for a runtime compiler: prologue, defines, and the device code of the files' texts.

    kernel: the kernel's name, or an expression that instantiates it. keep: a pattern; the rules keep functions with a
    matching head. drop: definitions with a match are left out. replace: pairs of a text and its replacement.
    """
    name = re.match(r"[\w:]+", kernel).group().rpartition("::")[2]
    code = "\n".join(extract_device_code(text, name, keep, drop) for text in texts)
    for old, new in replace:
        code = code.replace(old, new)
    headers = [line for text in texts for line in _list_headers(text, code)]
    return "\n".join([*dict.fromkeys(headers), PROLOGUE, defines, code])


def extract_device_code(text, kernel, keep="", drop=""):
    text = _remove_comments(text)
    return "".join(part for part in _extract_parts(text, kernel, keep, drop) if not part.isspace())


def _extract_parts(text, kernel, keep, drop):
    for part in split_top_level(text):
        scope = re.match(r'\s*(?:namespace\b[^{;(]*|extern\s*"C"\s*)\{', part)
        if scope:
            inner = part[scope.end() : part.rindex("}")]
            yield scope.group() + "".join(_extract_parts(inner, kernel, keep, drop)) + "}\n"
        elif drop and re.search(drop, part):
            continue
        elif (keep and re.search(keep, part.partition("{")[0])) or _belongs(part, kernel):
            yield part


def _list_headers(text, code):
    for header in re.findall(r"^[ \t]*#[ \t]*include[ \t]*[<\"](.*)[>\"]", text, re.M):
        words = [words for start, words in HEADERS.items() if header.startswith(start)]
        if words and re.search(words[0], code):
            yield f"#include <{header}>"


def _remove_comments(text):
    pattern = r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/'
    return re.sub(pattern, lambda m: m[0] if m[0][0] == '"' else " ", text, flags=re.S)


def _belongs(part, kernel):
    if re.match(r"\s*using\s+namespace\s+std\b", part):
        return False
    if part.lstrip().startswith("#"):
        return not re.match(r"\s*#\s*(include|pragma\s+once)\b", part)
    head = part.partition("{")[0]
    if "__global__" in head:
        return re.search(rf"\b{kernel}\s*(<[^(]*>\s*)?\(", head) is not None
    if _ON_DEVICE.search(head) or re.match(_TYPE, head):
        return True
    is_function = "{" in part and "(" in head and "=" not in head.partition("(")[0]
    return not is_function and (_CONSTANT.match(head) is not None or not head.strip(" \t\n;"))


def split_top_level(text):
    """Preprocessor lines, definitions and declarations; together they are the text."""
    start = at = depth = 0
    while at < len(text):
        char = text[at]
        if char == "#" and depth == 0 and not text[start:at].strip():
            end = re.compile(r"(?:\\\n|[^\n])*\n?").match(text, at).end()
            yield text[start:end]
            start = at = end
            continue
        if char in "\"'":
            literal = re.compile(rf"{char}(?:\\.|[^{char}\\\n])*{char}").match(text, at)
            at = literal.end() if literal else at + 1
            continue
        if char == "#" and not text[text.rfind("\n", 0, at) + 1 : at].strip():
            at = re.compile(r"(?:\\\n|[^\n])*").match(text, at).end()
            continue
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0 and _ends_at_brace(text[start : text.index("{", start)]):
                yield text[start : at + 1]
                start = at + 1
        elif char == ";" and depth == 0:
            yield text[start : at + 1]
            start = at + 1
        at += 1
    yield text[start:]


def _ends_at_brace(head):
    """True for functions and namespaces; types and initializers end at a semicolon."""
    return not re.match(_TYPE, head) and not re.search(r"=\s*$", head)
