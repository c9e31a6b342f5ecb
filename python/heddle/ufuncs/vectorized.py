"""``vectorize``: scalar functions applied to arrays elementwise, like NumPy's ufuncs."""

from heddle import _heddle
from heddle.support.public_function import public
from heddle.ufuncs.device_ufunc import DeviceUfunc
from heddle.ufuncs.options import select_code_options
from heddle.ufuncs.ufunc import Ufunc


@public
def vectorize(ftylist_or_function=(), target="cpu", identity=None, **options):
    """Makes a ufunc from a scalar function: ``@vectorize``, ``@vectorize(["float64(float64, float64)"])``.

    ftylist_or_function: the function; or a signature (string or Signature) or a list of signatures, in the order in
    which NumPy looks for one to which the arguments convert. Without signatures, the function is compiled for the
    argument types of each call.
    target: "cpu", one thread; "parallel", all threads for large arrays; "cuda", the current device.
    identity: the result of reducing an empty array: 0, 1, "reorderable" or None.
    fastmath: trades accuracy for speed. cache: keeps compiled loops on disk. nopython and others are accepted as hints.
    Returns an object with the interface of a numpy.ufunc. Same as numba.vectorize (numba 0.68, np/ufunc/decorators).

    >>> @vectorize
    ... def add(a, b):
    ...     return a + b
    >>> add(np.ones(3), 1)
    array([2., 2., 2.])
    """
    signatures = ftylist_or_function
    if callable(signatures) and not isinstance(signatures, (_heddle.Type, _heddle.Signature)):
        return vectorize((), target, identity, **options)(signatures)
    if isinstance(signatures, (str, _heddle.Signature)):
        signatures = [signatures]
    options = select_code_options("vectorize", target, options)

    @public
    def make_ufunc(function):
        function = getattr(function, "py_func", function)
        made = (DeviceUfunc if target == "cuda" else Ufunc)(function, identity, target, options)
        for signature in signatures:
            made.add(signature)
        if signatures:
            made.disable_compile()
        return made

    return make_ufunc
