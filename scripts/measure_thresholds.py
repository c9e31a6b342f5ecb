"""Lists the kernels whose code depends on each threshold of src/simt/thresholds.def.

    python scripts/measure_thresholds.py                            all thresholds, with 1/4 and 4 times the value
    python scripts/measure_thresholds.py maxSmallCodeSize --factors 0.5,2
    python scripts/measure_thresholds.py --write                   also writes the results into thresholds.def

Compiles the kernels of benchmarks/cpu.py for this CPU and, as PTX, for a GPU, and the host functions of
benchmarks/host.py. Needs no GPU and no idle machine: it compares code, not times.
"""

import argparse
import hashlib
import re
import sys
from pathlib import Path
from unittest.mock import MagicMock

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import cpu_rows  # noqa: E402
import heddle  # noqa: E402
import host_programs  # noqa: E402
from heddle import _heddle, cuda  # noqa: E402

DEFINITIONS = ROOT / "src" / "simt" / "thresholds.def"
COMMENT = re.compile(r"(#|//).*")


def read_thresholds():
    """Reads the thresholds and their values from thresholds.def: name -> value."""
    rows = re.findall(r"^THRESHOLD\((\w+), (\d+),", DEFINITIONS.read_text(), re.MULTILINE)
    return {name: int(value) for name, value in rows}


def compute_fingerprint(text):
    code = [COMMENT.sub("", line).strip() for line in text.splitlines()]
    code = [line for line in code if line and not line.startswith((".loc", ".file", ".ident"))]
    return hashlib.sha1("\n".join(code).encode()).hexdigest()[:12]


class Programs:
    """The kernels and host functions of the benchmarks."""

    def __init__(self):
        peers = MagicMock()
        self.rows = [*cpu_rows.make_tutorial_rows(peers), *cpu_rows.make_suite_rows(peers)]
        self.signatures = {}  # of the host functions
        for name, (function, make_arguments) in host_programs.make_programs(heddle).items():
            function(*make_arguments())
            self.signatures[name] = list(getattr(function, "signatures", ()))

    def compute_fingerprints(self):
        """The fingerprint of the code of each program, compiled anew."""
        found = {}
        for row in self.rows:
            kernel = cuda.jit(row.kernel)
            grid, block = row.launch
            one_block = tuple(1 for _ in grid) if isinstance(grid, tuple) else 1
            kernel[one_block, block](*row.arguments)
            found[f"CPU: {row.name}"] = compute_fingerprint("".join(kernel.inspect_asm().values()))
            ptx, _ = cuda.compile_ptx(row.kernel, kernel.signatures[0], cc=(9, 0))
            found[f"GPU: {row.name}"] = compute_fingerprint(ptx)
        for name, (function, _) in host_programs.make_programs(heddle).items():
            for signature in self.signatures[name]:
                function.compile(signature)
                text = "".join(function.inspect_asm().values())
                found[f"host: {name}"] = compute_fingerprint(text)
        return found


def describe_programs(names, most=3):
    """The first names, and the number of the others."""
    short = [re.sub(r",.*| \d+$", "", name) for name in names]
    others = [f"{len(names) - most} more"] if len(names) > most else []
    return "; ".join(short[:most] + others) or "none"


def write_results(name, results):
    """Writes the results above the threshold's row, instead of earlier ones."""
    row = re.compile(rf"((?:// changes .*\n)*)(?=THRESHOLD\({name}, )")
    lines = "".join(f"// changes at {result}\n" for result in results)
    DEFINITIONS.write_text(row.sub(lambda match: lines, DEFINITIONS.read_text(), count=1))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="thresholds (default: all)")
    parser.add_argument("--factors", default="0.25,4", help="of the defined values (0.25,4)")
    parser.add_argument(
        "--write", action="store_true", help="write the results into thresholds.def"
    )
    options = parser.parse_args()
    defined = read_thresholds()
    programs = Programs()
    usual = programs.compute_fingerprints()
    if programs.compute_fingerprints() != usual:
        sys.exit("the code of a program differs between two compilations")
    print(f"{len(usual)} programs")
    for name in options.names or defined:
        results = []
        for factor in map(float, options.factors.split(",")):
            value = max(0, round(defined[name] * factor))
            before = _heddle.change_threshold(name, value)
            changed = [p for p, code in programs.compute_fingerprints().items() if code != usual[p]]
            _heddle.change_threshold(name, before)
            results.append(f"{value}: {describe_programs(changed)}")
        print(f"{name} {defined[name]}, {', '.join(results)}", flush=True)
        if options.write:
            write_results(name, results)


if __name__ == "__main__":
    main()
