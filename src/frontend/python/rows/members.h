// Attributes of values in kernels: `a.shape`, `z.real`, `point.x` and so on.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// Kinds of attributes, by where their value comes from.
enum class MemberKind : uint8_t {
  None,            ///< there is no such attribute
  Known,           ///< a constant: a method or a property of the type
  Itself,          ///< the object, unchanged
  Element,         ///< element `index` of a tuple or a vector
  Real,            ///< of a number
  Imaginary,       ///< of a number
  ImaginaryOfEach, ///< the imaginary parts of an array's elements
  Field,           ///< of a record
  Attribute,       ///< attribute `index` of an instance
  FieldOfEach,     ///< a field of the records in an array
  Shape,
  Strides,
  Size,
  Bytes,
  Flat,
  Transposed,
  Pointer, ///< to the first element of an array
  Address, ///< of a pointer, as an integer
  Start,   ///< of a range
  Stop,    ///< of a range
  Step,    ///< of a range
};

struct Member {
  MemberKind kind = MemberKind::None;
  Type type; ///< unknown if there is no such attribute; `hint` may suggest a replacement
  std::optional<Constant> constant = {};
  std::string hint = {};
  unsigned index = 0;
};

/// Looks up an attribute of a value that is not a Python object.
Member findAttribute(Type object, const std::string &name, const TargetRules &rules);

/// The prefix of the library names for methods of a container, array or string: "dict."; empty for other types.
std::string libraryPrefixOfMethods(Type type);

/// The name by which Environment::findMemberOrOverload finds a method that is called on a type, as in np.float32.f(x).
inline std::string classMethodKey(const std::string &name) { return "class." + name; }

/// True if `object.name` is valid in the function, or if `name` is "__hash__" and the object is hashable.
bool hasAttribute(const TypedFunction &function, const Value &object, const std::string &name);

} // namespace heddle::python
