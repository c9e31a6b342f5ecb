"""The message of a finding: one sentence that names the memory and the mistake."""

from heddle.checking.lints import format_lint_message
from heddle.checking.sources import is_cpp

_titles = {
    "barrier": "divergent barrier",
    "warp": "wrong mask of a warp operation",
    "division": "integer division or remainder by zero",
    "leak": "leak of the device heap",
}
_done = {
    "read": "read",
    "write": "written",
    "atomic": "updated by an atomic operation",
    "free": "freed",
}
_accesses_to = {"read": "read of", "write": "write to", "atomic": "atomic operation on"}

# How the accesses of a race are unordered.
_unordered = {
    "barrier": "without a barrier in between",
    "warp": "by threads of a warp without a `syncwarp` in between",
    "blocks": "by different blocks, which nothing orders",
    "fence": "by threads that hold the same lock, but a fence is missing",
    "scope": "with a scope that does not include both threads",
    "atomic": "by another thread without an atomic operation",
    "copy": "while the asynchronous copy may be in flight",
    "same value": "by several threads, with the same value each time",
    "compare": "without an atomic operation; the value is only compared in a compare-and-swap",
}


def describe_finding(raw, accesses):
    """The message of a finding. raw: the dict from the runtime."""
    if raw["kind"] == "lint":
        return format_lint_message(raw, accesses)
    if raw["kind"] == "race":
        place = f" on {raw['space']} memory" if raw["space"] else ""
        if raw["why"] == "streams":
            return f"race{place}: {format_element(raw, accesses)} is {_describe_streams(*accesses)}"
        pair, order = _describe_two_operations(*accesses), _describe_missing_order(raw)
        return f"race{place}: {format_element(raw, accesses)} is {pair} {order}"
    if raw["kind"] == "uninit":
        use = _describe_undefined_use(raw, accesses)
        return f"uninitialized {raw['space']} memory: {format_element(raw, accesses)} {use}"
    if raw["kind"] in ("bounds", "misaligned") and accesses:
        adjective = {"bounds": "out-of-bounds", "misaligned": "misaligned"}[raw["kind"]]
        why = split_hint(raw["why"])[0]
        if why.startswith("tuple index") or not (raw["array"] or raw["space"]):
            return f"{adjective} index: {why}"
        name = f"`{raw['array']}`" if raw["array"] else f"{raw['space']} memory"
        return f"{adjective} {_accesses_to[accesses[0].op]} {name}: {why}"
    title = None if raw["why"].endswith("wait or have ended") else _titles.get(raw["kind"])
    return f"{title}: {raw['why']}" if title else raw["why"]


def split_hint(why):
    """The text of an error message, and the hint after it."""
    text, _, hint = why.partition("\n  hint: ")
    return text, hint


def format_element(raw, accesses):
    """An element as the program writes it, ``s[1, 2]``, in backquotes."""
    if not raw["array"]:
        return "an element"
    if not raw["element"]:
        return f"`{raw['array']}`"
    separator = "][" if accesses and is_cpp(accesses[0].file) else ", "
    return f"`{raw['array']}[{separator.join(map(str, raw['element']))}]`"


def _describe_two_operations(first, second):
    if first.op == second.op:
        return f"{_done[first.op]} twice"
    return f"{_done[first.op]} and {_done[second.op]}"


def _describe_streams(first, second):
    where, other = (access.operation.stream for access in (first, second))
    again = "" if first.op == second.op else f"{_done[second.op]} "
    return f"{_done[first.op]} in {where} and {again}in {other}, and nothing orders the two"


def _describe_undefined_use(raw, accesses):
    if accesses and accesses[0].op == "atomic":
        return "is updated by an atomic operation, but nothing was stored there before"
    read = f", after the read in line {raw['loaded']['line']}" if raw.get("loaded") else ""
    return f"is used{read}, but nothing was stored there before"


def _describe_missing_order(raw):
    return _unordered.get(raw["why"]) or f"by threads that nothing orders: {raw['why']}"
