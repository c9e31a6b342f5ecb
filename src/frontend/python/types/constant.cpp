#include "frontend/python/types/constant.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace heddle::python {

std::optional<Constant> HostObject::callAtCompileTime(const std::vector<Constant> &) { return {}; }

std::optional<Constant> HostObject::findImplementation(const std::vector<CallArgument> &, Target) {
  return {};
}

Type Constant::valueType() const {
  switch (kind) {
  case ConstantKind::None:
    return noneType();
  case ConstantKind::Bool:
  case ConstantKind::Int:
  case ConstantKind::Float:
  case ConstantKind::Complex:
  case ConstantKind::DeviceArray:
    return type;
  case ConstantKind::String:
    return constantStringType();
  case ConstantKind::Ellipsis:
    return ellipsisType();
  case ConstantKind::Slice:
    return sliceType();
  case ConstantKind::Array:
    return arrayType(array->element, array->shape.size(),
                     {.readOnly = true, .space = simt::Constant, .ofBytes = array->ofBytes});
  case ConstantKind::Tuple: {
    std::vector<Type> elements;
    for (const Constant &item : items)
      elements.push_back(item.valueType());
    return type ? tupleTypeLike(type, std::move(elements)) : tupleType(std::move(elements));
  }
  default:
    return objectType();
  }
}

std::string_view nameWithoutBuiltinsPrefix(std::string_view name) {
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
  case ConstantKind::Slice:
    return "a slice";
  case ConstantKind::TupleClass:
    return "named tuple class " + text;
  case ConstantKind::Type:
    return "type " + type.name();
  case ConstantKind::Intrinsic:
    return "function " + std::string(nameWithoutBuiltinsPrefix(text));
  case ConstantKind::Exception:
    return "exception class " + text;
  case ConstantKind::Array:
    return "constant " + valueType().name();
  case ConstantKind::DeviceArray:
    return "device " + type.name();
  case ConstantKind::Ellipsis:
    return "...";
  case ConstantKind::Unknown:
    return "a value";
  case ConstantKind::Namespace:
  case ConstantKind::Function:
  case ConstantKind::Overload:
  case ConstantKind::Method:
  case ConstantKind::Other:
    return object ? object->describe() : text;
  }
  return text;
}

std::string Constant::key() const {
  std::string out = std::to_string(unsigned(kind)) + ":" +
                    std::to_string(reinterpret_cast<uintptr_t>(type.operator->()));
  switch (kind) {
  case ConstantKind::Bool:
  case ConstantKind::Int:
    return out + ":" + std::to_string(integer);
  case ConstantKind::Float:
    return out + ":" + std::to_string(std::bit_cast<uint64_t>(real));
  case ConstantKind::Complex:
    return out + ":" + std::to_string(std::bit_cast<uint64_t>(real)) + ":" +
           std::to_string(std::bit_cast<uint64_t>(imaginary));
  case ConstantKind::Slice:
  case ConstantKind::Tuple:
    for (const Constant &item : items)
      out += "(" + item.key() + ")";
    return out;
  default:
    out += ":" + std::to_string(text.size()) + text;
    if (object)
      out += "@" + std::to_string(reinterpret_cast<uintptr_t>(object->identity()));
    if (array)
      out += "@" + std::to_string(reinterpret_cast<uintptr_t>(array.get()));
    if (place)
      out += "@" + std::to_string(place->device) + ":" + std::to_string(place->address);
    return out;
  }
}

bool Constant::isFullyKnown() const {
  if (kind == ConstantKind::Tuple)
    return std::all_of(items.begin(), items.end(),
                       [](const Constant &c) { return c.isFullyKnown(); });
  return kind != ConstantKind::Unknown;
}

std::optional<Constant> Constant::toConstantObject() const {
  switch (kind) {
  case ConstantKind::None:
  case ConstantKind::Bool:
  case ConstantKind::Int:
  case ConstantKind::Float:
  case ConstantKind::Complex:
  case ConstantKind::Array:
  case ConstantKind::DeviceArray:
  case ConstantKind::Slice:
  case ConstantKind::Ellipsis:
  case ConstantKind::Unknown:
    return {};
  case ConstantKind::Tuple: {
    Constant out{.kind = ConstantKind::Tuple, .type = type};
    bool any = false;
    for (const Constant &item : items) {
      std::optional<Constant> part = item.toConstantObject();
      any = any || part;
      out.items.push_back(part ? std::move(*part) : Constant{.kind = ConstantKind::Unknown});
    }
    return any ? std::optional(std::move(out)) : std::nullopt;
  }
  default:
    return *this;
  }
}

bool Constant::operator==(const Constant &other) const {
  auto same = [](double a, double b) { return a == b || (a != a && b != b); };
  return kind == other.kind && type == other.type && integer == other.integer &&
         same(real, other.real) && same(imaginary, other.imaginary) && text == other.text &&
         items == other.items && array == other.array &&
         (place && other.place ? *place == *other.place : place == other.place) &&
         (object ? object->identity() : nullptr) ==
             (other.object ? other.object->identity() : nullptr);
}

} // namespace heddle::python
