; RUN: heddle-opt -ptx -sm=90 %s | FileCheck %s
; Only the loop that walks through a table has the zero of each thread: not a loop with an index of its own in each thread,
; nor one that loads the same element again.

@table = addrspace(4) global [1024 x float] zeroinitializer, align 16

; CHECK-LABEL: .entry walk(
; CHECK:     mov.u32 [[LANE:%r[0-9]+]], %laneid;
; CHECK:     popc.b32 [[BITS:%r[0-9]+]], [[LANE]];
; CHECK:     and.b32 [[ZERO:%r[0-9]+]], [[BITS]], 16;
; CHECK:     ld.const.b32
define void @walk(ptr addrspace(1) %out, i64 %n) "simt.kernel" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %p = getelementptr float, ptr addrspace(4) @table, i64 %i
  %v = load float, ptr addrspace(4) %p
  %more = fadd float %sum, %v
  %i1 = add i64 %i, 1
  %again = icmp slt i64 %i1, %n
  br i1 %again, label %loop, label %done
done:
  store float %more, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: .entry of_threads(
; CHECK-NOT: popc
; CHECK:     ld.const.b32
define void @of_threads(ptr addrspace(1) %out, i64 %n) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %thread = zext i32 %t to i64
  br label %loop
loop:
  %i = phi i64 [ %thread, %entry ], [ %i1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %p = getelementptr float, ptr addrspace(4) @table, i64 %i
  %v = load float, ptr addrspace(4) %p
  %more = fadd float %sum, %v
  %i1 = add i64 %i, 1
  %again = icmp slt i64 %i1, %n
  br i1 %again, label %loop, label %done
done:
  store float %more, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: .entry same_element(
; CHECK-NOT: popc
; CHECK:     ld.const.b32
define void @same_element(ptr addrspace(1) %out, i64 %at, i64 %n) "simt.kernel" {
entry:
  %p = getelementptr float, ptr addrspace(4) @table, i64 %at
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %v = load volatile float, ptr addrspace(4) %p
  store volatile float %v, ptr addrspace(1) %out
  %i1 = add i64 %i, 1
  %again = icmp slt i64 %i1, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}
declare i32 @simt.tid.x()
