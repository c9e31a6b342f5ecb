#include "simt/ir/kernel_parameters.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace heddle::simt {

using namespace llvm;

uint64_t structureBytesOf(const Argument &parameter) {
  Attribute bytes =
      parameter.getParent()->getAttributes().getParamAttr(parameter.getArgNo(), structureAttribute);
  uint64_t number = 0;
  if (bytes.isValid())
    bytes.getValueAsString().getAsInteger(10, number);
  return number;
}

uint64_t countSlots(const Argument &parameter) {
  return std::max<uint64_t>(1, divideCeil(structureBytesOf(parameter), slotBytes));
}

} // namespace heddle::simt
