#include "commands/html.h"

#include <algorithm>

#include "base/text.h"
#include "base/texts.h"
#include "base/time.h"
#include "commands/detail/run_tree.h"

namespace helve::commands {
namespace {

constexpr char kStyle[] = {
#embed "report.css"
};
constexpr char kScript[] = {
#embed "report.js"
};

constexpr size_t kOpenChildren = 50;  // a group with more of them starts closed

std::string_view member(const Json& object, std::string_view key) {
  return find_text(object, key).value_or("");
}

double number(const Json& object, std::string_view key) {
  const Json* value = find(object, key);
  return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
}

std::string ms_text(double ms) {
  return duration_text(std::chrono::nanoseconds(static_cast<std::int64_t>(ms * 1e6)));
}

std::string pill(std::string_view status) {
  return "<span class=\"pill " + html_escape(status) + "\">" +
         html_escape(text("status." + std::string(status))) + "</span>";
}

std::string heading(std::string_view key) { return "<h2>" + html_escape(text(key)) + "</h2>\n"; }

std::string item(const std::string& sentence) { return "<li>" + html_escape(sentence) + "</li>"; }

// A stream with what it says of itself, or nothing if nothing was written.
std::string stream(std::string_view title_key, const Json* kept) {
  if (kept == nullptr || number(*kept, "bytes") == 0) return "";
  const auto bytes = static_cast<unsigned long long>(number(*kept, "bytes"));
  const Json* cut = find(*kept, "truncated");
  std::string title = text(title_key) + " · " + bytes_text(bytes);
  if (cut != nullptr && cut->is_bool() && cut->get_bool()) title += " · " + text("html.cut");
  if (const auto file = find_text(*kept, "file")) {
    title += " · " + text("html.file", {{"file", std::string(*file)}});
  }
  return "<div>" + html_escape(title) + "</div><pre>" + html_escape(member(*kept, "text")) +
         "</pre>";
}

std::vector<std::string> argv_of(const Json& run) {
  std::vector<std::string> argv;
  if (const Json* words = find(run, "argv"); words != nullptr && words->is_array()) {
    for (const Json& word : words->get_array()) argv.emplace_back(as_text(word));
  }
  return argv;
}

std::string name_of(const RunNode& node, const Json& report) {
  if (!node.label.empty()) return node.label;
  if (!node.runs.empty()) {
    const std::string line = shell_quote(argv_of(*node.runs.back()));
    if (!line.empty()) return flatten_controls(line);
  }
  if (!node.name.empty()) return node.name;
  return std::string(find_text(report, "tool").value_or("template"));
}

class Page {
 public:
  explicit Page(const Json& report)
      : report_(report), total_ms_(std::max(number(report, "duration_ms"), 0.001)) {}

  std::string body() {
    head();
    failures();
    result();
    timeline();
    return std::move(out_);
  }

 private:
  void head() {
    const std::string tool(find_text(report_, "tool").value_or("template"));
    out_ += "<h1>" + html_escape(tool) + pill(member(report_, "status")) + "</h1>\n";
    const Json* coverage = find(report_, "coverage");
    out_ += "<ul class=\"facts\">" + item(ms_text(number(report_, "duration_ms")));
    if (coverage != nullptr) {
      out_ += item(text("html.steps", {{"done", number_text(number(*coverage, "done"))},
                                       {"expected", number_text(number(*coverage, "expected"))}}));
    }
    out_ += item(text("html.exit", {{"exit", number_text(number(report_, "exit"))}}));
    out_ += item(std::string(member(report_, "started_at"))) +
            item(std::string(member(report_, "cwd"))) + item(std::string(member(report_, "id"))) +
            "</ul>\n";
    if (const Json* arguments = find(report_, "arguments");
        arguments != nullptr && arguments->is_object() && !arguments->get_object().empty()) {
      out_ += heading("html.arguments") + "<pre>" +
              html_escape(write_json(*arguments, JsonStyle::kPretty)) + "</pre>\n";
    }
  }

  void result() {
    const std::string shown = stream("html.result.kept", find(report_, "result"));
    if (!shown.empty()) out_ += heading("html.result") + shown;
  }

  void failures() {
    const Json* list = find(report_, "failures");
    if (list == nullptr || !list->is_array() || list->get_array().empty()) return;
    out_ += heading("html.failures");
    for (const Json& failure : list->get_array()) {
      const auto label = find_text(failure, "label");
      const std::string place(label ? *label : member(failure, "path"));
      out_ += "<div>" + pill(member(failure, "status")) + " <strong>" + html_escape(place) +
              "</strong> " +
              html_escape(text("html.exit", {{"exit", number_text(number(failure, "exit"))}})) +
              "</div>";
      if (const auto err = find_text(failure, "stderr"))
        out_ += "<pre>" + html_escape(*err) + "</pre>";
    }
  }

  void timeline() {
    out_ += heading("html.timeline") + "<div class=\"tools\">";
    for (const char* id : {"open", "close", "bad"}) {
      out_ += "<button id=\"" + std::string(id) + "\">" +
              html_escape(text("html.button." + std::string(id))) + "</button>";
    }
    out_ += "</div>\n<div class=\"axis\"><div></div><div></div><div>";
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      out_ += "<span>" + html_escape(ms_text(total_ms_ * part)) + "</span>";
    }
    out_ += "</div></div>\n";
    const RunNode root = run_tree(report_);
    node(root, 0);
  }

  void node(const RunNode& at, size_t depth) {
    const bool fine = at.status == "ok" || at.status == "skipped";
    const bool open = at.is_group() && at.children.size() <= kOpenChildren;
    out_ += "<details class=\"" + std::string(at.is_group() ? "group " : "") +
            (fine ? "fine" : "unfine") + "\"" + (open ? " open" : "") +
            "><summary style=\"--depth:" + std::to_string(depth) + "\"><span class=\"" +
            html_escape(at.status) + "\" title=\"" + html_escape(at.path) + "\">" +
            html_escape(name_of(at, report_)) + "</span><span class=\"time\">" +
            html_escape(ms_text(at.end_ms - at.start_ms)) + "</span>";
    lane(at);
    out_ += "</summary>\n";
    for (const Json* run : at.runs) details(*run, at.runs.size() > 1);
    for (const RunNode& child : at.children) node(child, depth + 1);
    out_ += "</details>\n";
  }

  void lane(const RunNode& at) {
    out_ += "<span class=\"lane\">";
    if (at.is_group()) bar(at.start_ms, at.end_ms, at.status);
    for (const Json* run : at.runs) {
      const double start = number(*run, "start_ms");
      bar(start, start + number(*run, "duration_ms"), member(*run, "status"));
    }
    out_ += "</span>";
  }

  void bar(double from, double to, std::string_view status) {
    const double left = std::clamp(100 * from / total_ms_, 0.0, 100.0);
    const double width = std::clamp(100 * (to - from) / total_ms_, 0.0, 100.0 - left);
    out_ += "<i class=\"" + html_escape(status) + "\" style=\"left:" + number_text(left) +
            "%;width:" + number_text(width) + "%\"></i>";
  }

  void details(const Json& run, bool numbered) {
    out_ += "<div class=\"more\">" + pill(member(run, "status"));
    std::vector<std::string> facts;
    if (numbered) {
      facts.push_back(text("html.attempt", {{"attempt", number_text(number(run, "attempt"))},
                                            {"attempts", number_text(number(run, "attempts"))}}));
    }
    if (find(run, "recover") != nullptr) facts.push_back(text("html.recover"));
    if (const auto reason = find_text(run, "reason")) facts.emplace_back(*reason);
    if (find(run, "exit") != nullptr) {
      facts.push_back(text("html.exit", {{"exit", number_text(number(run, "exit"))}}));
    }
    if (find(run, "signal") != nullptr) {
      facts.push_back(text("html.signal", {{"signal", number_text(number(run, "signal"))}}));
    }
    facts.push_back(ms_text(number(run, "duration_ms")));
    out_ += " " + html_escape(join(facts, " · "));
    const std::string line = shell_quote(argv_of(run));
    if (!line.empty()) out_ += "<pre>" + html_escape(line) + "</pre>";
    out_ += stream("html.stdout", find(run, "stdout")) +
            stream("html.stderr", find(run, "stderr")) + "</div>\n";
  }

  const Json& report_;
  double total_ms_;
  std::string out_;
};

}  // namespace

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else if (byte < 0x20 && c != '\n' && c != '\t') {
      append_utf8(out, 0x2400U + byte);  // Control Pictures
    } else {
      out += c;
    }
  }
  return out;
}

std::string html_report(const Json& report) {
  const std::string title =
      text("html.title", {{"tool", std::string(find_text(report, "tool").value_or("template"))},
                          {"status", std::string(member(report, "status"))}});
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">"
         "<title>" +
         html_escape(title) + "</title><style>\n" + std::string(kStyle, sizeof kStyle) +
         "</style></head><body>\n" + Page(report).body() + "<script>\n" +
         std::string(kScript, sizeof kScript) + "</script></body></html>\n";
}

}  // namespace helve::commands
