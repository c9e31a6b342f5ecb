#include "frontend/python/constant.h"

#include <cstdio>

namespace heddle::python {

Type Constant::valueType() const {
  switch (kind) {
  case ConstantKind::None:
    return noneType();
  case ConstantKind::Bool:
  case ConstantKind::Int:
  case ConstantKind::Float:
  case ConstantKind::Complex:
    return type;
  case ConstantKind::String:
    return stringType();
  case ConstantKind::Ellipsis:
    return ellipsisType();
  case ConstantKind::Array:
    return arrayType(array->element, array->shape.size(),
                     {.readOnly = true, .space = simt::Constant});
  case ConstantKind::Tuple: {
    std::vector<Type> elements;
    for (const Constant &item : items)
      elements.push_back(item.valueType());
    return type ? tupleLike(type, std::move(elements)) : tupleType(std::move(elements));
  }
  default:
    return objectType();
  }
}

std::string_view shownName(std::string_view name) {
  constexpr std::string_view builtins = "builtins.";
  return name.starts_with(builtins) ? name.substr(builtins.size()) : name;
}

std::string Constant::describe() const {
  switch (kind) {
  case ConstantKind::None:
    return "None";
  case ConstantKind::Bool:
    return integer ? "True" : "False";
  case ConstantKind::Int:
    return type == intType(64, false) ? std::to_string(uint64_t(integer)) : std::to_string(integer);
  case ConstantKind::Float: {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%g", real);
    return buffer;
  }
  case ConstantKind::Complex: {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "(%g%+gj)", real, imaginary);
    return buffer;
  }
  case ConstantKind::String:
    return "'" + text + "'";
  case ConstantKind::Tuple: {
    std::string out = "(";
    for (size_t i = 0; i < items.size(); ++i)
      out += (i ? ", " : "") + items[i].describe();
    return out + (items.size() == 1 ? ",)" : ")");
  }
  case ConstantKind::TupleClass:
    return "named tuple class " + text;
  case ConstantKind::Type:
    return "type " + type.name();
  case ConstantKind::Intrinsic:
    return "function " + std::string(shownName(text));
  case ConstantKind::Exception:
    return "exception class " + text;
  case ConstantKind::Array:
    return "constant " + valueType().name();
  case ConstantKind::Ellipsis:
    return "...";
  case ConstantKind::Namespace:
  case ConstantKind::Function:
  case ConstantKind::Other:
    return object ? object->describe() : text;
  }
  return text;
}

bool Constant::operator==(const Constant &other) const {
  auto same = [](double a, double b) { return a == b || (a != a && b != b); };
  return kind == other.kind && type == other.type && integer == other.integer &&
         same(real, other.real) && same(imaginary, other.imaginary) && text == other.text &&
         items == other.items && object == other.object && array == other.array;
}

} // namespace heddle::python
