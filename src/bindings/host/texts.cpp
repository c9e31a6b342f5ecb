#include "bindings/host/texts.h"

#include "bindings/interpreter/gil.h"
#include "simt/ir/host_memory.h"

#include <bit>
#include <new>
#include <string_view>

namespace nb = nanobind;

namespace heddle {

namespace {

/// The characters of an ASCII string in Python's memory; null for other strings.
const char *asciiDataOrNull(PyObject *text) {
  Py_ssize_t bytes = 0;
  const char *utf8 = PyUnicode_AsUTF8AndSize(text, &bytes);
  if (!utf8)
    PyErr_Clear(); // the string contains a lone surrogate
  return utf8 && bytes == PyUnicode_GetLength(text) ? utf8 : nullptr;
}

void appendTextSlots(const void *data, int64_t length, int64_t width,
                     llvm::SmallVectorImpl<uint64_t> &slots) {
  slots.append({std::bit_cast<uint64_t>(data), uint64_t(length), uint64_t(width)});
}

void copyCodePoints(PyObject *text, char *to, Py_ssize_t length) {
  if (!PyUnicode_AsUCS4(text, reinterpret_cast<Py_UCS4 *>(to), length, /*copy_null=*/0))
    throw nb::python_error();
}

/// Converts slots to Python objects. Letters give the slots' types.
class SlotReader {
public:
  SlotReader(const char *types, const uint64_t *slots) : types_(types), slots_(slots) {}

  bool isAtEnd() const { return !*types_ || *types_ == ')'; }
  nb::object readValue() {
    switch (*types_++) {
    case 'i':
      return throwIfNull(PyLong_FromLongLong(int64_t(*slots_++)));
    case 'u':
      return throwIfNull(PyLong_FromUnsignedLongLong(*slots_++));
    case 'b':
      return nb::borrow(*slots_++ ? Py_True : Py_False);
    case 'f':
      return throwIfNull(PyFloat_FromDouble(readFloat()));
    case 'd':
      return throwIfNull(PyFloat_FromDouble(readDouble()));
    case 'c': {
      double real = readFloat();
      return throwIfNull(PyComplex_FromDoubles(real, readFloat()));
    }
    case 'z': {
      double real = readDouble();
      return throwIfNull(PyComplex_FromDoubles(real, readDouble()));
    }
    case 's':
      slots_ += 3;
      return toPythonString(slots_ - 3);
    case '(': {
      nb::list items;
      while (!isAtEnd())
        items.append(readValue());
      ++types_;
      return nb::tuple(items);
    }
    default:
      return nb::none();
    }
  }

private:
  double readFloat() { return std::bit_cast<float>(uint32_t(*slots_++)); }
  double readDouble() { return std::bit_cast<double>(*slots_++); }

  const char *types_;
  const uint64_t *slots_;
};

/// Replaces decimal digits of any script by ASCII digits.
nb::object toAsciiDigits(const nb::object &text) {
  nb::list out;
  for (nb::handle c : text) {
    bool isDigit = nb::cast<bool>(nb::object(c.attr("isdecimal")()));
    out.append(isDigit ? nb::str(nb::int_(nb::borrow(c))) : nb::borrow<nb::str>(c));
  }
  return nb::str("").attr("join")(out);
}

nb::object callPythonMethod(std::string_view how, SlotReader values) {
  nb::object first = values.readValue();
  if (how == "str")
    return throwIfNull(PyObject_Str(first.ptr()));
  if (how == "repr")
    return throwIfNull(PyObject_Repr(first.ptr()));
  if (how == "decimals")
    return toAsciiDigits(first);
  if (how == "format")
    return throwIfNull(PyObject_Format(first.ptr(), values.readValue().ptr()));
  if (how == "percent")
    return throwIfNull(PyNumber_Remainder(first.ptr(), values.readValue().ptr()));
  nb::list others;
  while (!values.isAtEnd())
    others.append(values.readValue());
  std::string method(how == "str.format" ? "format" : how);
  return nb::object(first.attr(method.c_str())(*nb::tuple(others)));
}

void storePythonResult(const nb::object &result, host::MadeByPython &made) {
  made.isText = !PyBool_Check(result.ptr());
  made.isTrue = result.ptr() == Py_True;
  if (!made.isText)
    return;
  made.length = PyUnicode_GetLength(result.ptr());
  if (const char *ascii = asciiDataOrNull(result.ptr())) {
    made.width = 1;
    made.data.assign(ascii, ascii + made.length);
    return;
  }
  made.width = 4;
  made.data.resize(size_t(made.length * made.width));
  copyCodePoints(result.ptr(), made.data.data(), made.length);
}

bool computeTextWithPython(const char *how, const char *types, const uint64_t *slots,
                           host::MadeByPython &made) {
  WithGil gil;
  if (!gil)
    return false;
  try {
    storePythonResult(callPythonMethod(how, SlotReader(types, slots)), made);
    return true;
  } catch (nb::python_error &e) {
    e.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  }
  return false;
}

} // namespace

bool appendTextSlotsIfAscii(PyObject *text, llvm::SmallVectorImpl<uint64_t> &slots) {
  const char *ascii = asciiDataOrNull(text);
  if (ascii)
    appendTextSlots(ascii, PyUnicode_GetLength(text), 1, slots);
  return ascii;
}

void addTextSlots(PyObject *text, host::CallMemory &memory,
                  llvm::SmallVectorImpl<uint64_t> &slots) {
  if (appendTextSlotsIfAscii(text, slots))
    return;
  constexpr int64_t width = 4;
  Py_ssize_t length = PyUnicode_GetLength(text);
  host::Owner *owner = memory.allocate(uint64_t(length * width), false);
  if (!owner)
    throw std::bad_alloc();
  char *data = reinterpret_cast<char *>(owner) + simt::ownerBytes;
  copyCodePoints(text, data, length);
  appendTextSlots(data, length, width, slots);
}

nb::object toPythonString(const host::Text &text) {
  if (text.width == 1)
    return throwIfNull(PyUnicode_DecodeLatin1(text.data, text.length, nullptr));
  int order = -1; // little-endian: keeps a leading U+FEFF as a character
  return throwIfNull(
      PyUnicode_DecodeUTF32(text.data, text.length * text.width, "surrogatepass", &order));
}

nb::object toPythonString(const uint64_t *slots) {
  return toPythonString(
      {std::bit_cast<const char *>(slots[0]), int64_t(slots[1]), int64_t(slots[2])});
}

void installPythonText() { host::setPythonTextMaker(computeTextWithPython); }

} // namespace heddle
