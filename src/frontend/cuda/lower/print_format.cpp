#include "frontend/cuda/lower/print_format.h"

#include <cstring>

namespace heddle::cudacpp {

PrintFormat readPrintFormat(const std::string &format) {
  PrintFormat out;
  for (size_t i = 0; i < format.size(); ++i) {
    out.text += format[i];
    if (format[i] != '%')
      continue;
    if (++i < format.size() && format[i] == '%') {
      out.text += '%';
      continue;
    }
    size_t start = i;
    while (i < format.size() && std::strchr("-+ #0123456789.", format[i]))
      out.text += format[i++];
    if (i < format.size() && format[i] == '*') {
      out.problem = "a width or precision of '*' is not supported: write the number";
      return out;
    }
    unsigned bits = 32;
    for (; i < format.size() && std::strchr("hlLqjzt", format[i]); ++i)
      bits = format[i] == 'h' ? bits / 2 : 64;
    char conversion = i < format.size() ? format[i] : '\0';
    constexpr unsigned fewestBits = 8; // of "hh"
    if (bits < fewestBits || !conversion || !std::strchr("diuoxXcfFeEgGaAsp", conversion)) {
      out.problem = "'%" + format.substr(start, i + 1 - start) + "' is not a printf conversion";
      return out;
    }
    bool isSigned = conversion == 'd' || conversion == 'i';
    bool isInteger = isSigned || std::strchr("uoxX", conversion);
    PrintedKind kind = isInteger || conversion == 'c'           ? PrintedKind::Integer
                       : conversion == 's' || conversion == 'p' ? PrintedKind::Address
                                                                : PrintedKind::Float;
    out.values.push_back({kind, conversion,
                          isInteger           ? bits
                          : conversion == 'c' ? 8
                                              : 64,
                          isSigned});
    out.text += conversion == 'i' ? 'd' : conversion;
  }
  return out;
}

} // namespace heddle::cudacpp
