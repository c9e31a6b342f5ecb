; RUN: heddle-opt -passes=vectorize-wide-rows -S %s | FileCheck %s
; A loop over rows of memory runs with the lanes of two registers, which load whole cache lines of each row.

; CHECK-LABEL: define void @product(
; CHECK: load <8 x float>, ptr addrspace(1)

define void @product(ptr addrspace(1) %b, ptr addrspace(1) %out, i64 %n) "simt.kernel" "cpu.plan"="block=16,1,1" {
entry:
  %t = call i32 @simt.tid.x()
  %x = zext i32 %t to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %added, %loop ]
  %row = mul i64 %k, %n
  %at = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %b, i64 %at
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %sum, %v
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %q = getelementptr float, ptr addrspace(1) %out, i64 %x
  store float %added, ptr addrspace(1) %q
  ret void
}

; Each lane has a separate row: more lanes would access more cache lines at once.
; CHECK-LABEL: define void @rows(
; CHECK-NOT: <8 x
; CHECK: ret void
define void @rows(ptr addrspace(1) %a, ptr addrspace(1) %out, i64 %n) "simt.kernel" "cpu.plan"="block=16,1,1" {
entry:
  %t = call i32 @simt.tid.x()
  %x = zext i32 %t to i64
  %row = mul i64 %x, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %added, %loop ]
  %at = add i64 %row, %k
  %p = getelementptr float, ptr addrspace(1) %a, i64 %at
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %sum, %v
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %q = getelementptr float, ptr addrspace(1) %out, i64 %x
  store float %added, ptr addrspace(1) %q
  ret void
}

; CHECK: attributes {{.*}}"cpu.plan"="grouped=wide rows; width=8; walks-rows
; CHECK: !"product: runs 8 threads along x at a time, as vectors"
; CHECK: !"rows: runs 4 threads along x at a time, as vectors"
declare i32 @simt.tid.x()
