#include "api/arguments.h"

#include "program/parameters.h"
#include "support/diagnostic.h"

#include "llvm/ADT/APFloat.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace heddle::v1::detail {

namespace {

using cudacpp::ValueType;

/// The NumPy name of a number's type, as in cudacpp::ValueType; empty for other types.
std::string numpyTypeName(Type type, size_t bytes) {
  switch (type) {
  case Type::Bool:
    return "bool";
  case Type::Signed:
    return "int" + std::to_string(bytes * 8);
  case Type::Unsigned:
    return "uint" + std::to_string(bytes * 8);
  case Type::Float:
    return "float" + std::to_string(bytes * 8);
  case Type::Structure:
  case Type::Void:
    break;
  }
  return "";
}

/// The type's name for messages.
std::string formatType(Type type, size_t bytes) {
  std::string name = numpyTypeName(type, bytes);
  return name.empty() ? std::to_string(bytes) + "-byte structures" : name;
}

/// Reads one argument.
class Reader {
public:
  Reader(const cudacpp::KernelInfo &kernel, size_t number, const Device &device,
         const Argument &argument, llvm::SmallVectorImpl<uint64_t> &slots)
      : kernel_(kernel), number_(number), device_(device), argument_(argument), slots_(slots) {}

  void appendArgument() {
    switch (parameterType().kind) {
    case ValueType::Pointer:
      return appendPointer();
    case ValueType::Bool:
    case ValueType::Integer:
      return appendInteger();
    case ValueType::Float:
      return appendFloat();
    case ValueType::Structure:
      return appendStructure();
    case ValueType::Void:
      reject("no launch can pass it\n  hint: pass a pointer, or the value");
    }
  }

private:
  const cudacpp::Parameter &parameter() const { return kernel_.parameters[number_]; }
  const ValueType &parameterType() const { return parameter().type; }

  [[noreturn]] void reject(const std::string &message) const {
    throw CompileError(ErrorKind::Type, program::formatParameterMessage(kernel_.name, number_,
                                                                        parameter(), message));
  }

  /// The argument's value for messages.
  std::string describeValue() const {
    if (argument_.isPointer)
      return "a pointer";
    if (argument_.type == Type::Structure)
      return "a structure";
    if (argument_.type == Type::Bool)
      return argument_.bits ? "true" : "false";
    if (argument_.type == Type::Float) {
      char text[32];
      std::snprintf(text, sizeof(text), "%.17g", argument_.number);
      return text;
    }
    return isNegative() ? std::to_string(int64_t(argument_.bits)) : std::to_string(argument_.bits);
  }
  bool isNegative() const { return argument_.type == Type::Signed && int64_t(argument_.bits) < 0; }

  void appendPointer() {
    if (!argument_.isPointer)
      reject("takes a Buffer or an address, not " + describeValue() +
             "\n  hint: are the arguments in the order of the parameters?");
    if (argument_.memory && argument_.memory->device() != device_)
      reject("the buffer is on " + argument_.memory->device().name() + ", the kernel runs on " +
             device_.name());
    if (argument_.isConst && !parameterType().isConst)
      reject("the pointer is to const\n  hint: write 'const' in the kernel if it does not write "
             "the array");
    if (!isElementTypeAccepted())
      reject("takes an array of " +
             (parameterType().element.empty()
                  ? std::to_string(parameterType().elementBytes) + "-byte elements"
                  : parameterType().element) +
             ", not of " + formatType(argument_.type, argument_.bytes));
    slots_.push_back(argument_.bits);
  }

  bool isElementTypeAccepted() const {
    if (parameterType().takesAny || argument_.type == Type::Void)
      return true;
    std::string name = numpyTypeName(argument_.type, argument_.bytes);
    if (!name.empty() && (name == parameterType().element || name == parameterType().component))
      return true;
    // C++17 has no 16-bit floats: programs pass their bits.
    bool isSmallFloat =
        parameterType().element == "float16" || parameterType().element == "bfloat16";
    if (isSmallFloat && name == "uint16")
      return true;
    // Programs may define their own classes for structures and for 16-bit and complex numbers: compare only sizes.
    bool mayBeOwn = argument_.type == Type::Structure || parameterType().element.empty();
    return mayBeOwn &&
           (!parameterType().elementBytes || argument_.bytes == parameterType().elementBytes);
  }

  void appendInteger() {
    uint64_t bits = argument_.bits;
    bool negative = isNegative();
    if (argument_.isPointer || argument_.type == Type::Structure)
      reject("takes an integer, not " + describeValue());
    if (argument_.type == Type::Float) {
      constexpr double top = 18446744073709551616.0; // 2^64
      double v = argument_.number;
      if (!std::isfinite(v) || v != std::floor(v))
        reject("takes an integer, not " + describeValue());
      if (v >= top || v < -top / 2)
        reject(describeValue() + " does not fit");
      negative = v < 0;
      bits = negative ? uint64_t(int64_t(v)) : uint64_t(v);
    }
    if (parameterType().kind == ValueType::Bool)
      return slots_.push_back(bits != 0);
    if (!program::isRepresentableInteger(parameterType(), bits, negative))
      reject(describeValue() + " does not fit");
    slots_.push_back(bits);
    if (parameterType().bytes > sizeof bits) // __int128
      slots_.push_back(negative ? UINT64_MAX : 0);
  }

  void appendFloat() {
    if (argument_.type == Type::Structure && argument_.bytes == parameterType().bytes)
      return addBytesAsSlot(); // the program's class for 16-bit floats
    if (argument_.isPointer || argument_.type == Type::Structure)
      reject("takes a number, not " + describeValue());
    slots_.push_back(encodeFloatBits(numberAsDouble()));
  }

  double numberAsDouble() const {
    return argument_.type == Type::Float ? argument_.number
           : isNegative()                ? double(int64_t(argument_.bits))
                                         : double(argument_.bits);
  }

  uint64_t encodeFloatBits(double v) const {
    if (parameterType().bytes == sizeof(double))
      return std::bit_cast<uint64_t>(v);
    if (parameterType().bytes == sizeof(float))
      return std::bit_cast<uint32_t>(float(v));
    llvm::APFloat narrow(v);
    bool inexact = false;
    narrow.convert(parameterType().element == "bfloat16" ? llvm::APFloat::BFloat()
                                                         : llvm::APFloat::IEEEhalf(),
                   llvm::APFloat::rmNearestTiesToEven, &inexact);
    return narrow.bitcastToAPInt().getZExtValue();
  }

  void addBytesAsSlot() {
    uint64_t bits = 0;
    std::memcpy(&bits, argument_.data, argument_.bytes);
    slots_.push_back(bits);
  }

  /// Converts a number to a structure that represents a number in C++, such as __half or complex<float>.
  void addNumberAsStructure() {
    double parts[] = {numberAsDouble(), 0};
    float narrow[] = {float(parts[0]), 0};
    if (parameterType().element == "complex128")
      return program::appendStructureSlots(parameter(), parts, slots_);
    if (parameterType().element == "complex64")
      return program::appendStructureSlots(parameter(), narrow, slots_);
    uint64_t bits = encodeFloatBits(numberAsDouble());
    program::appendStructureSlots(parameter(), &bits, slots_);
  }

  void appendStructure() {
    if (!parameterType().element.empty() && !argument_.isPointer &&
        argument_.type != Type::Structure)
      return addNumberAsStructure();
    if (argument_.type != Type::Structure || argument_.isPointer)
      reject("takes a structure of " + std::to_string(parameterType().bytes) + " bytes, not " +
             describeValue());
    if (argument_.bytes != parameterType().bytes)
      reject("has " + std::to_string(parameterType().bytes) + " bytes, the value has " +
             std::to_string(argument_.bytes));
    program::appendStructureSlots(parameter(), argument_.data, slots_);
  }

  const cudacpp::KernelInfo &kernel_;
  size_t number_;
  const Device &device_;
  const Argument &argument_;
  llvm::SmallVectorImpl<uint64_t> &slots_;
};

/// Offsets from the address to the begin and the end of its allocation; the widest range if the allocation is unknown.
std::pair<int64_t, int64_t> allocationOffsetsFromAddress(const Argument &argument) {
  constexpr int64_t most = int64_t(1) << 62;
  if (!argument.memory)
    return {-most, most};
  auto address = int64_t(argument.bits);
  auto start = int64_t(reinterpret_cast<std::uintptr_t>(argument.memory->address()));
  return {std::min<int64_t>(start - address, 0),
          start + int64_t(argument.memory->bytes()) - address};
}

} // namespace

void appendArgumentSlots(const cudacpp::KernelInfo &kernel, const Device &device,
                         std::span<const Argument> arguments,
                         llvm::SmallVectorImpl<uint64_t> &slots,
                         std::vector<std::shared_ptr<void>> &owners) {
  if (arguments.size() != kernel.parameters.size())
    throw CompileError(ErrorKind::Type,
                       program::wrongArgumentCountMessage(kernel.name, kernel.parameters.size(),
                                                          arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    Reader(kernel, i, device, arguments[i], slots).appendArgument();
    if (arguments[i].memory)
      owners.push_back(arguments[i].memory->owner());
  }
  for (uint32_t number : kernel.bounded) {
    auto [before, after] = allocationOffsetsFromAddress(arguments[number]);
    slots.push_back(uint64_t(before));
    slots.push_back(uint64_t(after));
  }
}

} // namespace heddle::v1::detail
