; RUN: heddle-opt -passes=vectorize -S %s | FileCheck %s
; A loop of warp operations with more than 600 instructions when unrolled stays a loop, even if the program requests
; unrolling. A short loop inside it is unrolled.

; CHECK-LABEL: define void @sums(
; CHECK-NOT: inner:
; CHECK: br i1 %{{.*}}, label %outer
; CHECK: !"sums: runs 32 threads along x at a time, as vectors"
define void @sums(ptr addrspace(1) %a) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %after ]
  %v = phi i32 [ %t, %entry ], [ %w.next, %after ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %w = phi i32 [ %v, %outer ], [ %w.next, %inner ]
  %lane = xor i32 %j, %i
  %other = call i32 @simt.warp.shuffle.xor.i32(i32 0, i32 -1, i32 %w, i32 %lane, i32 32)
  %w.next = add i32 %w, %other
  %j.next = add i32 %j, 1
  %more = icmp ult i32 %j.next, 8
  br i1 %more, label %inner, label %after, !llvm.loop !0
after:
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, 32
  br i1 %again, label %outer, label %end, !llvm.loop !2
end:
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  store i32 %w.next, ptr addrspace(1) %p, align 4
  ret void
}
declare i32 @simt.tid.x()
declare i32 @simt.warp.shuffle.xor.i32(i32, i32, i32, i32, i32) convergent
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.enable"}
!2 = distinct !{!2, !1}
