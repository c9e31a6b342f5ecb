; RUN: heddle-opt -passes=nvptx-negate-shorts -S %s | FileCheck %s
; Negations of 16 bits are made in 32, others stay.

; CHECK-LABEL: define i16 @negate(
; CHECK: %[[WIDE:.*]] = sext i16 %x to i32
; CHECK: %[[NEGATIVE:.*]] = call i32 asm "neg.s32 $0, $1;", "=r,r"(i32 %[[WIDE]])
; CHECK: trunc i32 %[[NEGATIVE]] to i16
define i16 @negate(i16 %x) {
  %n = sub i16 0, %x
  ret i16 %n
}

; CHECK-LABEL: define i16 @absolute(
; CHECK: call i32 asm "abs.s32 $0, $1;", "=r,r"(
define i16 @absolute(i16 %x) {
  %n = call i16 @llvm.abs.i16(i16 %x, i1 false)
  ret i16 %n
}

; CHECK-LABEL: define i32 @others(
; CHECK-NOT: asm
define i32 @others(i32 %x, i16 %y, i16 %z) {
  %n = sub i32 0, %x
  %d = sub i16 %y, %z
  %w = sext i16 %d to i32
  %s = add i32 %n, %w
  ret i32 %s
}
