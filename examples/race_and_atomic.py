"""A race, and the atomic that fixes it.

``total[0] += 1`` has three steps: read, add, write. If two threads read the same old value, both write the same new
value and one count is lost. Nothing fails; the result is just wrong, and differs from run to run. ``cuda.atomic.add``
performs the three steps as one.
"""

import numpy as np

from heddle import cuda


@cuda.jit
def count_with_a_race(values, limit, total):
    i = cuda.grid(1)
    if i < values.size and values[i] < limit:
        total[0] += 1


@cuda.jit
def count(values, limit, total):
    i = cuda.grid(1)
    if i < values.size and values[i] < limit:
        cuda.atomic.add(total, 0, 1)


def launch(kernel, values, limit):
    total = np.zeros(1, np.int64)
    threads = 128
    kernel[(values.size + threads - 1) // threads, threads](values, limit, total)
    return total


def run(n):
    """Counts how many of n random numbers are below 0.5. Returns the counts of the atomic kernel and of NumPy."""
    values = np.random.default_rng(3).random(n)
    return launch(count, values, 0.5), np.count_nonzero(values < 0.5)


def main(n=10_000_000):
    values = np.random.default_rng(3).random(n)
    expected = np.count_nonzero(values < 0.5)
    counts = [int(launch(count_with_a_race, values, 0.5)[0]) for _ in range(3)]
    mended = int(launch(count, values, 0.5)[0])
    assert mended == expected

    print(f"of {n:,} numbers, {expected:,} are below a half (says NumPy)")
    for attempt in counts:
        print(f"  with the race:   {attempt:>9,}   {expected - attempt:,} lost")
    if all(attempt == expected for attempt in counts):
        print(
            "  (lucky: no two blocks counted at the same moment; a busy machine may run them one by one)"
        )
    print(f"  with the atomic: {mended:>9,}   none lost")


if __name__ == "__main__":
    main()
