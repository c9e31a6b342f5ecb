"""Heat spreading over a plate: many launches, with the data staying on the device.

Each step computes every point's next temperature from its four neighbours. A thread cannot know when all others are
done with a step, but a launch does: launches on one stream run in order, each after all threads of the one before.
So a step is a launch, reading one array and writing another, and the two change places. ``to_device`` and
``copy_to_host`` move the plate once, not once per step.
"""

import numpy as np

from heddle import cuda

SPEED = 0.2  # of the spreading; above 0.25 the steps are too coarse and the temperatures run away


@cuda.jit
def step(old, new):
    x, y = cuda.grid(2)
    if y >= old.shape[0] or x >= old.shape[1]:
        return
    if y == 0 or x == 0 or y == old.shape[0] - 1 or x == old.shape[1] - 1:
        new[y, x] = old[y, x]  # the edge keeps its temperature
    else:
        around = old[y - 1, x] + old[y + 1, x] + old[y, x - 1] + old[y, x + 1]
        new[y, x] = old[y, x] + SPEED * (around - 4 * old[y, x])


def step_with_numpy(old):
    new = old.copy()
    around = old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:]
    new[1:-1, 1:-1] += SPEED * (around - 4 * old[1:-1, 1:-1])
    return new


def run(n, steps=50):
    """Heat a plate of n x n points along its left edge. Returns the kernel's temperatures and NumPy's."""
    plate = np.zeros((n, n))
    plate[:, 0] = 100.0

    old, new = cuda.to_device(plate), cuda.device_array_like(plate)
    blocks = ((n + 31) // 32, (n + 7) // 8)
    for _ in range(steps):
        step[blocks, (32, 8)](old, new)
        old, new = new, old
    got = old.copy_to_host()

    for _ in range(steps):
        plate = step_with_numpy(plate)
    return got, plate


def main(n=256, steps=500):
    got, expected = run(n, steps)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)
    print(f"a {n} x {n} plate, 100 degrees at its left edge, after {steps} steps:")
    for column in range(0, min(n, 40), 4):
        print(
            f"  {column:3d} points in  {got[n // 2, column]:6.2f}  "
            + "=" * int(got[n // 2, column] / 2)
        )


if __name__ == "__main__":
    main()
