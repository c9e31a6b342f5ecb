#include "simt/check/emit_stop.h"

#include "simt/ir/checks.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"

namespace heddle::simt {

using namespace llvm;

void emitStopUnlessBelow(IRBuilderBase &b, Value *number, uint64_t limit, StringRef what,
                         Instruction &at) {
  Value *site = b.getInt32(addSite("RuntimeError", what.str(), at));
  call(b, Op::CheckIndex, {site, number, number, b.getInt64(0), b.getInt64(0), b.getInt64(limit)});
}

void emitStopIf(IRBuilderBase &b, Value *condition, StringRef what, Instruction &at) {
  emitCheck(b, addSite("RuntimeError", what.str(), at), condition);
}

} // namespace heddle::simt
