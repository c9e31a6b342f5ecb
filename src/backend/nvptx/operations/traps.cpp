#include "backend/nvptx/operations/traps.h"

#include "backend/nvptx/operations/device_code.h"
#include "backend/nvptx/operations/error_record.h"
#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"

#include <cstddef>

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr const char *trapName = "heddle_trap";

// The code below uses these offsets of ErrorRecord.
static_assert(offsetof(ErrorRecord, module) == 4 && offsetof(ErrorRecord, site) == 8 &&
              offsetof(ErrorRecord, thread) == 12 && offsetof(ErrorRecord, block) == 24 &&
              offsetof(ErrorRecord, operands) == 40);

constexpr const char *trapCode = R"(
%ErrorChannel = type { ptr addrspace(1), ptr addrspace(1), i32, i32 }
%ErrorRecord = type { i32, i32, i32, [3 x i32], [3 x i32], i32, [2 x i64] }

@heddle_errors = addrspace(1) externally_initialized global %ErrorChannel zeroinitializer, align 16

define void @heddle_trap(i32 %site, i64 %index, i64 %extent) noinline cold noreturn nounwind {
entry:
  %claim = load ptr addrspace(1), ptr addrspace(1) @heddle_errors, align 16
  %connected = icmp ne ptr addrspace(1) %claim, null
  br i1 %connected, label %take, label %leave

take:
  %taken = cmpxchg ptr addrspace(1) %claim, i32 0, i32 1 syncscope("device") monotonic monotonic
  %first = extractvalue { i32, i1 } %taken, 1
  br i1 %first, label %write, label %leave

write:
  %r.p = getelementptr %ErrorChannel, ptr addrspace(1) @heddle_errors, i32 0, i32 1
  %r = load ptr addrspace(1), ptr addrspace(1) %r.p, align 8
  %module.p = getelementptr %ErrorChannel, ptr addrspace(1) @heddle_errors, i32 0, i32 2
  %module = load i32, ptr addrspace(1) %module.p, align 8
  %r.module = getelementptr %ErrorRecord, ptr addrspace(1) %r, i32 0, i32 1
  store i32 %module, ptr addrspace(1) %r.module
  %r.site = getelementptr %ErrorRecord, ptr addrspace(1) %r, i32 0, i32 2
  store i32 %site, ptr addrspace(1) %r.site
  %tid.x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r.tid.x = getelementptr %ErrorRecord, ptr addrspace(1) %r, i32 0, i32 3, i32 0
  store i32 %tid.x, ptr addrspace(1) %r.tid.x
  %tid.y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %r.tid.y = getelementptr %ErrorRecord, ptr addrspace(1) %r, i32 0, i32 3, i32 1
  store i32 %tid.y, ptr addrspace(1) %r.tid.y
  %tid.z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %r.tid.z = getelementptr %ErrorRecord, ptr addrspace(1) %r, i32 0, i32 3, i32 2
  store i32 %tid.z, ptr addrspace(1) %r.tid.z
  %ctaid.x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %r.ctaid.x = getelementptr %ErrorRecord, ptr addrspace(1) %r, i32 0, i32 4, i32 0
  store i32 %ctaid.x, ptr addrspace(1) %r.ctaid.x
  %ctaid.y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %r.ctaid.y = getelementptr %ErrorRecord, ptr addrspace(1) %r, i32 0, i32 4, i32 1
  store i32 %ctaid.y, ptr addrspace(1) %r.ctaid.y
  %ctaid.z = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %r.ctaid.z = getelementptr %ErrorRecord, ptr addrspace(1) %r, i32 0, i32 4, i32 2
  store i32 %ctaid.z, ptr addrspace(1) %r.ctaid.z
  %r.index = getelementptr %ErrorRecord, ptr addrspace(1) %r, i32 0, i32 6, i32 0
  store i64 %index, ptr addrspace(1) %r.index
  %r.extent = getelementptr %ErrorRecord, ptr addrspace(1) %r, i32 0, i32 6, i32 1
  store i64 %extent, ptr addrspace(1) %r.extent
  ; The host must see all of the above when it sees the 2.
  call void @llvm.nvvm.membar.sys()
  store atomic volatile i32 2, ptr addrspace(1) %r monotonic, align 8
  br label %leave

leave:
  call void @llvm.nvvm.exit()
  unreachable
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare void @llvm.nvvm.membar.sys()
declare void @llvm.nvvm.exit()
)";

void replaceWithTrapCall(CallInst &call, Function &trap) {
  IRBuilder<> b(&call);
  bool hasIndex = call.arg_size() == 3;
  Value *index = hasIndex ? call.getArgOperand(1) : b.getInt64(0);
  Value *extent = hasIndex ? call.getArgOperand(2) : b.getInt64(0);
  b.CreateCall(&trap, {call.getArgOperand(0), index, extent})->setDoesNotReturn();
  call.eraseFromParent();
}

} // namespace

PreservedAnalyses LowerTraps::run(Module &m, ModuleAnalysisManager &) {
  SmallVector<CallInst *, 8> traps;
  for (Function &f : m)
    for (CallInst *call : simtCalls(f))
      if (simt::info(*simt::calledOp(call)).has(simt::NoReturn))
        traps.push_back(call);
  if (traps.empty())
    return PreservedAnalyses::all();
  linkDeviceCode(m, trapCode);
  for (CallInst *call : traps)
    replaceWithTrapCall(*call, *m.getFunction(trapName));
  return PreservedAnalyses::none();
}

} // namespace heddle::nvptx
