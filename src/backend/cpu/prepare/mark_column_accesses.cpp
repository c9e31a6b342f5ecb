#include "backend/cpu/prepare/mark_column_accesses.h"

#include "simt/analysis/thread_strides.h"
#include "simt/ir/ops.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <cstdlib>

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr const char *accessesColumnsAttribute = "cpu.accesses-columns";

constexpr int64_t cacheLineBytes = 64;

bool isWithinLine(std::optional<int64_t> stride) {
  return stride && std::abs(*stride) < cacheLineBytes;
}

} // namespace

PreservedAnalyses MarkColumnAccesses::run(Function &f, FunctionAnalysisManager &) {
  if (!simt::isKernel(f))
    return PreservedAnalyses::all();
  simt::ThreadStrides alongX(f, simt::Axis::X), alongY(f, simt::Axis::Y);
  bool columns = any_of(instructions(f), [&](const Instruction &i) {
    const Value *address = getLoadStorePointerOperand(&i);
    if (!address)
      return false;
    std::optional<int64_t> strideAlongY = alongY.of(*address);
    return !isWithinLine(alongX.of(*address)) && isWithinLine(strideAlongY) && *strideAlongY != 0;
  });
  if (columns)
    f.addFnAttr(accessesColumnsAttribute);
  return PreservedAnalyses::all();
}

bool accessesColumns(const Function &kernel) {
  return kernel.hasFnAttribute(accessesColumnsAttribute);
}

} // namespace heddle::cpu
