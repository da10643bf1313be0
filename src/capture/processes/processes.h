#pragma once

#include <map>
#include <string>
#include <vector>

namespace stepscope {

// What /proc says about a process, as far as captures care.
struct ProcessFacts {
  int pid = 0;
  int parent = 0;
  unsigned uid = 0;
  double age_s = 0;
  std::string command;    // "python train.py --lr 1"
  bool readable = false;  // its variables and libraries: our own, or we are root
  bool torch = false, tensorflow = false, jax = false;
  bool other_network = false;  // another network namespace: abstract sockets do not reach it
  // Of its environment, only those that captures need.
  std::map<std::string, std::string> variables;

  // "" where it is not set.
  std::string variable(const std::string& name) const;
  bool polls() const { return variables.contains("KINETO_USE_DAEMON"); }
  // Of `stepscope record`: capture python:PID reaches it.
  bool has_hook() const { return variables.contains("STEPSCOPE_RECORD_DIR"); }
};

// All processes, by pid. Costs about 0.1 ms per process. `proc`: another folder, for tests.
std::vector<ProcessFacts> ReadProcesses(const std::string& proc = "/proc");

// The process and all that it started, directly or not.
std::vector<ProcessFacts> FamilyOf(const std::vector<ProcessFacts>& processes, int pid);

// Seconds since the process started; 0 where nobody knows. Reads one file.
double AgeOf(int pid, const std::string& proc = "/proc");
// It exists and has not ended; one that ended waits for its parent as a zombie.
bool IsAlive(int pid, const std::string& proc = "/proc");
// The login name, or the number.
std::string UserName(unsigned uid);

}  // namespace stepscope
