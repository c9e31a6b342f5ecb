"""Device functions: compose a kernel from small functions.

Kernels and other device functions call a function under ``@cuda.jit(device=True)``. It is compiled for the argument
types of each call, and may return several values as a tuple. Here: the great-circle distance from each of many places
to the nearest airport.
"""

import math

import numpy as np

from heddle import cuda

EARTH_RADIUS = 6371.0  # mean, in km

AIRPORTS = np.array(
    [[52.36, 13.51], [-33.95, 151.18], [40.64, -73.78], [-22.81, -43.25], [35.55, 139.78]]
)


@cuda.jit(device=True)
def on_unit_sphere(latitude, longitude):
    """Converts degrees to a point (x, y, z) on the unit sphere."""
    u, v = math.radians(latitude), math.radians(longitude)
    return math.cos(u) * math.cos(v), math.cos(u) * math.sin(v), math.sin(u)


@cuda.jit(device=True)
def distance(here, there):
    """The great-circle distance in km; here and there are (latitude, longitude) in degrees."""
    x1, y1, z1 = on_unit_sphere(here[0], here[1])
    x2, y2, z2 = on_unit_sphere(there[0], there[1])
    chord = math.sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2 + (z1 - z2) ** 2)
    return 2 * EARTH_RADIUS * math.asin(min(1.0, chord / 2))


@cuda.jit
def find_nearest(places, airports, nearest, km):
    i = cuda.grid(1)
    if i >= places.shape[0]:
        return
    best = math.inf
    for k in range(airports.shape[0]):
        d = distance((places[i, 0], places[i, 1]), (airports[k, 0], airports[k, 1]))
        if d < best:
            best = d
            nearest[i] = k
    km[i] = best


def distances_with_numpy(places, airports):
    (lat1, lon1), (lat2, lon2) = (
        np.radians(places).T[:, :, None],
        np.radians(airports).T[:, None, :],
    )
    h = (
        np.sin((lat1 - lat2) / 2) ** 2
        + np.cos(lat1) * np.cos(lat2) * np.sin((lon1 - lon2) / 2) ** 2
    )
    return 2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.minimum(h, 1)))


def run(n):
    """Finds the nearest airport of n random places. Returns the distances in km of the kernel and of NumPy."""
    rng = np.random.default_rng(7)
    places = np.column_stack(
        [np.degrees(np.arcsin(rng.uniform(-1, 1, n))), rng.uniform(-180, 180, n)]
    )
    nearest, km = np.zeros(n, np.int32), np.zeros(n)
    find_nearest[(n + 127) // 128, 128](places, AIRPORTS, nearest, km)
    return km, distances_with_numpy(places, AIRPORTS).min(axis=1)


def main(n=200_000):
    km, expected = run(n)
    np.testing.assert_allclose(km, expected, rtol=1e-9, atol=1e-6)
    print(
        f"{n:,} places on Earth: the nearest of {len(AIRPORTS)} airports is {km.mean():,.0f} km away on average"
    )


if __name__ == "__main__":
    main()
