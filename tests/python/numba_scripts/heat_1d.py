# Solves the heat equation on a rod: all steps in one launch of one block, ping-pong between two rows.
import numpy as np
from numba import cuda

size = 401
# Initial conditions: a spike in the middle
data = np.zeros(size)
data[size // 2] = 10000
buf_0 = cuda.to_device(data)
# Make an empty array to store the next state
buf_1 = cuda.device_array_like(buf_0)
niter = 500


@cuda.jit
def solve_heat_equation(buf_0, buf_1, timesteps, k):
    i = cuda.grid(1)

    # Don't continue if our index is outside the domain
    if i >= len(buf_0):
        return

    for step in range(timesteps):
        # Select the buffer from the previous timestep
        if (step % 2) == 0:
            data = buf_0
            next_data = buf_1
        else:
            data = buf_1
            next_data = buf_0

        # Get the current temperature associated with this point
        curr_temp = data[i]

        # Apply formula from finite difference equation
        if i == 0:
            # Left wall is held at T = 0
            next_temp = curr_temp + k * (data[i + 1] - (2 * curr_temp))
        elif i == len(data) - 1:
            # Right wall is held at T = 0
            next_temp = curr_temp + k * (data[i - 1] - (2 * curr_temp))
        else:
            # Interior points are a weighted average of their neighbors
            next_temp = curr_temp + k * (data[i - 1] - (2 * curr_temp) + data[i + 1])

        # Write new value to the next buffer
        next_data[i] = next_temp

        # Wait for every thread to write before moving on
        cuda.syncthreads()


solve_heat_equation[1, 512](buf_0, buf_1, niter, 0.25)
results = buf_0.copy_to_host()

expected = data
for _ in range(niter):
    padded = np.pad(expected, 1)
    expected = expected + 0.25 * (padded[:-2] - 2 * expected + padded[2:])
np.testing.assert_allclose(results, expected, rtol=1e-9, atol=1e-9)
print(round(results.sum()))
