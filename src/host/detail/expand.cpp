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

Result<std::string> expand_variables(std::string_view text, const Variables& variables) {
  if (text.contains('\0')) return refuse("config.nul_byte");
  std::string out;
  std::string_view rest = text;
  for (size_t open; (open = rest.find("${")) != std::string_view::npos;) {
    const size_t close = rest.find('}', open);
    if (close == std::string_view::npos ||
        !is_variable_name(rest.substr(open + 2, close - open - 2))) {
      return refuse("config.variable_syntax", {{"text", std::string(text)}});
    }
    const std::string name(rest.substr(open + 2, close - open - 2));
    const auto found = variables.find(name);
    if (found == variables.end()) return refuse("config.variable_unset", {{"name", name}});
    out.append(rest.substr(0, open)).append(found->second);
    rest.remove_prefix(close + 1);
  }
  return out.append(rest);
}

Result<std::filesystem::path> expand_path(std::string_view text, const Surroundings& around) {
  Result<std::string> expanded = expand_variables(text, around.variables);
  if (!expanded) return std::unexpected(expanded.error());
  if (*expanded != "~" && !expanded->starts_with("~/")) return *expanded;
  if (around.home.empty()) return refuse("config.home_unknown");
  return (around.home / expanded->substr(std::min<size_t>(2, expanded->size()))).lexically_normal();
}

}  // namespace helve::host
