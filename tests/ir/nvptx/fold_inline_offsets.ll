; RUN: heddle-opt -passes=nvptx-fold-inline-offsets -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"

; Addresses in different rows of a tile share one register.
define void @rows(ptr addrspace(3) %tile, i64 %first) {
  %at0 = mul i64 %first, 144
  %p0 = getelementptr i8, ptr addrspace(3) %tile, i64 %at0
  %wide0 = ptrtoint ptr addrspace(3) %p0 to i64
  %a0 = trunc i64 %wide0 to i32
  %m0 = call i32 asm sideeffect "wmma.load.a.shared.f16 {$0}, [$1], $2;", "=r,r,r"(i32 %a0, i32 72)
  %row1 = add nuw nsw i64 %first, 16
  %at1 = mul nuw nsw i64 %row1, 144
  %p1 = getelementptr inbounds i8, ptr addrspace(3) %tile, i64 %at1
  %wide1 = ptrtoint ptr addrspace(3) %p1 to i64
  %a1 = trunc i64 %wide1 to i32
  %m1 = call i32 asm sideeffect "wmma.load.a.shared.f16 {$0}, [$1], $2;", "=r,r,r"(i32 %a1, i32 72)
  %row2 = or disjoint i64 %first, 1
  %at2 = shl i64 %row2, 4
  %p2 = getelementptr i8, ptr addrspace(3) %tile, i64 %at2
  %p3 = getelementptr i8, ptr addrspace(3) %p2, i64 -24
  %wide3 = ptrtoint ptr addrspace(3) %p3 to i64
  %a3 = trunc i64 %wide3 to i32
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "r,l"(i32 %a3, ptr null)
  ret void
}
; CHECK-LABEL: @rows(
; CHECK: %[[A:.*]] = trunc i64 %wide0 to i32
; CHECK-NEXT: asm sideeffect "wmma.load.a.shared.f16 {$0}, [$1], $2;"{{.*}}(i32 %[[A]], i32 72)
; CHECK-NEXT: asm sideeffect "wmma.load.a.shared.f16 {$0}, [$1+2304], $2;"{{.*}}(i32 %[[A]], i32 72)
; CHECK: %[[B:.*]] = trunc i64
; CHECK: asm sideeffect "cp.async.cg.shared.global [$0+-8], [$1], 16;"{{.*}}(i32 %[[B]], ptr null)
; CHECK-NOT: asm

; Both addresses of an instruction, and pointers to elements.
define void @elements(i32 %to, ptr addrspace(1) %from, i64 %i) {
  %a = add i32 %to, 32
  %next = add i64 %i, 3
  %p = getelementptr half, ptr addrspace(1) %from, i64 %next
  call void asm sideeffect "// inline PTX of k.py:3\0Acp.async.cg.shared.global [$0], [$1], 16;", "r,l"(i32 %a, ptr addrspace(1) %p)
  ret void
}
; CHECK-LABEL: @elements(
; CHECK: %[[P:.*]] = getelementptr i8, ptr addrspace(1) %from, i64 %{{.*}}
; CHECK: "// inline PTX of k.py:3\0Acp.async.cg.shared.global [$0+32], [$1+6], 16;", "r,l"(i32 %to, ptr addrspace(1) %[[P]])

; Sums that cannot wrap before they are widened, and generic addresses.
define void @widened(ptr addrspace(3) %p, i32 %i) {
  %next = add nsw i32 %i, -4
  %wide = sext i32 %next to i64
  %q = getelementptr half, ptr addrspace(3) %p, i64 %wide
  %g = addrspacecast ptr addrspace(3) %q to ptr
  call void asm sideeffect "ld.u32 r0, [$0];", "l"(ptr %g)
  %above = add nuw i32 %i, 4
  %large = zext i32 %above to i64
  %r = getelementptr i8, ptr addrspace(3) %p, i64 %large
  %h = addrspacecast ptr addrspace(3) %r to ptr
  call void asm sideeffect "ld.u32 r0, [$0];", "l"(ptr %h)
  ret void
}
; CHECK-LABEL: @widened(
; CHECK: sext i32 %i to i64
; CHECK: "ld.u32 r0, [$0+-8];"
; CHECK: zext i32 %i to i64
; CHECK: "ld.u32 r0, [$0+4];"

; An operand with another use, a number that is no address, an instruction whose address has no offset, a sum that may
; wrap before it is widened, and an offset that machine code cannot contain.
define void @others(i32 %a, ptr %p) {
  %b = add i32 %a, 32
  call void asm sideeffect "ld.shared.u32 $0, [$1]; add.u32 $0, $0, $1;", "=&r,r"(i32 %b)
  call void asm sideeffect "mov.u32 r0, $0;", "r"(i32 %b)
  call void asm sideeffect "txq.width.b32 r0, [$0];", "r"(i32 %b)
  %wide = zext i32 %b to i64
  %q = getelementptr i8, ptr %p, i64 %wide
  call void asm sideeffect "ld.u32 r0, [$0];", "l"(ptr %q)
  %far = getelementptr i8, ptr %p, i64 8388608
  call void asm sideeffect "ld.u32 r0, [$0];", "l"(ptr %far)
  ret void
}
; CHECK-LABEL: @others(
; CHECK-NOT: $0+
; CHECK-NOT: $1+
; CHECK: ret void

; A predicated instruction after another one, and $10, which is not $1.
define void @predicated(i32 %a, i32 %n) {
  %b = add i32 %a, 8
  call void asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $1, 0; @p st.shared.u32 [$0], $10; }", "r,r,r,r,r,r,r,r,r,r,r"(i32 %b, i32 %n, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 %n)
  ret void
}
; CHECK-LABEL: @predicated(
; CHECK: @p st.shared.u32 [$0+8], $10;
; CHECK-SAME: (i32 %a, i32 %n

; CHECK: !{!"rows: 2 PTX instructions contain constant offsets of their addresses"}
