#include "simt/ir/remarks.h"

#include "llvm/IR/Metadata.h"

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr const char *remarksName = "heddle.remarks";

} // namespace

StringRef nameOfKernel(const Function &kernel) {
  Attribute given = kernel.getFnAttribute(nameAttribute);
  return given.isValid() ? given.getValueAsString() : kernel.getName();
}

void addRemark(Function &kernel, const std::string &decision) {
  LLVMContext &c = kernel.getContext();
  kernel.getParent()
      ->getOrInsertNamedMetadata(remarksName)
      ->addOperand(
          MDNode::get(c, MDString::get(c, (nameOfKernel(kernel) + ": " + decision).str())));
}

std::vector<std::string> remarksOf(const Module &m) {
  std::vector<std::string> remarks;
  if (const NamedMDNode *node = m.getNamedMetadata(remarksName))
    for (const MDNode *remark : node->operands())
      remarks.push_back(cast<MDString>(remark->getOperand(0))->getString().str());
  return remarks;
}

} // namespace heddle::simt
