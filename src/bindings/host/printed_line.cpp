#include "bindings/host/printed_line.h"

#include "bindings/host/texts.h"
#include "bindings/interpreter/gil.h"
#include "host/call.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace nb = nanobind;

namespace heddle {

namespace {

template <class T> T readNextValue(const char *&values) {
  T value;
  std::memcpy(static_cast<void *>(&value), values, sizeof value);
  values += sizeof value;
  return value;
}

/// Formats a float as repr() does. A whole number as a part of a complex number has no decimal point.
std::string formatFloat(double value, bool isPart) {
  char *text = PyOS_double_to_string(value, 'r', 0, isPart ? 0 : Py_DTSF_ADD_DOT_0, nullptr);
  if (!text)
    throw std::bad_alloc();
  std::string out = text;
  PyMem_Free(text);
  return out;
}

/// The string, or its repr() within a tuple.
std::string formatString(const host::Text &text, bool isQuoted) {
  if (!isQuoted)
    return host::toUtf8(text);
  nb::object quoted = nb::repr(toPythonString(text)); // contains no lone surrogates
  return nb::cast<std::string>(quoted);
}

constexpr std::string_view imaginaryPart = "%+f";

bool writeToPythonStdout(const char *format, const void *values) {
  try {
    WithGil gil;
    if (!gil)
      return false;
    std::string line = formatPythonLine(format, values);
    PyObject *output = PySys_GetObject("stdout"); // None without a terminal
    if (!output || output == Py_None)
      return true;
    PyObject *text = PyUnicode_DecodeUTF8(line.data(), Py_ssize_t(line.size()), "surrogatepass");
    PyObject *written = text ? PyObject_CallMethod(output, "write", "O", text) : nullptr;
    Py_XDECREF(text);
    Py_XDECREF(written);
    return written;
  } catch (const std::exception &) { // out of memory
    return false;
  }
}

} // namespace

std::string formatPythonLine(const char *format, const void *values) {
  std::string text;
  const char *next = static_cast<const char *>(values);
  for (const char *c = format; *c; ++c) {
    if (*c != '%') {
      text += *c;
      continue;
    }
    switch (*++c) {
    case 'd':
      text += std::to_string(readNextValue<int64_t>(next));
      break;
    case 'u':
      text += std::to_string(readNextValue<uint64_t>(next));
      break;
    case 's':
    case 'r': {
      auto *data = readNextValue<const char *>(next);
      auto length = readNextValue<int64_t>(next);
      text += formatString({data, length, readNextValue<int64_t>(next)}, *c == 'r');
      break;
    }
    case 'b':
      text += readNextValue<int64_t>(next) ? "True" : "False";
      break;
    case 'f':
      text += formatFloat(readNextValue<double>(next),
                          std::string_view(c + 1).starts_with(imaginaryPart));
      break;
    case '+': { // %+f
      std::string part = formatFloat(readNextValue<double>(next), true);
      text += (part[0] == '-' ? "" : "+") + part;
      ++c;
      break;
    }
    default: // %%
      text += *c;
    }
  }
  return text;
}

void redirectPrintsToPython() { host::setPrinter(writeToPythonStdout); }

} // namespace heddle
