"""Complete programs with dicts, sets and lists in host functions, in the style of numba programs."""

import numpy as np
import pytest

from heddle import njit

pytestmark = pytest.mark.usefixtures("everything_is_freed")


def life(n):
    """Conway's game of life on an unbounded plane: the live cells are a set."""
    alive = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
    for _ in range(n):
        neighbours = {}
        for x, y in alive:
            for dx in range(-1, 2):
                for dy in range(-1, 2):
                    if dx != 0 or dy != 0:
                        place = (x + dx, y + dy)
                        neighbours[place] = neighbours.get(place, 0) + 1
        after = set()
        for place, count in neighbours.items():
            if count == 3 or (count == 2 and place in alive):
                after.add(place)
        alive = after
    return alive


def topological_order(n):
    after, waits_for = {}, {}
    for i in range(1, n):
        before = i // 2
        if before not in after:
            after[before] = []
        after[before].append(i)
        waits_for[i] = waits_for.get(i, 0) + 1
    order, ready = [], [0]
    while ready:
        node = ready.pop(0)
        order.append(node)
        if node in after:
            for other in after[node]:
                waits_for[other] -= 1
                if waits_for[other] == 0:
                    ready.append(other)
    return order


def two_that_add_up(n):
    values = [(i * 37) % 101 for i in range(n)]
    seen = {}
    for i, v in enumerate(values):
        if 100 - v in seen:
            return seen[100 - v], i
        seen[v] = i
    return -1, -1


def longest_collatz(n):
    lengths = {1: 1}
    best = 1
    for start in range(2, 50 * n):
        path, x = [start], start
        while x not in lengths:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            path.append(x)
        length = lengths[path.pop()]
        while path:
            length += 1
            lengths[path.pop()] = length
        if lengths[start] > lengths[best]:
            best = start
    return best, lengths[best], len(lengths)


def shortest_ways(n):
    """Dijkstra's algorithm, with the nearest node searched in a dict."""
    edges = {}
    for i in range(n):
        edges[i] = {}
        edges[i][(i + 1) % n] = 2.0
        edges[i][(i * i) % n] = 3.5
    distance = {0: 0.0}
    done = set()
    while len(done) < len(distance):
        nearest, best = -1, np.inf
        for node, d in distance.items():
            if node not in done and d < best:
                nearest, best = node, d
        done.add(nearest)
        for other, length in edges[nearest].items():
            if best + length < distance.get(other, np.inf):
                distance[other] = best + length
    return distance


def sparse_product(n):
    a, b = {}, {}
    for i in range(n):
        a[(i, (i * 3) % n)] = i + 1.0
        b[((i * 2) % n, i)] = i - 2.0
    rows = {}
    for (i, k), x in b.items():
        if i not in rows:
            rows[i] = [(k, x)]
        else:
            rows[i].append((k, x))
    out = {}
    for (i, k), x in a.items():
        if k in rows:
            for j, y in rows[k]:
                out[(i, j)] = out.get((i, j), 0.0) + x * y
    return out


def components(n):
    parent = {i: i for i in range(3 * n)}
    for a, b in [(i, (i * 5) % (3 * n)) for i in range(n)]:
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        parent[a] = b
    groups = {}
    for i in parent:
        root = i
        while parent[root] != root:
            root = parent[root]
        if root not in groups:
            groups[root] = set()
        groups[root].add(i)
    return sorted([len(group) for group in groups.values()])


def runs(n):
    text = "aaabccd" * n
    out, counts = [], {}
    i = 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        out.append((text[i], j - i))
        counts[text[i]] = max(counts.get(text[i], 0), j - i)
        i = j
    return out, counts


def letters_of_words(n):
    of_length = {}
    for word in "a heddle lifts the warps of a loom".split():
        if len(word) not in of_length:
            of_length[len(word)] = {word}
        of_length[len(word)].add(word[: n - 5])
    return of_length, {c for c in "warp and weft"}


PROGRAMS = [
    *(life, topological_order, two_that_add_up, longest_collatz, shortest_ways, sparse_product),
    *(components, runs, letters_of_words),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_do_what_they_do_in_python(program):
    assert njit(program)(8) == program(8)


def test_means_of_groups_of_arrays():
    def means(keys, values):
        totals = {}
        counts = {}
        for i in range(keys.size):
            k = keys[i]
            if k in totals:
                totals[k] += values[i]
                counts[k] += 1
            else:
                totals[k] = values[i].copy()
                counts[k] = 1
        out = {}
        for k in totals:
            out[k] = totals[k] / counts[k]
        return out

    keys = np.array([3, 1, 3, 2, 1])
    values = np.arange(10.0).reshape(5, 2)
    got, expected = njit(means)(keys, values), means(keys, values)
    assert list(got) == list(expected)
    for k in got:
        np.testing.assert_array_equal(got[k], expected[k])
