#include "runtime/cpu/code/print_line.h"

#include "support/os/standard_output.h"

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

namespace heddle::cpu {

namespace {

/// Reads the next 8 bytes as a T.
template <class T> T readNextValue(const char *&values) {
  static_assert(sizeof(T) == 8);
  T value;
  std::memcpy(&value, values, 8);
  values += 8;
  return value;
}

template <class T, class... Form> void appendFormatted(std::string &text, T value, Form... form) {
  char digits[400]; // the largest double has 309 before the point
  auto [end, error] = std::to_chars(digits, std::end(digits), value, form...);
  text.append(digits, end);
}

/// Appends a double as printf's %f in the C locale; a NaN has no sign.
void appendFloat(std::string &text, double value) {
  if (std::isnan(value))
    text += "nan";
  else
    appendFormatted(text, value, std::chars_format::fixed, 6);
}

/// Appends printf's text for one conversion in the C locale. `directive` includes the length modifier.
template <class T> void appendAsPrintf(std::string &text, const std::string &directive, T value) {
  char buffer[512];
  int length = std::snprintf(buffer, sizeof buffer, directive.c_str(), value);
  if (length < 0)
    return;
  std::string formatted(buffer, std::min<size_t>(length, sizeof buffer - 1));
  if (size_t(length) >= sizeof buffer) {
    formatted.resize(size_t(length) + 1);
    std::snprintf(formatted.data(), formatted.size(), directive.c_str(), value);
    formatted.pop_back();
  }
  if constexpr (std::is_same_v<T, double>) {
    std::string point = std::localeconv()->decimal_point;
    if (size_t at = formatted.find(point); point != "." && at != std::string::npos)
      formatted.replace(at, point.size(), ".");
  }
  text += formatted;
}

/// Appends a conversion with flags, a width or a precision, or one that exists only in C. `c` points past the percent
/// sign; returns the position of the conversion's letter.
const char *appendConversionWithFlags(std::string &text, const char *c, const char *&values) {
  std::string directive = "%";
  while (*c && std::strchr("-+ #0123456789.", *c))
    directive += *c++;
  switch (*c) {
  case 'd':
    appendAsPrintf(text, directive + "lld", static_cast<long long>(readNextValue<int64_t>(values)));
    break;
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    appendAsPrintf(text, directive + "ll" + *c,
                   static_cast<unsigned long long>(readNextValue<uint64_t>(values)));
    break;
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 'a':
  case 'A': {
    double value = readNextValue<double>(values);
    appendAsPrintf(text, directive + *c, std::isnan(value) ? std::fabs(value) : value);
    break;
  }
  case 'c':
    appendAsPrintf(text, directive + "c", int(readNextValue<int64_t>(values)));
    break;
  case 's':
    if (const char *string = reinterpret_cast<const char *>(readNextValue<int64_t>(values)))
      appendAsPrintf(text, directive + "s", string);
    else
      text += "(null)";
    break;
  case 'p':
    appendAsPrintf(text, directive + "p",
                   reinterpret_cast<const void *>(readNextValue<int64_t>(values)));
    break;
  default:
    text += directive;
    return c - 1;
  }
  return c;
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
    case '%':
      text += '%';
      break;
    case 'd':
      appendFormatted(text, readNextValue<int64_t>(next));
      break;
    case 'u':
      appendFormatted(text, readNextValue<uint64_t>(next));
      break;
    case 'f':
      appendFloat(text, readNextValue<double>(next));
      break;
    case 'b':
      text += readNextValue<int64_t>(next) ? "True" : "False";
      break;
    default:
      c = appendConversionWithFlags(text, c, next);
    }
  }
  return text;
}

bool printLine(const char *format, const void *values) {
  try {
    os::writeStandardOutput(formatLine(format, values));
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

} // namespace heddle::cpu
