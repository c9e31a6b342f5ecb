#include "backend/nvptx/tune/hoist_row_offsets.h"

#include "simt/ir/remarks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

#include <optional>

namespace heddle::nvptx {

using namespace llvm;
using namespace PatternMatch;

namespace {

/// (changing + fixed) * stride, where only `changing` is computed in the loop.
struct Product {
  Instruction *product;
  Value *changing, *fixed, *stride;
};

std::optional<Product> matchRowOffset(Instruction &i, const Loop &loop) {
  Value *x, *y, *stride;
  if (!i.getType()->isIntegerTy(64) || !match(&i, m_Mul(m_Value(x), m_Value(stride))))
    return std::nullopt;
  if (!loop.isLoopInvariant(stride))
    std::swap(x, stride);
  Instruction *sum = dyn_cast<Instruction>(x);
  if (isa<Constant>(stride) || !loop.isLoopInvariant(stride) || !sum || !loop.contains(sum) ||
      !match(sum, m_AddLike(m_Value(x), m_Value(y))))
    return std::nullopt;
  if (loop.isLoopInvariant(x))
    std::swap(x, y);
  // Constants: the code generator's straight-line strength reduction needs fewer registers.
  if (loop.isLoopInvariant(x) || !loop.isLoopInvariant(y) || isa<Constant>(y))
    return std::nullopt;
  return Product{&i, x, y, stride};
}

/// The products of a loop by the part that changes and the stride.
using Groups = MapVector<std::pair<Value *, Value *>, SmallVector<Product, 8>>;

Groups groupRowOffsets(const Loop &loop) {
  Groups groups;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &i : *block)
      if (std::optional<Product> p = matchRowOffset(i, loop))
        groups[{p->changing, p->stride}].push_back(*p);
  return groups;
}

/// Emits the product of the changing part and the stride where all products can use it.
Value *emitChangingPart(ArrayRef<Product> products, DominatorTree &tree) {
  BasicBlock *block = products.front().product->getParent();
  for (const Product &p : products)
    block = tree.findNearestCommonDominator(block, p.product->getParent());
  Instruction *at = block->getTerminator();
  for (const Product &p : products)
    if (p.product->getParent() == block && p.product->comesBefore(at))
      at = p.product;
  return IRBuilder<>(at).CreateMul(products.front().changing, products.front().stride);
}

/// True if `user` adds the product, in elements, to an address that the loop does not change.
bool isRowAddress(const User &user, const Product &p, const Loop &loop) {
  const auto *address = dyn_cast<GetElementPtrInst>(&user);
  return address && address->getNumIndices() == 1 && address->getOperand(1) == p.product &&
         loop.isLoopInvariant(address->getPointerOperand());
}

void splitRowOffsets(ArrayRef<Product> products, const Loop &loop, DominatorTree &tree) {
  Value *changing = emitChangingPart(products, tree);
  IRBuilder<> before(loop.getLoopPreheader()->getTerminator());
  for (const Product &p : products) {
    Value *fixed = before.CreateMul(p.fixed, p.stride, "row.offset");
    for (User *user : make_early_inc_range(p.product->users()))
      if (isRowAddress(*user, p, loop)) {
        auto &address = cast<GetElementPtrInst>(*user);
        Type *element = address.getSourceElementType();
        Value *row = before.CreateGEP(element, address.getPointerOperand(), fixed, "row");
        IRBuilder<> b(&address);
        address.replaceAllUsesWith(b.CreateGEP(element, row, changing));
        address.eraseFromParent();
      }
    if (!p.product->use_empty())
      p.product->replaceAllUsesWith(IRBuilder<>(p.product).CreateAdd(changing, fixed));
    p.product->eraseFromParent();
  }
}

} // namespace

PreservedAnalyses HoistRowOffsets::run(Function &f, FunctionAnalysisManager &am) {
  auto &loops = am.getResult<LoopAnalysis>(f);
  auto &tree = am.getResult<DominatorTreeAnalysis>(f);
  unsigned count = 0;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->getLoopPreheader())
      continue;
    for (const auto &[shared, products] : groupRowOffsets(*loop))
      if (products.size() > 1) {
        splitRowOffsets(products, *loop, tree);
        count += products.size();
      }
  }
  if (count == 0)
    return PreservedAnalyses::all();
  simt::addRemark(f, "the offsets of " + std::to_string(count) +
                         " rows are computed before the loops that access the rows");
  return PreservedAnalyses::allInSet<CFGAnalyses>();
}

} // namespace heddle::nvptx
