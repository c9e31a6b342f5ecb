// cuda-to-simt: writes the SIMT IR of a CUDA C++ file. For tests and inspection.
//
//     cuda-to-simt kernel.cu [options] [-name EXPRESSION]...

#include "frontend/cuda/compile.h"
#include "support/diagnostic.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

int main(int count, char **arguments) {
  if (count < 2) {
    llvm::errs() << "usage: cuda-to-simt FILE [options] [-name EXPRESSION]...\n";
    return 2;
  }
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(arguments[1]);
  if (!file) {
    llvm::errs() << arguments[1] << ": " << file.getError().message() << "\n";
    return 2;
  }
  std::vector<std::string> options, names;
  bool checksBounds = false; // as on the CPU device
  for (int i = 2; i < count; ++i) {
    if (std::string(arguments[i]) == "-name" && i + 1 < count)
      names.push_back(arguments[++i]);
    else if (std::string(arguments[i]) == "-bounds")
      checksBounds = true;
    else
      options.push_back(arguments[i]);
  }
  try {
    heddle::cudacpp::Options read = heddle::cudacpp::readOptions(options);
    read.backEnd.bounds = checksBounds;
    auto program = heddle::cudacpp::compile((*file)->getBuffer().str(), arguments[1], read, names);
    llvm::errs() << program.log;
    program.code.module->print(llvm::outs(), nullptr);
  } catch (const heddle::CompileError &e) {
    llvm::errs() << e.what() << "\n";
    return 1;
  }
}
