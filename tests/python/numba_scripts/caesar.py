"""Letters moved by some places in the alphabet, and moved back; the words of a text by length."""

from numba import njit


@njit
def shifted(text, places):
    out = ""
    for c in text:
        code = ord(c)
        if 97 <= code <= 122:
            out += chr((code - 97 + places) % 26 + 97)
        elif c.isupper():
            out += chr((code - 65 + places) % 26 + 65)
        else:
            out += c
    return out


@njit
def by_length(text):
    words = text.lower().replace(",", "").split()
    return sorted(words, key=lambda word: len(word), reverse=True)


@njit
def report(words):
    lines = [str(len(word)).rjust(3) + " " + word.center(9, "*") for word in words]
    return "\n".join(lines)


secret = shifted("Hello, World", 3)
assert shifted(secret, -3) == "Hello, World"
print(secret)
print(report(by_length("The quick, brown fox jumped")))
