; RUN: heddle-opt -passes='lower-inline-ptx,function(sroa,instcombine,simplifycfg)' -S %s | FileCheck %s
; Inline PTX becomes instructions and operations without registers.
source_filename = "lower_inline_ptx"

; CHECK-LABEL: define i32 @arithmetic(
; CHECK-NEXT: mul i32 %x, %y
; CHECK-NEXT: xor i32
; CHECK-NEXT: ret
define i32 @arithmetic(i32 %x, i32 %y) {
  %r = call i32 asm "{ .reg .u32 t; mul.lo.u32 t, $1, $2; xor.b32 $0, t, $1; }", "=r,r,r"(i32 %x, i32 %y)
  ret i32 %r
}

; CHECK-LABEL: define float @load(
; CHECK: [[AT:%.*]] = getelementptr i8, ptr %p, i64 16
; CHECK-NEXT: load float, ptr [[AT]], align 4
define float @load(ptr %p) {
  %r = call float asm sideeffect "ld.global.f32 $0, [$1+16];", "=f,l"(ptr %p)
  ret float %r
}

; CHECK-LABEL: define i32 @guarded(
; CHECK: %[[P:.*]] = icmp ult i32 %x, 7
; CHECK: select i1 %[[P]], i32 1, i32 %x
define i32 @guarded(i32 %x) {
  %r = call i32 asm "{ .reg .pred p; setp.lt.u32 p, $1, $2; @p mov.u32 $0, 1; }", "=r,0,n"(i32 %x, i32 7)
  ret i32 %r
}

; CHECK-LABEL: define i32 @lane(
; CHECK: call i32 @simt.laneid()
; CHECK: call ptr addrspace(3) @simt.shared.start()
; CHECK-NOT: asm
define i32 @lane(ptr %p) {
  %l = call i32 asm sideeffect "mov.u32 $0, %laneid;", "=r"()
  %s = call i64 asm sideeffect "cvta.to.shared.u64 $0, $1;", "=l,l"(ptr %p)
  %t = trunc i64 %s to i32
  %r = add i32 %l, %t
  ret i32 %r
}

; CHECK-LABEL: define void @barrier(
; CHECK: call void @simt.fence.block()
; CHECK-NEXT: ret void
define void @barrier() {
  call void asm sideeffect "", "~{memory}"()
  call void asm sideeffect "", ""()
  ret void
}
