#include "support/shortest_float.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace heddle {

namespace {

size_t copyText(std::string_view text, char *buffer) {
  return text.copy(buffer, shortestFloatBytes);
}

template <typename T> size_t writeRepr(T v, char *buffer) {
  if (std::isnan(v))
    return copyText("nan", buffer);
  if (std::isinf(v))
    return copyText(v < 0 ? "-inf" : "inf", buffer);
  char *last = buffer + shortestFloatBytes;
  char *end = std::to_chars(buffer, last, v, std::chars_format::scientific).ptr;
  std::string_view text(buffer, size_t(end - buffer));
  size_t e = text.find('e');
  int exponent = 0;
  bool isNegative = text[e + 1] == '-';
  std::from_chars(buffer + e + 2, end, exponent);
  constexpr int lowest = -4, highest = 16; // CPython's repr uses an exponent outside this range
  if (isNegative ? -exponent < lowest : exponent >= highest)
    return text.size();
  end = std::to_chars(buffer, last, v, std::chars_format::fixed).ptr;
  text = std::string_view(buffer, size_t(end - buffer));
  if (text.find('.') != text.npos)
    return text.size();
  return text.size() + copyText(".0", end);
}

} // namespace

size_t writeShortest(double v, char *buffer) { return writeRepr(v, buffer); }
size_t writeShortest(float v, char *buffer) { return writeRepr(v, buffer); }

} // namespace heddle
