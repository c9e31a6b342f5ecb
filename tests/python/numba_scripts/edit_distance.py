"""How many changes make one word of another, for every pair of some words."""

import numpy as np
from numba import njit


@njit
def distance(a, b):
    row = np.arange(len(b) + 1)
    for i in range(len(a)):
        before = row[0]
        row[0] = i + 1
        for k in range(len(b)):
            change = before + (a[i] != b[k])
            before = row[k + 1]
            row[k + 1] = min(change, row[k] + 1, before + 1)
    return row[-1]


@njit
def nearest(word, words):
    best = words[0]
    for other in words[1:]:
        if distance(word, other) < distance(word, best):
            best = other
    return best


KNOWN = ("kitten", "sitting", "straße", "日本語")
print(distance("kitten", "sitting"), distance("", "abc"))
print([nearest(word, KNOWN) for word in ("mitten", "setting", "strasse", "日本")])
