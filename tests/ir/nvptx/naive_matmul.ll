; RUN: heddle-opt -ptx -sm=90 %s | FileCheck %s
; The naive matrix product of numba's documentation, as the Python front end writes it: all loads of the inner loop are
; read-only ones at constant offsets, no 64-bit product or division is left in its rounds, the counter has 32 bits.

; CHECK-LABEL: .entry matmul(
; CHECK: mov.b32 [[COUNT:%r[0-9]+]], 0;
; CHECK: .pragma "nounroll";
; CHECK-COUNT-16: fma.rn.f32
; CHECK-NOT: ld.global.b32
; CHECK: add.s32 [[COUNT]], [[COUNT]], 16;
; CHECK-NEXT: setp.eq.b32 {{.*}}, [[COUNT]],
; CHECK: st.global.b32
; CHECK-NOT: div.

define void @matmul(ptr addrspace(1) noalias align 4 %0, i64 range(i64 0, 2147483648) %1, i64 range(i64 0, 2147483648) %2, i64 %3, i64 %4, ptr addrspace(1) noalias align 4 %5, i64 range(i64 0, 2147483648) %6, i64 range(i64 0, 2147483648) %7, i64 %8, i64 %9, ptr addrspace(1) noalias align 4 %10, i64 range(i64 0, 2147483648) %11, i64 range(i64 0, 2147483648) %12, i64 %13, i64 %14) #0 {
  br label %16

16:
  %17 = call i32 @simt.ntid.x()
  %18 = zext nneg i32 %17 to i64
  %19 = call i32 @simt.ctaid.x()
  %20 = zext nneg i32 %19 to i64
  %21 = mul nuw nsw i64 %20, %18
  %22 = call i32 @simt.tid.x()
  %23 = zext nneg i32 %22 to i64
  %24 = add nuw nsw i64 %21, %23
  %25 = call i32 @simt.ntid.y()
  %26 = zext nneg i32 %25 to i64
  %27 = call i32 @simt.ctaid.y()
  %28 = zext nneg i32 %27 to i64
  %29 = mul nuw nsw i64 %28, %26
  %30 = call i32 @simt.tid.y()
  %31 = zext nneg i32 %30 to i64
  %32 = add nuw nsw i64 %29, %31
  %33 = icmp slt i64 %32, %11
  br i1 %33, label %34, label %47

34:
  %35 = icmp slt i64 %24, %12
  br i1 %35, label %36, label %47

36:
  %37 = sub nsw i64 %2, 0
  %38 = call i64 @llvm.smax.i64(i64 %37, i64 0)
  br label %39

39:
  %40 = phi float [ 0.000000e+00, %36 ], [ %59, %60 ]
  %41 = phi i64 [ 0, %36 ], [ %61, %60 ]
  %42 = icmp slt i64 %41, %38
  br i1 %42, label %48, label %43

43:
  %44 = mul nsw i64 %32, %12
  %45 = add nsw i64 %44, %24
  %46 = getelementptr inbounds float, ptr addrspace(1) %10, i64 %45
  store float %40, ptr addrspace(1) %46, align 4
  br label %47

47:
  ret void

48:
  %49 = add nsw i64 0, %41
  %50 = mul nsw i64 %32, %2
  %51 = add nsw i64 %50, %49
  %52 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %51
  %53 = load float, ptr addrspace(1) %52, align 4
  %54 = mul nsw i64 %49, %7
  %55 = add nsw i64 %54, %24
  %56 = getelementptr inbounds float, ptr addrspace(1) %5, i64 %55
  %57 = load float, ptr addrspace(1) %56, align 4
  %58 = fmul float %53, %57
  %59 = fadd float %40, %58
  br label %60

60:
  %61 = add nuw nsw i64 %41, 1
  br label %39
}

declare range(i32 1, 1025) i32 @simt.ntid.x() #1

declare range(i32 0, 2147483647) i32 @simt.ctaid.x() #1

declare range(i32 0, 1024) i32 @simt.tid.x() #1

declare range(i32 1, 1025) i32 @simt.ntid.y() #1

declare range(i32 0, 65535) i32 @simt.ctaid.y() #1

declare range(i32 0, 1024) i32 @simt.tid.y() #1

declare i64 @llvm.smax.i64(i64, i64) #2

attributes #0 = { nounwind "simt.kernel" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

