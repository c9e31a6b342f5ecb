"""Checks the subjects of the newest commits: a verb first, then the thing; at most 120 columns; no period at the end.

scripts/check_commits.py [RANGE]    a range as `git log` takes it (the newest ten commits)
"""

import subprocess
import sys

VERBS = (
    *("Add", "Check", "Clean", "Document", "Fix", "Measure", "Move", "Reduce", "Refactor"),
    *("Release", "Remove", "Rename", "Revert", "Speed", "Support", "Test"),
)
MOST_COLUMNS = 120


def list_subjects(which):
    command = ["git", "log", "--first-parent", "--no-merges", "--format=%h %s", *which]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def find_problem(subject):
    """The problem with a subject; empty if there is none."""
    verb, _, thing = subject.partition(" ")
    if verb not in VERBS or not thing[:1].strip():
        return f"begin with a verb: {', '.join(VERBS)}"
    if len(subject) > MOST_COLUMNS:
        return f"{len(subject)} columns, more than {MOST_COLUMNS}"
    return "no period at the end" if subject.endswith(".") else ""


def main(arguments):
    failed = False
    for line in list_subjects(arguments or ["-10"]):
        commit, subject = line.split(" ", 1)
        if why := find_problem(subject):
            print(f"commit {commit}: '{subject}': {why}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
