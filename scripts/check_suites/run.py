"""Runs published programs with labels under the checker, and prints the differences and a table: see README.md."""

import argparse
import sys
from pathlib import Path

import gpuverify
import indigo
import sanitizer
import scor
from suites import check, summarize

SUITES = {"gpuverify": gpuverify, "indigo": indigo, "sanitizer": sanitizer, "scor": scor}
HEADS = ("suite", "label", "programs", "found", "at their lines", "with false alarms", "failed")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, suite in SUITES.items():
        parser.add_argument(f"--{name}", metavar="FOLDER", type=Path, help=suite.__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="programs with TEXT in the name")
    return parser.parse_args()


def check_all(name, programs):
    """The results of programs. Prints the differences."""
    results = []
    for program in programs:
        results.append(check(program))
        for sentence in results[-1].describe():
            print(f"{name} {program.name}: {sentence}", flush=True)
    return results


def main():
    """Returns true if findings and labels differ."""
    arguments = parse_arguments()
    results = {}
    for name, suite in SUITES.items():
        if folder := getattr(arguments, name):
            programs = (p for p in suite.list_programs(folder) if arguments.only in p.name)
            results[name] = check_all(name, programs)
    print("| " + " | ".join(HEADS) + " |\n|" + " --- |" * len(HEADS))
    for name, of_suite in results.items():
        for row in summarize(of_suite):
            print("| " + " | ".join(map(str, (name, *row))) + " |")
    return any(True for of_suite in results.values() for r in of_suite for _ in r.describe())


if __name__ == "__main__":
    sys.exit(main())
