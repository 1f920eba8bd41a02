// os/made_folders.h
//
// Folders that were made on the way to a file, so that they can go again if no file comes of it.
// Nobody else's folder is touched, and none in which something is. Blocking; one thread at a time.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace helve::os {

class MadeFolders {
 public:
  // Each lies in the one before.
  void add(std::string name, const struct stat& status);
  void add(MadeFolders more);
  std::size_t count() const { return made_.size(); }

  // Removes them, the last one first, until one is not empty or not the one that was made.
  // `inmost` is a descriptor of the last one; it stays the caller's.
  void remove(int inmost);

 private:
  struct Made {
    std::string name;
    dev_t device = 0;
    ino_t inode = 0;
  };

  std::vector<Made> made_;
};

}  // namespace helve::os
