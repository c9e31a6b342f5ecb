; RUN: heddle-opt -passes=nvptx-check-resources -S %s | FileCheck %s
; Out-of-line functions and grid barriers are marked.

; CHECK: define internal i64 @down(i64 %n) #[[OUT:[0-9]+]]
; CHECK: define void @k(ptr addrspace(1) %p) #[[KERNEL:[0-9]+]]
; CHECK-DAG: attributes #[[OUT]] = { "heddle.out-of-line" }
; CHECK-DAG: attributes #[[KERNEL]] = { "heddle.cooperative" "heddle.recursive" "simt.kernel" }
define internal i64 @down(i64 %n) {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %done, label %more
done:
  ret i64 0
more:
  %m = sub i64 %n, 1
  %r = call i64 @down(i64 %m)
  ret i64 %r
}
define internal void @wait() {
  call void @simt.grid.barrier(i32 0)
  ret void
}
define void @k(ptr addrspace(1) %p) "simt.kernel" {
  %r = call i64 @down(i64 3)
  store i64 %r, ptr addrspace(1) %p
  call void @wait()
  ret void
}
declare void @simt.grid.barrier(i32) convergent
