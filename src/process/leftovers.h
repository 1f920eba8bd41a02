// process/leftovers.h
//
// What no Process knows. After a crash: ends what an earlier host's commands have left behind. A
// process is known by the mark in the variables that it was started with, which nobody could guess,
// never by a number that may belong to another by now. Blocking, up to 6 s if something does not
// die; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace helve::process {

// "HELVE_JOB=...-": what the marks of all commands begin with that this process starts.
std::string own_marks();

// TERM, 0.5 s later KILL, to each process that carries exactly one of `marks` (Process::mark()), or
// one that begins as one of them that is own_marks() of an earlier host, and to what it has
// started. Gives how many were found at first. What is no mark is left out.
std::size_t end_leftovers(std::span<const std::string> marks);

// Before a daemon goes, once its commands have ended: KILL to what is a child of ours all the same.
// It hid its mark and was in no cgroup. Loop thread only.
void end_strays();

}  // namespace helve::process
