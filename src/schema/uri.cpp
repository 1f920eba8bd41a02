#include "schema/detail/uri.h"

#include <charconv>
#include <cstddef>

namespace helve::schema {
namespace {

constexpr size_t kNone = std::string_view::npos;

// Each part with its delimiter, so that joining them gives the text back; "?" differs from "".
struct Parts {
  std::string_view scheme;     // "http:"
  std::string_view authority;  // "//example.org"
  std::string_view path;
  std::string_view query;     // "?a=b"
  std::string_view fragment;  // "#x"
};

std::string_view cut_tail(std::string_view& text, char delimiter) {
  const size_t at = text.find(delimiter);
  if (at == kNone) return {};
  const std::string_view tail = text.substr(at);
  text = text.substr(0, at);
  return tail;
}

Parts parse(std::string_view uri) {
  Parts parts;
  parts.fragment = cut_tail(uri, '#');
  parts.query = cut_tail(uri, '?');
  const size_t colon = uri.find_first_of(":/");
  if (colon != kNone && colon > 0 && uri[colon] == ':') {
    parts.scheme = uri.substr(0, colon + 1);
    uri.remove_prefix(colon + 1);
  }
  if (uri.starts_with("//")) {
    const size_t end = std::min(uri.find('/', 2), uri.size());
    parts.authority = uri.substr(0, end);
    uri.remove_prefix(end);
  }
  parts.path = uri;
  return parts;
}

std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/', path.starts_with('/') ? 1 : 0), path.size());
    const std::string_view segment = path.substr(0, end);
    const std::string_view name = segment.substr(segment.starts_with('/') ? 1 : 0);
    path.remove_prefix(end);
    if (name == "..") {
      out.erase(std::min(out.rfind('/'), out.size()));
    } else if (name != ".") {
      out += segment;
      continue;
    }
    if (path.empty() && segment.starts_with('/')) out += '/';
  }
  return out;
}

std::string merge_paths(const Parts& base, std::string_view path) {
  if (!base.authority.empty() && base.path.empty()) return "/" + std::string(path);
  const size_t slash = base.path.rfind('/');
  return std::string(base.path.substr(0, slash == kNone ? 0 : slash + 1)) + std::string(path);
}

}  // namespace

std::string resolve_uri(std::string_view base_text, std::string_view reference_text) {
  const Parts base = parse(base_text);
  Parts to = parse(reference_text);
  std::string path(to.path);
  if (!to.scheme.empty() || !to.authority.empty()) {
    if (to.scheme.empty()) to.scheme = base.scheme;
    if (!to.authority.empty()) path = without_dots(path);
  } else {
    to.scheme = base.scheme;
    to.authority = base.authority;
    if (path.empty()) {
      path = base.path;
      if (to.query.empty()) to.query = base.query;
    } else {
      path = without_dots(path.starts_with('/') ? path : merge_paths(base, path));
    }
  }
  std::string out;
  for (const std::string_view part :
       {to.scheme, to.authority, std::string_view(path), to.query, to.fragment}) {
    out += part;
  }
  return out;
}

SplitUri split_fragment(std::string_view uri) {
  const size_t hash = uri.find('#');
  if (hash == kNone) return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

std::string percent_decode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out += static_cast<char>(static_cast<unsigned char>(value));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace helve::schema
