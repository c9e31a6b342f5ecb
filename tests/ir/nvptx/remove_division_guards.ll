; RUN: heddle-opt -passes=always-inline,instcombine,nvptx-remove-division-guards -S %s | FileCheck %s
; Divisions by divisors that may be zero become PTX instructions, which define the results for 0 and -1.

; CHECK-LABEL: define i32 @signed_quotient(
; CHECK-NEXT: %[[Q:.*]] = call i32 asm "div.s32 $0, $1, $2;", "=r,r,r"(i32 %x, i32 %y)
; CHECK-NEXT: ret i32 %[[Q]]
define i32 @signed_quotient(i32 %x, i32 %y) alwaysinline {
  %zero = icmp eq i32 %y, 0
  %minus = icmp eq i32 %y, -1
  %unsafe = or i1 %zero, %minus
  %divisor = select i1 %unsafe, i32 1, i32 %y
  %d = sdiv i32 %x, %divisor
  %negated = sub i32 0, %x
  %e = select i1 %minus, i32 %negated, i32 %d
  %q = select i1 %zero, i32 -1, i32 %e
  ret i32 %q
}

; The remainder of x and 0 is x; rem.s32 gives something else.
; CHECK-LABEL: define i32 @signed_remainder(
; CHECK: %[[ZERO:.*]] = icmp eq i32 %y, 0
; CHECK-NEXT: %[[R:.*]] = call i32 asm "rem.s32 $0, $1, $2;", "=r,r,r"(i32 %x, i32 %y)
; CHECK-NEXT: select i1 %[[ZERO]], i32 %x, i32 %[[R]]
; CHECK-NEXT: ret
define i32 @signed_remainder(i32 %x, i32 %y) alwaysinline {
  %zero = icmp eq i32 %y, 0
  %minus = icmp eq i32 %y, -1
  %unsafe = or i1 %zero, %minus
  %divisor = select i1 %unsafe, i32 1, i32 %y
  %d = srem i32 %x, %divisor
  %e = select i1 %minus, i32 0, i32 %d
  %r = select i1 %zero, i32 %x, i32 %e
  ret i32 %r
}

; InstCombine makes the divisor a maximum, and adds to the results before it selects.
; CHECK-LABEL: define i32 @unsigned_quotient_plus_7(
; CHECK-NEXT: %[[Q:.*]] = call i32 asm "div.u32 $0, $1, $2;", "=r,r,r"(i32 %x, i32 %y)
; CHECK-NEXT: %[[SUM:.*]] = add i32 %[[Q]], 7
; CHECK-NEXT: ret i32 %[[SUM]]
define i32 @unsigned_quotient_plus_7(i32 %x, i32 %y) {
  %zero = icmp eq i32 %y, 0
  %divisor = select i1 %zero, i32 1, i32 %y
  %d = udiv i32 %x, %divisor
  %q = select i1 %zero, i32 -1, i32 %d
  %s = add i32 %q, 7
  ret i32 %s
}

; InstCombine compares %n instead of the sum.
; CHECK-LABEL: define i32 @sums(
; CHECK-NEXT: %x = add i32 %n, 255
; CHECK-NEXT: %y = add i32 %k, -1
; CHECK-NEXT: %[[Q:.*]] = call i32 asm "div.s32 $0, $1, $2;", "=r,r,r"(i32 %x, i32 %y)
; CHECK-NEXT: ret i32 %[[Q]]
define i32 @sums(i32 %n, i32 %k) {
  %x = add i32 %n, 255
  %y = add i32 %k, -1
  %q = call i32 @signed_quotient(i32 %x, i32 %y)
  ret i32 %q
}

; InstCombine compares %n instead of the product, which cannot be -1.
; CHECK-LABEL: define i32 @product(
; CHECK-NEXT: %y = shl nsw i32 %n, 1
; CHECK-NEXT: %[[Q:.*]] = call i32 asm "div.s32 $0, $1, $2;", "=r,r,r"(i32 %x, i32 %y)
; CHECK-NEXT: ret i32 %[[Q]]
define i32 @product(i32 %x, i32 %n) {
  %y = mul nsw i32 %n, 2
  %q = call i32 @signed_quotient(i32 %x, i32 %y)
  ret i32 %q
}

; The program's result for 16 hides that the division's result for 0 is used.
; CHECK-LABEL: define i32 @other_number(
; CHECK: %[[DIVISOR:.*]] = call i32 @llvm.umax.i32(i32 %y, i32 1)
; CHECK: udiv i32 %x, %[[DIVISOR]]
define i32 @other_number(i32 %x, i32 %y) {
  %zero = icmp eq i32 %y, 0
  %sixteen = icmp eq i32 %y, 16
  %divisor = select i1 %zero, i32 1, i32 %y
  %d = udiv i32 %x, %divisor
  %q = select i1 %sixteen, i32 -1, i32 %d
  ret i32 %q
}

; CHECK-LABEL: define i16 @short(
; CHECK-DAG: %[[X:.*]] = zext i16 %x to i32
; CHECK-DAG: %[[Y:.*]] = zext i16 %y to i32
; CHECK: %[[Q:.*]] = call i32 asm "div.u32 $0, $1, $2;", "=r,r,r"(i32 %[[X]], i32 %[[Y]])
; CHECK-NEXT: trunc i32 %[[Q]] to i16
define i16 @short(i16 %x, i16 %y) {
  %zero = icmp eq i16 %y, 0
  %divisor = select i1 %zero, i16 1, i16 %y
  %d = udiv i16 %x, %divisor
  %q = select i1 %zero, i16 -1, i16 %d
  ret i16 %q
}

; A divisor that is known not to be 0 needs no guard; nor does LLVM's instruction.
; CHECK-LABEL: define i32 @nonzero(
; CHECK: udiv i32 %x, %y
define i32 @nonzero(i32 %x, i32 %n) {
  %y = or i32 %n, 1
  %zero = icmp eq i32 %y, 0
  %divisor = select i1 %zero, i32 1, i32 %y
  %d = udiv i32 %x, %divisor
  %q = select i1 %zero, i32 -1, i32 %d
  ret i32 %q
}

; Other results for 0 stay, here those of Python.
; CHECK-LABEL: define i32 @zero_for_zero(
; CHECK: %[[Q:.*]] = call i32 asm "div.u32 $0, $1, $2;", "=r,r,r"(i32 %x, i32 %y)
; CHECK-NEXT: select i1 %{{.*}}, i32 0, i32 %[[Q]]
define i32 @zero_for_zero(i32 %x, i32 %y) {
  %zero = icmp eq i32 %y, 0
  %divisor = select i1 %zero, i32 1, i32 %y
  %d = udiv i32 %x, %divisor
  %q = select i1 %zero, i32 0, i32 %d
  ret i32 %q
}

; The program's own select: x / 1 is used.
; CHECK-LABEL: define i32 @of_the_program(
; CHECK: udiv i32 %x, %divisor
define i32 @of_the_program(i32 %x, i32 %y, i1 %c) {
  %divisor = select i1 %c, i32 1, i32 %y
  %q = udiv i32 %x, %divisor
  ret i32 %q
}

; CHECK-LABEL: define i32 @maximum(
; CHECK: call i32 @llvm.umax.i32(i32 %y, i32 1)
; CHECK: udiv
define i32 @maximum(i32 %x, i32 %y) {
  %divisor = call i32 @llvm.umax.i32(i32 %y, i32 1)
  %q = udiv i32 %x, %divisor
  ret i32 %q
}

; LLVM's code generator divides short 64-bit numbers as 32-bit numbers, which gives something else than -1 for 0. LLVM must
; not infer from the division that %y is not 0.
; CHECK-LABEL: define i64 @long_quotient(
; CHECK-NEXT: %[[Y:.*]] = call i64 asm "mov.b64 $0, $1;", "=l,l"(i64 %y)
; CHECK-NEXT: %[[ZERO:.*]] = icmp eq i64 %y, 0
; CHECK-NEXT: %[[Q:.*]] = sdiv i64 %x, %[[Y]]
; CHECK-NEXT: %[[RESULT:.*]] = select i1 %[[ZERO]], i64 -1, i64 %[[Q]]
; CHECK-NEXT: ret i64 %[[RESULT]]
define i64 @long_quotient(i64 %x, i64 %y) {
  %zero = icmp eq i64 %y, 0
  %minus = icmp eq i64 %y, -1
  %unsafe = or i1 %zero, %minus
  %divisor = select i1 %unsafe, i64 1, i64 %y
  %d = sdiv i64 %x, %divisor
  %negated = sub i64 0, %x
  %e = select i1 %minus, i64 %negated, i64 %d
  %q = select i1 %zero, i64 -1, i64 %e
  ret i64 %q
}

; The results of Python, whose remainders share a result for 0 and -1. Both divisions have the same divisor, so that the
; code generator divides once.
; CHECK-LABEL: define i64 @both_of_python(
; CHECK: %[[Y:.*]] = call i64 asm "mov.b64 $0, $1;", "=l,l"(i64 %y)
; CHECK-NOT: asm
; CHECK: sdiv i64 %x, %[[Y]]
; CHECK-NOT: asm
; CHECK: srem i64 %x, %[[Y]]
; CHECK: select i1 %{{.*}}, i64 0
; CHECK: ret
define i64 @both_of_python(i64 %x, i64 %y) {
  %zero = icmp eq i64 %y, 0
  %minus = icmp eq i64 %y, -1
  %unsafe = or i1 %zero, %minus
  %divisor = select i1 %unsafe, i64 1, i64 %y
  %least = icmp eq i64 %x, -9223372036854775808
  %negated = sub i64 0, %x
  %opposite = select i1 %least, i64 0, i64 %negated
  %d = sdiv i64 %x, %divisor
  %d1 = select i1 %minus, i64 %opposite, i64 %d
  %q = select i1 %zero, i64 0, i64 %d1
  %e = srem i64 %x, %divisor
  %e1 = select i1 %minus, i64 0, i64 %e
  %r = select i1 %zero, i64 0, i64 %e1
  %s = xor i64 %q, %r
  ret i64 %s
}
