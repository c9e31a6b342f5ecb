#include "host/texts.h"

#include "host/call.h"
#include "host/memory.h"
#include "simt/ir/host_memory.h"
#include "support/shortest_float.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>

namespace heddle::host {

namespace {

PythonText pythonText = nullptr;

struct Made {
  int64_t length, width;
};

int64_t compareTexts(const char *data, int64_t length, int64_t width, const char *otherData,
                     int64_t otherLength, int64_t otherWidth) {
  Text a{data, length, width}, b{otherData, otherLength, otherWidth};
  int64_t both = std::min(length, otherLength);
  if (width == 1 && otherWidth == 1) {
    if (int order = std::memcmp(data, otherData, size_t(both)))
      return order;
  } else {
    for (int64_t i = 0; i < both; ++i)
      if (a.at(i) != b.at(i))
        return a.at(i) < b.at(i) ? -1 : 1;
  }
  return length < otherLength ? -1 : length > otherLength;
}

void copyCodePoints(char *to, int64_t widthThere, const char *data, int64_t length, int64_t width) {
  if (widthThere == width) {
    std::copy_n(data, length * width, to);
    return;
  }
  Text from{data, length, width};
  for (int64_t i = 0; i < length; ++i)
    if (widthThere == 1)
      to[i] = char(from.at(i));
    else
      reinterpret_cast<uint32_t *>(to)[i] = from.at(i);
}

/// FNV-1a (https://datatracker.ietf.org/doc/html/draft-eastlake-fnv) over code points.
uint64_t hashText(const char *data, int64_t length, int64_t width) {
  constexpr uint64_t basis = 0xcbf29ce484222325, prime = 0x100000001b3;
  Text text{data, length, width};
  uint64_t hash = basis;
  for (int64_t i = 0; i < length; ++i)
    hash = (hash ^ text.at(i)) * prime;
  return hash ^ hash >> 32;
}

Owner *copyTextToNewOwner(const char *data, int64_t length, int64_t width, Made &made) {
  Owner *owner = allocateInCall(uint64_t(length * width));
  std::copy_n(data, length * width, reinterpret_cast<char *>(owner) + simt::ownerBytes);
  made = {length, width};
  return owner;
}

/// Writes the text of a number to `buffer` and returns its length.
size_t formatNumber(uint64_t bits, char kind, char *buffer, size_t size) {
  auto copied = [&](std::string_view text) {
    text.copy(buffer, size);
    return text.size();
  };
  switch (kind) {
  case 'b':
    return copied(bits ? "True" : "False");
  case 'f':
    return writeShortest(std::bit_cast<float>(uint32_t(bits)), buffer);
  case 'd':
    return writeShortest(std::bit_cast<double>(bits), buffer);
  case 'u':
    return size_t(std::to_chars(buffer, buffer + size, bits).ptr - buffer);
  default:
    return size_t(std::to_chars(buffer, buffer + size, int64_t(bits)).ptr - buffer);
  }
}

Owner *makeNumberText(uint64_t bits, int32_t kind, Made *made) {
  char buffer[shortestFloatBytes];
  size_t length = formatNumber(bits, char(kind), buffer, sizeof buffer);
  return copyTextToNewOwner(buffer, int64_t(length), 1, *made);
}

constexpr int64_t maxNumberLength = 400; // size of a stack buffer for parsing

/// Parses an ASCII string without surrounding spaces as Python's float() does.
bool parseFloat(const char *begin, const char *end, double &number) {
  bool isNegative = begin != end && *begin == '-';
  if (begin != end && (*begin == '-' || *begin == '+'))
    ++begin;
  std::string_view size(begin, size_t(end - begin));
  if (size == "inf" || size == "infinity")
    number = std::numeric_limits<double>::infinity();
  else if (size == "nan")
    number = std::numeric_limits<double>::quiet_NaN();
  else {
    bool isDecimal = !size.empty() && (std::isdigit(uint8_t(size[0])) || size[0] == '.');
    auto [rest, error] = std::from_chars(begin, end, number);
    if (!isDecimal || rest != end || error == std::errc::invalid_argument)
      return false;
    if (error == std::errc::result_out_of_range) { // overflow or underflow
      size_t e = size.find('e');
      bool isSmall = e != size.npos ? size.substr(e + 1).starts_with('-')
                                    : size.starts_with('0') || size.starts_with('.');
      number = isSmall ? 0 : std::numeric_limits<double>::infinity();
    }
  }
  if (isNegative)
    number = -number;
  return true;
}

uint8_t parseNumber(const char *data, int64_t length, int64_t width, double *number) {
  Text text{data, length, width};
  char digits[maxNumberLength];
  int64_t count = 0;
  auto isDigit = [&](int64_t i) {
    return i >= 0 && i < length && text.at(i) >= '0' && text.at(i) <= '9';
  };
  for (int64_t i = 0; i < length; ++i) {
    uint32_t c = text.at(i);
    if (c == '_' && isDigit(i - 1) && isDigit(i + 1)) // underscores: 1_000 is 1000
      continue;
    if (c >= 128 || c == '_' || count == maxNumberLength)
      return false;
    digits[count++] = char(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  }
  return parseFloat(digits, digits + count, *number);
}

MadeByPython &lastTextMadeByPython() {
  thread_local MadeByPython made;
  return made;
}

/// Holds no object with a destructor on the stack, because the call may be left here.
Owner *computeTextWithPython(const char *how, const char *types, const uint64_t *slots,
                             Made *made) {
  if (!pythonText(how, types, slots, lastTextMadeByPython()))
    leaveCall({.ending = Ending::Unprinted});
  if (!lastTextMadeByPython().isText) {
    *made = {lastTextMadeByPython().isTrue, 1};
    return nullptr;
  }
  return copyTextToNewOwner(lastTextMadeByPython().data.data(), lastTextMadeByPython().length,
                            lastTextMadeByPython().width, *made);
}

void appendUtf8(uint32_t c, std::string &out) {
  if (c < 0x80) {
    out += char(c);
    return;
  }
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr uint8_t heads[] = {0, 0xC0, 0xE0, 0xF0};
  out += char(heads[more] | c >> (6 * more));
  while (more-- > 0)
    out += char(0x80 | (c >> (6 * more) & 0x3F));
}

} // namespace

void setPythonTextMaker(PythonText maker) { pythonText = maker; }

std::string toUtf8(const Text &text) {
  std::string out;
  out.reserve(size_t(text.length));
  for (int64_t i = 0; i < text.length; ++i)
    appendUtf8(text.at(i), out);
  return out;
}

llvm::ArrayRef<cpu::HostFunction> textFunctions() {
  static const cpu::HostFunction functions[] = {
      {simt::compareTextsFunction, reinterpret_cast<void *>(compareTexts)},
      {simt::putTextFunction, reinterpret_cast<void *>(copyCodePoints)},
      {simt::hashTextFunction, reinterpret_cast<void *>(hashText)},
      {simt::numberTextFunction, reinterpret_cast<void *>(makeNumberText)},
      {simt::readNumberFunction, reinterpret_cast<void *>(parseNumber)},
      {simt::pythonTextFunction, reinterpret_cast<void *>(computeTextWithPython)},
  };
  return functions;
}

} // namespace heddle::host
