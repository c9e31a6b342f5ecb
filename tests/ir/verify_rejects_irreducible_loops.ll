; RUN: not heddle-opt -passes=verify-simt -S %s 2>&1 | FileCheck %s
; A loop with two entries has no header.

; CHECK: function 'k': a loop has more than one entry (irreducible control flow)
define void @k(i32 %n) "simt.kernel" {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  br i1 %c, label %a, label %done
done:
  ret void
}
