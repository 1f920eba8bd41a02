// template/plan.h
//
// A template with its values filled in: what will run, decided to the last argument. A tree of
// steps; a leaf holds an argv. Commands execute it, `--dry-run` prints it. Plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace helve::tmpl {

enum class Failure { kContinue, kBranch, kRoot };  // weakest first (CT-82)

struct Step {
  enum class Kind { kLeaf, kSequence, kParallel };
  enum class Skip { kNo, kWhen, kRepeatZero };  // a skipped step has only path, label and kind

  Kind kind = Kind::kLeaf;
  Skip skip = Skip::kNo;
  // Position in the source, without the root's own name: "", "template[1]", "template[1].recover";
  // `#k` (k from 0) names the instance of a repeat.
  std::string path;
  std::string label;  // replaced and flattened (CT-78); empty where the node has none
  std::optional<std::int64_t> repeat_index;

  std::vector<std::string> argv;   // leaf: after replacement; argv[0] is the word as written
  std::vector<std::string> shown;  // leaf: argv with secret values masked; empty if none is in it
  std::string program;             // leaf: argv[0] by CT-70: an absolute path, or a name for PATH

  std::vector<Step> children;      // groups, in array order
  Duration timeout{0};             // of one attempt; zero: none
  Duration delay{0};               // once, before the first attempt
  std::int64_t retry = 1;          // attempts at most
  std::optional<Failure> failure;  // only where the node says so
  std::unique_ptr<Step> recover;
  std::string output;  // inner nodes: goes to the report; empty for stdout
};

// What the root's `output` selects (CT-94).
struct Selected {
  bool is_stdout = true;
  std::string text;          // otherwise: the result
  bool is_artifact = false;  // the text names an argument declared `path`: the file must exist
};

struct Plan {
  Step root;
  Selected selected;
  size_t leaves = 0;  // that are not skipped, recover steps not counted
};

}  // namespace helve::tmpl
