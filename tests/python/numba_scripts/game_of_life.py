import numpy as np
from numba import cuda


@cuda.jit
def life_step(board, out):
    row, col = cuda.grid(2)
    rows, cols = board.shape
    if row >= rows or col >= cols:
        return
    neighbours = 0
    for dr in range(-1, 2):
        for dc in range(-1, 2):
            if not (dr == 0 and dc == 0):
                neighbours += board[(row + dr) % rows, (col + dc) % cols]
    alive = board[row, col] == 1
    out[row, col] = 1 if neighbours == 3 or (alive and neighbours == 2) else 0


glider = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=np.uint8)
board = np.zeros((32, 32), dtype=np.uint8)
board[:3, :3] = glider

current = cuda.to_device(board)
following = cuda.device_array_like(board)
for generation in range(4 * 16):
    life_step[(4, 4), (8, 8)](current, following)
    current, following = following, current

# A glider moves by one cell down and right every four generations.
result = current.copy_to_host()
np.testing.assert_array_equal(result, np.roll(board, (16, 16), axis=(0, 1)))
print(result.sum())
