; RUN: heddle-opt -passes=bind-context,lower-indices,plan-blocks,make-region-loops -S %s | FileCheck %s
; Loops over the block's threads.

; CHECK-LABEL: define internal void @k.threads(ptr noalias {{.*}}%context, ptr addrspace(1) noalias align 16 %a)
; CHECK: %local = alloca i32
; CHECK: %tid.y = phi i32
; CHECK: %tid.x = phi i32
; CHECK: call void @llvm.lifetime.start
; CHECK: store i32 %tid.x, ptr %local, align 4{{$}}
; CHECK: store i32 %v, ptr addrspace(1)
; CHECK-LABEL: define internal void @k(ptr {{.*}}%context, ptr %arguments)
; CHECK: %[[A:.*]] = load ptr addrspace(1), ptr %arguments, {{.*}}!align
; CHECK-NOT: load
; CHECK: call void @k.threads(ptr %context, ptr addrspace(1) %[[A]])
define void @k(ptr addrspace(1) noalias align 16 %a, i64 %unused) "simt.kernel" {
  %local = alloca i32
  %t = call i32 @simt.tid.x()
  store i32 %t, ptr %local
  %v = load i32, ptr %local
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  store i32 %v, ptr addrspace(1) %p
  ret void
}
declare i32 @simt.tid.x()

; Vectorized code advances along x by its number of lanes.
; CHECK-LABEL: define internal void @w.threads(
; CHECK: %[[NEXT:.*]] = add nuw nsw i32 %tid.x, 4
; CHECK: br i1 %{{[^,]*}}, label %x, label %block.next
define void @w(ptr addrspace(1) %a) "simt.kernel" "cpu.plan"="width=4" {
  store i32 1, ptr addrspace(1) %a
  ret void
}

; By columns: every y of a group's x before the next x.
; CHECK-LABEL: define internal void @columns.threads(
; CHECK: x: {{.*}}%x.next
; CHECK: br label %y
; CHECK: y: {{.*}}%y.next
; CHECK: %[[ROW:.*]] = add nuw nsw i32 %tid.y, 1
; CHECK: icmp ult i32 %[[ROW]], %ntid.y
; CHECK-NEXT: br i1 %{{[^,]*}}, label %y, label %x.next
define void @columns(ptr addrspace(1) %a, i32 %n) "simt.kernel" "cpu.plan"="width=4; walks-rows" {
entry:
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %next, %round ]
  store i32 %k, ptr addrspace(1) %a
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %round, label %end
end:
  ret void
}
