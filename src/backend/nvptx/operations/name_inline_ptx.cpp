#include "backend/nvptx/operations/name_inline_ptx.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

/// Escapes a file name for inline assembly, where $ begins an operand.
std::string escapeName(StringRef name) {
  std::string out;
  for (char c : name) {
    if (c == '$')
      out += '$';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

} // namespace

PreservedAnalyses NameInlinePtx::run(Function &f, FunctionAnalysisManager &) {
  for (Instruction &i : instructions(f)) {
    auto *call = dyn_cast<CallInst>(&i);
    auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    const DILocation *at = i.getDebugLoc().get();
    if (!code || !at || code->getAsmString().empty())
      continue;
    std::string place = escapeName(at->getFilename()) + ":" + std::to_string(at->getLine());
    call->setCalledOperand(InlineAsm::get(
        code->getFunctionType(), inlinePtxMark + place + "\n" + code->getAsmString().str(),
        code->getConstraintString(), code->hasSideEffects(), code->isAlignStack(),
        code->getDialect(), code->canThrow()));
  }
  return PreservedAnalyses::all();
}

} // namespace heddle::nvptx
