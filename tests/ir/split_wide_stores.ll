; RUN: heddle-opt -passes=split-wide-stores -S %s | FileCheck %s
; A vector of several registers is stored lowest address first.

; CHECK-LABEL: define void @plain(
; CHECK: %[[LOW:.*]] = shufflevector <16 x float> %v, {{.*}} <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
; CHECK: store <8 x float> %[[LOW]], ptr %{{.*}}, align 16, !nontemporal
; CHECK: %[[HIGH:.*]] = shufflevector <16 x float> %v, {{.*}} <8 x i32> <i32 8,
; CHECK: %[[PLACE:.*]] = getelementptr i8, ptr %p, i64 32
; CHECK: store <8 x float> %[[HIGH]], ptr %[[PLACE]], align 16
define void @plain(ptr %p, <16 x float> %v) "prefer-vector-width"="256" {
  store <16 x float> %v, ptr %p, align 16, !nontemporal !0
  ret void
}

; CHECK-LABEL: define void @masked(
; CHECK: call void @llvm.masked.store.v8f32.p0(<8 x float> %{{.*}}, ptr align 4 %{{.*}}, <8 x i1> %
; CHECK: call void @llvm.masked.store.v8f32.p0(<8 x float> %{{.*}}, ptr align 4 %{{.*}}, <8 x i1> %
define void @masked(ptr %p, <16 x float> %v, <16 x i1> %m) "prefer-vector-width"="256" {
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v, ptr align 4 %p, <16 x i1> %m)
  ret void
}

; CHECK-LABEL: define void @one_register(
; CHECK-NEXT: store <16 x float>
; CHECK-NEXT: store <8 x i8>
; CHECK-NEXT: store <9 x double>
define void @one_register(ptr %p, <16 x float> %v, <8 x i8> %w, <9 x double> %x) "prefer-vector-width"="512" {
  store <16 x float> %v, ptr %p, align 4
  store <8 x i8> %w, ptr %p, align 4
  store <9 x double> %x, ptr %p, align 8
  ret void
}

; CHECK-LABEL: define void @nobody_said(
; CHECK-NEXT: store <16 x float>
define void @nobody_said(ptr %p, <16 x float> %v) {
  store <16 x float> %v, ptr %p, align 4
  ret void
}
!0 = !{i32 1}
