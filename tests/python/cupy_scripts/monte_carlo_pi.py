import cupy as cp

xp = cp.get_array_module(cp.zeros(1))
xp.random.seed(7)
points = xp.random.uniform(-1, 1, (100000, 2))
inside = (xp.linalg.norm(points, axis=1) <= 1).mean()
print(f"{4 * float(inside):.2f}", type(inside) is cp.ndarray, xp.__name__ != "numpy")
