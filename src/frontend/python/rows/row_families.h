// Generates table rows that follow a pattern, with names and documentation.
#pragma once

#include "frontend/python/rows/row.h"

#include <deque>
#include <string>
#include <vector>

namespace heddle::python {

/// Generated rows, with the storage of their strings.
class GeneratedRows {
public:
  /// Adds a copy of `row` with this name and documentation.
  void add(LibraryRow row, std::string name, std::string doc) {
    row.name = texts_.emplace_back(std::move(name)).c_str();
    row.doc = texts_.emplace_back(std::move(doc)).c_str();
    rows_.push_back(row);
  }
  /// Adds rows, with a prefix before their names.
  void add(const std::string &prefix, llvm::ArrayRef<LibraryRow> rows) {
    for (const LibraryRow &row : rows)
      add(row, prefix + row.name, row.doc);
  }

  llvm::ArrayRef<LibraryRow> rows() const { return rows_; }

private:
  std::deque<std::string> texts_; // a deque keeps the addresses of its elements
  std::vector<LibraryRow> rows_;
};

} // namespace heddle::python
