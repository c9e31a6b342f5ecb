"""Labelled programs of a suite, and the comparison of the checker's findings with their labels."""

from collections.abc import Callable
from dataclasses import dataclass, field

import heddle


@dataclass(frozen=True)
class Mistake:
    """A labelled mistake. lines: the lines of the source that take part in it; None if the label does not say.

    other_kind: the kind of a second finding that the mistake may cause.
    """

    kind: str
    lines: frozenset[int] | None = None
    other_kind: str = ""

    def is_at_lines(self, finding):
        """True if the finding names no other line."""
        return self.lines is None or {access.line for access in finding.accesses} <= self.lines

    def matches(self, finding):
        return finding.kind == self.kind and self.is_at_lines(finding)

    def explains(self, finding):
        return finding.kind in (self.kind, self.other_kind) and self.is_at_lines(finding)


@dataclass(frozen=True)
class Program:
    """A program of a suite. run: compiles and launches its kernels. No mistakes: the program is clean.

    unlabelled: kinds of findings about which the labels say nothing.
    """

    name: str
    run: Callable[[], None]
    mistakes: tuple[Mistake, ...] = ()
    unlabelled: tuple[str, ...] = ()


@dataclass
class Result:
    """missed: mistakes without a finding of their kind. misplaced: mistakes that are found at other lines only."""

    program: Program
    missed: list[Mistake] = field(default_factory=list)
    misplaced: list[Mistake] = field(default_factory=list)
    false_alarms: list = field(default_factory=list)
    failure: str = ""

    def describe(self):
        """Sentences about the differences between findings and labels."""
        if self.failure:
            yield f"fails: {self.failure}"
        for words, mistakes in ("is missed", self.missed), ("is at other lines", self.misplaced):
            for mistake in mistakes:
                yield f"{mistake.kind} of lines {sorted(mistake.lines or ())} {words}"
        for finding in self.false_alarms:
            lines = sorted({access.line for access in finding.accesses})
            yield f"false alarm in lines {lines}: {finding.message}"


def check(program):
    """Runs a program under the checker."""
    result = Result(program)
    with heddle.check(print=False, lints=False) as report:
        try:
            program.run()
        except Exception as error:  # any: of a program that someone else wrote
            result.failure = f"{type(error).__name__}: {error}"
    errors = report.errors
    for mistake in program.mistakes:
        if not any(map(mistake.matches, errors)):
            is_found = any(finding.kind == mistake.kind for finding in errors)
            (result.misplaced if is_found else result.missed).append(mistake)
    result.false_alarms = [
        finding
        for finding in errors
        if finding.kind not in program.unlabelled
        and not any(mistake.explains(finding) for mistake in program.mistakes)
    ]
    return result


def summarize(results):
    """The rows of the table, one for each kind of mistake and one for clean programs: (label, programs, found, at their
    lines, with false alarms, failed)."""
    kinds = sorted({mistake.kind for result in results for mistake in result.program.mistakes})
    for kind in kinds:
        concerned = [r for r in results if any(m.kind == kind for m in r.program.mistakes)]
        found = [r for r in concerned if not any(m.kind == kind for m in r.missed)]
        placed = [r for r in found if not any(m.kind == kind for m in r.misplaced)]
        yield kind, len(concerned), len(found), len(placed), *_count_problems(concerned)
    clean = [result for result in results if not result.program.mistakes]
    yield "clean", len(clean), "", "", *_count_problems(clean)


def _count_problems(results):
    """The numbers of programs with false alarms, and of those that raised an exception."""
    alarms = sum(bool(result.false_alarms) for result in results)
    return alarms, sum(bool(result.failure) for result in results)
