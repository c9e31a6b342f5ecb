// interpret-simt: runs launches of SIMT IR kernels in the interpreter. Tests compare devices with it.
//
// Reads requests from standard input, one line of JSON each, and answers each with one line:
//
//     {"module": "; SIMT IR as text", "kernel": "k", "grid": [2,1,1], "block": [32,1,1], "dynamic_shared": 0,
//      "arguments": [{"buffer": 0, "value": 8}, {"value": 7}], "buffers": ["BASE64"], "variables": {"name": "BASE64"},
//      "seed": 1, "max_steps": 1000000}
//
// Only "arguments" is required. Without "module" the previous request's module is launched again. A 64-bit slot is a
// JSON integer, signed or unsigned; an argument with a "buffer" is the address of the buffer's byte "value". The
// answer:
//
//     {"buffers": ["BASE64"], "variables": {"name": "BASE64"}, "output": "", "steps": 1234, "undefined_reads": 0,
//      "error": {"kind": "trap", "message": "...", "thread": [3,0,0], "block": [0,0,0], "file": "k.py", "line": 7,
//                "column": 3, "site": {"kind": "IndexError", "file": "k.py", "line": 7, "column": 3}, "index": 9, "extent": 8}}
//
// "error" is present if the launch failed; "thread", "block", "file", "site" and "index" if they are known. The answer
// to an invalid request is an error of kind "request".

#include "simt/ir/verifier.h"
#include "simt_interpreter/interpret.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>
#include <memory>

using namespace heddle;
using namespace heddle::interpreter;
namespace json = llvm::json;

namespace {

/// The message for an invalid request.
struct BadRequest {
  std::string message;
};

/// The module of the last request that had one. Each module has a separate context, because constants live as long as
/// their context.
struct LoadedModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

LoadedModule loadModule(llvm::StringRef text) {
  LoadedModule loaded{std::make_unique<llvm::LLVMContext>(), nullptr};
  llvm::SMDiagnostic problem;
  loaded.module = llvm::parseIR(llvm::MemoryBufferRef(text, "module"), problem, *loaded.context);
  if (!loaded.module)
    throw BadRequest{"line " + std::to_string(problem.getLineNo()) +
                     " of the module: " + problem.getMessage().str()};
  if (std::string broken = simt::verify(*loaded.module); !broken.empty())
    throw BadRequest{"the module is not SIMT IR: " + broken};
  return loaded;
}

Buffer decodeBuffer(const json::Value *value) {
  std::optional<llvm::StringRef> text = value ? value->getAsString() : std::nullopt;
  std::vector<char> bytes;
  llvm::Error error = text ? llvm::decodeBase64(*text, bytes) : llvm::Error::success();
  bool failed = !text || bool(error);
  llvm::consumeError(std::move(error));
  if (failed)
    throw BadRequest{"a buffer or a variable is no text in base64"};
  return Buffer(bytes.begin(), bytes.end());
}

uint64_t readInteger(const json::Object &object, llvm::StringRef name, uint64_t otherwise) {
  const json::Value *value = object.get(name);
  if (!value)
    return otherwise;
  if (std::optional<int64_t> integer = value->getAsInteger())
    return uint64_t(*integer);
  if (std::optional<uint64_t> integer = value->getAsUINT64())
    return *integer;
  throw BadRequest{"'" + name.str() + "' is no integer"};
}

Extents readExtents(const json::Object &request, llvm::StringRef name) {
  const json::Array *given = request.getArray(name);
  Extents extents{1, 1, 1};
  for (size_t i = 0; given && i < given->size() && i < 3; ++i)
    extents[i] = uint32_t((*given)[i].getAsInteger().value_or(0));
  return extents;
}

Launch parseLaunch(const json::Object &request) {
  Launch launch;
  launch.kernel = request.getString("kernel").value_or("").str();
  launch.grid = readExtents(request, "grid");
  launch.block = readExtents(request, "block");
  launch.dynamicSharedBytes = uint32_t(readInteger(request, "dynamic_shared", 0));
  launch.seed = readInteger(request, "seed", 0);
  launch.maxSteps = readInteger(request, "max_steps", launch.maxSteps);
  const json::Array *arguments = request.getArray("arguments");
  if (!arguments)
    throw BadRequest{"there is no list 'arguments'"};
  for (const json::Value &value : *arguments) {
    const json::Object *given = value.getAsObject();
    if (!given)
      throw BadRequest{"an argument is an object with 'value' or 'buffer'"};
    Argument argument{readInteger(*given, "value", 0)};
    if (given->get("buffer"))
      argument.buffer = readInteger(*given, "buffer", 0);
    launch.arguments.push_back(argument);
  }
  return launch;
}

json::Array toJsonArray(const Extents &extents) {
  return json::Array{extents[0], extents[1], extents[2]};
}

void addLocation(json::Object &to, const std::string &file, unsigned line, unsigned column) {
  to["file"] = file;
  to["line"] = line;
  to["column"] = column;
}

json::Object toJsonObject(const Error &error) {
  json::Object object{{"kind", nameOfFailureKind(error.failure.kind)},
                      {"message", error.failure.message}};
  if (error.thread)
    object["thread"] = toJsonArray(*error.thread);
  if (error.block)
    object["block"] = toJsonArray(*error.block);
  if (!error.file.empty())
    addLocation(object, error.file, error.line, error.column);
  if (error.site) {
    json::Object site{{"kind", error.site->kind}, {"function", error.site->function}};
    addLocation(site, error.site->file, error.site->line, error.site->column);
    object["site"] = std::move(site);
  }
  if (error.failure.index) {
    object["index"] = *error.failure.index;
    object["extent"] = *error.failure.extent;
  }
  return object;
}

json::Object interpretRequest(const json::Object &request, LoadedModule &loaded) {
  if (std::optional<llvm::StringRef> text = request.getString("module")) {
    loaded.module.reset(); // must be destroyed before its context
    loaded = loadModule(*text);
  }
  if (!loaded.module)
    throw BadRequest{"the first request has no 'module'"};
  Launch launch = parseLaunch(request);
  std::vector<Buffer> buffers;
  if (const json::Array *given = request.getArray("buffers"))
    for (const json::Value &value : *given)
      buffers.push_back(decodeBuffer(&value));
  std::map<std::string, Buffer> variables;
  if (const json::Object *given = request.getObject("variables"))
    for (const auto &[name, value] : *given)
      variables[name.str()] = decodeBuffer(&value);

  Outcome outcome = interpret(*loaded.module, launch, buffers, variables);
  json::Object object{{"output", json::fixUTF8(outcome.output)},
                      {"steps", outcome.steps},
                      {"undefined_reads", outcome.undefinedReads}};
  json::Array contents;
  for (const Buffer &buffer : buffers)
    contents.push_back(llvm::encodeBase64(buffer));
  object["buffers"] = std::move(contents);
  json::Object named;
  for (const auto &[name, bytes] : variables)
    named[name] = llvm::encodeBase64(bytes);
  object["variables"] = std::move(named);
  if (outcome.error)
    object["error"] = toJsonObject(*outcome.error);
  return object;
}

json::Object interpretRequestLine(const std::string &line, LoadedModule &loaded) {
  try {
    llvm::Expected<json::Value> request = json::parse(line);
    if (!request)
      throw BadRequest{llvm::toString(request.takeError())};
    if (!request->getAsObject())
      throw BadRequest{"a request is a JSON object"};
    return interpretRequest(*request->getAsObject(), loaded);
  } catch (const BadRequest &bad) {
    json::Object error{{"kind", "request"}, {"message", json::fixUTF8(bad.message)}};
    return json::Object{{"error", std::move(error)}};
  }
}

} // namespace

int main() {
  std::ios::sync_with_stdio(false);
  LoadedModule loaded;
  for (std::string line; std::getline(std::cin, line);) {
    llvm::outs() << json::Value(interpretRequestLine(line, loaded)) << "\n";
    llvm::outs().flush();
  }
}
