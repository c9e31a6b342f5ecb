#include "frontend/python/types/constant_text.h"

#include "support/shortest_float.h"

#include <cmath>

namespace heddle::python {
namespace {

template <typename T> std::string formatShortest(T v) {
  char buffer[shortestFloatBytes];
  return {buffer, writeShortest(v, buffer)};
}

std::string formatFloat(double v, Type type) {
  return type && type->bits == 32 ? formatShortest(float(v)) : formatShortest(v);
}

std::string formatComplex(const Constant &c) {
  Type part = floatType(c.type->bits / 2);
  auto text = [&](double v) {
    std::string out = formatFloat(v, part);
    return out.ends_with(".0") ? out.substr(0, out.size() - 2) : out;
  };
  if (c.real == 0 && !std::signbit(c.real))
    return text(c.imaginary) + "j";
  std::string imaginary = text(c.imaginary);
  return "(" + text(c.real) + (imaginary[0] == '-' ? "" : "+") + imaginary + "j)";
}

} // namespace

std::string quoted(const std::string &text) {
  char quote =
      text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, quote);
  for (char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else {
      if (c == quote || c == '\\')
        out += '\\';
      out += c;
    }
  }
  return out + quote;
}

std::optional<std::string> reprOf(const Constant &c) {
  if (c.type.isEnumMember())
    return {};
  switch (c.kind) {
  case ConstantKind::None:
  case ConstantKind::Bool:
  case ConstantKind::Int:
    return c.describe();
  case ConstantKind::Float:
    return c.type.isHalf() ? std::nullopt : std::optional(formatFloat(c.real, c.type));
  case ConstantKind::Complex:
    return formatComplex(c);
  case ConstantKind::String:
    return quoted(c.text);
  case ConstantKind::Type:
    return c.type.name();
  case ConstantKind::Tuple: {
    std::string out = "(";
    for (const Constant &item : c.items) {
      std::optional<std::string> text = reprOf(item);
      if (!text)
        return {};
      out += (out.size() > 1 ? ", " : "") + *text;
    }
    return out + (c.items.size() == 1 ? ",)" : ")");
  }
  default:
    return {};
  }
}

std::optional<std::string> strOf(const Constant &c) {
  return c.kind == ConstantKind::String ? c.text : reprOf(c);
}

std::vector<std::string> charactersOf(const std::string &text) {
  std::vector<std::string> out;
  for (char c : text) {
    bool continues = (c & 0xC0) == 0x80;
    if (!continues || out.empty())
      out.emplace_back();
    out.back() += c;
  }
  return out;
}

} // namespace heddle::python
