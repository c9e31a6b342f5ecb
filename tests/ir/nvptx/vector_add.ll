; RUN: heddle-opt -ptx -sm=90 %s | FileCheck %s
; A vector addition, as the Python front end writes it.

; CHECK-LABEL: .entry vadd(
; CHECK: mul.wide.u32
; CHECK-COUNT-2: ld.global.nc.b32
; CHECK: add.f32
; CHECK: st.global.b32

define void @vadd(ptr addrspace(1) noalias align 4 %0, i64 range(i64 0, 2147483648) %1, i64 %2, ptr addrspace(1) noalias align 4 %3, i64 range(i64 0, 2147483648) %4, i64 %5, ptr addrspace(1) noalias align 4 %6, i64 range(i64 0, 2147483648) %7, i64 %8) #0 {
  br label %10

10:
  %11 = call i32 @simt.ntid.x()
  %12 = zext nneg i32 %11 to i64
  %13 = call i32 @simt.ctaid.x()
  %14 = zext nneg i32 %13 to i64
  %15 = mul nuw nsw i64 %14, %12
  %16 = call i32 @simt.tid.x()
  %17 = zext nneg i32 %16 to i64
  %18 = add nuw nsw i64 %15, %17
  %19 = icmp slt i64 %18, %7
  br i1 %19, label %20, label %27

20:
  %21 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %18
  %22 = load float, ptr addrspace(1) %21, align 4
  %23 = getelementptr inbounds float, ptr addrspace(1) %3, i64 %18
  %24 = load float, ptr addrspace(1) %23, align 4
  %25 = fadd float %22, %24
  %26 = getelementptr inbounds float, ptr addrspace(1) %6, i64 %18
  store float %25, ptr addrspace(1) %26, align 4
  br label %27

27:
  ret void
}

declare range(i32 1, 1025) i32 @simt.ntid.x() #1

declare range(i32 0, 2147483647) i32 @simt.ctaid.x() #1

declare range(i32 0, 1024) i32 @simt.tid.x() #1

attributes #0 = { nounwind "simt.kernel" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

