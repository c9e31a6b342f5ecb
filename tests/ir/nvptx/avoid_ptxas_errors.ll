; RUN: heddle-opt -passes=nvptx-avoid-ptxas-errors -S %s | FileCheck %s
; Negations, minima and maxima of 16 bits and less are computed in 32 bits; absolute values have no PTX instruction.
; Other operations are unchanged.

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

; CHECK-LABEL: define i16 @least(
; CHECK: %[[X:.*]] = sext i16 %x to i32
; CHECK: %[[LEAST:.*]] = call i32 asm "min.s32 $0, $1, $2;", "=r,r,r"(i32 %[[X]], i32 0)
; CHECK: trunc i32 %[[LEAST]] to i16
define i16 @least(i16 %x) {
  %n = call i16 @llvm.smin.i16(i16 %x, i16 0)
  ret i16 %n
}

; CHECK-LABEL: define i8 @greatest(
; CHECK: zext i8 %x to i32
; CHECK: call i32 asm "max.u32 $0, $1, $2;", "=r,r,r"(
define i8 @greatest(i8 %x, i8 %y) {
  %n = call i8 @llvm.umax.i8(i8 %x, i8 %y)
  ret i8 %n
}

; CHECK-LABEL: define <2 x i16> @pair(
; CHECK: extractelement <2 x i16> %x, i64 0
; CHECK: call i32 asm "max.s32
; CHECK: extractelement <2 x i16> %x, i64 1
; CHECK: call i32 asm "max.s32
; CHECK: insertelement <2 x i16> %{{.*}}, i16 %{{.*}}, i64 1
define <2 x i16> @pair(<2 x i16> %x) {
  %n = call <2 x i16> @llvm.smax.v2i16(<2 x i16> %x, <2 x i16> zeroinitializer)
  ret <2 x i16> %n
}

; CHECK-LABEL: define i8 @byte_of_float(
; CHECK: [[LOW:%[0-9]+]] = call i32 asm "and.b32 $0, $1, 255;", "=r,r"(
; CHECK: trunc i32 [[LOW]] to i8
define i8 @byte_of_float(float %x, float %y) {
  %s = fadd float %x, %y
  %i = bitcast float %s to i32
  %b = trunc i32 %i to i8
  ret i8 %b
}

; CHECK-LABEL: define void @packed(
; CHECK: call i64 asm "and.b64 $0, $1, 65535;", "=l,l"(
; CHECK: store i16
; CHECK: lshr i64 %{{.*}}, 16
; CHECK: store i16
; CHECK: lshr i64 %{{.*}}, 32
; CHECK: store i16
; CHECK: lshr i64 %{{.*}}, 48
; CHECK: store i16
; CHECK: call i64 asm "and.b64 $0, $1, 4294967295;", "=l,l"(
; CHECK: store i32
; CHECK: lshr i64 %{{.*}}, 32
; CHECK: store i32
; CHECK: store double %x
define void @packed(ptr addrspace(1) %p, double %x) {
  store double %x, ptr addrspace(1) %p, align 2
  store double %x, ptr addrspace(1) %p, align 4
  store double %x, ptr addrspace(1) %p, align 8
  ret void
}

; CHECK-LABEL: define i1 @at_least(
; CHECK: [[SQUARE:%.*]] = fmul float %x, %x
; CHECK: [[NUMBER:%.*]] = fcmp ord float [[SQUARE]], [[SQUARE]]
; CHECK: [[ABOVE:%.*]] = fcmp uge float [[SQUARE]], 0.000000e+00
; CHECK: and i1 [[NUMBER]], [[ABOVE]]
; CHECK: fcmp ord float
; CHECK: fcmp ugt float [[SQUARE]], -1.000000e+00
; CHECK: fcmp ogt float [[SQUARE]], 0.000000e+00
; CHECK: fcmp oge double
; CHECK: fcmp nnan oge float
define i1 @at_least(float %x, double %y) {
  %f = fmul float %x, %x
  %d = fmul double %y, %y
  %a = fcmp oge float %f, 0.0
  %b = fcmp olt float -1.0, %f
  %c = fcmp ogt float %f, 0.0
  %e = fcmp oge double %d, 0.0
  %g = fcmp nnan oge float %f, 0.0
  %ab = xor i1 %a, %b
  %cd = xor i1 %c, %e
  %abcd = xor i1 %ab, %cd
  %all = xor i1 %abcd, %g
  ret i1 %all
}

; CHECK-LABEL: define i64 @difference_of_shifts(
; CHECK: [[HIGH:%.*]] = ashr i64 %x, 59
; CHECK: [[LOW:%.*]] = call i64 asm "mul.lo.s64 $0, $1, 32;", "=l,l"(i64 %x)
; CHECK: sub i64 [[HIGH]], [[LOW]]
define i64 @difference_of_shifts(i64 %x) {
  %high = ashr i64 %x, 59
  %low = shl i64 %x, 5
  %d = sub i64 %high, %low
  ret i64 %d
}

; CHECK-LABEL: define i64 @double_and_sign(
; CHECK: call i64 asm "mul.lo.s64 $0, $1, 2;", "=l,l"(i64 %x)
define i64 @double_and_sign(i64 %x) {
  %f = freeze i64 %x
  %double = add i64 %f, %f
  %negative = icmp slt i64 %x, 0
  %sign = sext i1 %negative to i64
  %d = add i64 %double, %sign
  ret i64 %d
}

; CHECK-LABEL: define i64 @negative_multiple(
; CHECK: call i64 asm "mul.lo.s64 $0, $1, -32;", "=l,l"(i64 %x)
define i64 @negative_multiple(i64 %x) {
  %high = lshr i64 %x, 59
  %low = mul i64 %x, -32
  %s = or disjoint i64 %high, %low
  ret i64 %s
}

; CHECK-LABEL: define i64 @other_shifts(
; CHECK-NOT: asm
define i64 @other_shifts(i64 %x, i64 %y) {
  %high = ashr i64 %x, 58
  %low = shl i64 %x, 5
  %a = sub i64 %high, %low
  %other = ashr i64 %y, 59
  %b = sub i64 %other, %low
  %c = xor i64 %a, %b
  ret i64 %c
}

; CHECK-LABEL: define i32 @others(
; CHECK-NOT: asm
define i32 @others(i32 %x, i16 %y, i16 %z) {
  %n = sub i32 0, %x
  %d = sub i16 %y, %z
  %w = sext i16 %d to i32
  %s = add i32 %n, %w
  %a = call i32 @llvm.abs.i32(i32 %s, i1 true)
  %m = call i32 @llvm.smin.i32(i32 %a, i32 0)
  ret i32 %m
}
