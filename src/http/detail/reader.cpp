#include "http/detail/reader.h"

#include <algorithm>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "base/text.h"

namespace helve::http {
namespace {

namespace beast = boost::beast;

using Parser = beast::http::request_parser<beast::http::empty_body>;

Broken bad_request(std::string_view rule, Texts args = {}) {
  return {400, helve::refuse(rule, std::move(args)).error()};
}

std::string to_string(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Refusal body_too_large(std::uint64_t limit) {
  return helve::refuse("http.body_too_large", {{"limit", std::to_string(limit)}}).error();
}

Reader::Reader(size_t header_limit, std::uint64_t body_limit)
    : header_limit_(header_limit), body_limit_(body_limit) {}

Reader::Step Reader::read(std::string_view& bytes) {
  switch (phase_) {
    case Phase::kHead:
      return read_head(bytes);
    case Phase::kBody:
      return read_body(bytes);
    case Phase::kChunks:
      return read_chunks(bytes);
  }
  return Step::kMore;
}

void Reader::reset() {
  phase_ = Phase::kHead;
  begun_ = after_return_ = false;
  search_ = {};
  std::string().swap(held_);
  chunks_.reset();
  framing_ = {};
  request_ = {};
}

Reader::Step Reader::refuse(Broken broken) {
  broken_ = std::move(broken);
  return Step::kBroken;
}

// An empty line before a request is left by old clients behind a body (RFC 9112, 2.2). False if a
// carriage return comes without its line feed.
bool Reader::skip_empty_lines(std::string_view& bytes) {
  while (!bytes.empty()) {
    if (after_return_ && bytes.front() != '\n') return false;
    if (!after_return_ && bytes.front() != '\r') return true;
    after_return_ = !after_return_;
    bytes.remove_prefix(1);
  }
  return true;
}

Reader::Step Reader::read_head(std::string_view& bytes) {
  if (!begun_ && !skip_empty_lines(bytes)) return refuse(bad_request("http.line_end_invalid"));
  if (bytes.empty()) return Step::kMore;
  begun_ = true;
  const size_t before = held_.size();
  // Never holds more than a head: what follows it stays with the caller.
  if (before > 0) held_.append(bytes.substr(0, header_limit_ - before));
  const auto end =
      find_head_end(before > 0 ? std::string_view(held_) : bytes, header_limit_, search_);
  if (!end) return refuse(end.error());
  if (*end == 0) {
    if (before == 0) held_ = bytes;
    bytes = {};
    return Step::kMore;
  }
  const std::string_view head =
      before > 0 ? std::string_view(held_).substr(0, *end) : bytes.substr(0, *end);
  const Step step = parse_head(head);
  bytes.remove_prefix(*end - before);
  std::string().swap(held_);
  return step;
}

Reader::Step Reader::parse_head(std::string_view head) {
  if (auto broken = check_head(head, header_limit_)) return refuse(*std::move(broken));
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(header_limit_) + 1);
  parser.body_limit(boost::none);
  beast::error_code error;
  parser.put(boost::asio::buffer(head.data(), head.size()), error);
  if (error || !parser.is_header_done()) {
    return refuse(bad_request("http.head_invalid", {{"reason", error.message()}}));
  }
  const auto& message = parser.get();
  request_.method = to_string(message.method_string());
  for (const auto& field : message) {
    request_.headers.add(to_string(field.name_string()), to_string(field.value()));
  }
  read_target(std::string_view(message.target().data(), message.target().size()));
  framing_ = {.http10 = message.version() == 10,
              .keep_alive = parser.keep_alive(),
              .head_only = request_.method == "HEAD",
              .chunked = parser.chunked(),
              .length = parser.content_length().value_or(0)};
  if (const auto expect = request_.headers.find("Expect"); expect && !framing_.http10) {
    if (lower_ascii(*expect) != "100-continue") {
      return refuse({417, helve::refuse("http.expectation_unknown").error()});
    }
    framing_.expects_continue = framing_.chunked || framing_.length > 0;
  }
  phase_ = framing_.chunked ? Phase::kChunks : Phase::kBody;
  if (framing_.chunked) chunks_ = std::make_unique<Chunks>();
  return Step::kHead;
}

// The absolute form names the host better than the header does (RFC 9112, 3.2.2).
void Reader::read_target(std::string_view target) {
  if (!target.starts_with('/') && target != "*") {
    target.remove_prefix(target.find("//") + 2);
    const size_t end = std::min(target.find_first_of("/?"), target.size());
    request_.headers.set("Host", std::string(target.substr(0, end)));
    target.remove_prefix(end);
  }
  const size_t mark = target.find('?');
  request_.path = target.substr(0, mark);
  if (request_.path.empty()) request_.path = "/";
  if (mark != std::string_view::npos) request_.query = target.substr(mark + 1);
}

Reader::Step Reader::read_body(std::string_view& bytes) {
  std::string& body = request_.body;
  // Not all of a length that is only declared.
  constexpr std::uint64_t kAtFirst = 256 * 1024;
  if (body.empty() && !bytes.empty()) body.reserve(std::min(framing_.length, kAtFirst));
  const size_t missing = framing_.length - body.size();
  const std::string_view taken = bytes.substr(0, missing);
  body.append(taken);
  bytes.remove_prefix(taken.size());
  return taken.size() == missing ? Step::kWhole : Step::kMore;
}

Reader::Step Reader::read_chunks(std::string_view& bytes) {
  switch (chunks_->read(bytes, request_.body, body_limit_, header_limit_)) {
    case Chunks::Step::kMore:
      return Step::kMore;
    case Chunks::Step::kWhole:
      return Step::kWhole;
    case Chunks::Step::kBroken:
      return refuse(bad_request("http.chunk_invalid"));
    case Chunks::Step::kTooLarge:
      return refuse({413, body_too_large(body_limit_)});
  }
  return Step::kMore;
}

}  // namespace helve::http
