"""Words that read the same backwards, and how often each letter is in them."""

from numba import njit


@njit
def is_palindrome(text):
    plain = text.lower().replace(" ", "").replace(",", "")
    return plain == plain[::-1] and len(plain) > 1


@njit
def find(lines):
    found = [line for line in lines if is_palindrome(line)]
    letters = ""
    for line in found:
        for c in line:
            if c.isalpha() and c not in letters:
                letters += c
    counts = [0 for _ in letters]
    for line in found:
        for i, c in enumerate(letters):
            counts[i] += line.count(c)
    return found, letters, counts


LINES = ("A man, a plan, a canal, panama", "hello", "été", "no lemon, no melon", "x")
found, letters, counts = find(LINES)
print(found)
print(letters, counts)
