#include "mcp/http.h"

#include "mcp/detail/http_admission.h"
#include "mcp/detail/http_reply.h"
#include "mcp/detail/http_requests.h"

namespace helve::mcp {

HttpFace::HttpFace(os::Loop& loop, Server& server, tool::Sessions& sessions, HttpOptions options)
    : requests_(std::make_unique<HttpRequests>(
          std::make_shared<HttpShared>(loop, server, std::move(options)), sessions)) {}

HttpFace::~HttpFace() = default;

std::optional<http::Response> HttpFace::admit(const http::Request& head) {
  const HttpOptions& options = requests_->shared().options;
  auto refusal = refuse_at_door(options, head);
  const bool turned_away = refusal && (refusal->status == 401 || refusal->status == 403);
  if (turned_away && options.refused) options.refused(refusal->status, head);
  return refusal;
}

void HttpFace::handle(std::shared_ptr<http::Exchange> exchange) {
  requests_->handle(std::move(exchange));
}

http::Response HttpFace::refuse_broken(unsigned status, const Refusal& why) {
  return refusal_reply({}, status, why);
}

void HttpFace::let_go() { requests_->let_go(); }

void HttpFace::end() { requests_->end(); }

size_t HttpFace::sessions() const { return requests_->sessions(); }

}  // namespace helve::mcp
