#include "backend/nvptx/operations/grid_barrier.h"

#include "backend/nvptx/operations/device_code.h"
#include "backend/nvptx/operations/error_record.h"
#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr const char *barrierName = "heddle_grid_barrier";

// For a cooperative launch, the driver puts the address of a structure into %envreg1 (high half) and %envreg2; its
// second word is the counter (CUDA's cooperative_groups/details/driver_abi.h). Block (0, 0, 0) adds 2^31 - (blocks -
// 1), and every other block adds 1. When all blocks have arrived, the top bit flips and the lower bits are 0 again.
//
// Each barrier elects the counting thread of a block anew, because any thread may have returned.
constexpr const char *barrierCode = R"(
@heddle_grid_leader = internal addrspace(3) global i32 poison, align 4

define void @heddle_grid_barrier() alwaysinline convergent nounwind {
entry:
  store volatile i32 0, ptr addrspace(3) @heddle_grid_leader, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %earlier = atomicrmw xchg ptr addrspace(3) @heddle_grid_leader, i32 1 syncscope("block") monotonic
  %leads = icmp eq i32 %earlier, 0
  br i1 %leads, label %arrive, label %wait

arrive:
  %high = call i32 @llvm.nvvm.read.ptx.sreg.envreg1()
  %low = call i32 @llvm.nvvm.read.ptx.sreg.envreg2()
  %high.64 = zext i32 %high to i64
  %low.64 = zext i32 %low to i64
  %high.shifted = shl i64 %high.64, 32
  %workspace = or disjoint i64 %high.shifted, %low.64
  %workspace.p = inttoptr i64 %workspace to ptr addrspace(1)
  %counter = getelementptr inbounds i32, ptr addrspace(1) %workspace.p, i64 1
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %xy = or i32 %x, %y
  %xyz = or i32 %xy, %z
  %is.first = icmp eq i32 %xyz, 0
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %nz = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
  %nxy = mul i32 %nx, %ny
  %blocks = mul i32 %nxy, %nz
  %rest = sub i32 -2147483647, %blocks
  %share = select i1 %is.first, i32 %rest, i32 1
  ; Every block that sees the share also sees the earlier writes of this block.
  call void @llvm.nvvm.membar.gl()
  %before = atomicrmw add ptr addrspace(1) %counter, i32 %share syncscope("device") monotonic
  br label %look

look:
  %round = phi i32 [ 0, %arrive ], [ %next.round, %again ]
  %now = load atomic volatile i32, ptr addrspace(1) %counter syncscope("device") monotonic, align 4
  %change = xor i32 %now, %before
  %complete = icmp slt i32 %change, 0
  br i1 %complete, label %joined, label %again

again:
  %next.round = add i32 %round, 1
  %stop = call i1 @heddle_grid_stopped(i32 %next.round, ptr addrspace(1) %counter, i32 %before, i32 %share)
  br i1 %stop, label %give.up, label %look

give.up:
  store volatile i32 2, ptr addrspace(3) @heddle_grid_leader, align 4
  br label %wait

joined:
  call void @llvm.nvvm.membar.gl()
  br label %wait

wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %verdict = load volatile i32, ptr addrspace(3) @heddle_grid_leader, align 4
  %leave = icmp eq i32 %verdict, 2
  br i1 %leave, label %out, label %done

out:
  call void @llvm.nvvm.exit()
  unreachable

done:
  ret void
}

declare i1 @heddle_grid_stopped(i32, ptr addrspace(1), i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare i32 @llvm.nvvm.read.ptx.sreg.envreg1()
declare i32 @llvm.nvvm.read.ptx.sreg.envreg2()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.exit()
)";

// For modules without traps.
constexpr const char *neverStopped = R"(
define i1 @heddle_grid_stopped(i32 %round, ptr addrspace(1) %counter, i32 %before, i32 %share) alwaysinline nounwind {
  ret i1 false
}
)";

// Checks for a trap only once in 64 rounds. A block that exits subtracts its share again, unless the other blocks have
// arrived in the meantime; then it continues. This keeps the counter consistent for the next launch.
constexpr const char *stoppedByATrap = R"(
%ErrorChannel = type { ptr addrspace(1), ptr addrspace(1), i32, i32 }
@heddle_errors = external addrspace(1) global %ErrorChannel

define i1 @heddle_grid_stopped(i32 %round, ptr addrspace(1) %counter, i32 %before, i32 %share) alwaysinline nounwind {
entry:
  %phase = and i32 %round, 63
  %due = icmp eq i32 %phase, 0
  br i1 %due, label %find, label %no

find:
  %claim = load ptr addrspace(1), ptr addrspace(1) @heddle_errors, align 16
  %connected = icmp ne ptr addrspace(1) %claim, null
  br i1 %connected, label %read, label %no

read:
  %state = load atomic volatile i32, ptr addrspace(1) %claim monotonic, align 4
  %trapped = icmp ne i32 %state, 0
  br i1 %trapped, label %recall, label %no

recall:
  %now = load atomic volatile i32, ptr addrspace(1) %counter syncscope("device") monotonic, align 4
  br label %try

try:
  %seen = phi i32 [ %now, %recall ], [ %found, %retry ]
  %change = xor i32 %seen, %before
  %complete = icmp slt i32 %change, 0
  br i1 %complete, label %no, label %retry

retry:
  %without = sub i32 %seen, %share
  %swap = cmpxchg ptr addrspace(1) %counter, i32 %seen, i32 %without syncscope("device") monotonic monotonic
  %found = extractvalue { i32, i1 } %swap, 0
  %ok = extractvalue { i32, i1 } %swap, 1
  br i1 %ok, label %yes, label %try

no:
  ret i1 false
yes:
  ret i1 true
}
)";

} // namespace

PreservedAnalyses LowerGridBarrier::run(Module &m, ModuleAnalysisManager &) {
  SmallVector<CallInst *, 4> barriers;
  for (Function &f : m)
    for (CallInst *call : simtCalls(f))
      if (simt::calledOp(call) == simt::Op::GridBarrier)
        barriers.push_back(call);
  if (barriers.empty())
    return PreservedAnalyses::all();
  linkDeviceCode(m, barrierCode);
  linkDeviceCode(m, m.getNamedGlobal(errorChannelName) ? stoppedByATrap : neverStopped);
  for (CallInst *call : barriers) {
    IRBuilder<> b(call);
    replaceCall(*call, b.CreateCall(m.getFunction(barrierName)));
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::nvptx
