"""The results of warp operations for the lanes that take part."""

import functools
import operator

from arithmetic import Ambiguous


class Diverged(Exception):
    """Threads wait for each other at different places."""


def compute_answers(requests):
    """The answer for each lane. requests: lane -> (operation, mask, type of the value, value, ...), for all lanes that
    have not returned."""
    lanes = sorted(requests)
    asked = {request[:3] for request in requests.values()}
    if len(asked) != 1:
        raise Diverged
    ((operation, mask, _),) = asked
    if any(not mask >> lane & 1 for lane in lanes):
        raise Diverged
    values = {lane: requests[lane][3] for lane in lanes}
    if operation in _sources:
        return {lane: _compute_shuffle(operation, lane, requests[lane], values) for lane in lanes}
    if operation == "match_any":
        return {
            lane: _to_signed(_make_lane_mask(n for n in lanes if values[n] == values[lane]))
            for lane in lanes
        }
    return dict.fromkeys(lanes, _compute_common_answer(operation, values))


def _make_lane_mask(lanes):
    return sum(1 << lane for lane in lanes)


def _to_signed(word):
    return word - (1 << 32) if word >> 31 else word


_folds = {"add": operator.add, "and": operator.and_, "or": operator.or_, "xor": operator.xor}
_folds |= {"min": min, "max": max}


def _compute_common_answer(operation, values):
    """The answer that all lanes get."""
    given = list(values.values())
    if operation == "syncwarp":
        return None
    if operation in ("all", "any"):
        return all(given) if operation == "all" else any(given)
    if operation == "eq":
        return len(set(given)) == 1
    if operation == "ballot":
        return _to_signed(_make_lane_mask(lane for lane, value in values.items() if value))
    if operation == "match_all":
        same = len(set(given)) == 1
        return (_to_signed(_make_lane_mask(values)) if same else 0), same
    return functools.reduce(_folds[operation.removeprefix("reduce_")], given)


def _up(lane, n, width):
    return lane - n if lane % width >= n else lane


def _down(lane, n, width):
    return lane + n if lane % width + n < width else lane


def _xor(lane, n, width):
    return lane ^ n if (lane ^ n) < (lane // width + 1) * width else lane


# The lane that each lane reads.
_sources = {
    "index": lambda lane, n, width: lane // width * width + n % width,
    "up": _up,
    "down": _down,
    "xor": _xor,
}


def _compute_shuffle(operation, lane, request, values):
    *_, own, n, width = request
    if operation != "index" and n >= 32:
        raise Ambiguous("a distance beyond the warp")
    source = _sources[operation](lane, n, width)
    if source not in values:
        raise Ambiguous("the value of a lane that is not there")
    return values[source]
