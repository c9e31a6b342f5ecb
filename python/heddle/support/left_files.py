"""Values that processes leave as JSON files in a folder, for the process that started them."""

import json
import os


def write_process_result(folder, value):
    """Writes the value of this process."""
    with open(os.path.join(folder, f"{os.getpid()}.json"), "w", encoding="utf-8") as file:
        json.dump(value, file)


def read_process_results(folder):
    """Yields the values in the order of the files' names, without those that are incomplete."""
    for name in sorted(os.listdir(folder)):
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                value = json.load(file)
        except ValueError:  # the process was killed while it wrote
            continue
        yield value
