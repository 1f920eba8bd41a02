// workspace/testing/read_through.h
//
// Tests only: files to read, and a file read to its end by following what each page says is next.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "base/check.h"
#include "base/encoded.h"
#include "os/fd.h"
#include "workspace/encoding.h"
#include "workspace/pages.h"

namespace helve::workspace::testing {

// A file of memory with these bytes.
inline os::UniqueFd file_of(std::string_view bytes) {
  os::UniqueFd fd(::memfd_create("test", MFD_CLOEXEC));
  HELVE_CHECK(fd);
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd.get(), bytes.data(), bytes.size());
    HELVE_CHECK(put > 0);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return fd;
}

// The text that all pages of a file together have to show, found without any of the code of pages.
inline std::string whole_text(std::string_view bytes) {
  const TextKind kind = kind_of(bytes);
  std::string decoded;
  append_decoded(decoded, bytes.substr(kind.bom), kind.encoding);
  std::string out;
  for (std::size_t at = 0; at < decoded.size(); ++at) {
    if (!std::string_view(decoded).substr(at).starts_with("\r\n")) out += decoded[at];
  }
  return out;
}

struct ReadThrough {
  std::string text;
  std::size_t pages = 0, largest = 0;  // encoded characters of the largest page
  std::int64_t last = 0;               // line
};

inline ReadThrough read_through(Source& source, LineIndex& index, PageRequest request) {
  ReadThrough all;
  for (;;) {
    const auto page = read_page(source, index, request);
    HELVE_CHECK(page);
    all.text += page->text;
    all.largest = std::max(all.largest, encoded_size(page->text));
    all.last = page->last;
    ++all.pages;
    if (!page->next) return all;
    const bool forward =
        page->next->offset > request.offset ||
        (page->next->offset == request.offset && page->next->column > request.column);
    HELVE_CHECK(forward);
    request.offset = page->next->offset;
    request.column = page->next->column;
  }
}

}  // namespace helve::workspace::testing
