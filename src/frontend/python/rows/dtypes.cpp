#include "frontend/python/rows/dtypes.h"

namespace heddle::python {
namespace {

/// NumPy's dtype of one of Python's own classes; none for other functions.
Type dtypeOfClass(const Constant &function) {
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

} // namespace

Type dtypeOf(CallTyping &t, unsigned i) {
  const Constant *c = t.constant(i);
  if (c && c->kind == ConstantKind::Type && c->type.isElement())
    return c->type;
  if (c && c->kind == ConstantKind::Intrinsic)
    if (Type type = dtypeOfClass(*c))
      return type;
  if (c && c->kind == ConstantKind::String) {
    Type named = scalarTypeNamed(c->text);
    if (!named)
      named = scalarTypeOfTypestr(c->text.size() == 2 ? "<" + c->text : c->text);
    if (named)
      return named;
    std::string near = nearest(c->text, {"bool", "int8", "int16", "int32", "int64", "uint8",
                                         "uint16", "uint32", "uint64", "float32", "float64"});
    t.failAt(i, "'" + c->text + "' is not the name of a type",
             near.empty() ? "write float32, np.float32, or the name as a string"
                          : "did you mean '" + near + "'?");
  }
  t.failAt(i, "dtype must be a type that is known while compiling",
           "write float32, np.float32, or the name as a string");
}

} // namespace heddle::python
