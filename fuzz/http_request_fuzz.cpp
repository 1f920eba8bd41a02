// Bytes of a client, in whole and cut into pieces: never a crash, the same requests either way, and
// none that another reader could end elsewhere.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/texts.h"
#include "http/detail/reader.h"

namespace {

using namespace helve;
using namespace helve::http;

constexpr size_t kHeaderLimit = 1024;
constexpr size_t kBodyLimit = 4096;

void check_request(const Request& request, const Framing& framing) {
  HELVE_CHECK(!request.method.empty() && !request.path.empty());
  HELVE_CHECK(request.path == "*" || request.path.front() == '/');
  const size_t lengths = request.headers.count("content-length");
  HELVE_CHECK(lengths + request.headers.count("transfer-encoding") <= 1);
  HELVE_CHECK(framing.chunked == (request.headers.count("transfer-encoding") == 1));
  HELVE_CHECK(request.headers.count("host") == 1 || framing.http10);
  HELVE_CHECK(framing.chunked || request.body.size() == framing.length);
  for (const Header& header : request.headers.all()) {
    const std::string line = header.name + header.value;
    HELVE_CHECK(line.find_first_of(std::string_view("\0\r\n", 3)) == std::string::npos);
    HELVE_CHECK(header.name.find_first_of(" \t:") == std::string::npos);
  }
}

std::string describe(const Request& request) {
  std::string out = request.method + ' ' + request.path + '?' + request.query + '\n';
  for (const Header& header : request.headers.all()) out += header.name + ':' + header.value + '\n';
  return out + request.body;
}

// What the reader makes of `bytes`, given in pieces of up to `piece` bytes.
std::vector<std::string> read_all(std::string_view bytes, size_t piece) {
  std::vector<std::string> found;
  Reader reader(kHeaderLimit, kBodyLimit);
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    for (;;) {
      const Reader::Step step = reader.read(part);
      if (step == Reader::Step::kMore) break;
      if (step == Reader::Step::kBroken) {
        HELVE_CHECK(!render(reader.broken().why).next.empty());
        found.push_back(reader.broken().why.rule);
        return found;
      }
      if (step == Reader::Step::kHead && reader.framing().length > kBodyLimit) return found;
      if (step == Reader::Step::kHead) continue;
      check_request(reader.request(), reader.framing());
      found.push_back(describe(reader.request()));
      reader.reset();
    }
    HELVE_CHECK(part.empty());
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  if (size > 16 * 1024) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> whole = read_all(bytes, size + 1);
  for (const size_t piece : {size_t{1}, 1 + size % 17}) {
    HELVE_CHECK(read_all(bytes, piece) == whole);
  }
  return 0;
}
