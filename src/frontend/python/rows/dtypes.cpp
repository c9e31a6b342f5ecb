#include "frontend/python/rows/dtypes.h"

#include <map>

namespace heddle::python {
namespace {

/// The NumPy dtype of a builtin Python class; unknown for other functions.
Type findClassDtype(const Constant &function) {
  if (function.text == "builtins.float")
    return floatType(64);
  if (function.text == "builtins.int")
    return int64Type();
  if (function.text == "builtins.bool")
    return boolType();
  if (function.text == "builtins.complex")
    return complexType(128);
  return {};
}

/// The type with that NumPy name.
Type findNamedDtype(const std::string &name) {
  static const std::map<std::string, Type> others = {
      {"?", boolType()},
      {"bool_", boolType()},
      {"b", intType(8)},
      {"B", intType(8, false)},
      {"h", intType(16)},
      {"H", intType(16, false)},
      {"i", intType(32)},
      {"I", intType(32, false)},
      {"l", int64Type()},
      {"L", intType(64, false)},
      {"q", int64Type()},
      {"Q", intType(64, false)},
      {"e", floatType(16)},
      {"f", floatType(32)},
      {"d", float64Type()},
      {"F", complexType(64)},
      {"D", complexType(128)},
      {"int", int64Type()},
      {"uint", intType(64, false)},
      {"intp", int64Type()},
      {"uintp", intType(64, false)},
      {"intc", intType(32)},
      {"float", float64Type()},
      {"half", floatType(16)},
      {"single", floatType(32)},
      {"double", float64Type()},
      {"complex", complexType(128)},
      {"c16", complexType(128)},
  };
  if (Type named = scalarTypeNamed(name))
    return named;
  auto found = others.find(name);
  if (found != others.end())
    return found->second;
  bool hasOrder = name.find_first_of("<>|=") == 0;
  return scalarTypeOfTypestr(hasOrder ? name : "<" + name);
}

} // namespace

Type parseDtype(CallTyping &t, unsigned i) {
  const Constant *c = t.constant(i);
  if (c && c->kind == ConstantKind::Type && c->type.canBeArrayElement())
    return c->type;
  if (c && c->kind == ConstantKind::Intrinsic)
    if (Type type = findClassDtype(*c))
      return type;
  if (c && c->kind == ConstantKind::String) {
    if (Type named = findNamedDtype(c->text))
      return named;
    if (Type structured = t.source().environment->findStructuredDtype(c->text))
      return structured;
    std::string near =
        findClosestName(c->text, {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
                                  "uint32", "uint64", "float32", "float64"});
    t.failAt(i, "'" + c->text + "' is not the name of a type",
             near.empty() ? "write float32, np.float32, or the name as a string"
                          : "did you mean '" + near + "'?");
  }
  t.failAt(i, "dtype must be a type known at compile time",
           "write float32, np.float32, or the name as a string");
}

} // namespace heddle::python
