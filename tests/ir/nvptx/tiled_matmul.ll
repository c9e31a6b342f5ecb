; RUN: heddle-opt -ptx -sm=90 %s | FileCheck %s
; The tiled matrix product of numba's documentation: the sum over a tile is sixteen consecutive FMAs between two
; barriers, fed from shared memory at constant offsets.

; CHECK-LABEL: .entry tiled(
; CHECK: barrier.sync 0;
; CHECK-NOT: bra
; CHECK-COUNT-16: fma.rn.f32
; CHECK-NOT: bra
; CHECK: barrier.sync 0;

@0 = internal addrspace(3) global [256 x float] poison, align 16
@1 = internal addrspace(3) global [256 x float] poison, align 16

define void @tiled(ptr addrspace(1) noalias align 4 %0, i64 range(i64 0, 2147483648) %1, i64 range(i64 0, 2147483648) %2, i64 %3, i64 %4, ptr addrspace(1) noalias align 4 %5, i64 range(i64 0, 2147483648) %6, i64 range(i64 0, 2147483648) %7, i64 %8, i64 %9, ptr addrspace(1) noalias align 4 %10, i64 range(i64 0, 2147483648) %11, i64 range(i64 0, 2147483648) %12, i64 %13, i64 %14) #0 {
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
  %33 = call i32 @simt.tid.x()
  %34 = call i32 @simt.tid.y()
  %35 = add i64 %2, 16
  %36 = sub i64 %35, 1
  %37 = sdiv i64 %36, 16
  %38 = sub i64 0, %36
  %39 = select i1 false, i64 %38, i64 %37
  %40 = srem i64 %36, 16
  %41 = select i1 false, i64 0, i64 %40
  %42 = select i1 false, i64 0, i64 %39
  %43 = select i1 false, i64 0, i64 %41
  %44 = icmp ne i64 %43, 0
  %45 = xor i64 %43, 16
  %46 = icmp slt i64 %45, 0
  %47 = and i1 %44, %46
  %48 = zext i1 %47 to i64
  %49 = sub i64 %42, %48
  %50 = sub nsw i64 %49, 0
  %51 = call i64 @llvm.smax.i64(i64 %50, i64 0)
  br label %52

52:
  %53 = phi float [ 0.000000e+00, %16 ], [ %119, %123 ]
  %54 = phi i64 [ 0, %16 ], [ %124, %123 ]
  %55 = icmp slt i64 %54, %51
  br i1 %55, label %65, label %56

56:
  %57 = icmp slt i64 %32, %11
  br i1 %57, label %58, label %64

58:
  %59 = icmp slt i64 %24, %12
  br i1 %59, label %60, label %64

60:
  %61 = mul nsw i64 %32, %12
  %62 = add nsw i64 %61, %24
  %63 = getelementptr inbounds float, ptr addrspace(1) %10, i64 %62
  store float %53, ptr addrspace(1) %63, align 4
  br label %64

64:
  ret void

65:
  %66 = add nsw i64 0, %54
  %67 = sext i32 %34 to i64
  %68 = sext i32 %33 to i64
  %69 = mul nsw i64 %67, 16
  %70 = add nsw i64 %69, %68
  %71 = getelementptr inbounds float, ptr addrspace(3) @0, i64 %70
  store float 0.000000e+00, ptr addrspace(3) %71, align 4
  %72 = sext i32 %34 to i64
  %73 = sext i32 %33 to i64
  %74 = mul nsw i64 %72, 16
  %75 = add nsw i64 %74, %73
  %76 = getelementptr inbounds float, ptr addrspace(3) @1, i64 %75
  store float 0.000000e+00, ptr addrspace(3) %76, align 4
  %77 = icmp slt i64 %32, %1
  br i1 %77, label %78, label %96

78:
  %79 = mul i64 %66, 16
  %80 = sext i32 %33 to i64
  %81 = add i64 %80, %79
  %82 = icmp slt i64 %81, %2
  br i1 %82, label %83, label %96

83:
  %84 = mul i64 %66, 16
  %85 = sext i32 %33 to i64
  %86 = add i64 %85, %84
  %87 = mul nsw i64 %32, %2
  %88 = add nsw i64 %87, %86
  %89 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %88
  %90 = load float, ptr addrspace(1) %89, align 4
  %91 = sext i32 %34 to i64
  %92 = sext i32 %33 to i64
  %93 = mul nsw i64 %91, 16
  %94 = add nsw i64 %93, %92
  %95 = getelementptr inbounds float, ptr addrspace(3) @0, i64 %94
  store float %90, ptr addrspace(3) %95, align 4
  br label %96

96:
  %97 = icmp slt i64 %24, %7
  br i1 %97, label %98, label %116

98:
  %99 = mul i64 %66, 16
  %100 = sext i32 %34 to i64
  %101 = add i64 %100, %99
  %102 = icmp slt i64 %101, %6
  br i1 %102, label %103, label %116

103:
  %104 = mul i64 %66, 16
  %105 = sext i32 %34 to i64
  %106 = add i64 %105, %104
  %107 = mul nsw i64 %106, %7
  %108 = add nsw i64 %107, %24
  %109 = getelementptr inbounds float, ptr addrspace(1) %5, i64 %108
  %110 = load float, ptr addrspace(1) %109, align 4
  %111 = sext i32 %34 to i64
  %112 = sext i32 %33 to i64
  %113 = mul nsw i64 %111, 16
  %114 = add nsw i64 %113, %112
  %115 = getelementptr inbounds float, ptr addrspace(3) @1, i64 %114
  store float %110, ptr addrspace(3) %115, align 4
  br label %116

116:
  call void @simt.barrier(i32 0)
  %117 = call i64 @llvm.smax.i64(i64 16, i64 0)
  br label %118

118:
  %119 = phi float [ %53, %116 ], [ %138, %139 ]
  %120 = phi i64 [ 0, %116 ], [ %140, %139 ]
  %121 = icmp slt i64 %120, %117
  br i1 %121, label %125, label %122

122:
  call void @simt.barrier(i32 1)
  br label %123

123:
  %124 = add nuw nsw i64 %54, 1
  br label %52

125:
  %126 = add nsw i64 0, %120
  %127 = sext i32 %34 to i64
  %128 = mul nsw i64 %127, 16
  %129 = add nsw i64 %128, %126
  %130 = getelementptr inbounds float, ptr addrspace(3) @0, i64 %129
  %131 = load float, ptr addrspace(3) %130, align 4
  %132 = sext i32 %33 to i64
  %133 = mul nsw i64 %126, 16
  %134 = add nsw i64 %133, %132
  %135 = getelementptr inbounds float, ptr addrspace(3) @1, i64 %134
  %136 = load float, ptr addrspace(3) %135, align 4
  %137 = fmul float %131, %136
  %138 = fadd float %119, %137
  br label %139

139:
  %140 = add nuw nsw i64 %120, 1
  br label %118
}

declare range(i32 1, 1025) i32 @simt.ntid.x() #1

declare range(i32 0, 2147483647) i32 @simt.ctaid.x() #1

declare range(i32 0, 1024) i32 @simt.tid.x() #1

declare range(i32 1, 1025) i32 @simt.ntid.y() #1

declare range(i32 0, 65535) i32 @simt.ctaid.y() #1

declare range(i32 0, 1024) i32 @simt.tid.y() #1

declare i64 @llvm.smax.i64(i64, i64) #2

declare void @simt.barrier(i32) #3

attributes #0 = { nounwind "simt.kernel" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nounwind }

!simt.sites = !{!1, !2}

!1 = !{!"barrier", !"syncthreads()", !"tiled", !"kernels.py", i32 32, i32 9}
!2 = !{!"barrier", !"syncthreads()", !"tiled", !"kernels.py", i32 35, i32 9}
