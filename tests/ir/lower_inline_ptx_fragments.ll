; RUN: heddle-opt -passes='lower-inline-ptx,function(sroa,instcombine)' -S %s | FileCheck %s
; A lane holds eight elements of a row of a, or of a column of b. The loads are marked, because a GPU's lanes hold others.
source_filename = "lower_inline_ptx_fragments"

; Adjacent elements are loaded as words.
; CHECK-LABEL: define i64 @load_rows(
; CHECK-COUNT-2: load i32, ptr {{.*}}, align 4, !heddle.matrices
; CHECK-NOT: load
; CHECK: ret
define i64 @load_rows(ptr %p, i32 %step) {
  %r = call { i32, i32 } asm sideeffect "wmma.load.a.sync.aligned.row.m16n16k16.s8 {$0, $1}, [$2], $3;", "=r,=r,l,r,~{memory}"(ptr %p, i32 %step)
  %low = extractvalue { i32, i32 } %r, 0
  %high = extractvalue { i32, i32 } %r, 1
  %a = zext i32 %low to i64
  %b = zext i32 %high to i64
  %c = shl i64 %b, 32
  %d = or i64 %a, %c
  ret i64 %d
}

; CHECK-LABEL: define i32 @load_columns(
; CHECK-COUNT-4: load i8, ptr {{.*}}, align 1, !heddle.matrices
; CHECK: ret
define i32 @load_columns(ptr %p) {
  %r = call { i32, i32 } asm sideeffect "wmma.load.a.sync.aligned.col.m16n16k16.s8 {$0, $1}, [$2], 16;", "=r,=r,l,~{memory}"(ptr %p)
  %low = extractvalue { i32, i32 } %r, 0
  ret i32 %low
}

; CHECK-LABEL: define { double, double } @multiply(
; CHECK-COUNT-4: call i64 @simt.warp.shuffle.index
; CHECK: call double @llvm.fma.f64(
; CHECK-NOT: asm
define { double, double } @multiply(double %a, double %b, double %c, double %d) {
  %r = call { double, double } asm "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {$0, $1}, {$2}, {$3}, {$4, $5};", "=d,=d,d,d,d,d"(double %a, double %b, double %c, double %d)
  ret { double, double } %r
}
