"""The means of the parts of an array, largest first, as text."""

import numpy as np
from numba import njit


@njit
def means(values, count):
    out = []
    for part in np.array_split(values, count):
        out.append(part.mean())
    return sorted(out, reverse=True)


@njit
def summary(values, count):
    texts = []
    for mean in means(values, count):
        texts.append(str(int(mean)))
    return " > ".join(texts), len(texts)


text, count = summary(np.arange(20.0) ** 2, 3)
print(text, count)
