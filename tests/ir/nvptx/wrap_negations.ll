; RUN: heddle-opt -passes=nvptx-wrap-negations -S %s | FileCheck %s
; Negations of 16 bits are made in 32; absolute values have no instruction of PTX. Others stay.

; CHECK-LABEL: define i16 @negate(
; CHECK: %[[WIDE:.*]] = sext i16 %x to i32
; CHECK: %[[NEGATIVE:.*]] = call i32 asm "neg.s32 $0, $1;", "=r,r"(i32 %[[WIDE]])
; CHECK: trunc i32 %[[NEGATIVE]] to i16
define i16 @negate(i16 %x) {
  %n = sub i16 0, %x
  ret i16 %n
}

; CHECK-LABEL: define i16 @short(
; CHECK: call i32 asm "abs.s32 $0, $1;", "=r,r"(
define i16 @short(i16 %x) {
  %n = call i16 @llvm.abs.i16(i16 %x, i1 false)
  ret i16 %n
}

; CHECK-LABEL: define i32 @int(
; CHECK: %[[SIGN:.*]] = call i32 asm "shr.s32 $0, $1, 31;", "=r,r"(i32 %x)
; CHECK: %[[FLIPPED:.*]] = xor i32 %x, %[[SIGN]]
; CHECK: sub i32 %[[FLIPPED]], %[[SIGN]]
define i32 @int(i32 %x) {
  %n = call i32 @llvm.abs.i32(i32 %x, i1 false)
  ret i32 %n
}

; CHECK-LABEL: define i64 @long(
; CHECK: call i64 asm "shr.s64 $0, $1, 63;", "=l,l"(i64 %x)
define i64 @long(i64 %x) {
  %n = call i64 @llvm.abs.i64(i64 %x, i1 false)
  ret i64 %n
}

; CHECK-LABEL: define i32 @others(
; CHECK-NOT: asm
define i32 @others(i32 %x, i16 %y, i16 %z) {
  %n = sub i32 0, %x
  %d = sub i16 %y, %z
  %w = sext i16 %d to i32
  %s = add i32 %n, %w
  %a = call i32 @llvm.abs.i32(i32 %s, i1 true)
  ret i32 %a
}
