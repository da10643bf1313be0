#include "cli/ssh_options.h"

#include "words/ssh.h"

namespace stepscope {
namespace {

constexpr SayFrom<kSshTexts> Say;

}  // namespace

void AddSshOptions(OptionParser& parser, SshProgram* program, bool* end_with_stdin) {
  parser.Text("--ssh", "COMMAND", Say("ssh.help.ssh"), &program->ssh);
  parser.Text("--remote-program", "PATH", Say("ssh.help.program"), &program->program);
  parser.Flag("--end-with-stdin", Say("ssh.help.end-with-stdin"), end_with_stdin);
}

}  // namespace stepscope
