// Values that are known while compiling: literals, frozen globals and closure variables, and the Python objects (modules,
// functions, types) that a kernel's source names.
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

/// An argument of a call, as the choice of an implementation sees it.
struct CallArgument {
  std::string name; ///< of the keyword; empty for a positional argument
  Type type;
  const Constant *constant; ///< null when it is not known while compiling
  bool isWanted = false;    ///< numba.literally asks for the constant
};

/// A Python object that lives on the embedder's side. Attributes are read when the source asks for them.
class HostObject {
public:
  virtual ~HostObject() = default;
  /// The attribute as a constant; nothing when the object has none of that name.
  virtual std::optional<Constant> attribute(const std::string &name) = 0;
  /// What to tell of an attribute that the object does not have.
  virtual std::string missing(const std::string &name) {
    return describe() + " has no attribute '" + name + "'";
  }
  /// What the object offers, for "did you mean".
  virtual std::vector<std::string> attributeNames() = 0;
  /// For messages: "module 'numpy'", "function 'f' (not compiled with cuda.jit)".
  virtual std::string describe() = 0;
  /// The name of a function of NumPy's, "numpy.cumsum"; empty for anything else.
  virtual std::string nameInLibrary() { return ""; }
  /// What to do where a kernel's source calls the object, which kernels cannot; empty when nothing is to be said.
  virtual std::string insteadOfCalling() { return ""; }
  /// What a call of the object with constants gives, where it is made while compiling; nothing where it is not.
  virtual std::optional<Constant> called(const std::vector<Constant> &arguments);
  /// The source of a device function; null for anything else. Valid while the object lives. Throws CompileError when
  /// the source cannot be read.
  virtual FunctionSource *function() { return nullptr; }
  /// Whether it is a function of numbers that works on arrays element by element: its implementation does, then.
  virtual bool isElementwise() { return false; }
  /// Of an Overload: the implementation for these arguments in code of that target, a Function; nothing when none
  /// applies. Throws CompileError.
  virtual std::optional<Constant> implementation(const std::vector<CallArgument> &arguments,
                                                 Target target);
  /// Whether it is a class and values of that type are instances of it; nothing for what is no class, and where the type
  /// does not tell the value's class.
  virtual std::optional<bool> isClassOf(Type) { return {}; }
  /// Whether it is the very class of values of that type, not one that it derives from; nothing for what is no class.
  virtual std::optional<bool> isExactClassOf(Type) { return {}; }
  /// Whether a function of the host may return it, although it exists while compiling only.
  virtual bool isValue() { return false; }
  /// The same for two objects that stand for one.
  virtual const void *identity() const { return this; }
};

/// The contents of a NumPy array that a kernel's source names: frozen at compilation.
struct ConstantArray {
  Type element;
  std::vector<int64_t> shape;
  std::string bytes;    ///< C order
  bool ofBytes = false; ///< it is Python's bytes
};

/// An array in a device's memory that a kernel's source names: used where it is, so that what others write to it is seen.
struct DeviceArrayPlace {
  uint64_t address = 0;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< bytes
  unsigned device = 0;          ///< the device's number
  std::string deviceName;
  std::shared_ptr<void> owner; ///< keeps the memory: held by whoever runs the code

  bool operator==(const DeviceArrayPlace &) const = default;
};

enum class ConstantKind : uint8_t {
  None,
  Bool,
  Int,     ///< `integer`, of `type`; a member of an enumeration has its name in `text`
  Float,   ///< `real`, of `type`
  Complex, ///< `real` and `imaginary`, of `type`
  String,  ///< `text`
  Tuple,   ///< `items`; of `type` where it is a named one
  TupleClass, ///< a class of named tuples: `type` without elements; `items` are the last fields' defaults
  Type,       ///< `type`: a type used as a function (a cast) or passed as a dtype
  Intrinsic, ///< `text` is its name in the library tables: "math.sin", "cuda.atomic.add"
  Namespace, ///< `object`: a module or a group of intrinsics; `text` its name
  Function,  ///< `object`: a device function; `text` its name
  Overload, ///< `object`: a function whose implementations for kernels are written in Python; `text` its name
  Method, ///< the same, called with the object that it is an attribute of as its first argument
  Array,  ///< `array`
  DeviceArray, ///< `place`, of `type`
  Exception,   ///< an exception class; `text` its name
  Ellipsis,
  Slice,   ///< `items`: start, stop and step
  Unknown, ///< an item of a tuple that is not known while compiling
  Other,   ///< `object`: anything that a kernel cannot use; `text` describes it
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
    return {.kind = ConstantKind::String, .type = stringType(), .text = v};
  }
  static Constant ofType(Type t) { return {.kind = ConstantKind::Type, .type = t}; }
  static Constant ofIntrinsic(std::string name) {
    return {.kind = ConstantKind::Intrinsic, .text = std::move(name)};
  }

  /// The type of the value in a kernel: a scalar's own type, objectType() for what exists while compiling only.
  Type valueType() const;
  /// For messages: "7", "module 'math'", "type float32".
  std::string describe() const;
  bool operator==(const Constant &other) const;
  /// Equal for equal constants, different for others.
  std::string key() const;
  /// Whether every part of it is known.
  bool isWhole() const;
  /// What of it exists while compiling only, the rest Unknown; nothing when there is no such part.
  std::optional<Constant> objects() const;
};

/// The name of a library row as a user writes it: without "builtins.".
std::string_view shownName(std::string_view name);

/// What names that a function finds outside of it stand for; nothing where there is none.
using Globals = std::map<std::string, std::optional<Constant>>;

/// Where a function's free names are found.
class Environment {
public:
  virtual ~Environment() = default;
  /// The closure variable, global or builtin of that name, frozen; nothing when there is none.
  virtual std::optional<Constant> lookup(const std::string &name) = 0;
  /// An attribute of values of that type whose implementation for that target is written in Python: an Overload or a
  /// Method; nothing when there is none.
  virtual std::optional<Constant> extension(Type, const std::string &, Target) { return {}; }
  /// The implementation of a function of NumPy's or a method of arrays ("array.cumsum") that is written in Python for
  /// functions of the host: an Overload; nothing when there is none.
  virtual std::optional<Constant> onHost(const std::string &) { return {}; }
  /// Whether an exception of the class `raised`, by the name that raises it, is one of the class `caught`.
  virtual bool isException(const std::string &, const std::string &) { return false; }
  /// Every name that lookup() finds, for "did you mean".
  virtual std::vector<std::string> names() = 0;
};

} // namespace heddle::python
