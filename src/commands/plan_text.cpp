#include "commands/plan_text.h"

#include "base/text.h"
#include "base/texts.h"

namespace helve::commands {
namespace {

using tmpl::Step;

const std::vector<std::string>& visible(const Step& step) {
  return step.shown.empty() ? step.argv : step.shown;
}

// For a terminal, whatever an argument or a file put into it.
std::string shown(std::string_view words) { return flatten_controls(to_utf8(words)); }

const char* name_of(tmpl::Failure failure) {
  switch (failure) {
    case tmpl::Failure::kContinue:
      return "continue";
    case tmpl::Failure::kBranch:
      return "branch";
    case tmpl::Failure::kRoot:
      return "root";
  }
  return "";
}

std::string words_of(const Step& step) {
  if (step.skip == Step::Skip::kWhen) return text("plan.skipped_when");
  if (step.skip == Step::Skip::kRepeatZero) return text("plan.skipped_repeat");
  if (step.kind == Step::Kind::kLeaf) return shell_quote(visible(step));
  return text(step.kind == Step::Kind::kParallel ? "plan.parallel" : "plan.sequence");
}

// As it is, unless it has what cannot be seen.
std::string label_of(const Step& step) {
  std::string quoted = shell_quote(to_utf8(step.label));
  return quoted.starts_with("$'") ? quoted : shown(step.label);
}

// What else the node says, in brackets: "[at most 3 attempts, each at most 5 s]".
std::string remarks_of(const Step& step) {
  std::vector<std::string> remarks;
  if (step.delay.count() > 0) {
    remarks.push_back(text("plan.delay", {{"time", duration_text(step.delay)}}));
  }
  if (step.retry > 1) {
    remarks.push_back(text("plan.retry", {{"count", std::to_string(step.retry)}}));
  }
  if (step.timeout.count() > 0) {
    remarks.push_back(text("plan.timeout", {{"time", duration_text(step.timeout)}}));
  }
  if (step.failure) remarks.push_back(text("plan.failure", {{"scope", name_of(*step.failure)}}));
  return remarks.empty() ? "" : "  [" + join(remarks, ", ") + ']';
}

void append_step(std::string& out, const Step& step, size_t indent, std::string_view before) {
  out.append(indent, ' ').append(before);
  if (!step.label.empty()) out.append(label_of(step)).append(": ");
  out.append(to_utf8(words_of(step))).append(remarks_of(step)).append("\n");
  for (const Step& child : step.children) append_step(out, child, indent + 2, "");
  if (step.recover) append_step(out, *step.recover, indent + 2, text("plan.recover") + ' ');
}

Json texts_json(const std::vector<std::string>& texts) {
  JsonArray array;
  for (const std::string& text : texts) array.emplace_back(to_utf8(text));
  return array;
}

const char* kind_name(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::kLeaf:
      return "command";
    case Step::Kind::kSequence:
      return "sequence";
    case Step::Kind::kParallel:
      return "parallel";
  }
  return "";
}

double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void add_controls(JsonObject& object, const Step& step) {
  if (step.repeat_index) object["repeat_index"] = *step.repeat_index;
  if (step.delay.count() > 0) object["delay_ms"] = milliseconds(step.delay);
  if (step.timeout.count() > 0) object["timeout_ms"] = milliseconds(step.timeout);
  if (step.retry > 1) object["retry"] = step.retry;
  if (step.failure) object["failure"] = name_of(*step.failure);
  if (!step.output.empty()) object["output"] = to_utf8(step.output);
}

Json step_json(const Step& step) {
  JsonObject object{{"kind", kind_name(step.kind)}, {"path", step.path}};
  if (!step.label.empty()) object["label"] = to_utf8(step.label);
  if (step.skip != Step::Skip::kNo) {
    object["skipped"] = step.skip == Step::Skip::kWhen ? "when" : "repeat=0";
    return object;
  }
  if (step.kind == Step::Kind::kLeaf) {
    object["argv"] = texts_json(visible(step));
    if (step.shown.empty()) object["program"] = to_utf8(step.program);
  }
  add_controls(object, step);
  if (!step.children.empty()) {
    JsonArray children;
    for (const Step& child : step.children) children.push_back(step_json(child));
    object["children"] = std::move(children);
  }
  if (step.recover) object["recover"] = step_json(*step.recover);
  return object;
}

std::string node_remarks(const JsonObject& node) {
  std::vector<std::string> remarks;
  for (const char* name : {"when", "repeat", "retry", "timeout", "delay", "failure", "output"}) {
    const Json* value = find(node, name);
    if (value == nullptr) continue;
    remarks.push_back(std::string(name) + ' ' +
                      shown(value->is_string() ? as_text(*value) : write_json(*value)));
  }
  return remarks.empty() ? "" : "  [" + join(remarks, ", ") + ']';
}

bool is_true(const JsonObject& node, std::string_view name) {
  const Json* value = find(node, name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

void append_node(std::string& out, const Json& node, size_t indent, const std::string& before,
                 bool parallel, const std::string& remarks);

void append_object(std::string& out, const JsonObject& node, size_t indent, std::string before) {
  const Json* body = find(node, "template");
  if (body == nullptr) return;
  if (const Json* label = find(node, "label"); label != nullptr && label->is_string()) {
    before += shown(as_text(*label)) + ": ";
  }
  const std::string remarks = node_remarks(node);
  if (body->is_object()) {
    out.append(indent, ' ').append(before).append(text("plan.sequence")).append(remarks) += '\n';
    append_node(out, *body, indent + 2, "", false, "");
  } else {
    append_node(out, *body, indent, before, is_true(node, "parallel"), remarks);
  }
  if (const Json* recover = find(node, "recover")) {
    append_node(out, *recover, indent + 2, text("plan.recover") + ' ', false, "");
  }
}

void append_node(std::string& out, const Json& node, size_t indent, const std::string& before,
                 bool parallel, const std::string& remarks) {
  if (node.is_object()) return append_object(out, node.get_object(), indent, before);
  out.append(indent, ' ').append(before);
  if (node.is_string()) {
    out.append(flatten_controls(as_text(node))).append(remarks) += '\n';
  } else if (node.is_array()) {
    out.append(text(parallel ? "plan.parallel" : "plan.sequence")).append(remarks) += '\n';
    for (const Json& child : node.get_array()) append_node(out, child, indent + 2, "", false, "");
  }
}

}  // namespace

std::string plan_text(const tmpl::Plan& plan) {
  std::string out;
  append_step(out, plan.root, 0, "");
  if (!plan.selected.is_stdout) {
    out += text(plan.selected.is_artifact ? "plan.answers_file" : "plan.answers_text",
                {{"text", shown(plan.selected.text)}}) +
           '\n';
  }
  return out;
}

Json plan_json(const tmpl::Plan& plan) {
  JsonObject output{{"kind", plan.selected.is_stdout ? "stdout" : "text"}};
  if (!plan.selected.is_stdout) {
    output["text"] = to_utf8(plan.selected.text);
    output["artifact"] = plan.selected.is_artifact;
  }
  return JsonObject{
      {"leaves", plan.leaves}, {"root", step_json(plan.root)}, {"output", std::move(output)}};
}

std::string template_tree(const Json& node, size_t indent) {
  std::string out;
  append_node(out, node, indent, "", false, "");
  return out;
}

}  // namespace helve::commands
