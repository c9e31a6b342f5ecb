"""Types defined by a program with numba.extending's low-level names, in kernels and in host functions."""

import gc
import operator
import pickle
import sys
from collections import namedtuple

import numpy as np
import pytest

from heddle import cuda, float64, njit, typeof, types
from heddle.errors import ArgumentError, LoweringError, TypingError
from heddle.extending import (
    NativeValue,
    box,
    lower_builtin,
    lower_getattr,
    lower_setattr,
    make_attribute_wrapper,
    models,
    overload,
    overload_attribute,
    overload_method,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)

ir = pytest.importorskip("llvmlite.ir")

from heddle.codegen import cgutils  # noqa: E402 - needs llvmlite
from heddle.compat.numba.code_registries import registry  # noqa: E402
from heddle.extension.typing import (  # noqa: E402
    AttributeTemplate,
    ConcreteTemplate,
    bound_function,
    infer_getattr,
    infer_global,
)


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


class PointType(types.Type):
    """The type of points whose numbers have the type ``dtype``."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(name=f"Point({dtype})")


@typeof_impl.register(Point)
def typeof_point(val, c):
    return PointType(typeof(val.x))


@register_model(PointType)
class PointModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("x", fe_type.dtype), ("y", fe_type.dtype)])


make_attribute_wrapper(PointType, "x", "x")
make_attribute_wrapper(PointType, "y", "y")


@type_callable(Point)
def type_point(context):
    def typer(x, y):
        if x == y and isinstance(x, types.Number):
            return PointType(x)

    return typer


@lower_builtin(Point, types.Number, types.Number)
def make_point(context, builder, sig, args):
    point = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    point.x, point.y = args
    return point._getvalue()


@unbox(PointType)
def unbox_point(typ, obj, c):
    point = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    for name in ("x", "y"):
        part = c.pyapi.object_getattr_string(obj, name)
        setattr(point, name, c.unbox(typ.dtype, part).value)
        c.pyapi.decref(part)
    failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    return NativeValue(point._getvalue(), is_error=failed)


@box(PointType)
def box_point(typ, val, c):
    point = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
    parts = [c.box(typ.dtype, point.x), c.box(typ.dtype, point.y)]
    point_class = c.pyapi.unserialize(c.pyapi.serialize_object(Point))
    made = c.pyapi.call_function_objargs(point_class, parts)
    for part in (*parts, point_class):
        c.pyapi.decref(part)
    return made


@overload(operator.add)
def add_points(a, b):
    if isinstance(a, PointType) and isinstance(b, PointType):
        return lambda a, b: Point(a.x + b.x, a.y + b.y)


@overload(operator.mul)
def scale_point(a, b):
    if isinstance(b, PointType) and isinstance(a, types.Number):
        return lambda a, b: Point(a * b.x, a * b.y)


@overload(operator.eq)
def points_are_equal(a, b):
    if isinstance(a, PointType) and isinstance(b, PointType):
        return lambda a, b: a.x == b.x and a.y == b.y


@overload(operator.contains)
def point_holds(point, number):
    if isinstance(point, PointType):
        return lambda point, number: point.x == number or point.y == number


@overload(operator.getitem)
def part_of_point(point, i):
    if isinstance(point, PointType):
        return lambda point, i: point.y if i else point.x


@overload_method(PointType, "dot")
def dot(a, b):
    return lambda a, b: a.x * b.x + a.y * b.y


@overload_attribute(PointType, "square")
def square(a):
    return lambda a: a.dot(a)


class Scene:
    def __init__(self, heights, origin):
        self.heights, self.origin = heights, origin


class SceneType(types.Type):
    def __init__(self, heights):
        self.heights = heights
        super().__init__(f"Scene({heights})")


@typeof_impl.register(Scene)
def typeof_scene(val, c):
    return SceneType(typeof(val.heights))


@register_model(SceneType)
class SceneModel(models.StructModel):
    def __init__(self, dmm, scene):
        fields = [("heights", scene.heights), ("origin", PointType(float64)), ("on", types.boolean)]
        models.StructModel.__init__(self, dmm, scene, fields)


for field in ("heights", "origin", "on"):
    make_attribute_wrapper(SceneType, field, field)


@unbox(SceneType)
def unbox_scene(typ, obj, c):
    scene = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    scene.on = cgutils.true_bit
    for name, kind in (("heights", typ.heights), ("origin", PointType(float64))):
        part = c.pyapi.object_getattr_string(obj, name)
        setattr(scene, name, c.pyapi.to_native_value(kind, part).value)
        c.pyapi.decref(part)
    failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    return NativeValue(scene._getvalue(), failed)


@box(SceneType)
def box_scene(typ, val, c):
    scene = cgutils.create_struct_proxy(typ)(c.context, c.builder, val)
    origin = c.pyapi.from_native_value(PointType(float64), scene.origin, c.env_manager)
    parts = [c.box(typ.heights, scene.heights), origin]
    scene_class = c.pyapi.unserialize(c.pyapi.serialize_object(Scene))
    made = c.pyapi.call_function_objargs(scene_class, parts)
    for part in (*parts, scene_class):
        c.pyapi.decref(part)
    return made


@infer_getattr
class SceneAttributes(AttributeTemplate):
    key = SceneType

    def resolve_rows(self, scene):
        return types.int64

    @bound_function("scene.above")
    def resolve_above(self, scene, args, kws):
        if len(args) == 1:
            return types.boolean(float64)


@lower_getattr(SceneType, "rows")
def rows_of_scene(context, builder, typ, value):
    scene = cgutils.create_struct_proxy(typ)(context, builder, value)
    heights = context.make_array(typ.heights)(context, builder, scene.heights)
    return builder.extract_value(heights.shape, 0)


@lower_setattr(SceneType, "rows")
def assign_rows_of_scene(context, builder, sig, args):
    def assign(scene, rows):
        scene.heights[0] = rows

    return context.compile_internal(builder, assign, sig, args)


@lower_builtin("scene.above", SceneType, types.Float)
def scene_is_above(context, builder, sig, args):
    def above(scene, height):
        return scene.heights[0] > height

    return context.compile_internal(builder, above, sig, args)


def test_a_kernel_makes_values_and_reads_their_attributes(device):
    @cuda.jit
    def k(out, n):
        i = cuda.grid(1)
        point = Point(1.0 * i, 2.0)
        for _ in range(n):
            point = point + Point(0.5, 0.25)
        out[i] = point.x * 10 + point.y

    out = cuda.to_device(np.zeros(3))
    k[1, 3](out, 2)
    np.testing.assert_array_equal(out.copy_to_host(), [12.5, 22.5, 32.5])


def test_a_kernel_takes_an_object(device):
    @cuda.jit
    def k(out, point):
        out[0], out[1] = point.x, point.square

    out = cuda.to_device(np.zeros(2))
    k[1, 1](out, Point(3, 4))
    np.testing.assert_array_equal(out.copy_to_host(), [3, 25])


def test_a_function_takes_and_returns_objects():
    moved = njit(lambda p, q: p + 2.0 * q)(Point(1.0, 2.0), Point(10.0, 20.0))
    assert type(moved) is Point and (moved.x, moved.y) == (21.0, 42.0)


def test_objects_of_one_class_have_types_of_their_own():
    same = njit(lambda p: p)
    assert isinstance(same(Point(1, 2)).x, int) and isinstance(same(Point(1.5, 2.5)).x, float)
    assert typeof(Point(1, 2)) == PointType(types.int64) != PointType(float64)


def test_operators_and_builtins_are_overloads_of_functions_of_operator():
    @njit
    def used(p, q):
        return p == q, p != p, 2.0 in p, p[0], p[1], p.dot(q)

    assert used(Point(1.0, 2.0), Point(3.0, 4.0)) == (False, False, True, 1.0, 2.0, 11.0)


def test_an_object_that_a_function_names_is_a_constant(device):
    origin = Point(7.0, 8.0)

    @cuda.jit
    def k(out):
        out[0] = origin.x + origin[1]

    out = cuda.to_device(np.zeros(1))
    k[1, 1](out)
    assert out.copy_to_host()[0] == 15 and njit(lambda: origin.y)() == 8


def test_a_signature_has_the_type():
    point = PointType(float64)
    mirrored = njit(point(point))(lambda p: Point(p.y, p.x))
    assert mirrored(Point(1.0, 2.0)).x == 2.0


def test_a_value_has_an_array_and_another_value(device):
    @cuda.jit
    def k(out, scene):
        i = cuda.grid(1)
        if i < scene.rows:
            out[i] = scene.heights[i, 1] + scene.origin.y

    heights = np.arange(6.0).reshape(3, 2)
    out = cuda.to_device(np.zeros(3))
    k[1, 4](out, Scene(cuda.to_device(heights), Point(1.0, 100.0)))
    np.testing.assert_array_equal(out.copy_to_host(), [101, 103, 105])


def test_an_array_in_an_object_comes_back_as_itself():
    scene = Scene(np.zeros((2, 2)), Point(1.0, 2.0))
    back = njit(lambda s: s)(scene)
    assert back.heights is scene.heights and back.origin.y == 2.0


def test_objects_are_let_go():
    scene, same = Scene(np.zeros((2, 2)), Point(1.0, 2.0)), njit(lambda s: s)
    same(scene)
    gc.collect()
    before = [sys.getrefcount(x) for x in (scene, scene.heights, Scene, Point)]
    for _ in range(20):
        same(scene)
    gc.collect()
    assert [sys.getrefcount(x) for x in (scene, scene.heights, Scene, Point)] == before


def test_attributes_and_methods_have_types_by_templates():
    @njit
    def used(scene):
        return scene.rows, scene.above(-1.0), scene.above(1)

    assert used(Scene(np.zeros(2), Point(0.0, 0.0))) == (2, True, False)


def test_a_template_lists_signatures(device):
    def as_metres(x):
        pass

    class MetresType(types.Type):
        def __init__(self):
            super().__init__(name="Metres")

    metres = MetresType()

    @register_model(MetresType)
    class MetresModel(models.PrimitiveModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, ir.DoubleType())

    @infer_global(as_metres)
    class AsMetres(ConcreteTemplate):
        cases = [metres(float64)]

    @infer_global(float)
    class AsNumber(ConcreteTemplate):
        cases = [float64(metres)]

    @registry.lower(as_metres, float64)
    @registry.lower(float, MetresType)
    def same(context, builder, sig, args):
        return args[0]

    @cuda.jit
    def k(out):
        out[0] = float(as_metres(cuda.blockDim.x)) + float(1)

    out = cuda.to_device(np.zeros(1))
    k[1, 2](out)
    assert out.copy_to_host()[0] == 3


def test_a_field_that_is_set_where_threads_part_is_kept(device):
    def clipped(x):
        pass

    @type_callable(clipped)
    def type_clipped(context):
        return lambda x: PointType(x)

    @lower_builtin(clipped, types.Float)
    def make_clipped(context, builder, sig, args):
        point = cgutils.create_struct_proxy(sig.return_type)(context, builder)
        point.x = point.y = args[0]
        with builder.if_then(builder.fcmp_ordered(">", args[0], args[0].type(1))):
            point.x = args[0].type(1)
        return point._getvalue()

    @cuda.jit
    def k(out):
        point = clipped(cuda.threadIdx.x * 0.75)
        out[cuda.threadIdx.x] = point.x

    out = cuda.to_device(np.zeros(3))
    k[1, 3](out)
    np.testing.assert_array_equal(out.copy_to_host(), [0, 0.75, 1])


def test_a_type_may_be_derived_from_a_class_of_types():
    class HandleType(types.Opaque):
        def __init__(self):
            super().__init__(name="Handle")

    handle = HandleType()
    assert isinstance(handle, types.Opaque) and not isinstance(PointType(float64), types.Opaque)


def test_an_operator_without_an_overload_is_named():
    with pytest.raises(TypingError, match=r"(?s)implementation of // for .*operator.floordiv"):
        njit(lambda p: p // p)(Point(1.0, 2.0))


def test_an_attribute_that_the_type_lacks_is_named():
    with pytest.raises(TypingError, match=r"Point\(int64\) has no attribute 'z'"):
        njit(lambda p: p.z)(Point(1, 2))


def test_a_value_cannot_be_unpacked():
    @njit
    def unpacked(p):
        x, y = p
        return x

    with pytest.raises(TypingError, match=r"cannot unpack Point\(int64\) into 2 names"):
        unpacked(Point(1, 2))


class Unfinished:
    pass


class UnfinishedType(types.Type):
    def __init__(self):
        super().__init__(name="Unfinished")


typeof_impl.register(Unfinished)(lambda val, c: UnfinishedType())


def test_a_type_without_a_model_is_told_of():
    with pytest.raises(LoweringError, match="UnfinishedType has no model"):
        njit(lambda x: 1)(Unfinished())


def test_a_model_with_a_field_of_no_type_is_told_of():
    @register_model(UnfinishedType)
    class WrongModel(models.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, [("a", int)])

    with pytest.raises(LoweringError, match="field 'a' is declared as <class 'int'>"):
        njit(lambda x: 1)(Unfinished())


def test_a_type_without_unbox_is_told_of():
    @register_model(UnfinishedType)
    class Model(models.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, [("a", float64)])

    with pytest.raises(TypeError, match=r"cannot unbox Unfinished.*\n.*@unbox\(UnfinishedType\)"):
        njit(lambda x: 1)(Unfinished())


def test_an_attribute_that_the_object_lacks_is_pythons_error():
    broken = Point(1, 2)
    del broken.y
    with pytest.raises(AttributeError, match="has no attribute 'y'"):
        njit(lambda p: p)(broken)


def test_an_array_of_another_type_than_the_models_is_refused():
    class ListedType(SceneType):
        pass

    class Listed(Scene):
        pass

    register_model(ListedType)(SceneModel)
    unbox(ListedType)(unbox_scene)
    typeof_impl.register(Listed)(lambda val, c: ListedType(types.int8[:]))
    with pytest.raises(ArgumentError, match=r"has array\(int8, 1d, A\) for the field 'heights'"):
        njit(lambda s: 1)(Listed(np.zeros(2), Point(1.0, 2.0)))


def test_code_for_a_type_without_code_says_what_gives_it():
    def half(x):
        pass

    type_callable(half)(lambda context: lambda x: x)
    with pytest.raises(TypingError, match=r"lower_builtin\(half, ...\)"):
        njit(lambda: half(2.0))()


def test_the_types_code_is_a_gpus(device):
    def doubled(out, point):
        out[0] = (point + point).x

    text, _ = cuda.compile_ptx(doubled, (types.float32[::1], PointType(types.float32)))
    assert ".f32" in text


def test_a_type_is_pickled():
    restored = pickle.loads(pickle.dumps(PointType(float64)))
    assert restored == PointType(float64) and restored.dtype == float64


def test_a_value_made_of_new_arrays_keeps_them():
    @type_callable(Scene)
    def type_scene(context):
        return lambda heights, origin: SceneType(heights)

    @lower_builtin(Scene, types.Array, PointType)
    def make_scene(context, builder, sig, args):
        scene = cgutils.create_struct_proxy(sig.return_type)(context, builder)
        scene.heights, scene.origin = args
        scene.on = cgutils.false_bit
        return scene._getvalue()

    scene = njit(lambda n: Scene(np.full(n, 2.0), Point(1.0, 2.0)))(1000)
    assert scene.heights.sum() == 2000


def test_a_typer_that_returns_no_type_is_told_of():
    def named(x):
        pass

    type_callable(named)(lambda context: lambda x: "int64")
    with pytest.raises(TypingError, match="a typer returned 'int64', which is not a type"):
        njit(lambda: named(1))()


class MarkedPoint(Point):
    pass


class MarkedPointType(PointType):
    """Uses the functions of its base class to be read and returned."""


register_model(MarkedPointType)(PointModel)


@typeof_impl.register(MarkedPoint)
def typeof_marked_point(value, context):
    return MarkedPointType(typeof(value.x))


def test_a_class_of_types_has_what_boxes_and_unboxes_its_base_class():
    returned = njit(lambda point: point)(MarkedPoint(1.5, 2.5))
    assert type(returned) is Point and (returned.x, returned.y) == (1.5, 2.5)


class PointOfTuple(tuple):
    x, y = 1.5, 2.5


typeof_impl.register(PointOfTuple)(typeof_point)


def test_a_registered_class_comes_before_the_class_that_it_derives_from():
    point = PointOfTuple((1, 2, 3))
    assert typeof(point) == PointType(float64)
    assert njit(lambda p: p.x)(point) == njit(lambda: point.x)() == 1.5


Pair = namedtuple("Pair", "first second")


class Holder:
    def __init__(self, pair):
        self.pair = pair


class HolderType(types.Type):
    pair = types.NamedTuple([types.int64, types.float64], Pair)

    def __init__(self):
        super().__init__(name="Holder")


@register_model(HolderType)
class HolderModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("pair", fe_type.pair)])


@typeof_impl.register(Holder)
def typeof_holder(value, context):
    return HolderType()


@unbox(HolderType)
def unbox_holder(typ, obj, c):
    holder = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    part = c.pyapi.object_getattr_string(obj, "pair")
    holder.pair = c.unbox(typ.pair, part).value
    c.pyapi.decref(part)
    return NativeValue(holder._getvalue())


@box(HolderType)
def box_holder(typ, val, c):
    holder = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
    pair = c.box(typ.pair, holder.pair)
    holder_class = c.pyapi.unserialize(c.pyapi.serialize_object(Holder))
    made = c.pyapi.call_function_objargs(holder_class, [pair])
    for part in (pair, holder_class):
        c.pyapi.decref(part)
    return made


def test_a_named_tuple_in_a_program_s_type_is_returned_as_one():
    assert njit(lambda holder: holder)(Holder(Pair(1, 2.5))).pair == Pair(1, 2.5)
    assert type(njit(lambda holder: holder)(Holder(Pair(1, 2.5))).pair) is Pair


int_point, mixed_point = PointType(types.int32), PointType(types.float64)


def test_arrays_of_a_programs_own_type_in_local_and_shared_memory(device):
    @cuda.jit
    def k(xs, ys, total):
        points = cuda.local.array(4, dtype=int_point)
        shared = cuda.shared.array(8, dtype=mixed_point)
        i = cuda.threadIdx.x
        for j in range(4):
            points[j] = Point(types.int32(i + j), types.int32(10 * j))
        shared[i] = Point(points[3].x + 0.5, points[3].y * 1.0)
        cuda.syncthreads()
        other = shared[7 - i]
        xs[i], ys[i] = other.x, other.y
        total[i] = points[0].x + points[1].x + len(points)

    xs, ys, total = np.zeros(8), np.zeros(8), np.zeros(8, np.int64)
    k[1, 8](xs, ys, total)
    np.testing.assert_array_equal(xs, 10.5 - np.arange(8))
    np.testing.assert_array_equal(ys, 30)
    np.testing.assert_array_equal(total, 2 * np.arange(8) + 5)


def test_an_array_of_a_programs_own_type_is_a_parameter_of_a_device_function(device):
    @cuda.jit(device=True)
    def swap(points):
        points[0], points[1] = points[1], points[0]

    @cuda.jit
    def k(out):
        points = cuda.local.array(2, dtype=int_point)
        points[0], points[1] = Point(types.int32(1), types.int32(2)), Point(out[0], out[1])
        swap(points)
        out[0], out[1], out[2] = points[0].x, points[0].y, points[1].x

    out = np.array([7, 8, 0], np.int32)
    k[1, 1](out)
    assert out.tolist() == [7, 8, 1]
    assert str(int_point[::1]) == f"array({int_point}, 1d, C)"


def test_code_assigns_to_an_attribute_in_the_memory_that_a_value_refers_to():
    @njit
    def assign(scene, rows):
        scene.rows = rows
        scene.rows += 1
        return scene.heights[0]

    scene = Scene(np.array([7.0, 8.0]), Point(1.0, 2.0))
    assert assign(scene, 5) == 3.0  # what is read is the number of rows
    assert scene.heights.tolist() == [3.0, 8.0]


def test_an_attribute_without_code_that_assigns_is_refused():
    with pytest.raises(TypingError, match="cannot assign to attribute 'x'"):

        @njit
        def assign(point):
            point.x = 1.0

        assign(Point(1.0, 2.0))


def test_an_element_of_an_own_type_is_deleted_by_what_implements_it():
    @overload(operator.delitem)
    def delete(point, i):
        if isinstance(point, PointType):

            def deleted(point, i):
                raise KeyError(i)

            return deleted

    @njit
    def without(point):
        del point[3]

    with pytest.raises(KeyError, match="3"):
        without(Point(1.0, 2.0))
