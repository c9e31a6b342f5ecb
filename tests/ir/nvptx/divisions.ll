; RUN: heddle-opt -ptx %s | FileCheck %s
; Integer divisions of 32 bits are one PTX instruction, without guards.

; CHECK-LABEL: .visible .entry quotient(
; CHECK-NOT: setp
; CHECK: div.s32
; CHECK-NOT: selp
; CHECK: ret;
define void @quotient(ptr addrspace(1) %a, i32 %x, i32 %y) "simt.kernel" {
  %q = call i32 @signed_quotient(i32 %x, i32 %y)
  store i32 %q, ptr addrspace(1) %a
  ret void
}

; A quotient and a remainder use one division, whichever comes first.
; CHECK-LABEL: .visible .entry both(
; CHECK-NOT: setp
; CHECK: div.s32
; CHECK-NOT: {{setp|selp|div|rem}}
; CHECK: ret;
define void @both(ptr addrspace(1) %a, i32 %x, i32 %y) "simt.kernel" {
  %r = call i32 @signed_remainder(i32 %x, i32 %y)
  store i32 %r, ptr addrspace(1) %a
  %q = call i32 @signed_quotient(i32 %x, i32 %y)
  %b = getelementptr i32, ptr addrspace(1) %a, i64 1
  store i32 %q, ptr addrspace(1) %b
  ret void
}

define internal i32 @signed_quotient(i32 %x, i32 %y) {
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

define internal i32 @signed_remainder(i32 %x, i32 %y) {
  %zero = icmp eq i32 %y, 0
  %minus = icmp eq i32 %y, -1
  %unsafe = or i1 %zero, %minus
  %divisor = select i1 %unsafe, i32 1, i32 %y
  %d = srem i32 %x, %divisor
  %e = select i1 %minus, i32 0, i32 %d
  %r = select i1 %zero, i32 %x, i32 %e
  ret i32 %r
}
