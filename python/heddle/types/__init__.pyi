from collections.abc import Iterable
from typing import Any

import numpy as np

from heddle._heddle import Signature as Signature
from heddle._heddle import Type as Type

int8: Type
int16: Type
int32: Type
int64: Type
uint8: Type
uint16: Type
uint32: Type
uint64: Type
float16: Type
bfloat16: Type
float32: Type
float64: Type
complex64: Type
complex128: Type
boolean: Type
bool_: Type
void: Type
none: Type
intp: Type
uintp: Type
intc: Type
uintc: Type
ssize_t: Type
size_t: Type
byte: Type
char: Type
uchar: Type
short: Type
ushort: Type
int_: Type
uint: Type
long_: Type
ulong: Type
longlong: Type
ulonglong: Type
float_: Type
double: Type
b1: Type
i1: Type
i2: Type
i4: Type
i8: Type
u1: Type
u2: Type
u4: Type
u8: Type
f2: Type
f4: Type
f8: Type
c8: Type
c16: Type

type_names: list[str]

def NamedTuple(types: Iterable[Type], tuple_class: type) -> Type: ...
def NamedUniTuple(dtype: Type, count: int, tuple_class: type) -> Type: ...
def EnumMember(enumeration: type, dtype: Type | None = None) -> Type: ...
def IntEnumMember(enumeration: type, dtype: Type | None = None) -> Type: ...
def CPointer(dtype: Type) -> Type: ...
def List(dtype: Type, reflected: bool = False) -> Type: ...
def Set(dtype: Type, reflected: bool = False) -> Type: ...
def ListType(itemty: Type) -> Type: ...
def DictType(keyty: Type, valty: Type) -> Type: ...
def NPDatetime(unit: str) -> Type: ...
def NPTimedelta(unit: str) -> Type: ...
def CharSeq(count: int) -> Type: ...
def UnicodeCharSeq(count: int) -> Type: ...

voidptr: Type

class Record:
    @staticmethod
    def make_c_struct(fields: Iterable[tuple[str, Type]]) -> Type: ...

class _TypeClass(type): ...
class Integer(metaclass=_TypeClass): ...
class Float(metaclass=_TypeClass): ...
class Complex(metaclass=_TypeClass): ...
class Number(metaclass=_TypeClass): ...
class Boolean(metaclass=_TypeClass): ...
class NoneType(metaclass=_TypeClass): ...
class BaseTuple(metaclass=_TypeClass): ...

class Optional(metaclass=_TypeClass):
    def __new__(cls, type: Type) -> Type: ...  # type: ignore[misc]

class DeferredType(metaclass=_TypeClass):
    def __new__(cls) -> Type: ...  # type: ignore[misc]

optional = Optional
deferred_type = DeferredType

class Callable(metaclass=_TypeClass): ...

Function = Callable
Dispatcher = Callable

class Array(metaclass=_TypeClass):
    def __new__(cls, dtype: Type, ndim: int, layout: str, readonly: bool = False) -> Type: ...  # type: ignore[misc]

class UniTuple(metaclass=_TypeClass):
    def __new__(cls, dtype: Type, count: int) -> Type: ...  # type: ignore[misc]

class Tuple(metaclass=_TypeClass):
    def __new__(cls, types: Iterable[Type]) -> Type: ...  # type: ignore[misc]

class UnicodeType: ...

class StringLiteral(UnicodeType):
    literal_value: str
    def __init__(self, value: str) -> None: ...

class TypeRef:
    instance_type: Type
    def __init__(self, instance_type: Type) -> None: ...

def typeof(value: Any) -> Type: ...
def signature(return_type: Type, *args: Type) -> Signature: ...
def from_dtype(dtype: Any) -> Type: ...
def as_dtype(type: Any) -> np.dtype[Any]: ...
