"""Prints src/runtime/cpu/code/bessel_roots.h, the roots of Bessel functions below 8 with their Taylor series.

It needs mpmath: python scripts/bessel_roots.py > src/runtime/cpu/code/bessel_roots.h
"""

import mpmath

HEADER = """\
// Made by scripts/bessel_roots.py: the roots of the Bessel functions J0, J1, Y0 and Y1 below 8.
#pragma once

namespace heddle::cpu {

/// A root of a function, in two doubles, and the function's Taylor coefficients at the root, from the first derivative.
struct RootSeries {
  double high, low;
  long double coefficients[8];
};

// clang-format off
"""
FOOTER = """
// clang-format on

} // namespace heddle::cpu"""

# The name of the table, the function, its order and the search for its n-th root.
FUNCTIONS = [
    ("rootsOfJ0", mpmath.besselj, 0, mpmath.besseljzero),
    ("rootsOfJ1", mpmath.besselj, 1, mpmath.besseljzero),
    ("rootsOfY0", mpmath.bessely, 0, mpmath.besselyzero),
    ("rootsOfY1", mpmath.bessely, 1, mpmath.besselyzero),
]
DEGREE = 8


def roots_below_8(order, zero):
    """The positive roots. At the root 0 of J1, libm is exact."""
    n = 1
    while (root := zero(order, n)) < 8:
        yield root
        n += 1


def taylor_coefficients(function, order, root):
    """The coefficients of the powers 1 to DEGREE of x - root."""
    return mpmath.taylor(lambda x: function(order, x), root, DEGREE)[1:]


def row(function, order, root):
    high = float(root)
    low = float(root - high)
    series = taylor_coefficients(function, order, root)
    lines = [f"  {{{high.hex()}, {low.hex()},"]
    lines += [f"    {'{' if i == 0 else ' '}{mpmath.nstr(c, 24)}L," for i, c in enumerate(series)]
    return "\n".join(lines)[:-1] + "}},"


def main():
    mpmath.mp.dps = 60
    tables = []
    for name, function, order, zero in FUNCTIONS:
        rows = "\n".join(row(function, order, root) for root in roots_below_8(order, zero))
        tables.append(f"constexpr RootSeries {name}[] = {{\n{rows}\n}};")
    print(HEADER + "\n".join(tables) + FOOTER)


if __name__ == "__main__":
    main()
