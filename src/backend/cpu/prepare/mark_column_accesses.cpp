#include "backend/cpu/prepare/mark_column_accesses.h"

#include "simt/analysis/accesses.h"
#include "simt/ir/ops.h"

#include <cstdlib>

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr const char *accessesColumnsAttribute = "cpu.accesses-columns";

constexpr int64_t cacheLineBytes = 64;

bool isShorterThanCacheLine(std::optional<int64_t> stride) {
  return stride && std::abs(*stride) < cacheLineBytes;
}

} // namespace

PreservedAnalyses MarkColumnAccesses::run(Function &f, FunctionAnalysisManager &am) {
  if (!simt::isKernel(f))
    return PreservedAnalyses::all();
  bool columns =
      any_of(am.getResult<simt::AccessAnalysis>(f).all(), [](const simt::Access &access) {
        std::optional<int64_t> alongY = access.strideAlong(simt::Axis::Y);
        return !isShorterThanCacheLine(access.strideAlong(simt::Axis::X)) &&
               isShorterThanCacheLine(alongY) && *alongY != 0;
      });
  if (columns)
    f.addFnAttr(accessesColumnsAttribute);
  return PreservedAnalyses::all();
}

bool accessesColumns(const Function &kernel) {
  return kernel.hasFnAttribute(accessesColumnsAttribute);
}

} // namespace heddle::cpu
