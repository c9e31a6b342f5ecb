; RUN: heddle-opt -passes=check-resources,vectorize,bind-context,lower-shared,plan-blocks-as-coroutines,lower-barriers,make-region-loops,emit-entries -S %s | FileCheck %s
; One exported constant per kernel: ABI version, shared bytes, local bytes, deep stack, cooperative, yields, warps,
; width, linear, grouping rule, thread order, block runs, fixed block shape, block or thread function, resume function.

@tile = internal addrspace(3) global [64 x float] poison

; CHECK-DAG: @waits.entry = constant { i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, [3 x i32], ptr, ptr, ptr } { i32 {{[0-9]+}}, i32 256, i32 0, i32 0, i32 0, i32 0, i32 0, i32 4, i32 0, i32 1, i32 0, i32 0, [3 x i32] zeroinitializer, ptr null, ptr @waits, ptr @waits.resume_loop }
define void @waits() "simt.kernel" {
  store float 1.0, ptr addrspace(3) @tile
  call void @simt.barrier(i32 0)
  ret void
}
; CHECK-DAG: @large.entry = constant { i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, [3 x i32], ptr, ptr, ptr } { i32 {{[0-9]+}}, i32 0, i32 40000, i32 1, i32 0, i32 0, i32 0, i32 4, i32 0, i32 1, i32 0, i32 0, [3 x i32] zeroinitializer, ptr @large, ptr null, ptr null }
define void @large(i32 %i) "simt.kernel" {
  %a = alloca [10000 x i32]
  %p = getelementptr i32, ptr %a, i32 %i
  store i32 %i, ptr %p
  ret void
}
declare void @simt.barrier(i32) convergent
