#include "host/jobs_command.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "base/texts.h"
#include "base/time.h"
#include "host/detail/control_folder.h"
#include "host/detail/control_lines.h"
#include "host/table.h"

namespace helve::host {
namespace {

constexpr int kPatience = 10'000;  // milliseconds until an answer that should come at once
constexpr size_t kSession = 16;    // characters of a session that tell it from others

// One request and the lines that come for it.
class Exchange {
 public:
  Exchange(os::UniqueFd socket, const ControlRequest& request) : socket_(std::move(socket)) {
    const std::string line = control_line(request);
    const ssize_t sent = ::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL);
    open_ = socket_ && sent == static_cast<ssize_t>(line.size());
  }

  // The next answer, waited for so long (-1: for ever); nullopt: there is none any more.
  std::optional<Json> next(int patience) {
    while (open_) {
      if (const size_t end = bytes_.find('\n'); end != std::string::npos) {
        const auto json = parse_json(std::string_view(bytes_).substr(0, end));
        bytes_.erase(0, end + 1);
        if (json) return *json;
        break;
      }
      if (bytes_.size() > kMostAnswer || !read_more(patience)) break;
    }
    open_ = false;
    return std::nullopt;
  }

 private:
  bool read_more(int patience) {
    pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, patience) <= 0) return false;
    char some[64 * 1024];
    const ssize_t got = ::recv(socket_.get(), some, sizeof some, 0);
    if (got <= 0) return false;
    bytes_.append(some, static_cast<size_t>(got));
    return true;
  }

  os::UniqueFd socket_;
  std::string bytes_;
  bool open_ = false;
};

std::string member(const Json& row, std::string_view name) {
  return flatten_controls(find_text(row, name).value_or(""));
}

Duration age_of(const Json& row) {
  const Json* ms = find(row, "ms");
  return std::chrono::milliseconds(ms != nullptr && ms->is_int64() ? ms->get_int64() : 0);
}

JsonArray all_jobs(const ControlFolder& folder, const std::vector<std::string>& daemons) {
  JsonArray rows;
  for (const std::string& daemon : daemons) {
    Exchange exchange(folder.connect(daemon), {.verb = ControlVerb::kList});
    while (const auto answer = exchange.next(kPatience)) {
      const Json* row = find(*answer, "job");
      if (row == nullptr) break;
      rows.push_back(*row);
    }
  }
  return rows;
}

void print_table(const JsonArray& rows, Console& console) {
  std::vector<TableRow> table = {{text("jobs.column.id"), text("jobs.column.tool"),
                                  text("jobs.column.state"), text("jobs.column.age"),
                                  text("jobs.column.session"), text("jobs.column.title")}};
  for (const Json& row : rows) {
    const std::string session = member(row, "session");
    table.push_back({member(row, "id"), member(row, "tool"), member(row, "state"),
                     duration_text(age_of(row)), session.substr(0, kSession),
                     member(row, "title")});
  }
  console.out << table_text(table, console);
}

int list(const ControlFolder& folder, const std::string& root, bool json, Console& console) {
  const auto daemons = folder.names();
  if (daemons.empty()) {
    const auto said = render(refuse("jobs.no_daemon", {{"root", root}}).error());
    console.err << said.message << '\n' << said.next << '\n';
  }
  const JsonArray rows = all_jobs(folder, daemons);
  if (json) {
    console.out << write_json(rows, JsonStyle::kPretty) << '\n';
  } else if (!rows.empty()) {
    print_table(rows, console);
  } else if (!daemons.empty()) {
    console.out << text("jobs.none") << '\n';
  }
  return kDone;
}

// The exchange with the daemon whose job it is, and its first answer.
struct Reached {
  Exchange exchange;
  Json first;
};

Result<Reached> reach(const ControlFolder& folder, const ControlRequest& request,
                      const std::string& root) {
  const auto daemons = folder.names();
  if (daemons.empty()) return refuse("jobs.no_daemon", {{"root", root}});
  // Whoever has the job says nothing until there is something to say.
  bool left_without_a_word = false;
  for (const std::string& daemon : daemons) {
    Exchange exchange(folder.connect(daemon), request);
    auto first = exchange.next(request.verb == ControlVerb::kFollow ? -1 : kPatience);
    left_without_a_word = left_without_a_word || !first;
    if (!first) continue;
    const auto refusal = read_refusal(*first);
    if (!refusal) return Reached{std::move(exchange), *std::move(first)};
    if (refusal->rule != "jobs.unknown") return std::unexpected(*refusal);
  }
  return refuse(left_without_a_word ? "jobs.gone" : "jobs.unknown", {{"job", request.job}});
}

// Its output as it is; but on a terminal nothing in it steers that.
std::string shown_output(std::string_view output, const Console& console) {
  if (console.width == 0) return std::string(output);
  std::vector<std::string> cells;
  for (const std::string_view cell : split(output, '\t')) cells.push_back(flat_lines(cell));
  return join(cells, "\t");
}

void print_page(const Json& answer, Console& console) {
  const Json* skipped = find(answer, "skipped");
  if (skipped != nullptr && skipped->is_int64() && skipped->get_int64() > 0) {
    console.err << text("job.skipped", {{"bytes", std::to_string(skipped->get_int64())}}) << '\n';
  }
  console.out << shown_output(find_text(answer, "text").value_or(""), console) << std::flush;
}

int follow(Reached reached, const std::string& job, bool json, Console& console) {
  for (std::optional<Json> answer = std::move(reached.first); answer;
       answer = reached.exchange.next(-1)) {
    const Json* row = find(*answer, "job");
    if (json) {
      console.out << write_json(*answer) << '\n' << std::flush;
    } else if (row == nullptr) {
      print_page(*answer, console);
    } else {
      console.err << member(*row, "status") << '\n';
    }
    if (row != nullptr) return kDone;
  }
  return print_refusal(console, refuse("jobs.gone", {{"job", job}}).error(), json);
}

int stop(const Reached& reached, bool json, Console& console) {
  const Json* row = find(reached.first, "job");
  const Json* had_ended = find(reached.first, "had_ended");
  if (json) {
    console.out << write_json(reached.first) << '\n';
  } else if (row != nullptr) {
    console.out << member(*row, "status") << '\n';
    const bool before = had_ended != nullptr && had_ended->is_bool() && had_ended->get_bool();
    if (before) console.out << text("job.already_ended") << '\n';
  }
  const Json* ended = row == nullptr ? nullptr : find(*row, "ended");
  return ended != nullptr && *ended == true ? kDone : kRefused;
}

// What the words ask for; nullopt: nothing that there is.
std::optional<ControlRequest> request_of(const std::vector<std::string>& words) {
  const std::string verb = words.empty() ? "list" : words.front();
  if (verb == "list" && words.size() <= 1) return ControlRequest{};
  if (words.size() != 2) return std::nullopt;
  if (verb == "follow") return ControlRequest{.verb = ControlVerb::kFollow, .job = words[1]};
  if (verb == "stop") return ControlRequest{.verb = ControlVerb::kStop, .job = words[1]};
  return std::nullopt;
}

}  // namespace

int jobs_command(const JobsCommand& command, Console& console, const Surroundings& around) {
  const auto request = request_of(command.words);
  if (!request) {
    print_refusal(console, refuse("usage.jobs", {{"words", shell_quote(command.words)}}).error());
    return kUsage;
  }
  if (auto checked = check_root(command.locations, around); !checked) {
    return print_refusal(console, checked.error(), command.json);
  }
  const auto root = find_root(command.locations, project_file(command.locations, around), around);
  if (!root) return print_refusal(console, root.error(), command.json);
  const ControlFolder folder(state_folder(*root, around));
  const std::string shown = shell_quote(root->string());
  if (request->verb == ControlVerb::kList) return list(folder, shown, command.json, console);
  auto reached = reach(folder, *request, shown);
  if (!reached) return print_refusal(console, reached.error(), command.json);
  if (request->verb == ControlVerb::kStop) return stop(*reached, command.json, console);
  return follow(*std::move(reached), request->job, command.json, console);
}

}  // namespace helve::host
