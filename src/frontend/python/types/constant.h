// Compile-time constants: literals, frozen globals and closure variables, and the Python objects (modules, functions,
// types) that a kernel refers to.
#pragma once

#include "frontend/python/types/types.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::python {

enum class Target : uint8_t; // what code is compiled for: ssa/target_rules.h

struct FunctionSource;
struct Constant;

/// An argument of a call, for selecting an implementation.
struct CallArgument {
  std::string name; ///< keyword; empty for a positional argument
  Type type;
  const Constant *constant; ///< null if it is not a compile-time constant
  bool isWanted = false;    ///< numba.literally requests the constant
};

/// A Python object owned by the embedder. Its attributes are read on demand.
class HostObject {
public:
  virtual ~HostObject() = default;
  /// The attribute as a constant; nothing if the object has no attribute with that name.
  virtual std::optional<Constant> attribute(const std::string &name) = 0;
  /// The error message for an attribute that the object does not have.
  virtual std::string missingAttributeMessage(const std::string &name) {
    return describe() + " has no attribute '" + name + "'";
  }
  /// Names of the attributes, for "did you mean".
  virtual std::vector<std::string> attributeNames() = 0;
  /// For messages: "module 'numpy'", "function 'f' (not compiled with cuda.jit)".
  virtual std::string describe() = 0;
  /// The name of a NumPy function, "numpy.cumsum"; empty for other objects.
  virtual std::string libraryName() { return ""; }
  /// A hint for the error that kernels cannot call the object; empty if there is none.
  virtual std::string hintForCalling() { return ""; }
  /// The result of calling the object at compile time; nothing if that is not supported.
  virtual std::optional<Constant> callAtCompileTime(const std::vector<Constant> &arguments);
  /// The source of a device function; null for other objects. Valid while the object lives. Throws CompileError if the
  /// source cannot be read.
  virtual FunctionSource *functionSource() { return nullptr; }
  /// True for a ufunc: functionSource() is its scalar function, and in host functions findImplementation() also handles
  /// arrays.
  virtual bool isElementwise() { return false; }
  /// For an Overload: the implementation for these arguments and this target, a Function; nothing if none applies.
  /// Throws CompileError.
  virtual std::optional<Constant> findImplementation(const std::vector<CallArgument> &arguments,
                                                     Target target);
  /// True if the object is a class and values of the type are its instances. nullopt if the object is not a class,
  /// or if the type does not determine the class of its values.
  virtual std::optional<bool> isClassOf(Type) { return {}; }
  /// Like isClassOf, but false for a base class of the value's class.
  virtual std::optional<bool> isExactClassOf(Type) { return {}; }
  /// True if host functions may return the object, although it exists at compile time only.
  virtual bool isReturnable() { return false; }
  /// Equal for wrappers of the same object.
  virtual const void *identity() const { return this; }
};

/// The contents of a NumPy array that a kernel refers to by name, frozen at compilation.
struct ConstantArray {
  Type element;
  std::vector<int64_t> shape;
  std::string bytes;    ///< C order
  bool ofBytes = false; ///< the array is a bytes object
};

/// An array in device memory that a kernel refers to by name. It is used in place, so later writes to it are visible.
struct DeviceArrayPlace {
  uint64_t address = 0;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< bytes
  unsigned device = 0;          ///< device number
  std::string deviceName;
  std::shared_ptr<void> owner; ///< keeps the memory alive; retained by the owner of the code

  bool operator==(const DeviceArrayPlace &) const = default;
};

enum class ConstantKind : uint8_t {
  None,
  Bool,
  Int,     ///< `integer`, of `type`; an enum member has its name in `text`
  Float,   ///< `real`, of `type`
  Complex, ///< `real` and `imaginary`, of `type`
  String,  ///< `text`
  Tuple,   ///< `items`; `type` is set for a named tuple
  /// A named tuple class: `type` without elements; `items` are defaults of the last fields.
  TupleClass,
  Type,        ///< `type`: a type used as a function (a cast) or passed as a dtype
  Intrinsic,   ///< `text` is its name in the library tables: "math.sin", "cuda.atomic.add"
  Namespace,   ///< `object`: a module or a group of intrinsics; `text` its name
  Function,    ///< `object`: a device function; `text` its name
  Overload,    ///< `object`: a function with Python implementations for kernels; `text` its name
  Method,      ///< an Overload for calls `x.f(...)`, which receives `x` as the first argument
  Array,       ///< `array`
  DeviceArray, ///< `place`, of `type`
  Exception,   ///< an exception class; `text` its name
  Ellipsis,
  Slice,   ///< `items`: start, stop and step
  Unknown, ///< an item of a tuple that is not a compile-time constant
  Other,   ///< `object`: an object that kernels cannot use; `text` describes it
};

struct Constant {
  ConstantKind kind = ConstantKind::None;
  Type type;
  int64_t integer = 0; ///< Bool and Int; the bits of a uint64
  double real = 0;
  double imaginary = 0;
  std::string text;
  std::vector<Constant> items;
  std::shared_ptr<HostObject> object;
  std::shared_ptr<ConstantArray> array;
  std::shared_ptr<DeviceArrayPlace> place;

  static Constant ofBool(bool v) {
    return {.kind = ConstantKind::Bool, .type = boolType(), .integer = v};
  }
  static Constant ofInt(int64_t v, Type type = int64Type()) {
    return {.kind = ConstantKind::Int, .type = type, .integer = v};
  }
  static Constant ofFloat(double v, Type type = float64Type()) {
    return {.kind = ConstantKind::Float, .type = type, .real = v};
  }
  static Constant ofComplex(double re, double im, Type type = complexType(128)) {
    return {.kind = ConstantKind::Complex, .type = type, .real = re, .imaginary = im};
  }
  static Constant ofString(std::string v) {
    return {.kind = ConstantKind::String, .type = constantStringType(), .text = v};
  }
  static Constant ofType(Type t) { return {.kind = ConstantKind::Type, .type = t}; }
  static Constant ofIntrinsic(std::string name) {
    return {.kind = ConstantKind::Intrinsic, .text = std::move(name)};
  }

  /// The type of the value in a kernel; objectType() if it exists at compile time only.
  Type valueType() const;
  /// For messages: "7", "module 'math'", "type float32".
  std::string describe() const;
  bool operator==(const Constant &other) const;
  /// Equal for equal constants, different for others.
  std::string key() const;
  /// True if the constant has no Unknown part.
  bool isFullyKnown() const;
  /// Returns the constant with all parts Unknown except objects, which exist at compile time only; nothing if it has no
  /// objects.
  std::optional<Constant> toConstantObject() const;
};

/// The name of a library row as a user writes it: without "builtins.".
std::string_view nameWithoutBuiltinsPrefix(std::string_view name);

/// The values of a function's free names; nullopt for an undefined name.
using Globals = std::map<std::string, std::optional<Constant>>;

/// Resolves a function's free names, and the library extensions that the program defines.
class Environment {
public:
  virtual ~Environment() = default;
  /// The closure variable, global or builtin of that name, frozen; nothing if there is none.
  virtual std::optional<Constant> findConstant(const std::string &name) = 0;
  /// The Overload or Method that implements attribute `name` of a type in Python for the target; nothing if there is
  /// none.
  virtual std::optional<Constant> findMemberOrOverload(Type, const std::string & /*name*/, Target) {
    return {};
  }
  /// The Overload that implements a NumPy function or an array method ("array.cumsum") in Python for host functions;
  /// nothing if there is none.
  virtual std::optional<Constant> findHostImplementation(const std::string &) { return {}; }
  /// The structured type that a NumPy text such as "i4,(2,3)f8" names; unknown for other texts.
  virtual Type findStructuredDtype(const std::string & /*text*/) { return {}; }
  /// True if exception class `raised` equals or derives from `caught`. Both are class names.
  virtual bool isExceptionSubclass(const std::string & /*raised*/, const std::string & /*caught*/) {
    return false;
  }
  /// Every name that findConstant() finds, for "did you mean".
  virtual std::vector<std::string> visibleNames() = 0;
};

} // namespace heddle::python
