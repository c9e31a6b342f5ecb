"""Complex numbers in kernels: two floats, each with an error bound."""

import arithmetic as ar


class Complex:
    __slots__ = ("re", "im")

    def __init__(self, re, im):
        self.re = re
        self.im = im

    def __repr__(self):
        return f"({self.re!r}, {self.im!r})"


def from_python(z):
    return Complex(z.real, z.imag)


def to_complex64(z):
    return Complex(ar.f32(z.re), ar.f32(z.im))


def to_complex128(z):
    return z


def complex_neg(z):
    return Complex(ar.neg(z.re), ar.neg(z.im))


def conjugate(z):
    return Complex(z.re, ar.neg(z.im))


def complex_truth(z):
    return ar.truth(z.re) or ar.truth(z.im)


def complex_eq(a, b):
    return ar.eq(a.re, b.re) and ar.eq(a.im, b.im)


def complex_ne(a, b):
    return not complex_eq(a, b)


def make_operators(part):
    """The operators on complex numbers with parts of the type `part`: a dict of functions."""
    add, sub, mul = (ar.float_operators[op][part] for op in ("add", "sub", "mul"))

    def product(a, b):
        re = sub(mul(a.re, b.re), mul(a.im, b.im))
        return Complex(re, add(mul(a.re, b.im), mul(a.im, b.re)))

    return {
        f"complex_add_{part}": lambda a, b: Complex(add(a.re, b.re), add(a.im, b.im)),
        f"complex_sub_{part}": lambda a, b: Complex(sub(a.re, b.re), sub(a.im, b.im)),
        f"complex_mul_{part}": product,
    }
