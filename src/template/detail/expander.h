// template/detail/expander.h
//
// The walk that turns a Tree and values into a Plan (CT-8): enters scopes, makes instances, decides
// conditions, fills in words. Used once; one thread.
#pragma once

#include <string>
#include <vector>

#include "template/detail/compiled.h"
#include "template/detail/resolver.h"
#include "template/plan.h"

namespace helve::tmpl {

class Expander {
 public:
  Expander(const Tree& tree, const Place& place) : tree_(tree), place_(place), resolver_(tree) {}

  Result<Plan> run(const JsonObject& values);

  // For the vectors: only this instance of every repeat is made.
  void keep_only(std::int64_t index) { only_ = index; }
  // How many instances the root's `repeat` asks for.
  Result<std::int64_t> root_count(const JsonObject& values);

 private:
  Result<Step> node(const Node& node, std::string path);
  Result<Step> instances(const Node& node, const std::string& path);
  Result<Step> instance(const Node& node, std::string path);
  Result<std::int64_t> count(const Node& node);
  Result<std::int64_t> array_size(Slot slot);
  Result<bool> condition(const When& when);
  Status fill(const Node& node, Step& step);
  Status controls(const Node& node, Step& step);
  Status children(const Node& node, Step& step);
  Status words(const Node& node, Step& step);
  Status word(const CompiledWord& word, Step& step, size_t& bytes);
  Status text(const CompiledWord& word, std::string& out, std::string& shown, bool& masked);
  Status leaf(const Node& node, Step& step);
  Status recover(const Node& node, Step& step);
  std::string label(const Pieces& pieces);
  Status output(const Pieces& pieces, Step& step);
  Result<Selected> selected(const Node& root);
  Status charge(size_t bytes);

  const Tree& tree_;
  const Place& place_;
  Resolver resolver_;
  std::optional<std::int64_t> only_;
  size_t nodes_ = 0, bytes_ = 0, leaves_ = 0;
  size_t recovering_ = 0;
  size_t attempts_around_ = 1;  // of the node that is filled in: `retry` along its path
  size_t attempts_ = 0;         // of all leaves so far
};

}  // namespace helve::tmpl
