; RUN: not heddle-opt -passes=verify-simt -S %s 2>&1 | FileCheck %s
; CHECK: entry 1 of !simt.sites is not {kind, message, function, file, line, column}
!simt.sites = !{!0, !1}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 7, i32 8}
!1 = !{!"barrier", !"simt.barrier", !"k"}
