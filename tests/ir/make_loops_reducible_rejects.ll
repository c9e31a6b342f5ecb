; RUN: not heddle-opt -passes=make-loops-reducible -S %s 2>&1 | FileCheck %s
; A jump to a computed label cannot be redirected.

; CHECK: k.cu:7: kernels have no jump to a computed label into a loop
define void @k(ptr %to, i1 %c) !dbg !3 {
  indirectbr ptr %to, [label %a, label %b], !dbg !4
a:
  br label %b, !dbg !4
b:
  br i1 %c, label %a, label %done, !dbg !4
done:
  ret void
}

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "k.cu", directory: "")
!3 = distinct !DISubprogram(name: "k", file: !2, line: 5, unit: !1, type: !5, spFlags: DISPFlagDefinition)
!4 = !DILocation(line: 7, column: 3, scope: !3)
!5 = !DISubroutineType(types: !6)
!6 = !{}
