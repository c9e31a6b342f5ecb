#include "runtime/cpu/print_line.h"

#include "support/os/standard_output.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace heddle::cpu {

namespace {

/// The next 8 bytes as a T.
template <class T> T take(const char *&values) {
  static_assert(sizeof(T) == 8);
  T value;
  std::memcpy(&value, values, 8);
  values += 8;
  return value;
}

template <class T, class... Form> void append(std::string &text, T value, Form... form) {
  char digits[400]; // the largest double has 309 before the point
  auto [end, error] = std::to_chars(digits, std::end(digits), value, form...);
  text.append(digits, end);
}

/// printf's %f, which the program's locale would change; a NaN has no sign.
void appendFloat(std::string &text, double value) {
  if (std::isnan(value))
    text += "nan";
  else
    append(text, value, std::chars_format::fixed, 6);
}

} // namespace

std::string formatLine(const char *format, const void *values) {
  std::string text;
  const char *next = static_cast<const char *>(values);
  for (const char *c = format; *c; ++c) {
    if (*c != '%' || !c[1]) {
      text += *c;
      continue;
    }
    switch (*++c) {
    case 'd':
      append(text, take<int64_t>(next));
      break;
    case 'u':
      append(text, take<uint64_t>(next));
      break;
    case 'f':
      appendFloat(text, take<double>(next));
      break;
    case 's': {
      double value = take<double>(next);
      text += std::isnan(value) || !std::signbit(value) ? "+" : "";
      appendFloat(text, value);
      break;
    }
    case 'b':
      text += take<int64_t>(next) ? "True" : "False";
      break;
    default:
      text += *c;
    }
  }
  return text;
}

void printLine(const char *format, const void *values) {
  os::writeStandardOutput(formatLine(format, values));
}

} // namespace heddle::cpu
