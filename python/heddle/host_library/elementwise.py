"""Scalar functions applied to arrays element by element: those made by ``vectorize``, and NumPy functions built from
simpler ones."""

import functools
import math

import numpy as np

from heddle import _heddle
from heddle.compiler.library_registry import (
    compiled,
    define_function_from_text,
    find_common_dtype,
    get_element_dtype,
    implements,
    is_absent_or_none,
    is_array,
    is_date_or_timedelta,
    is_integer_or_bool,
    is_none,
    is_number_or_bool,
)
from heddle.host_library.shapes import find_broadcast_shape


@compiled
def _broadcast_and_flatten(value, shape):
    """A number itself, or the elements of an array, broadcast to ``shape`` and in C order."""
    if not isinstance(value, np.ndarray):
        return value
    if value.shape == shape:
        return np.ascontiguousarray(value).ravel()
    return np.ascontiguousarray(np.broadcast_to(value, shape)).ravel()


@compiled
def _broadcast_and_flatten_all(values, shape):
    if len(values) == 0:
        return ()
    return (
        _broadcast_and_flatten(values[0], shape),
        *_broadcast_and_flatten_all(values[1:], shape),
    )


@compiled
def _get_item_or_number(value, i):
    return value[i] if isinstance(value, np.ndarray) else value


@compiled
def _get_items_or_numbers(values, i):
    if len(values) == 0:
        return ()
    return (_get_item_or_number(values[0], i), *_get_items_or_numbers(values[1:], i))


@functools.cache
def _make_elementwise_loop(scalar):
    """The function that calls ``scalar`` for each element of arrays and numbers and stores the results in an array."""

    def fill_elementwise(out, inputs):
        parts = _broadcast_and_flatten_all(inputs, out.shape)
        if out.size == 0:
            return
        if out.flags.c_contiguous:
            flat = np.ascontiguousarray(out).reshape(out.size)
            for i in range(flat.size):
                flat[i] = scalar(*_get_items_or_numbers(parts, i))
        else:
            for i, index in enumerate(np.ndindex(out.shape)):
                out[index] = scalar(*_get_items_or_numbers(parts, i))

    return compiled(fill_elementwise)


@functools.cache
def make_elementwise_function(scalar, element, count):
    """The function of ``count`` arrays and numbers that returns a new array, with elements of dtype ``element``, of the
    results of ``scalar``."""
    inputs = "".join(f"x{i}, " for i in range(count))
    text = f"""def applied({inputs}):
    out = np.empty(find_broadcast_shape(({inputs})), element)
    fill(out, ({inputs}))
    return out
"""
    return define_function_from_text(
        text,
        {
            "np": np,
            "find_broadcast_shape": find_broadcast_shape,
            "element": element,
            "fill": _make_elementwise_loop(scalar),
        },
    )


@functools.cache
def _make_elementwise_writer(scalar, count):
    """As make_elementwise_function, but the function stores the results in an array that is the last argument."""
    inputs = "".join(f"x{i}, " for i in range(count))
    text = f"""def applied({inputs}out):
    fill(out, ({inputs}))
    return out
"""
    return define_function_from_text(text, {"fill": _make_elementwise_loop(scalar)})


def _list_element_types(arguments):
    return [a.dtype if is_array(a) else a for a in arguments]


@functools.cache
def _wrap_with_dtype_conversions(scalar, dtypes):
    """A scalar function that converts its arguments and its result to these dtypes."""
    names = [f"x{i}" for i in range(len(dtypes) - 1)]
    values = ", ".join(f"type_{name}({name})" for name in names)
    text = f"def applied({', '.join(names)}):\n    return result(function({values}))\n"
    types_of = {f"type_{name}": dtype.type for name, dtype in zip(names, dtypes, strict=False)}
    called = {"function": scalar, "result": dtypes[-1].type, **types_of}
    return compiled(define_function_from_text(text, called))


class HostUfunc:
    """The host-side implementation of an object made by ``vectorize``; kernels call its scalar function directly."""

    def __init__(self, ufunc, count):
        self.name = self.__name__ = ufunc.__name__
        self._ufunc, self._scalar, self._count = ufunc, ufunc.scalar, count

    def choose_implementation(self, arguments, named, target):
        if target == "cuda" or named:
            return self._scalar
        scalar = self.choose_scalar_function(arguments[: self._count])
        if not any(is_array(a) for a in arguments):
            return scalar
        if len(arguments) == self._count + 1:
            return compiled(_make_elementwise_writer(scalar, self._count))
        result = _heddle.result_type(scalar, _list_element_types(arguments))
        return compiled(
            make_elementwise_function(scalar, np.dtype(_heddle.element_dtype(result)), self._count)
        )

    def choose_scalar_function(self, arguments):
        """The scalar function of the first signature to which the arguments convert."""
        if not all(is_array(a) or is_number_or_bool(a) for a in arguments):
            return self._scalar
        given = [get_element_dtype(a) for a in arguments]
        kinds = {dtype.kind for dtype in given}
        mixed = not kinds.isdisjoint("iu") and not kinds.isdisjoint("fc")
        for loop in self._ufunc.list_dtypes_if_frozen():
            if all(_converts_to(dtype, to, mixed) for dtype, to in zip(given, loop, strict=False)):
                return _wrap_with_dtype_conversions(self._scalar, tuple(loop))
        return self._scalar


class HostUfuncMethod:
    """The host-side implementation of the method ``reduce``, ``reduceat`` or ``at`` of an object of ``vectorize``."""

    def __init__(self, ufunc, method):
        self.name = self.__name__ = f"{ufunc.__name__}.{method}"
        self._ufunc, self._choose = ufunc, _methods[method]

    def choose_implementation(self, arguments, named, target):
        if target == "cuda" or not arguments or not is_array(arguments[0]):
            return None
        over = _heddle.overloads[self._ufunc]
        element = get_element_dtype(arguments[0])
        scalar = over.choose_scalar_function([arguments[0].dtype] * 2)
        function = self._choose(scalar, self._ufunc.__name__, element, *arguments, **named)
        return None if function is None else compiled(function)


def _make_ufunc_reduce(scalar, name, element, array, axis=None, dtype=None, initial=None):
    if not is_absent_or_none(dtype):
        return None
    starts = not is_absent_or_none(initial)
    reduced = _make_vector_reduction if array.ndim == 1 else _make_axis_reduction
    function = reduced(scalar, name, starts)
    if starts:
        return lambda array, axis=0, dtype=None, initial=None: function(array, axis, initial)
    return lambda array, axis=0, dtype=None, initial=None: function(array, axis)


@functools.cache
def _make_vector_reduction(scalar, name, starts):
    nothing = _nothing_to_reduce.format(name)

    def reduce_along(array, axis):
        if axis != 0 and axis != -1:
            raise ValueError("axis is out of bounds for array of dimension 1")
        if array.size == 0:
            raise ValueError(nothing)
        total = array[0]
        for i in range(1, array.size):
            total = scalar(total, array[i])
        return total

    def reduce_with_initial(array, axis, initial):
        if axis != 0 and axis != -1:
            raise ValueError("axis is out of bounds for array of dimension 1")
        total = initial
        for x in array:
            total = scalar(total, x)
        return total

    return compiled(reduce_with_initial if starts else reduce_along)


@functools.cache
def _make_axis_reduction(scalar, name, starts):
    fill, nothing = _make_elementwise_loop(scalar), _nothing_to_reduce.format(name)

    def reduce_along(array, axis):
        rows = np.moveaxis(array, axis, 0)
        if rows.shape[0] == 0:
            raise ValueError(nothing)
        total = rows[0].copy()
        for i in range(1, rows.shape[0]):
            fill(total, (total, rows[i]))
        return total

    def reduce_with_initial(array, axis, initial):
        rows = np.moveaxis(array, axis, 0)
        total = np.full(rows.shape[1:], initial, array.dtype)
        for i in range(rows.shape[0]):
            fill(total, (total, rows[i]))
        return total

    return compiled(reduce_with_initial if starts else reduce_along)


_nothing_to_reduce = "zero-size array to reduction operation {} which has no identity"


def _make_ufunc_reduceat(scalar, name, element, array, indices, axis=None, dtype=None):
    if array.ndim != 1 or not is_absent_or_none(axis) or not is_absent_or_none(dtype):
        return None

    def reduce_at(array, indices, axis=None, dtype=None):
        starts = np.asarray(indices)
        out = np.empty(starts.size, element)
        for k in range(starts.size):
            first = starts[k]
            last = starts[k + 1] if k + 1 < starts.size else array.size
            if first < 0 or first >= array.size:
                raise IndexError("index is out of bounds of the array that is reduced")
            total = array[first]
            for i in range(first + 1, last):
                total = scalar(total, array[i])
            out[k] = total
        return out

    return reduce_at


def _make_ufunc_at(scalar, name, element, array, indices, values=None):
    if array.ndim != 1 or values is None:
        return None

    def update_with_array(array, indices, values):
        places = np.asarray(indices)
        for k in range(places.size):
            array[places[k]] = scalar(array[places[k]], values[k])

    def update_with_number(array, indices, values):
        places = np.asarray(indices)
        for k in range(places.size):
            array[places[k]] = scalar(array[places[k]], values)

    return update_with_number if is_number_or_bool(values) else update_with_array


_methods = {"reduce": _make_ufunc_reduce, "reduceat": _make_ufunc_reduceat, "at": _make_ufunc_at}


def _converts_to(dtype, to, mixed):
    """True if numba converts an argument of ``dtype`` to ``to``: any integer to any float if the ufunc's arguments are
    of both kinds."""
    return (mixed and dtype.kind in "iu" and to.kind in "fc") or np.can_cast(dtype, to)


def _to_float_dtype(element):
    """The float or complex dtype in which NumPy computes with elements of that dtype."""
    if element.kind in "fc":
        return element
    return np.dtype(np.float32 if element.itemsize <= 2 else np.float64)


def _to_double_dtype(element):
    return np.dtype(np.complex128 if element.kind == "c" else np.float64)


def _replace_bool_by_int8(element):
    return np.dtype(np.int8) if element.kind == "b" else element


@functools.cache
def _wrap_with_dtype_conversion(function, element, count):
    """A scalar function that converts its arguments and its result to the dtype."""
    names = ", ".join(f"x{i}" for i in range(count))
    values = ", ".join(f"number(x{i})" for i in range(count))
    text = f"def applied({names}):\n    return number(function({values}))\n"
    return compiled(
        define_function_from_text(text, {"number": element.type, "function": compiled(function)})
    )


def _implement_elementwise(name, kinds, function, dtype=None):
    """Implements np.name with a scalar function, for arguments of these dtype kinds.

    dtype: a function from the arguments' joint dtype to the dtype in which ``function`` computes.
    """
    count = function.__code__.co_argcount

    @implements(f"numpy.{name}")
    def choose_implementation(*arguments):
        if len(arguments) == count + 1 and is_array(arguments[-1]):
            scalar = compiled(function)
            if dtype is not None:
                scalar = _wrap_with_dtype_conversion(
                    function, dtype(find_common_dtype(*arguments[:-1])), count
                )
            return _make_elementwise_writer(scalar, count)
        if len(arguments) == count + 1 and is_none(arguments[-1]):
            names = ", ".join(f"x{i}" for i in range(count))
            text = f"def applied({names}, out):\n    return np.{name}({names})\n"
            return define_function_from_text(text, {"np": np})
        if len(arguments) != count:
            return None
        known = all(is_array(a) or is_number_or_bool(a) for a in arguments)
        if not known or any(get_element_dtype(a).kind not in kinds for a in arguments):
            return None
        scalar = compiled(function)
        if dtype is not None:
            scalar = _wrap_with_dtype_conversion(
                function, dtype(find_common_dtype(*arguments)), count
            )
        if not any(is_array(a) for a in arguments):
            return scalar
        result = _heddle.result_type(scalar, _list_element_types(arguments))
        return make_elementwise_function(
            scalar, np.dtype(_heddle.element_dtype(result)), len(arguments)
        )


def _gcd(x, y):
    a, b = abs(x), abs(y)
    while b != 0:
        a, b = b, a % b
    return a


_scalar_gcd = compiled(_gcd)


@implements("math.gcd")
def _choose_math_gcd_implementation(x, y):
    return _scalar_gcd if is_integer_or_bool(x) and is_integer_or_bool(y) else None


def _lcm(x, y):
    divisor = _scalar_gcd(x, y)
    return divisor if divisor == 0 else abs(x // divisor * y)


def _logaddexp(x, y):
    if x == y:  # also for infinities
        return x + math.log(2.0)
    return max(x, y) + math.log1p(math.exp(-abs(x - y)))


def _logaddexp2(x, y):
    if x == y:
        return x + 1.0
    return max(x, y) + math.log1p(math.pow(2.0, -abs(x - y))) / math.log(2.0)


def _float_power(x, y):
    return x**y


def _spacing(x):
    return (
        np.nextafter(abs(x), type(x)(math.inf)) - abs(x)
        if x >= 0
        else abs(x) - np.nextafter(abs(x), type(x)(math.inf))
    )


def _isneginf(x):
    return x < 0 and math.isinf(x)


def _isposinf(x):
    return x > 0 and math.isinf(x)


def _has_imaginary_part(x):
    return x.imag != 0


def _has_no_imaginary_part(x):
    return x.imag == 0


_implement_elementwise("gcd", "biu", _gcd, _replace_bool_by_int8)
_implement_elementwise("lcm", "biu", _lcm, _replace_bool_by_int8)
_implement_elementwise("logaddexp", "biuf", _logaddexp, _to_float_dtype)
_implement_elementwise("logaddexp2", "biuf", _logaddexp2, _to_float_dtype)
_implement_elementwise("float_power", "biufc", _float_power, _to_double_dtype)
_implement_elementwise("spacing", "biuf", _spacing, _to_float_dtype)
_implement_elementwise("isneginf", "biuf", _isneginf)
_implement_elementwise("isposinf", "biuf", _isposinf)
_implement_elementwise("iscomplex", "biufc", _has_imaginary_part)
_implement_elementwise("isreal", "biufc", _has_no_imaginary_part)


def _implement_for_dtype_kinds(name, kinds, scalar):
    """Implements np.name, which the compiler has for other kinds, for elements of these kinds that share one dtype."""
    count = scalar.__code__.co_argcount
    scalar = compiled(scalar)

    @implements(f"numpy.{name}")
    def choose_implementation(*arguments):
        inputs = arguments[:count]
        known = all(
            is_array(a) or is_number_or_bool(a) or is_date_or_timedelta(a) for a in arguments
        )
        if not known or len(arguments) not in (count, count + 1):
            return None
        if any(get_element_dtype(a) != get_element_dtype(inputs[0]) for a in inputs):
            return None
        if get_element_dtype(inputs[0]).kind not in kinds:
            return None
        if len(arguments) > count:
            return _make_elementwise_writer(scalar, count)
        if any(is_array(a) for a in inputs):
            return make_elementwise_function(scalar, get_element_dtype(inputs[0]), count)
        return scalar


def _round_complex(x):
    return type(x)(complex(np.rint(x.real), np.rint(x.imag)))


def _sign_of_complex(x):
    return type(x)(x / abs(x)) if x != 0 else x


def _max_time(x, y):
    return x if np.isnat(x) or x > y else y


def _min_time(x, y):
    return x if np.isnat(x) or x < y else y


def _fmax_time(x, y):
    return x if np.isnat(y) or x > y else y


def _fmin_time(x, y):
    return x if np.isnat(y) or x < y else y


_implement_for_dtype_kinds("rint", "c", _round_complex)
_implement_for_dtype_kinds("sign", "c", _sign_of_complex)
_implement_for_dtype_kinds("maximum", "mM", _max_time)
_implement_for_dtype_kinds("minimum", "mM", _min_time)
_implement_for_dtype_kinds("fmax", "mM", _fmax_time)
_implement_for_dtype_kinds("fmin", "mM", _fmin_time)


@implements("numpy.divmod")
def _choose_divmod_implementation(x, y, quotient=None, rest=None):
    return _divmod if is_absent_or_none(quotient) else _divmod_into


def _divmod_into(x, y, quotient, rest):
    return np.floor_divide(x, y, quotient), np.remainder(x, y, rest)


def _divmod(x, y):
    return np.floor_divide(x, y), np.remainder(x, y)


def _float_sinc(x):
    return type(x)(np.sinc(x))


def _complex_sinc(x):
    if x == 0:
        return type(x)(1)
    turn = math.pi * x
    return type(x)(np.sin(turn) / turn)


def _integer_sinc(x):
    return np.sinc(x)


@implements("numpy.sinc")
def _choose_sinc_implementation(x):
    kind = get_element_dtype(x).kind if is_array(x) or is_number_or_bool(x) else ""
    if kind == "c":
        scalar, element = compiled(_complex_sinc), get_element_dtype(x)
    elif is_array(x) and kind == "f":
        scalar, element = compiled(_float_sinc), get_element_dtype(x)
    elif is_array(x) and kind in "biu":
        scalar, element = compiled(_integer_sinc), np.dtype(np.float64)
    else:
        return None
    return make_elementwise_function(scalar, element, 1) if is_array(x) else scalar


@implements("numpy.angle")
def _choose_angle_implementation(z, deg=None):
    if is_array(z):
        return _specialize_angle(
            np.dtype(np.float32 if get_element_dtype(z) in (np.float32, np.complex64) else float)
        )
    return None if deg is None or not is_number_or_bool(z) else _angle_of_number


def _angle_of_number(z, deg):
    return np.angle(z) * (180 / math.pi if deg else 1.0)


@functools.cache
def _specialize_angle(element):
    def compute_angles(z, deg=False):
        out = np.empty(z.shape, element)
        for index in np.ndindex(z.shape):
            out[index] = np.angle(z[index]) * (180 / math.pi if deg else 1.0)
        return out

    return compute_angles


@implements("numpy.nan_to_num")
def _choose_nan_to_num_implementation(x, copy=None, nan=None, posinf=None, neginf=None):
    if is_array(x) and get_element_dtype(x).kind in "fc":
        return _replace_nonfinite
    if is_array(x) or not is_number_or_bool(x) or get_element_dtype(x).kind != "c":
        return None
    return _replace_nonfinite_complex


def _replace_nonfinite(x, copy=True, nan=0.0, posinf=None, neginf=None):
    out = x.copy() if copy else x
    for index in np.ndindex(out.shape):
        out[index] = np.nan_to_num(out[index], True, nan, posinf, neginf)
    return out


def _replace_nonfinite_complex(x, copy=True, nan=0.0, posinf=None, neginf=None):
    return type(x)(
        complex(
            np.nan_to_num(x.real, True, nan, posinf, neginf),
            np.nan_to_num(x.imag, True, nan, posinf, neginf),
        )
    )
