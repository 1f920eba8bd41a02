#include "workspace/variables.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/texts.h"

namespace helve::workspace {
namespace {

constexpr std::string_view kPassed[] = {"PATH",
                                        "HOME",
                                        "USER",
                                        "LOGNAME",
                                        "SHELL",
                                        "LANG",
                                        "LC_*",
                                        "TZ",
                                        "TMPDIR",
                                        "XDG_*",
                                        "http_proxy",
                                        "https_proxy",
                                        "ftp_proxy",
                                        "all_proxy",
                                        "no_proxy",
                                        "HTTP_PROXY",
                                        "HTTPS_PROXY",
                                        "FTP_PROXY",
                                        "ALL_PROXY",
                                        "NO_PROXY",
                                        "SSL_CERT_FILE",
                                        "SSL_CERT_DIR",
                                        "CURL_CA_BUNDLE",
                                        "REQUESTS_CA_BUNDLE",
                                        "NODE_EXTRA_CA_CERTS",
                                        "GIT_SSL_CAINFO"};

constexpr std::string_view kUsualPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool fits(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool passes(std::string_view name, const std::vector<std::string>& added) {
  if (name.starts_with("HELVE_")) return false;
  const auto fits_name = [&](std::string_view pattern) { return fits(pattern, name); };
  return std::ranges::any_of(kPassed, fits_name) || std::ranges::any_of(added, fits_name);
}

bool is_utf8_locale(const Variables& variables) {
  // The order in which the C library looks for the character type.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto found = variables.find(name);
    if (found == variables.end() || found->second.empty()) continue;
    const std::string locale = lower_ascii(found->second);
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

Variables command_variables(const Variables& host, const std::vector<std::string>& names,
                            std::string_view editor) {
  Variables variables;
  for (const auto& [name, value] : host) {
    if (passes(name, names)) variables.emplace(name, value);
  }
  if (!is_utf8_locale(variables)) {
    variables.erase("LC_ALL");
    variables.erase("LC_CTYPE");
    variables["LANG"] = "C.UTF-8";
  }
  variables.emplace("PATH", kUsualPath);
  for (const char* name : {"EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"}) {
    variables[name] = editor;
  }
  for (const char* name : {"PAGER", "GIT_PAGER", "MANPAGER"}) variables[name] = "cat";
  variables["GIT_TERMINAL_PROMPT"] = "0";
  variables["DEBIAN_FRONTEND"] = "noninteractive";
  variables["TERM"] = "dumb";
  variables["NO_COLOR"] = "1";
  variables["PYTHONUNBUFFERED"] = "1";
  return variables;
}

std::string refusing_editor() {
  return "#!/bin/sh\nprintf '%s\\n' " + shell_quote(text("bash.no_editor")) + " >&2\nexit 1\n";
}

}  // namespace helve::workspace
