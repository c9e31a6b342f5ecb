"""The page that animates a traced block, as one self-contained HTML file."""

import itertools
import json
from html import escape

from heddle.checking.sources import display_name, get_lines
from heddle.support.html_document import format_html_document
from heddle.tracing.page_script import SCRIPT
from heddle.tracing.page_style import STYLE
from heddle.tracing.summary import describe_trace, list_cost_texts_and_slowness, sum_costs_by_line

_whole_file = 400  # lines; of longer files, the page has the lines around the steps
_lines_around = 40
_aligned_bytes = 128


def format_page(trace):
    """The page for a Trace."""
    launch, counts = describe_trace(trace).split("\n")
    # "</" would end the script element.
    data = json.dumps(make_page_data(trace), separators=(",", ":")).replace("</", "<\\/")
    body = f"""\
<header>
<h1>{escape(launch)}</h1>
<p>{escape(counts)}{_format_note_if_cut(trace)}</p>
</header>
{_body}
<script type="application/json" id="trace">{data}</script>
<script>{SCRIPT}</script>"""
    return format_html_document(f"heddle trace: {trace.kernel}", STYLE, body)


_body = """\
<main>
<section id="source" aria-label="source"></section>
<div id="state">
<section>
<h2>Lanes <span class="legend">
<i class="active"></i>active <i class="idle"></i>inactive <i class="waiting"></i>at a barrier <i class="ended"></i>ended
</span></h2>
<div id="lanes"></div>
</section>
<section>
<h2>Memory requests of <span id="warp-name"></span></h2>
<p id="now" aria-live="polite"></p>
<div id="requests"></div>
</section>
</div>
</main>
<footer>
<canvas id="timeline" title="Time runs to the right, one row for each warp. Click to go to a step."></canvas>
<input id="slider" type="range" min="0" value="0" aria-label="step">
<div id="controls">
<button id="first" title="first step (Home)" aria-label="first step">|&#x25C0;&#xFE0E;</button>
<button id="back" title="one step back (Left)" aria-label="one step back">&#x25C0;&#xFE0E;</button>
<button id="play" title="play or pause (Space)" aria-label="play or pause">&#x25B6;&#xFE0E;</button>
<button id="next" title="one step on (Right)" aria-label="one step on">&#x25B6;&#xFE0E;</button>
<button id="last" title="last step (End)" aria-label="last step">&#x25B6;&#xFE0E;|</button>
<output id="count"></output>
<label>speed <select id="speed"><option value="1">1</option><option value="3">3</option>
<option value="6" selected>6</option><option value="15">15</option><option value="60">60</option></select>
per second</label>
<span class="keys">Space: play, Left and Right: step, Up and Down: warp</span>
</div>
</footer>
"""


def _format_note_if_cut(trace):
    return ". <strong>The trace is cut off at its limit of steps.</strong>" if trace.is_cut else ""


def make_page_data(trace):
    """The trace as an object for ``json.dumps``, which the page's script reads."""
    costs = sum_costs_by_line(trace)
    names = list(dict.fromkeys(line.place.file for line in costs))
    places = [line.place for line in costs]
    numbers = {(place.file, place.line): number for number, place in enumerate(places)}
    arrays = _Arrays(trace)
    return {
        "blockShape": trace.block_shape,
        "end": trace.end,
        "files": [
            _make_file_excerpt(name, [p for p in places if p.file == name]) for name in names
        ],
        "places": [
            [names.index(p.file), p.line, list_cost_texts_and_slowness(c)]
            for p, c in zip(places, costs, strict=True)
        ],
        "arrays": arrays.names,
        "warps": [
            {
                "lanes": trace.get_lane_mask_of_warp(number),
                "steps": [
                    [
                        numbers[step.place.file, step.place.line],
                        step.lanes,
                        step.tick,
                        step.wait,
                        [arrays.make_row_of_request(request) for request in step.requests],
                    ]
                    for step in steps
                ],
            }
            for number, steps in enumerate(trace.warps)
        ],
    }


def _make_file_excerpt(name, places):
    """A file's name, the number of the first line that the page shows, and the lines."""
    lines = [line.rstrip("\r\n").expandtabs(4) for line in get_lines(places[0])]
    first, last = 1, len(lines)
    if last > _whole_file:
        first = max(1, min(place.line for place in places) - _lines_around)
        last = min(last, max(place.line for place in places) + _lines_around)
    return {"name": display_name(name), "first": first, "lines": lines[first - 1 : last]}


class _Arrays:
    """The arrays of a trace. Their addresses count from the first one that the trace accesses, rounded down."""

    def __init__(self, trace):
        starts = {}
        for steps in trace.warps:
            for step in steps:
                for request in step.requests:
                    key = self._make_array_key(request)
                    start = 0 if request.is_shared else min(request.addresses)
                    starts[key] = min(starts.get(key, start), start)
        self.names = [array for array, _ in starts]
        self._numbers = {key: number for number, key in enumerate(starts)}
        self._starts = {
            key: start // _aligned_bytes * _aligned_bytes for key, start in starts.items()
        }

    @staticmethod
    def _make_array_key(request):
        return request.array, request.is_shared

    def make_row_of_request(self, request):
        key = self._make_array_key(request)
        addresses = [address - self._starts[key] for address in request.addresses]
        return [
            request.op,
            self._numbers[key],
            int(request.is_shared),
            request.size,
            request.lanes,
            request.units,
            request.needed,
            _compress_addresses(addresses),
        ]


def _compress_addresses(addresses):
    """Addresses with a common stride as [first, stride, count], others as an object with a list."""
    stride = addresses[1] - addresses[0] if len(addresses) > 1 else 0
    if all(b - a == stride for a, b in itertools.pairwise(addresses)):
        return [addresses[0], stride, len(addresses)]
    return {"each": addresses}
