; RUN: heddle-opt -passes=add-always -S %s | FileCheck %s

; A sum on a condition becomes a sum of a value or nothing: -0.0 for sums, 1.0 for products.
; CHECK-LABEL: define double @sum(
; CHECK: %[[ADDEND:.*]] = select i1 %c, double %x, double -0.000000e+00
; CHECK: %[[SUM:.*]] = fadd reassoc double %total, %[[ADDEND]]
; CHECK: ret double %[[SUM]]
define double @sum(i1 %c, double %total, double %x) {
  %more = fadd reassoc double %total, %x
  %next = select i1 %c, double %more, double %total
  ret double %next
}

; CHECK-LABEL: define double @product_in_the_other_arm(
; CHECK: %[[FACTOR:.*]] = select i1 %c, double 1.000000e+00, double %x
; CHECK: fmul reassoc double %total, %[[FACTOR]]
define double @product_in_the_other_arm(i1 %c, double %total, double %x) {
  %more = fmul reassoc double %x, %total
  %next = select i1 %c, double %total, double %more
  ret double %next
}

; A sum in order stays, and one that something else uses, too.
; CHECK-LABEL: define double @in_order(
; CHECK: select i1 %c, double %more, double %total
define double @in_order(i1 %c, double %total, double %x) {
  %more = fadd double %total, %x
  %next = select i1 %c, double %more, double %total
  ret double %next
}

; CHECK-LABEL: define double @used_twice(
; CHECK: select i1 %c, double %more, double %total
define double @used_twice(i1 %c, double %total, double %x) {
  %more = fadd reassoc double %total, %x
  %next = select i1 %c, double %more, double %total
  %both = fmul double %next, %more
  ret double %both
}
