# Sourced with a preset's name: sets the environment in which tests run on that build, and defines
# under_sanitizer COMMAND..., which runs a program that is not itself instrumented (Python) with the build's sanitizer.

build=$PWD/build/$1
export PYTHONPATH=$build/python
export HEDDLE_OPT_TOOL=$build/src/heddle-opt
export HEDDLE_INTERPRETER=$build/src/interpret-simt
export PATH=$PWD/.venv/bin:$PATH:/usr/lib/llvm-22/bin
# Every pass is checked for effects that it moved across a barrier.
export HEDDLE_VERIFY=1
# Tests make their own cache directories; whatever escapes them stays out of the user's.
export HEDDLE_CACHE_DIR=$build/test-cache

library() { /usr/lib/llvm-22/bin/clang++ -print-file-name="$1"; }
suppressions=$PWD/tests/sanitizers

case $1 in
asan-ubsan)
  # Leaks: the interpreter frees little at exit. Null from malloc: tests ask for more memory than there is. Poisoning:
  # LLVM's allocators do it in the code that its headers make here, and undo it nowhere in its archives.
  export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0:handle_segv=0:allow_user_poisoning=0
  export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  # libstdc++ beside it: the interceptor of `throw` looks for the real one when the process starts.
  preload="$(library "libclang_rt.asan-$(uname -m).so") $(library libstdc++.so)"
  ;;
tsan)
  # Null from malloc: tests ask for more memory than there is.
  export TSAN_OPTIONS=suppressions=$suppressions/tsan.supp:die_after_fork=0:history_size=4:report_signal_unsafe=0:allocator_may_return_null=1:handle_segv=0
  preload="$(library "libclang_rt.tsan-$(uname -m).so") $(library libstdc++.so)"
  ;;
*)
  preload=
  ;;
esac

under_sanitizer() {
  if [ -n "$preload" ]; then
    # malloc of the interpreter's own pools would hide overruns of NumPy's and our buffers.
    LD_PRELOAD=$preload PYTHONMALLOC=malloc "$@"
  else
    "$@"
  fi
}
