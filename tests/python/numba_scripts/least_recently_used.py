"""A cache of a class with typed dicts, which forgets what was not used for the longest time."""

from numba import int64, njit, types
from numba.experimental import jitclass
from numba.typed import Dict


@jitclass(
    [
        ("capacity", int64),
        ("clock", int64),
        ("values", types.DictType(int64, int64)),
        ("used", types.DictType(int64, int64)),
    ]
)
class Cache:
    def __init__(self, capacity):
        self.capacity = capacity
        self.clock = 0
        self.values = Dict.empty(int64, int64)
        self.used = Dict.empty(int64, int64)

    def get(self, key, default):
        if key not in self.values:
            return default
        self.clock += 1
        self.used[key] = self.clock
        return self.values[key]

    def put(self, key, value):
        if key not in self.values and len(self.values) >= self.capacity:
            oldest, when = -1, self.clock + 1
            for k, t in self.used.items():
                if t < when:
                    oldest, when = k, t
            self.values.pop(oldest)
            self.used.pop(oldest)
        self.clock += 1
        self.values[key] = value
        self.used[key] = self.clock


c = Cache(3)
for k in (1, 2, 3):
    c.put(k, k * 10)
c.get(1, 0)
c.put(4, 40)
print(c.get(2, -1), c.get(1, -1), sorted(c.values.keys()), len(c.used), c.clock)


@njit
def hits(c, n):
    h, x = 0, 7
    for i in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        k = (x >> 16) % 6
        if c.get(k, -1) >= 0:
            h += 1
        else:
            c.put(k, i)
    return h


print(hits(c, 1000))
