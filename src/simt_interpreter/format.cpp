#include "simt_interpreter/format.h"

#include <bit>
#include <cstdio>
#include <vector>

namespace heddle::interpreter {

namespace {

/// Formats one conversion with the C library; the conversion has a length modifier.
template <class T> std::string formatConversion(const std::string &conversion, T value) {
  int length = std::snprintf(nullptr, 0, conversion.c_str(), value);
  std::vector<char> text(size_t(length) + 1);
  std::snprintf(text.data(), text.size(), conversion.c_str(), value);
  return std::string(text.data(), size_t(length));
}

} // namespace

std::string formatPrint(const std::string &format, const std::function<uint64_t()> &next,
                        const std::function<std::string(uint64_t)> &textAt) {
  std::string text;
  for (size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') {
      text += format[at];
      continue;
    }
    size_t end = format.find_first_not_of("-+ #0123456789.", at + 1);
    if (end == std::string::npos)
      return text + format.substr(at);
    std::string flags = format.substr(at, end - at);
    char letter = format[end];
    at = end;
    switch (letter) {
    case '%':
      text += '%';
      break;
    case 'd':
      text += formatConversion(flags + "lld", static_cast<long long>(next()));
      break;
    case 'c':
      text += formatConversion(flags + "c", int(next()));
      break;
    case 'p':
      text += formatConversion(flags + "p", reinterpret_cast<void *>(next()));
      break;
    case 's':
      text += formatConversion(flags + "s", textAt(next()).c_str());
      break;
    case 'b':
      text += formatConversion(flags + "s", next() ? "True" : "False");
      break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      text += formatConversion(flags + "ll" + letter, static_cast<unsigned long long>(next()));
      break;
    default:
      text += formatConversion(flags + letter, std::bit_cast<double>(next()));
    }
  }
  return text;
}

} // namespace heddle::interpreter
