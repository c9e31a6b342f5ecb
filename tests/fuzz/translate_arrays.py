"""Arrays and records in kernels: elements, views, fields, assignments to them, atomics."""

import ast

import arithmetic as ar
import oracle
from kernel_types import (
    ArrayType,
    RecordType,
    Untranslatable,
    complexes,
    convert_code,
    format_dotted_name,
    is_float,
    is_number,
)


def _evaluate_literal(node):
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        raise Untranslatable("something else than a literal") from None


class Arrays:
    # Subscripts

    def on_Subscript(self, node, env):
        code, t = self.translate_expression(node.value, env)
        if isinstance(t, tuple):
            return self.translate_tuple_item(code, t, node.slice)
        if isinstance(t, RecordType):
            return self.translate_field(code, t, _evaluate_literal(node.slice))
        if not isinstance(t, ArrayType):
            raise Untranslatable(f"an index of {t}")
        items, ndim = self.translate_indices(node.slice, env, t)
        if ndim is None:
            return f"{code}.get({items})", t.element
        return f"{code}.view({items})", ArrayType(t.element, ndim)

    def translate_tuple_item(self, code, t, index):
        if isinstance(index, ast.Slice):
            bounds = [b and _evaluate_literal(b) for b in (index.lower, index.upper, index.step)]
            chosen = slice(*bounds)
            return f"{code}[{chosen!r}]", tuple(t)[chosen]
        i = _evaluate_literal(index)
        if not isinstance(i, int) or not -len(t) <= i < len(t):
            raise Untranslatable("this index of a tuple")
        return f"{code}[{i}]", t[i]

    def translate_indices(self, node, env, t):
        """The code of the indices, and the number of dimensions of the result; None for an element."""
        nodes = node.elts if isinstance(node, ast.Tuple) else [node]
        items, used, kept, is_view = [], 0, 0, False
        for item in nodes:
            if isinstance(item, ast.Slice):
                bounds = [
                    "None" if bound is None else self.translate_index(bound, env)
                    for bound in (item.lower, item.upper, item.step)
                ]
                items.append(f"slice({', '.join(bounds)})")
                used, kept, is_view = used + 1, kept + 1, True
            elif isinstance(item, ast.Constant) and item.value is Ellipsis:
                items.append("Ellipsis")
                is_view = True
            elif isinstance(item, ast.Constant) and item.value is None:
                items.append("None")
                kept, is_view = kept + 1, True
            else:
                items.append(self.translate_index(item, env))
                used += 1
        if used > t.ndim or items.count("Ellipsis") > 1:
            raise Untranslatable("these indices")
        whole = used == t.ndim and not is_view
        return ", ".join(items), None if whole else t.ndim - used + kept

    def translate_index(self, node, env):
        code, t = self.translate_scalar(node, env)
        if is_float(t) or t == "bool":
            raise Untranslatable(f"an index of type {t}")
        return code

    # Assignment

    def translate_store(self, target, code, t, env):
        """The code for `target = code`."""
        if isinstance(target, ast.Attribute) or self.is_field(target, env):
            record, i, field = self.translate_assigned_field(target, env)
            return f"{record}.put_field({convert_code(code, t, field)}, {i})"
        array, array_type = self.translate_expression(target.value, env)
        if not isinstance(array_type, ArrayType):
            raise Untranslatable("an item of something else than an array")
        items, ndim = self.translate_indices(target.slice, env, array_type)
        element = array_type.element
        if ndim is None:
            return f"{array}.put({self.convert_to_element(code, t, element)}, {items})"
        value = f"{array}.view({items}).assign"
        if isinstance(t, ArrayType):
            return f"{value}({code}, lambda _v: {convert_code('_v', t.element, element)})"
        return f"{value}({convert_code(code, t, element)})"

    def convert_to_element(self, code, t, element):
        if isinstance(element, RecordType):
            if t != element:
                raise Untranslatable("another record")
            return code
        return convert_code(code, t, element)

    def translate_update(self, target, op, value, value_type, env):
        """The lines for `target op= value`."""
        if isinstance(target, ast.Attribute) or self.is_field(target, env):
            record, i, field = self.translate_assigned_field(target, env)
            whole = self.make_temporary()
            code, t = self.translate_binary(op, f"{whole}.get_field({i})", field, value, value_type)
            return [
                f"{whole} = {record}",
                f"{whole}.put_field({convert_code(code, t, field)}, {i})",
            ]
        array, array_type = self.translate_expression(target.value, env)
        if not isinstance(array_type, ArrayType) or not is_number(array_type.element):
            raise Untranslatable("an item of something else than an array of numbers")
        items, ndim = self.translate_indices(target.slice, env, array_type)
        element = array_type.element
        if ndim is None:
            whole, places = self.make_temporary(), self.make_temporary()
            code, t = self.translate_binary(
                op, f"{whole}.get(*{places})", element, value, value_type
            )
            return [
                f"{whole} = {array}",
                f"{places} = ({items},)",
                f"{whole}.put({convert_code(code, t, element)}, *{places})",
            ]
        other = value_type.element if isinstance(value_type, ArrayType) else value_type
        code, t = self.translate_binary(op, "_x", element, "_y", other)
        return [
            f"{array}.view({items}).update({value}, lambda _x, _y: {convert_code(code, t, element)})"
        ]

    # Records

    def is_field(self, target, env):
        return isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str)

    def translate_assigned_field(self, target, env):
        """(code of the record, index of the field, its type) of an assigned field."""
        record, t = self.translate_expression(target.value, env)
        if not isinstance(t, RecordType):
            raise Untranslatable("a field of something else than a record")
        i, field = t.field(target.attr if isinstance(target, ast.Attribute) else target.slice.value)
        if not is_number(field):
            raise Untranslatable("assignment to a record in a record")
        return record, i, field

    def translate_field(self, code, t, name):
        i, field = t.field(name)
        return f"{code}.{'get_field' if is_number(field) else 'inner'}({i})", field

    # Views

    def translate_array_method(self, code, t, node, env):
        name = node.func.attr
        if name == "ravel" and not node.args:
            return f"{code}.reshape(({code}.size,))", ArrayType(t.element, 1)
        if name == "transpose":
            axes = [_evaluate_literal(a) for a in node.args]
            axes = axes[0] if len(axes) == 1 and isinstance(axes[0], tuple) else axes
            if axes and sorted(axes) != list(range(t.ndim)):
                raise Untranslatable("these axes")
            return f"{code}.transpose({tuple(axes) or tuple(range(t.ndim))[::-1]})", t
        if name == "reshape":
            one = len(node.args) == 1 and isinstance(node.args[0], ast.Tuple)
            extents = [
                self.translate_index(a, env) for a in (node.args[0].elts if one else node.args)
            ]
            return f"{code}.reshape(({', '.join(extents)},))", ArrayType(t.element, len(extents))
        raise Untranslatable(f"the method {name}")

    # Shared and local arrays

    def parse_shape_and_type(self, node):
        shape = _evaluate_literal(node.args[0])
        shape = shape if isinstance(shape, tuple) else (shape,)
        element = format_dotted_name(node.args[1]).rpartition(".")[2].rstrip("_")
        if element not in (*oracle.scalars, "float16", *complexes) or min(shape) <= 0:
            raise Untranslatable("this array")
        return shape, element

    def call_cuda_shared_array(self, node, env):
        shape, element = self.parse_shape_and_type(node)
        site = (node.lineno, node.col_offset)
        if site not in self.program.shared_arrays:
            self.program.shared_arrays.append(site)
        which = self.program.shared_arrays.index(site)
        return f"_c.shared({which}, {shape})", ArrayType(element, len(shape))

    def call_cuda_local_array(self, node, env):
        shape, element = self.parse_shape_and_type(node)
        return f"packed({shape})", ArrayType(element, len(shape))

    # Atomics

    def translate_atomic(self, name, node, env):
        if len(node.args) != (4 if name == "cas" else 3):
            raise Untranslatable("a wrong number of arguments")
        array, t = self.translate_expression(node.args[0], env)
        if not isinstance(t, ArrayType) or t.element not in oracle.scalars:
            raise Untranslatable("this atomic")
        if ar.bits[t.element] < 32:
            raise Untranslatable("this atomic")
        if is_float(t.element) and name not in ("add", "sub", "min", "max", "nanmin", "nanmax"):
            raise Untranslatable("this atomic")
        if name == "compare_and_swap":
            items, name, rest = "0", "cas", node.args[1:]
            if t.ndim != 1:
                raise Untranslatable("this atomic")
        else:
            (items, ndim), rest = self.translate_indices(node.args[1], env, t), node.args[2:]
            if ndim is not None:
                raise Untranslatable("this atomic")
        values = ", ".join(convert_code(*self.translate_scalar(a, env), t.element) for a in rest)
        if name == "cas":
            values = f"({values})"
        return f"{array}.change(_atomic_{name}_{t.element}, {values}, {items})", t.element
