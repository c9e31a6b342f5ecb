"""Device functions written in CUDA C++ and called from Python kernels.

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
from heddle.compiler.kept_texts import keep_source_text
from heddle.compiler.signatures import parse_signature
from heddle.errors import UnsupportedCodeError
from heddle.support.public_function import public


class LinkableCode:
    """Code that kernels link: ``cuda.declare_device(link=)``, ``cuda.jit(link=[...])``.

    data: the code (str or bytes), or an object with a method ``read``. name: used in messages.
    Same as numba.cuda.LinkableCode, except that the callbacks must be None. Only CUSource can be linked. The other
    classes exist only for isinstance tests; using them raises NotImplementedError.

    >>> cuda.CUSource("__device__ float half(float x) { return x / 2; }", name="functions.cu")
    <CUSource functions.cu>
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
                "  hint: pass a path directly, as in link='functions.cu'"
            )
        if not isinstance(name, (str, type(None))):
            raise TypeError(f"the name of code is a string, not {name!r}")
        self.data = data
        self.name = name or self.default_name

    def __repr__(self):
        return f"<{type(self).__name__} {self.name}>"


class NativeSource(_heddle.CudaSource):
    """CUDA C++ for the compiler, with its arguments for pickling."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.text, self.name, *_ = self._arguments = arguments

    def __reduce__(self):
        return NativeSource, self._arguments


class CUSource(LinkableCode):
    """CUDA C++ code. options: compiler options, a sequence of strings, as in heddle.RawModule.

    >>> cuda.CUSource("__device__ float half(float x) { return x / SIZE; }", options=["-DSIZE=2"])
    <CUSource <unnamed-cu>>
    """

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
        self._native = self._make_native_source("")
        keep_source_text(self.name, self._text)  # for reports of heddle.check()

    def _make_native_source(self, others):
        """The code for the compiler. others: the text of the sources that are linked with it."""
        folders = str(config.CUDA_NVRTC_EXTRA_SEARCH_PATHS).split(":")
        options = [*self.options, *(f"-I{folder}" for folder in folders if folder)]
        return NativeSource(self._text, self.name, options, others)

    def _format_with_line_directive(self):
        """The text with a line directive, so that errors name this source when it is included in another."""
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
    """Declares a device function that is written in CUDA C++, so that kernels can call it.

    name: the function's name. sig: its signature with the return type, "int32(float32, CPointer(float32))", of numbers,
        complex numbers and pointers. A call converts its arguments. For a pointer parameter, an array is passed as its
        address. An array in the signature, float32[:], is passed as in numba: two null pointers, the number of
        elements, the bytes per element, the address, and a long long for each extent and each stride.
    link: the code, as the path of a .cu file, a CUSource, or a list of these. Without it, kernels that call the
    function supply the code with ``cuda.jit(link=[...])``.
    abi: "numba" for ``extern "C" __device__ int name(T *result, parameters...)``, which returns 0 (any other status
    ends the kernel with a RuntimeError) and stores its result; "c" for a function that returns its result.
    use_cooperative: accepted as a hint: a kernel that waits for its grid is always launched cooperatively.
    Returns the object that kernels call. Raises TypeError for a signature with types that C++ lacks.
    Same as numba.cuda.declare_device (numba-cuda 0.30, decorators).

    >>> code = cuda.CUSource('extern "C" __device__ int one(int *r) { *r = 1; return 0; }')
    >>> one = cuda.declare_device("one", "int32()", link=code)
    >>> @cuda.jit
    ... def fill(x):
    ...     x[cuda.grid(1)] = one()
    >>> ones = np.zeros(3)
    >>> fill[1, 3](ones)
    >>> ones
    array([1., 1., 1.])
    """
    if not isinstance(name, str) or not name:
        raise TypeError(f"declare_device takes the function's name, a string, not {name!r}")
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"abi is 'numba' or 'c', not {abi!r}")
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("heddle."):
        frame = frame.f_back
    return ExternFunction(
        name, parse_signature(sig), abi, convert_link_option(link), _get_declaration_location(frame)
    )


class ExternFunction(_heddle.DeclaredFunction):
    """A device function that is defined elsewhere, created by ``cuda.declare_device``."""

    def __init__(self, name, signature, abi, code, place):
        super().__init__(name, signature, abi == "numba", code, *place)
        self.abi = abi
        self._arguments = name, signature, abi, code, place

    def __call__(self, *args, **named):
        raise TypeError(
            f"{self.name} is a device function: only kernels and other device functions can call it"
        )

    def __reduce__(self):
        return ExternFunction, self._arguments

    def __repr__(self):
        return f"<heddle device function {self.name}, declared as {self.sig}>"


def convert_link_option(link):
    """Converts ``link=`` to a list for the compiler. Raises TypeError, OSError or NotImplementedError."""
    if link is None:
        return []
    items = link if isinstance(link, (list, tuple, set)) else [link]
    items = [_require_cuda_source(item) for item in items]
    if len(items) < 2:
        return [item._native for item in items]
    return [
        item._make_native_source(
            "".join(other._format_with_line_directive() for other in items if other is not item)
        )
        for item in items
    ]


def _require_cuda_source(item):
    if isinstance(item, (str, os.PathLike)):
        item = _read_linkable_code(os.fspath(item))
    if not isinstance(item, LinkableCode):
        raise TypeError(
            f"link takes paths and code such as cuda.CUSource, not {type(item).__name__}"
        )
    if not isinstance(item, CUSource):
        raise UnsupportedCodeError(
            f"{item.name} is {item.kind or 'of an unknown kind'}, which kernels cannot be linked with\n"
            "  hint: CUDA C++, a .cu file or cuda.CUSource('...'), works on every device"
        )
    return item


def _read_linkable_code(path):
    kind = _KINDS.get(os.path.splitext(path)[1])
    if kind is None:
        raise ValueError(
            f"link={path!r}: the file extension determines the kind of code; it is one of {' '.join(_KINDS)}\n"
            "  hint: pass source text as cuda.CUSource('...')"
        )
    with open(path, "rb") as file:
        data = file.read()
    if kind is not CUSource:
        return kind(data, path)
    return CUSource(data, path, options=("-I", os.path.dirname(os.path.abspath(path))))


def _get_declaration_location(frame):
    """The location of a declaration: file, line and the line's text."""
    file, line = frame.f_code.co_filename, frame.f_lineno
    return file, line, linecache.getline(file, line).rstrip("\r\n")
