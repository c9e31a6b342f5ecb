"""The table that ``heddle trace`` prints: what each line of the traced block has cost."""

import dataclasses

from heddle.checking.sources import display_name, get_line

_warp_size = 32
_heads = ("line", "runs", "active", "global", "sectors", "best", "shared", "ways", "waits")
_legend = """\
runs: by warps; active: share of a warp's 32 lanes; global, shared: requests of warps
sectors: of 32 bytes per global request; best: sectors for as many bytes without gaps
ways: of bank conflicts per shared request, 1 without conflicts; waits: steps at the barrier"""


@dataclasses.dataclass
class LineCosts:
    """The costs of a source line. runs: by warps. lanes: the active ones, summed over the runs.

    sectors, best, passes, best_passes: sums over the requests. waits: ticks that warps have waited, or None.
    """

    place: object
    runs: int = 0
    lanes: int = 0
    global_requests: int = 0
    sectors: int = 0
    best: int = 0
    shared_requests: int = 0
    passes: int = 0
    best_passes: int = 0
    waits: int | None = None

    def add_step(self, step):
        """Adds a step of a warp."""
        self.runs += 1
        self.lanes += step.lanes.bit_count()
        if step.wait == "barrier":
            self.waits = (self.waits or 0) + step.waited
        for request in step.requests:
            if request.is_shared:
                self.shared_requests += 1
                self.passes += request.units
                self.best_passes += request.needed
            else:
                self.global_requests += 1
                self.sectors += request.units
                self.best += request.needed


def sum_costs_by_line(trace):
    """The LineCosts of each line that the block has executed, in the order of files and lines."""
    lines = {}
    for steps in trace.warps:
        for step in steps:
            key = step.place.file, step.place.line
            lines.setdefault(key, LineCosts(step.place)).add_step(step)
    return [lines[key] for key in sorted(lines)]


def describe_trace(trace):
    """Names the launch, the block and its warps, on two lines."""
    at = f" at {display_name(trace.launch_file)}:{trace.launch_line}" if trace.launch_file else ""
    runs = sum(map(len, trace.warps))
    active = sum(step.lanes.bit_count() for steps in trace.warps for step in steps)
    share = f", {active / (_warp_size * runs):.0%} of the lanes active" if runs else ""
    counts = f"{_format_count_and_noun(len(trace.warps), 'warp')}, {_format_count_and_noun(trace.end, 'step')}"
    grid, block = _format_extents(trace.grid), _format_extents(trace.block_shape)
    return f"{trace.kernel}[{grid}, {block}]{at}, block {trace.block}\n{counts}{share}"


def _format_count_and_noun(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


def _format_extents(extents):
    """An extent such as 64 or (8, 8)."""
    used = extents[: max((n for n in (1, 2, 3) if extents[n - 1] > 1), default=1)]
    return str(used[0]) if len(used) == 1 else str(used)


def format_summary(trace):
    """The summary as text."""
    parts = [describe_trace(trace)]
    lines = sum_costs_by_line(trace)
    for file in dict.fromkeys(costs.place.file for costs in lines):
        parts.append(
            _format_file_table(file, [costs for costs in lines if costs.place.file == file])
        )
    if any(
        costs.waits is not None or costs.global_requests or costs.shared_requests for costs in lines
    ):
        parts.append(_legend)
    return "\n\n".join(parts)


def _format_file_table(file, lines):
    rows = [_heads, *map(_format_costs, lines)]
    sources = ["", *(get_line(costs.place).expandtabs(4) for costs in lines)]
    indent = min((len(s) - len(s.lstrip()) for s in sources if s.strip()), default=0)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    text = [display_name(file)]
    for row, source in zip(rows, sources, strict=True):
        cells = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        text.append(f"{'  '.join(cells)}   {source[indent:]}".rstrip())
    return "\n".join(text)


def _format_costs(costs):
    return (
        str(costs.place.line),
        str(costs.runs),
        f"{costs.lanes / (_warp_size * costs.runs):.0%}",
        _format_count(costs.global_requests),
        _format_ratio(costs.sectors, costs.global_requests),
        _format_ratio(costs.best, costs.global_requests),
        _format_count(costs.shared_requests),
        _format_ratio(costs.passes, costs.best_passes),
        "" if costs.waits is None else _format_ratio(costs.waits, costs.runs),
    )


def _format_count(count):
    return str(count) if count else ""


def _format_ratio(sum, count):
    return f"{sum / count:.1f}".removesuffix(".0") if count else ""


def list_cost_texts_and_slowness(costs):
    """The costs of a line as (text, whether it is slow) pairs for the page."""
    parts = []
    active = costs.lanes / (_warp_size * costs.runs)
    if active < 1:
        parts.append((f"{active:.0%} active", active <= 0.5))
    if costs.global_requests:
        sectors = _format_ratio(costs.sectors, costs.global_requests)
        text = f"{sectors} sector{'' if sectors == '1' else 's'}"
        parts.append((text, costs.sectors >= 2 * costs.best))
    if costs.shared_requests:
        ways = _format_ratio(costs.passes, costs.best_passes)
        parts.append((f"{ways}-way", costs.passes >= 2 * costs.best_passes))
    if costs.waits is not None:
        parts.append((f"waits {_format_ratio(costs.waits, costs.runs)}", False))
    return parts
