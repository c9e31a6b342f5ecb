; RUN: heddle-opt -passes=vectorize-partial-groups -S %s | FileCheck %s --check-prefix=PARTIAL
; RUN: heddle-opt -passes=vectorize-linear-groups -S %s | FileCheck %s --check-prefix=LINEAR
; RUN: heddle-opt -passes=vectorize-linear-groups,bind-context,lower-traps,plan-blocks,make-region-loops -S %s | FileCheck %s --check-prefix=TRAP
; Blocks with rows that are not multiples of the width: lanes without a thread are masked off. Blocks of short rows: the
; threads of a group are consecutive in the block.

; A global index does not wrap in 32 bits, so adjacent elements are one access.
; PARTIAL-LABEL: define void @column(
; PARTIAL: %[[N:.*]] = call i32 @simt.ntid.x()
; PARTIAL: %existing = icmp ult <4 x i32> %{{.*}}, %{{.*}}
; PARTIAL: call <4 x float> @llvm.masked.load.v4f32.p1({{.*}}, <4 x i1> %existing,
; PARTIAL: call void @llvm.masked.store.v4f32.p1({{.*}}, <4 x i1> %existing)
; PARTIAL: attributes {{.*}}"cpu.plan"="grouped=rows; width=4; partial

; x and y are quotient and remainder of the linear index.
; LINEAR-LABEL: define void @column(
; LINEAR: %[[FIRST:.*]] = call i32 @simt.tid.x()
; LINEAR: add <4 x i32> %{{.*}}, <i32 0, i32 1, i32 2, i32 3>
; LINEAR: %[[ROW:.*]] = fptoui <4 x float>
; LINEAR: mul <4 x i32> %[[ROW]]
; LINEAR: call <4 x float> @llvm.masked.gather
; LINEAR: attributes {{.*}}"cpu.plan"="grouped=rows; width=4; linear
define void @column(ptr addrspace(1) %a, i32 %rounds) "simt.kernel" {
entry:
  %block = call i32 @simt.ctaid.x()
  %extent = call i32 @simt.ntid.x()
  %start = mul i32 %block, %extent
  %t = call i32 @simt.tid.x()
  %i = add i32 %start, %t
  %wide = sext i32 %i to i64
  %place = getelementptr float, ptr addrspace(1) %a, i64 %wide
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = load float, ptr addrspace(1) %place, align 4
  %more = fadd float %v, 1.0
  store float %more, ptr addrspace(1) %place, align 4
  %next = add i32 %k, 1
  %go = icmp ult i32 %next, %rounds
  br i1 %go, label %loop, label %end
end:
  ret void
}

; Groups span the whole block, and a trap reports the thread's linear index.
; TRAP-LABEL: define internal void @traps.threads(
; TRAP: %[[PLANE:.*]] = mul nuw i32 %ntid.x, %ntid.y
; TRAP: %[[ALL:.*]] = mul nuw i32 %[[PLANE]], %ntid.z
; TRAP: add nuw nsw i32 %tid.x, 4
; TRAP: icmp ult i32 %{{.*}}, %[[ALL]]
; TRAP: %[[NUMBER:.*]] = add i32 %tid.x, %{{.*}}
; TRAP: call void @heddle_cpu_trap_thread(ptr %context, i32 %[[NUMBER]], i32 %{{.*}}, i32 %{{.*}}, i32 %{{.*}}, i32 %{{.*}}, i32 %{{.*}}, i32 1, i32 0,
define void @traps(ptr addrspace(1) %a, i32 %rounds) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.y()
  %place = getelementptr float, ptr addrspace(1) %a, i32 %t
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %again ]
  %v = load float, ptr addrspace(1) %place, align 4
  %bad = fcmp oeq float %v, 0.0
  br i1 %bad, label %trap, label %again
trap:
  call void @simt.trap(i32 0)
  unreachable
again:
  %next = add i32 %k, 1
  %go = icmp ult i32 %next, %rounds
  br i1 %go, label %loop, label %end
end:
  ret void
}
declare i32 @simt.tid.x()
declare i32 @simt.tid.y()
declare i32 @simt.ntid.x()
declare i32 @simt.ctaid.x()
declare void @simt.trap(i32) noreturn
!simt.sites = !{!0}
!0 = !{!"AssertionError", !"", !"k", !"f.py", i32 2, i32 1}
