"""Quicksort without recursion: a row a thread, with a stack in local memory."""

import numba
import numpy as np
from numba import cuda


@cuda.jit(device=True)
def swap(a, i, j):
    kept = a[i]
    a[i] = a[j]
    a[j] = kept


@cuda.jit(device=True)
def part(a, low, high):
    pivot = a[high]
    last = low - 1
    for j in range(low, high):
        if a[j] <= pivot:
            last += 1
            swap(a, last, j)
    swap(a, last + 1, high)
    return last + 1


@cuda.jit
def sort_rows(m):
    row = cuda.grid(1)
    if row < m.shape[0]:
        a = m[row]
        stack = cuda.local.array(64, numba.int32)
        stack[0], stack[1], top = 0, a.shape[0] - 1, 1
        while top >= 0:
            high = stack[top]
            low = stack[top - 1]
            top -= 2
            middle = part(a, low, high)
            if middle - 1 > low:
                stack[top + 1], stack[top + 2] = low, middle - 1
                top += 2
            if middle + 1 < high:
                stack[top + 1], stack[top + 2] = middle + 1, high
                top += 2


m = np.random.default_rng(0).integers(0, 100, (5, 20))
expected = np.sort(m, axis=1)
sort_rows[1, 8](m)
print((m == expected).all())
