// Attributes of values in kernels: `a.shape`, `z.real`, `point.x` and so on.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// What an attribute is made of.
enum class MemberKind : uint8_t {
  None,            ///< there is no such attribute
  Known,           ///< its constant: a method, or what the type tells
  Itself,          ///< all that the object is made of
  Element,         ///< element `index` of a tuple or a vector
  Real,            ///< of a number
  Imaginary,       ///< of a number
  ImaginaryOfEach, ///< of the elements of an array
  Field,           ///< of a record
  Attribute,       ///< number `index` of an instance
  FieldOfEach,     ///< of the elements of an array
  Shape,
  Strides,
  Size,
  Bytes,
  Flat,
  Transposed,
  Pointer, ///< to the first element of an array
  Address, ///< a pointer's, as a number
  Start,   ///< of a range
  Stop,    ///< of a range
  Step,    ///< of a range
};

struct Member {
  MemberKind kind = MemberKind::None;
  Type type; ///< unknown when there is no such attribute; `hint` may then say what to do
  std::optional<Constant> constant = {};
  std::string hint = {};
  unsigned index = 0;
};

/// The attribute of a value of that type that is no object of Python.
Member memberOf(Type object, const std::string &name, const TargetRules &rules);

/// The beginning of the names of the methods of a container, an array or a string in the library: "dict."; empty for
/// anything else.
std::string methodsOf(Type type);

/// The name by which Environment::extension knows a method of a type itself, as in np.float32.f(x).
inline std::string classMethodKey(const std::string &name) { return "class." + name; }

/// Whether `object.name` means something in the function, or is "__hash__" of what can be hashed.
bool hasAttribute(const TypedFunction &function, const Value &object, const std::string &name);

} // namespace heddle::python
