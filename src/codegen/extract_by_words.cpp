#include "codegen/extract_by_words.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr unsigned wordBits = 64;

using Elements = SmallVector<ExtractElementInst *, 16>;

/// Returns true for a short integer at a constant index of a vector that consists of whole words.
bool isShortIntegerExtract(const ExtractElementInst &element) {
  auto *type = dyn_cast<FixedVectorType>(element.getVectorOperandType());
  unsigned bits = element.getType()->isIntegerTy() ? element.getType()->getIntegerBitWidth() : 0;
  return type && (bits == 8 || bits == 16 || bits == 32) &&
         type->getNumElements() * bits % wordBits == 0 &&
         isa<ConstantInt>(element.getIndexOperand());
}

/// Returns true for a select between a constant vector and another one. With AVX-512, LLVM 22 assumes that the upper
/// half of the words of this vector is zero.
bool isSelectOfConstantVector(const Value &vector) {
  auto *select = dyn_cast<SelectInst>(&vector);
  return select &&
         (isa<Constant>(select->getTrueValue()) || isa<Constant>(select->getFalseValue()));
}

void extractElementsByWords(Value &vector, const Elements &elements) {
  auto *type = cast<FixedVectorType>(vector.getType());
  unsigned bits = type->getScalarSizeInBits(), perWord = wordBits / bits;
  IRBuilder<> b(elements.front()); // the first extract
  Value *words = b.CreateBitCast(
      &vector, FixedVectorType::get(b.getInt64Ty(), type->getNumElements() / perWord));
  SmallMapVector<uint64_t, Value *, 8> known;
  for (ExtractElementInst *element : elements) {
    uint64_t number = cast<ConstantInt>(element->getIndexOperand())->getZExtValue();
    Value *&word = known[number / perWord];
    if (!word)
      word = b.CreateExtractElement(words, number / perWord);
    uint64_t shift = number % perWord * bits;
    Value *shifted = shift ? b.CreateLShr(word, shift) : word;
    element->replaceAllUsesWith(b.CreateTrunc(shifted, element->getType()));
  }
  for (ExtractElementInst *element : elements)
    element->eraseFromParent();
}

} // namespace

PreservedAnalyses ExtractByWords::run(Function &f, FunctionAnalysisManager &) {
  if (!f.getDataLayout().isLittleEndian())
    return PreservedAnalyses::all();
  MapVector<std::pair<Value *, BasicBlock *>, Elements> all;
  for (Instruction &i : instructions(f))
    if (auto *element = dyn_cast<ExtractElementInst>(&i);
        element && isShortIntegerExtract(*element))
      all[{element->getVectorOperand(), element->getParent()}].push_back(element);
  bool changed = false;
  for (auto &[from, elements] : all) {
    if (elements.size() < 2 || isSelectOfConstantVector(*from.first))
      continue;
    extractElementsByWords(*from.first, elements);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
