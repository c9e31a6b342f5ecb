; RUN: heddle-opt -passes=inline-device-functions -S %s | FileCheck %s
; Stack memory of a function that returns its address lives as long as the caller.

; CHECK-LABEL: define i64 @caller(
; CHECK: alloca i64, i64 2
; CHECK-NOT: lifetime
; CHECK-NOT: call ptr @
; CHECK: load i64
; CHECK: ret i64
define i64 @caller() "simt.kernel" {
  %a = call ptr @pair()
  store i64 7, ptr %a
  %v = load i64, ptr %a
  ret i64 %v
}
define internal ptr @pair() {
  %p = call ptr @memory(i64 2)
  %second = getelementptr i64, ptr %p, i64 1
  ret ptr %second
}
define internal ptr @memory(i64 %n) {
  %m = alloca i64, i64 %n
  ret ptr %m
}
