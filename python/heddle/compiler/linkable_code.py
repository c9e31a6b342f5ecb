"""Device functions that are written in CUDA C++ and called from kernels in Python.

add = cuda.declare_device("add", "int32(int32, int32)", link=cuda.CUSource('''
extern "C" __device__ int add(int *result, int a, int b) { *result = a + b; return 0; }'''))

@cuda.jit
def k(x):
    x[0] = add(x[0], 1)
"""

import linecache
import os
import sys

from heddle import _heddle, config
from heddle.compiler.signatures import parse_signature
from heddle.errors import UnsupportedCodeError
from heddle.public_function import public


class LinkableCode:
    """Code that kernels are linked with: ``cuda.declare_device(link=)``, ``cuda.jit(link=[...])``.

    data: its text (str or bytes), or an object with a method ``read``. name: what messages call it.
    Same as numba.cuda.LinkableCode, but for the callbacks, which must be None. Of the kinds of code CUSource can be
    linked; the others are there to be recognised, and raise NotImplementedError where they are used.
    """

    kind = None
    default_name = "<code>"

    def __init__(self, data, name=None, setup_callback=None, teardown_callback=None, nrt=False):
        if setup_callback is not None or teardown_callback is not None:
            raise NotImplementedError("callbacks of linked code are not supported")
        if hasattr(data, "read"):
            data = data.read()
        if not isinstance(data, (str, bytes)):
            raise TypeError(
                f"the code is a string, bytes or a file, not {type(data).__name__}\n"
                "  hint: a path is given as it is, link='functions.cu'"
            )
        if not isinstance(name, (str, type(None))):
            raise TypeError(f"the name of code is a string, not {name!r}")
        self.data = data
        self.name = name or self.default_name

    def __repr__(self):
        return f"<{type(self).__name__} {self.name}>"


class CUSource(LinkableCode):
    """CUDA C++. options: as of heddle.RawModule, a sequence of strings."""

    kind = "CUDA C++"
    default_name = "<unnamed-cu>"

    def __init__(
        self, data, name=None, setup_callback=None, teardown_callback=None, nrt=False, *, options=()
    ):
        super().__init__(data, name, setup_callback, teardown_callback, nrt)
        if isinstance(options, str):
            raise TypeError(f"options is a tuple of strings: write options=({options!r},)")
        self._text = self.data.decode() if isinstance(self.data, bytes) else self.data
        self.options = tuple(options)
        self._native = self._with("")

    def _with(self, others):
        """The code for the compiler. others: the text of the sources that it is linked with."""
        folders = str(config.CUDA_NVRTC_EXTRA_SEARCH_PATHS).split(":")
        options = [*self.options, *(f"-I{folder}" for folder in folders if folder)]
        return _heddle.CudaSource(self._text, self.name, options, others)

    def _marked(self):
        """The text, whose errors name this source where it stands in another."""
        name = self.name.replace("\\", "\\\\").replace('"', '\\"')
        return f'#line 1 "{name}"\n{self._text}\n'


class PTXSource(LinkableCode):
    kind, default_name = "PTX", "<unnamed-ptx>"


class Cubin(LinkableCode):
    kind, default_name = "machine code", "<unnamed-cubin>"


class Fatbin(LinkableCode):
    kind, default_name = "machine code", "<unnamed-fatbin>"


class Archive(LinkableCode):
    kind, default_name = "machine code", "<unnamed-archive>"


class Object(LinkableCode):
    kind, default_name = "machine code", "<unnamed-object>"


class LTOIR(LinkableCode):
    kind, default_name = "NVVM's intermediate code", "<unnamed-ltoir>"


_KINDS = {
    ".cu": CUSource,
    ".ptx": PTXSource,
    ".cubin": Cubin,
    ".fatbin": Fatbin,
    ".a": Archive,
    ".o": Object,
    ".ltoir": LTOIR,
}


@public
def declare_device(name, sig, link=None, use_cooperative=False, abi="numba"):
    """Declare a device function that is written in CUDA C++, so that kernels can call it.

    name: the function's. sig: its signature with the result, "int32(float32, CPointer(float32))": numbers, complex
        numbers and pointers. A call's arguments are converted to it; an array is given to a pointer by its address.
        An array in the signature, float32[:], is what numba passes: two pointers that are null, the numbers of elements
        and of bytes in one, the address, and a long long for each extent and each stride.
    link: where its code is: the path of a .cu file, a CUSource, or a list of these. Without it the kernels that call
        the function give it, ``cuda.jit(link=[...])``.
    abi: "numba" for ``extern "C" __device__ int name(T *result, parameters...)``, which returns 0 (another status ends
        the kernel with a RuntimeError) and its result through the pointer; "c" for a function that returns its result.
    use_cooperative: taken as a hint: a kernel that waits for its grid is launched so in any case.
    Returns what kernels call. Raises TypeError for a signature that C++ cannot have. Same as
    numba.cuda.declare_device (numba-cuda 0.30, decorators).
    """
    if not isinstance(name, str) or not name:
        raise TypeError(f"declare_device takes the function's name, a string, not {name!r}")
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"abi is 'numba' or 'c', not {abi!r}")
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("heddle."):
        frame = frame.f_back
    return ExternFunction(name, parse_signature(sig), abi, native_code(link), _location(frame))


class ExternFunction(_heddle.DeclaredFunction):
    """A device function that is declared and defined elsewhere; made by ``cuda.declare_device``."""

    def __init__(self, name, signature, abi, code, place):
        super().__init__(name, signature, abi == "numba", code, *place)
        self.abi = abi

    def __call__(self, *args, **named):
        raise TypeError(
            f"{self.name} is a device function: only kernels and other device functions can call it"
        )

    def __repr__(self):
        return f"<heddle device function {self.name}, declared as {self.sig}>"


def native_code(link):
    """What ``link=`` names, as a list for the compiler. Raises TypeError, OSError and NotImplementedError."""
    if link is None:
        return []
    items = link if isinstance(link, (list, tuple, set)) else [link]
    items = [_linkable(item) for item in items]
    if len(items) < 2:
        return [item._native for item in items]
    return [
        item._with("".join(other._marked() for other in items if other is not item))
        for item in items
    ]


def _linkable(item):
    if isinstance(item, (str, os.PathLike)):
        item = _read(os.fspath(item))
    if not isinstance(item, LinkableCode):
        raise TypeError(
            f"link takes paths and code such as cuda.CUSource, not {type(item).__name__}"
        )
    if not isinstance(item, CUSource):
        raise UnsupportedCodeError(
            f"{item.name} is {item.kind or 'of no kind that is known'}, which kernels cannot be linked with\n"
            "  hint: CUDA C++, a .cu file or cuda.CUSource('...'), works on every device"
        )
    return item


def _read(path):
    kind = _KINDS.get(os.path.splitext(path)[1])
    if kind is None:
        raise ValueError(
            f"link={path!r}: the kind of code is told by the file's ending, one of {' '.join(_KINDS)}\n"
            "  hint: source in a string is given as cuda.CUSource('...')"
        )
    with open(path, "rb") as file:
        data = file.read()
    if kind is not CUSource:
        return kind(data, path)
    return CUSource(data, path, options=("-I", os.path.dirname(os.path.abspath(path))))


def _location(frame):
    """Where a function is declared: file, line and the line's text."""
    file, line = frame.f_code.co_filename, frame.f_lineno
    return file, line, linecache.getline(file, line).rstrip("\r\n")
