; RUN: heddle-opt -passes=cancel-counts -S %s | FileCheck %s
declare void @heddle.retain(ptr) noinline
declare void @heddle.release(ptr) noinline
declare void @other()

; A pair on one owner goes, with the release of another value between.
; CHECK-LABEL: define ptr @returns_what_it_made(
; CHECK-NEXT: call void @heddle.release(ptr %other)
; CHECK-NEXT: ret ptr %made
define ptr @returns_what_it_made(ptr %made, ptr %other) {
  call void @heddle.retain(ptr %made)
  call void @heddle.release(ptr %other)
  call void @heddle.release(ptr %made)
  ret ptr %made
}

; An access after the release of another value may need the owner, which that may be.
; CHECK-LABEL: define i32 @reads_after_another_release(
; CHECK: call void @heddle.retain(ptr %made)
; CHECK: call void @heddle.release(ptr %other)
; CHECK: load
; CHECK: call void @heddle.release(ptr %made)
define i32 @reads_after_another_release(ptr %made, ptr %other) {
  call void @heddle.retain(ptr %made)
  call void @heddle.release(ptr %other)
  %v = load i32, ptr %made
  call void @heddle.release(ptr %made)
  ret i32 %v
}

; So may a function.
; CHECK-LABEL: define void @calls(
; CHECK-NEXT: call void @heddle.retain(ptr %made)
; CHECK-NEXT: call void @other()
; CHECK-NEXT: call void @heddle.release(ptr %made)
define void @calls(ptr %made) {
  call void @heddle.retain(ptr %made)
  call void @other()
  call void @heddle.release(ptr %made)
  ret void
}

; An access without such a release between does not matter.
; CHECK-LABEL: define i32 @reads(
; CHECK-NEXT: load
; CHECK-NEXT: ret
define i32 @reads(ptr %made) {
  call void @heddle.retain(ptr %made)
  %v = load i32, ptr %made
  call void @heddle.release(ptr %made)
  ret i32 %v
}
