// http/detail/writer.h
//
// The bytes of an answer's head and of a chunk. Loop thread only (the text of the date is kept).
#pragma once

#include <string>

#include "http/message.h"

namespace helve::http {

// How the client learns where the answer's body ends.
enum class Ending { kNone, kLength, kChunked, kClose };

struct Shape {
  Ending ending = Ending::kLength;
  size_t length = 0;
  bool keep_alive = true;
  bool http10 = false;  // the request's version
};

// Whether answers of that status have a body at all.
bool has_body(unsigned status);

// With the empty line. Headers about the connection and the body's length are ours: those of
// `response` are left out.
std::string write_head(const Response& response, const Shape& shape);

// "1f\r\n", which stands before a piece of 31 bytes.
std::string chunk_size(size_t size);

}  // namespace helve::http
