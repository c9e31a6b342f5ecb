# NVIDIA's libdevice, the math library of GPU code: one file of LLVM bitcode, embedded in the NVPTX back end.
#
# It comes with a CUDA toolkit, or in a package on PyPI (requirements-build.txt; pyproject.toml for wheels), or from
# -DHEDDLE_LIBDEVICE=<path>.

set(HEDDLE_LIBDEVICE "" CACHE FILEPATH "Path of libdevice.10.bc; found when empty")

if(HEDDLE_LIBDEVICE)
  set(libdevice ${HEDDLE_LIBDEVICE})
else()
  set(Python_FIND_VIRTUALENV FIRST)
  find_package(Python 3.11 QUIET COMPONENTS Interpreter)
  set(folders)
  if(Python_EXECUTABLE)
    # Where pip has put packages for this interpreter, build isolation included.
    execute_process(COMMAND ${Python_EXECUTABLE} -c "import sys; print(';'.join(p for p in sys.path if p))"
                    OUTPUT_VARIABLE folders OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  file(GLOB environment ${CMAKE_SOURCE_DIR}/.venv/lib/python3.*/site-packages)
  list(APPEND folders ${environment})
  set(candidates)
  foreach(folder ${folders})
    list(APPEND candidates ${folder}/nvidia/cuda_nvcc/nvvm/libdevice ${folder}/nvidia/cu13/nvvm/libdevice)
  endforeach()
  file(GLOB toolkits /usr/local/cuda*/nvvm/libdevice /opt/cuda/nvvm/libdevice /usr/lib/cuda/nvvm/libdevice)
  find_file(libdevice libdevice.10.bc PATHS ${candidates} $ENV{CUDA_HOME}/nvvm/libdevice ${toolkits}
            NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
endif()

if(NOT libdevice OR NOT EXISTS ${libdevice})
  message(FATAL_ERROR
    "NVIDIA's libdevice.10.bc, the math library of GPU kernels, is not here. scripts/setup.sh installs it in .venv; or run\n"
    "    ${Python_EXECUTABLE} -m pip install nvidia-cuda-nvcc-cu12==12.6.85\n"
    "or give its path with -DHEDDLE_LIBDEVICE=<path> (a CUDA toolkit has it in nvvm/libdevice).")
endif()
message(STATUS "libdevice: ${libdevice}")

set(HEDDLE_LIBDEVICE_SOURCE ${CMAKE_BINARY_DIR}/libdevice.cpp)
file(CONFIGURE OUTPUT ${HEDDLE_LIBDEVICE_SOURCE} @ONLY CONTENT [[
// The bytes of libdevice, for backend/nvptx/codegen/link_libdevice.cpp.
__asm__(".section .rodata\n"
        ".balign 16\n"
        ".globl heddle_libdevice_begin\n"
        ".hidden heddle_libdevice_begin\n"
        "heddle_libdevice_begin:\n"
        ".incbin \"@libdevice@\"\n"
        ".globl heddle_libdevice_end\n"
        ".hidden heddle_libdevice_end\n"
        "heddle_libdevice_end:\n"
        ".previous\n");
]])
set_source_files_properties(${HEDDLE_LIBDEVICE_SOURCE} PROPERTIES OBJECT_DEPENDS ${libdevice}
                            SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
