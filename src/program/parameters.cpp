#include "program/parameters.h"

#include <cstring>

namespace heddle::program {

std::string formatParameterMessage(const std::string &kernel, size_t number,
                                   const cudacpp::Parameter &parameter,
                                   const std::string &message) {
  return "kernel " + kernel + ": parameter " + std::to_string(number + 1) +
         (parameter.name.empty() ? "" : " (" + parameter.name + ")") + " is '" +
         parameter.type.spelling + "': " + message;
}

std::string wrongArgumentCountMessage(const std::string &kernel, size_t parameters, size_t given) {
  return "kernel " + kernel + " has " + std::to_string(parameters) +
         (parameters == 1 ? " parameter, " : " parameters, ") + std::to_string(given) +
         (given == 1 ? " argument was given" : " arguments were given");
}

bool isRepresentableInteger(const cudacpp::ValueType &type, uint64_t bits, bool isNegative) {
  unsigned width = type.bytes * 8 - (type.isSigned ? 1 : 0); // without the sign bit
  if (isNegative)
    return type.isSigned && (width >= 64 || ~bits >> width == 0);
  return width >= 64 || bits >> width == 0;
}

void appendStructureSlots(const cudacpp::Parameter &parameter, const void *data,
                          llvm::SmallVectorImpl<uint64_t> &slots) {
  for (const cudacpp::Slot &slot : parameter.slots) {
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char *>(data) + slot.offset, slot.bytes);
    slots.push_back(bits);
  }
}

} // namespace heddle::program
