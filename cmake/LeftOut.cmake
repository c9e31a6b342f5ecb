# Functions of Clang and LLVM that no program of Heddle's can reach, although others mention them: what Clang does for
# other languages and targets, and LLVM for other formats of files. The linker sends their calls to heddle_left_out
# (src/support/left_out.cpp) and drops them with all that only they use: 8 of 81 MB.

set(left_out "")

# heddle_leave_out(LIBRARY PATTERN...): the functions of the archive whose mangled names match after _ZN.
function(heddle_leave_out library)
  set(archive ${LLVM_LIBRARY_DIR}/lib${library}.a)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${archive})
  execute_process(COMMAND ${CMAKE_NM} --defined-only --extern-only --format=posix ${archive}
                  OUTPUT_VARIABLE symbols ERROR_QUIET)
  foreach(pattern ${ARGN})
    string(REGEX MATCHALL "\n_ZN${pattern}[A-Za-z0-9_]* [TW]" functions "${symbols}")
    if(NOT functions)
      message(FATAL_ERROR "cmake/LeftOut.cmake: no function of ${archive} is called _ZN${pattern}")
    endif()
    list(TRANSFORM functions REPLACE "^\n([A-Za-z0-9_]+) .*" "--wrap=\\1\n--defsym=__wrap_\\1=heddle_left_out\n")
    string(APPEND left_out ${functions})
  endforeach()
  set(left_out "${left_out}" PARENT_SCOPE)
endfunction()

# Clang compiles for NVPTX, with x86-64 as the host's target: the intrinsics and calling conventions of others.
set(others "(AIX|AMDGPU|ARC|ARM|AVR|AArch64|BPF|CSKY|DirectX|Hexagon|Lanai|LoongArch|M68k|MIPS|MSP430|PPC|RISCV|SPIRV")
string(APPEND others "|Sparc|SystemZ|TCE|VE|Wasm|WebAssembly|WindowsAArch64|WindowsARM|WindowsMIPS|XCore)")
heddle_leave_out(clangCodeGen "5clang7CodeGen15CodeGenFunction[0-9]+Emit${others}[A-Za-z0-9]*BuiltinExpr"
                 "5clang7CodeGen[0-9]+create${others}[A-Za-z0-9_]*TargetCodeGenInfoE")
heddle_leave_out(clangSema "5clang[0-9]+Sema${others}[0-9]+Check[A-Za-z0-9]*BuiltinFunctionCallE")
# The C++ of Microsoft's targets.
heddle_leave_out(clangCodeGen 5clang7CodeGen[0-9]+CreateMicrosoftCXXABI)
heddle_leave_out(clangAST 5clang[0-9]+CreateMicrosoftCXXABI 5clang22MicrosoftMangleContext6createE)

# OpenMP, Objective-C, HLSL and SYCL, which nothing switches on: #pragma omp is a pragma that nobody knows.
heddle_leave_out(clangParse "5clang6Parser[0-9]+ParseOpenMP")
heddle_leave_out(clangSema "5clang10SemaOpenMP[0-9]+ActOnOpenMP" "5clang8SemaSYCL[0-9]+BuildSYCLKernelCallStmt")
heddle_leave_out(clangCodeGen "5clang7CodeGen15CodeGenFunction[0-9]+EmitOMP[A-Za-z]*Directive"
                 5clang7CodeGen13CodeGenModule19createOpenMPRuntime 5clang7CodeGen13CodeGenModule17createHLSLRuntime
                 "5clang7CodeGen[0-9]+Create(GNU|Mac)ObjCRuntime")

# Parts of Clang behind options that no program can give: the second interpreter of constant expressions, completion for
# editors, notes on libraries of Apple's, precompiled headers (the build makes them, with the tool parse-prelude).
heddle_leave_out(clangAST "5clang6interp7Context([0-9]+[a-z]|[CD])")
heddle_leave_out(clangSema "5clang18SemaCodeCompletion[0-9]+CodeComplete")
heddle_leave_out(clangAPINotes 5clang9api_notes15compileAPINotes)
heddle_leave_out(clangSerialization 5clang12PCHGeneratorC)

# The other formats of object files, the linker that LLVM's JIT had before JITLink, Windows' debug information,
# compressed sections.
heddle_leave_out(LLVMJITLink "4llvm7jitlink[0-9]+createLinkGraphFrom(COFF|MachO|XCOFF)"
                 "4llvm7jitlink[0-9]+createLinkGraphFromELFObject_(aarch32|hexagon|loongarch|ppc64|riscv|systemz|x86E)")
heddle_leave_out(LLVMOrcJIT 4llvm3orc24RTDyldObjectLinkingLayerC)
heddle_leave_out(LLVMAsmPrinter 4llvm13CodeViewDebugC)
heddle_leave_out(LLVMSupport "4llvm11compression(4zstd)?8compressE")

# The Attributor, which looks at programs of OpenMP.
heddle_leave_out(LLVMipo "4llvm[0-9]+AA[A-Za-z]+17createForPositionE")

set(HEDDLE_LEFT_OUT ${CMAKE_BINARY_DIR}/left_out.txt)
file(CONFIGURE OUTPUT ${HEDDLE_LEFT_OUT} CONTENT "${left_out}" @ONLY)
