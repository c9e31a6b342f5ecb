"""Programs in pages: running them as a notebook runs its cells, and comparing what they print with the page."""

import linecache
import re


class CellRunner:
    """Runs cells in one namespace. capfd: pytest's fixture, which captures what they print."""

    def __init__(self, capfd):
        self._capfd = capfd
        self._names = {"__name__": "__main__"}
        self._files = []

    def run(self, text):
        """Runs a cell as IPython does. Returns what it prints."""
        file = f"<cell {len(self._files)} of {id(self)}>"
        self._files.append(file)
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        exec(compile(text, file, "exec"), self._names)
        return self._capfd.readouterr().out

    def close(self):
        for file in self._files:
            linecache.cache.pop(file, None)


def is_shown(printed, shown):
    """True if the page shows what a cell prints. Times and rates of this machine may differ."""
    pattern = re.escape(shown.rstrip())
    number = r"(\\ )*\d[\d\\.]*(?=\\ (ms|us|GB/s|GFLOP/s)\b)"
    pattern = re.sub(number, r" *[\\d.]+", pattern)
    return re.fullmatch(pattern, printed.rstrip()) is not None
