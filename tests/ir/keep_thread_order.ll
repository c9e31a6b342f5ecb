; RUN: heddle-opt -passes=keep-thread-order -S %s | FileCheck %s
; A load may not move above the store of the same thread that it may overlap; apart from each other they stay marked.

; CHECK-LABEL: @overlapping(
; CHECK: store i64 %a, ptr addrspace(1) %py, align 8{{$}}
; CHECK: load i64, ptr addrspace(1) %px, align 8{{$}}
; CHECK: store i64 %c, ptr addrspace(1) %py.odd, align 8{{$}}
define void @overlapping(ptr addrspace(1) %x, ptr addrspace(1) %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = shl nuw nsw i64 %i, 1
  %px = getelementptr inbounds i64, ptr addrspace(1) %x, i64 %at
  %py = getelementptr inbounds i64, ptr addrspace(1) %y, i64 %at
  %py.odd = getelementptr inbounds i8, ptr addrspace(1) %py, i64 8
  %first = load i64, ptr addrspace(1) %px, align 8, !llvm.access.group !0
  %a = add i64 %first, 1
  store i64 %a, ptr addrspace(1) %py, align 8, !llvm.access.group !0
  %second = load i64, ptr addrspace(1) %px, align 8, !llvm.access.group !0
  %c = add i64 %second, 10
  store i64 %c, ptr addrspace(1) %py.odd, align 8, !llvm.access.group !0
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !1
exit:
  ret void
}

; CHECK-LABEL: @apart(
; CHECK: store i64 %a, ptr addrspace(1) %py, align 8, !llvm.access.group
; CHECK: store i64 %a, ptr addrspace(1) %py.odd, align 8, !llvm.access.group
define void @apart(ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = shl nuw nsw i64 %i, 1
  %px = getelementptr inbounds i64, ptr addrspace(1) %x, i64 %at
  %py = getelementptr inbounds i64, ptr addrspace(1) %y, i64 %at
  %py.odd = getelementptr inbounds i8, ptr addrspace(1) %py, i64 8
  %a = load i64, ptr addrspace(1) %px, align 8, !llvm.access.group !0
  store i64 %a, ptr addrspace(1) %py, align 8, !llvm.access.group !0
  store i64 %a, ptr addrspace(1) %py.odd, align 8, !llvm.access.group !0
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !1
exit:
  ret void
}

; Accesses side by side are never moved past each other.
; CHECK-LABEL: @unit_stride(
; CHECK: store i64 %a, ptr addrspace(1) %py, align 8, !llvm.access.group
define void @unit_stride(ptr addrspace(1) %x, ptr addrspace(1) %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %px = getelementptr inbounds i64, ptr addrspace(1) %x, i64 %i
  %py = getelementptr inbounds i64, ptr addrspace(1) %y, i64 %i
  %a = load i64, ptr addrspace(1) %px, align 8, !llvm.access.group !0
  store i64 %a, ptr addrspace(1) %py, align 8, !llvm.access.group !0
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !1
exit:
  ret void
}

!0 = distinct !{}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.parallel_accesses", !0}
