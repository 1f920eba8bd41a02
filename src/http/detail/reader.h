// http/detail/reader.h
//
// Makes requests out of bytes as they come, in pieces of any size: head, then body. Holds no more
// than the head limit of bytes that are not understood yet, and nothing between requests. Knows
// no socket and no clock. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/detail/chunks.h"
#include "http/detail/head.h"
#include "http/message.h"

namespace helve::http {

// What the head says about the way of the request and of its answer.
struct Framing {
  bool http10 = false;
  bool keep_alive = true;
  bool head_only = false;  // HEAD: the answer has no body
  bool chunked = false;
  bool expects_continue = false;
  std::uint64_t length = 0;  // of the body, if not chunked
};

Refusal body_too_large(std::uint64_t limit);

class Reader {
 public:
  // Bytes: of a head, and of a body that comes in chunks.
  Reader(size_t header_limit, std::uint64_t body_limit);

  enum class Step {
    kMore,    // takes all bytes; go on with the next ones
    kHead,    // request() without its body, framing()
    kWhole,   // request() is complete; reset() begins the next
    kBroken,  // broken() says why; nothing more can be read
  };
  // Takes from the front of `bytes` what belongs to the step.
  Step read(std::string_view& bytes);

  bool has_begun() const { return begun_; }  // something of a request has come
  Request& request() { return request_; }
  const Framing& framing() const { return framing_; }
  const Broken& broken() const { return broken_; }
  std::uint64_t body_size() const { return request_.body.size(); }
  void reset();

 private:
  enum class Phase { kHead, kBody, kChunks };

  bool skip_empty_lines(std::string_view& bytes);
  Step read_head(std::string_view& bytes);
  Step read_body(std::string_view& bytes);
  Step read_chunks(std::string_view& bytes);
  Step parse_head(std::string_view head);
  void read_target(std::string_view target);
  Step refuse(Broken broken);

  size_t header_limit_;
  std::uint64_t body_limit_;
  Phase phase_ = Phase::kHead;
  bool begun_ = false;
  bool after_return_ = false;  // in the middle of an empty line before the head
  HeadSearch search_;
  std::string held_;                // the start of a head
  std::unique_ptr<Chunks> chunks_;  // while a chunked body is read
  Framing framing_;
  Request request_;
  Broken broken_;
};

}  // namespace helve::http
