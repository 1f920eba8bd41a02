#include "host/detail/expand.h"

namespace helve::host {

bool is_variable_name(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  constexpr std::string_view kDigits = "0123456789";
  if (name.empty() || !kLetters.contains(name.front())) return false;
  for (const char c : name) {
    if (!kLetters.contains(c) && !kDigits.contains(c)) return false;
  }
  return true;
}

namespace {

// "NAME" or "NAME:-text", what stands between the braces.
Result<std::string> value_of(std::string_view inside, std::string_view whole,
                             const Variables& variables) {
  const size_t mark = inside.find(":-");
  const std::string name(inside.substr(0, mark));
  if (!is_variable_name(name)) {
    return refuse("config.variable_syntax", {{"text", std::string(whole)}});
  }
  const auto found = variables.find(name);
  const bool has_default = mark != std::string_view::npos;
  if (has_default && (found == variables.end() || found->second.empty())) {
    return std::string(inside.substr(mark + 2));
  }
  if (found == variables.end()) return refuse("config.variable_unset", {{"name", name}});
  return found->second;
}

}  // namespace

Result<std::string> expand_variables(std::string_view text, const Variables& variables) {
  if (text.contains('\0')) return refuse("config.nul_byte");
  std::string out;
  std::string_view rest = text;
  for (size_t open; (open = rest.find("${")) != std::string_view::npos;) {
    const size_t close = rest.find('}', open);
    if (close == std::string_view::npos) {
      return refuse("config.variable_syntax", {{"text", std::string(text)}});
    }
    Result<std::string> value = value_of(rest.substr(open + 2, close - open - 2), text, variables);
    if (!value) return value;
    out.append(rest.substr(0, open)).append(*value);
    rest.remove_prefix(close + 1);
  }
  return out.append(rest);
}

bool has_placeholder(std::string_view text) {
  for (size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    if (at == 0 || text[at - 1] != '$') return true;
  }
  return false;
}

std::string placeholder_of(std::string_view text, const std::vector<std::string_view>& names) {
  for (size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    if (at > 0 && text[at - 1] == '$') continue;
    for (const std::string_view name : names) {
      const std::string_view rest = text.substr(at + 1);
      if (rest.starts_with(name) && rest.size() > name.size() &&
          std::string_view("}=?[.").contains(rest[name.size()])) {
        return std::string(name);
      }
    }
  }
  return "";
}

Result<std::filesystem::path> expand_path(std::string_view text, const Surroundings& around) {
  Result<std::string> expanded = expand_variables(text, around.variables);
  if (!expanded) return std::unexpected(expanded.error());
  if (*expanded != "~" && !expanded->starts_with("~/")) return *expanded;
  if (around.home.empty()) return refuse("config.home_unknown");
  return (around.home / expanded->substr(std::min<size_t>(2, expanded->size()))).lexically_normal();
}

}  // namespace helve::host
