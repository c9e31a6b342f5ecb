; RUN: heddle-opt -passes=forget-unproven-locals -S %s | FileCheck %s
; RUN: heddle-opt -passes=forget-locals -S %s | FileCheck %s --check-prefix=ALL
; RUN: heddle-opt -passes=forget-locals,remove-forgets -S %s | FileCheck %s --check-prefix=REMOVED

; REMOVED-NOT: call void @simt.check.forget

; A variable with a value on every path stays as it is.
; CHECK-LABEL: define i32 @assigned(
; CHECK-NOT: simt.check.forget
; CHECK: ret i32
; ALL-LABEL: define i32 @assigned(
; ALL: %x = alloca i32
; ALL-NEXT: call void @simt.check.forget(ptr %x, i64 4)
define i32 @assigned(i1 %c) {
entry:
  %x = alloca i32
  br i1 %c, label %then, label %else
then:
  store i32 1, ptr %x
  br label %join
else:
  store i32 2, ptr %x
  br label %join
join:
  %v = load i32, ptr %x
  ret i32 %v
}

; CHECK-LABEL: define i32 @on_one_path(
; CHECK: %x = alloca i32
; CHECK-NEXT: call void @simt.check.forget(ptr %x, i64 4)
define i32 @on_one_path(i1 %c) {
entry:
  %x = alloca i32
  br i1 %c, label %then, label %join
then:
  store i32 1, ptr %x
  br label %join
join:
  %v = load i32, ptr %x
  ret i32 %v
}

; A variable of a loop's body is new in each iteration.
; CHECK-LABEL: define void @in_loop(
; CHECK: call void @llvm.lifetime.start.p0(ptr %x)
; CHECK-NEXT: call void @simt.check.forget(ptr %x, i64 4)
; CHECK-NOT: simt.check.forget
; CHECK: ret void
define void @in_loop(i32 %n) {
entry:
  %x = alloca i32
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  call void @llvm.lifetime.start.p0(ptr %x)
  %odd = trunc i32 %i to i1
  br i1 %odd, label %set, label %latch
set:
  store i32 %i, ptr %x
  br label %latch
latch:
  %v = load i32, ptr %x
  call void @llvm.lifetime.end.p0(ptr %x)
  %next = add i32 %v, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %exit
exit:
  ret void
}

; Padding needs no value; a field does.
; CHECK-LABEL: define void @structures(
; CHECK: %whole = alloca
; CHECK-NEXT: %part = alloca
; CHECK-NEXT: call void @simt.check.forget(ptr %part, i64 8)
; CHECK-NOT: simt.check.forget
; CHECK: ret void
define void @structures(ptr %out) {
  %whole = alloca {i8, i32}
  %part = alloca {i8, i32}
  store i8 1, ptr %whole
  %second = getelementptr i8, ptr %whole, i64 4
  store i32 2, ptr %second
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %whole, i64 8, i1 false)
  store i8 1, ptr %part
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %part, i64 8, i1 false)
  ret void
}

declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
