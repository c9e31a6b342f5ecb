"""Heat diffusion in a plate: many launches, with the data staying on the device.

Each step computes every point's next temperature from its four neighbors. A thread cannot tell when all others have
finished a step, but launches on one stream run in order: each starts after all threads of the previous one. So each
step is a launch that reads one array and writes the other, and the arrays swap roles. ``to_device`` and
``copy_to_host`` copy the plate once, not once per step.
"""

import numpy as np

from heddle import cuda

SPEED = 0.2  # diffusion number; the scheme is unstable above 0.25


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
    """Heats an n x n plate along its left edge. Returns the temperatures of the kernel and of NumPy."""
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
