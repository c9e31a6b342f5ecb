"""Loops in kernels: over conditions, ranges, tuples, arrays, and enumerate, zip and reversed of them.

A loop over a tuple of different types has a copy of its body for each item, since the types of its variables differ.
"""

import ast
from dataclasses import dataclass

import arithmetic as ar
from kernel_types import (
    ArrayType,
    Untranslatable,
    convert_to_truth,
    format_dotted_name,
    is_integer,
    merge_variables,
)


class Loop:
    """The types of the variables at a loop's start and after it.

    flag: the variable that records a break in a loop with copied bodies.
    """

    def __init__(self, head, flag=None):
        self.head = head
        self.exit = None
        self.flag = flag
        self.continues = []
        self.breaks = []


@dataclass
class Items:
    """The code of a Python iterable, and the type of all items or of each item.

    copied: whether each iteration has a copy of the body even if all items have the same type.
    """

    code: str
    all: object = None
    each: tuple | None = None
    copied: bool = False

    def get_item_type(self, i):
        return self.each[i] if self.each is not None else self.all

    @property
    def has_varying_types(self):
        """True if each iteration needs a separate copy of the body."""
        return self.each is not None and (
            self.copied or not self.each or any(t != self.each[0] for t in self.each)
        )


class Loops:
    def do_While(self, node, env, depth):
        return self.translate_loop(node, env, depth, lambda head: (head, []))

    def do_For(self, node, env, depth):
        items = self.translate_iterable(node.iter, env)
        if items.has_varying_types:
            return self.translate_copied_loop(node, items, env, depth)
        counter = self.make_temporary()
        t = items.get_item_type(0)

        def start(head):
            lines, inside = self.translate_assignment(node.target, counter, t, head, depth + 1)
            return inside, lines

        return self.translate_loop(node, env, depth, start, f"for {counter} in {items.code}:")

    # Iterables

    def translate_iterable(self, node, env):
        call = format_dotted_name(node.func) if isinstance(node, ast.Call) else ""
        if call == "range":
            return self.range_items(node, env)
        if call in ("enumerate", "zip", "reversed", "cuda.literal_unroll"):
            return getattr(self, f"{call.rpartition('.')[2]}_items")(node, env)
        code, t = self.translate_expression(node, env)
        if isinstance(t, tuple):
            return Items(code, each=tuple(t))
        if isinstance(t, ArrayType):
            return Items(
                f"{code}.items()", t.element if t.ndim == 1 else ArrayType(t.element, t.ndim - 1)
            )
        raise Untranslatable(f"a loop over {t}")

    def range_items(self, node, env):
        bounds = [self.translate_scalar(a, env) for a in node.args]
        types = [t for _, t in bounds]
        if not all(is_integer(t) for t in types):
            raise Untranslatable("a range of other things than integers")
        narrow = all(ar.bits[t] < 32 or t == "int32" for t in types)
        unsigned = all(t == "uint64" for t in types)
        return Items(
            f"range({', '.join(code for code, _ in bounds)})",
            "int32" if narrow else "uint64" if unsigned else "int64",
        )

    def enumerate_items(self, node, env):
        inner = self.translate_iterable(node.args[0], env)
        start, _ = (
            self.translate_scalar(node.args[1], env) if len(node.args) > 1 else ("0", "int64")
        )
        code = f"enumerate({inner.code}, {start})"
        if inner.each is None:
            return Items(code, ("int64", inner.all))
        return Items(code, each=tuple(("int64", t) for t in inner.each), copied=inner.copied)

    def zip_items(self, node, env):
        inner = [self.translate_iterable(a, env) for a in node.args]
        code = f"zip({', '.join(i.code for i in inner)})"
        if not any(i.has_varying_types for i in inner):
            return Items(code, tuple(i.get_item_type(0) for i in inner))
        if any(i.each is None for i in inner):
            raise Untranslatable("copies of a loop whose length is not known")
        rounds = min(len(i.each) for i in inner)
        each = tuple(tuple(i.each[r] for i in inner) for r in range(rounds))
        return Items(code, each=each, copied=True)

    def reversed_items(self, node, env):
        inner = self.translate_iterable(node.args[0], env)
        if isinstance(node.args[0], ast.Call) and format_dotted_name(node.args[0].func) != "range":
            raise Untranslatable("reversed() of a call")
        each = inner.each and inner.each[::-1]
        return Items(f"reversed(list({inner.code}))", inner.all, each, inner.copied)

    def literal_unroll_items(self, node, env):
        inner = self.translate_iterable(node.args[0], env)
        if inner.each is None:
            raise Untranslatable("literal_unroll of something else than a tuple")
        return Items(inner.code, each=inner.each, copied=True)

    # Rounds

    def translate_loop(self, node, env, depth, start, header=None):
        pad = "    " * depth
        loop = Loop(dict(env))
        while True:
            loop.continues, loop.breaks = [], []
            head, exit_ = loop.head, loop.exit
            first = header
            if first is None:
                first = f"while {convert_to_truth(*self.translate_expression(node.test, head))}:"
            inside, lines = start(head)
            self.loops.append(loop)
            more, end = self.translate_block(node.body, inside, depth + 1)
            self.loops.pop()
            lines = lines + more
            if end is not None:
                lines += self.convert_variables(
                    end, {n: t for n, t in head.items() if n in end}, depth + 1
                )
            no_break, after_else = self.translate_block(node.orelse, head, depth + 1)
            if header is None and self.evaluate_condition(node.test, head):
                no_break, after_else = [], None
            merged = merge_variables(env, head, end, *loop.continues)
            new_head = {name: t for name, t in merged.items() if name in env}
            new_exit = merge_variables(exit_, after_else, *loop.breaks)
            if (new_head, new_exit) == (head, exit_):
                break
            loop.head, loop.exit = new_head, new_exit
        if after_else is not None and exit_ is not None:
            kept = {n: t for n, t in exit_.items() if n in after_else}
            no_break += self.convert_variables(after_else, kept, depth + 1)
        lines = [
            *self.convert_variables(env, head, depth),
            pad + first,
            *(lines or [pad + "    pass"]),
        ]
        if no_break:
            lines += [pad + "else:", *no_break]
        return lines, exit_

    def translate_copied_loop(self, node, items, env, depth):
        """A copy of the body for each item, one after another:

        for _once in (0,):
            item = ...
            for _round in (0,): a copy, which `continue` leaves; `break` also sets the flag
            if flag: break
            ...
        else: the body of the loop's else
        """
        pad, whole, flag = "    " * depth, self.make_temporary(), self.make_temporary()
        exit_ = None
        while True:
            lines = [f"{pad}{whole} = list({items.code})", f"{pad}for _once in (0,):"]
            breaks, after = [], env
            for i, t in enumerate(items.each):
                if after is None:
                    break
                copy, after, left = self.translate_copy(
                    node, f"{whole}[{i}]", t, after, exit_, flag, depth + 1
                )
                lines += copy
                breaks += left
            no_break, after_else = [], None
            if after is not None:
                no_break, after_else = self.translate_block(node.orelse, after, depth + 1)
            new_exit = merge_variables(exit_, after_else, *breaks)
            if new_exit == exit_:
                break
            exit_ = new_exit
        if after_else is not None and exit_ is not None:
            kept = {n: t for n, t in exit_.items() if n in after_else}
            no_break += self.convert_variables(after_else, kept, depth + 1)
        if len(lines) == 2:
            lines.append(pad + "    pass")
        if no_break:
            lines += [pad + "else:", *no_break]
        return lines, exit_

    def translate_copy(self, node, code, t, env, exit_, flag, depth):
        """Translates one iteration. Returns (lines, the variables after it, the variables at each break)."""
        pad = "    " * depth
        loop = Loop(None, flag)
        loop.exit = exit_
        while True:
            loop.continues, loop.breaks = [], []
            lines, inside = self.translate_assignment(node.target, code, t, env, depth)
            self.loops.append(loop)
            body, end = self.translate_block(node.body, inside, depth + 1)
            self.loops.pop()
            after = merge_variables(loop.head, end, *loop.continues)
            if after == loop.head:
                break
            loop.head = after
        if end is not None:
            body += self.convert_variables(
                end, {n: t for n, t in after.items() if n in end}, depth + 1
            )
        lines += [
            f"{pad}{flag} = False",
            f"{pad}for _round in (0,):",
            *(body or [pad + "    pass"]),
        ]
        if loop.breaks:
            lines += [f"{pad}if {flag}: break"]
        return lines, after, loop.breaks

    def do_Break(self, node, env, depth):
        loop = self.loops[-1]
        lines, after = self.translate_leave("break", loop.exit, loop.breaks, env, depth)
        if loop.flag:
            lines.insert(0, f"{'    ' * depth}{loop.flag} = True")
        return lines, after

    def do_Continue(self, node, env, depth):
        loop = self.loops[-1]
        return self.translate_leave(
            "break" if loop.flag else "continue", loop.head, loop.continues, env, depth
        )

    def translate_leave(self, word, to, list_, env, depth):
        list_.append(env)
        lines = []
        if to is not None:
            lines = self.convert_variables(env, {n: t for n, t in to.items() if n in env}, depth)
        return [*lines, "    " * depth + word], None
