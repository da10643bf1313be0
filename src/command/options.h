#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "command/terminal_language.h"

namespace stepscope {

// The options of one verb: declared once, parsed into the variables they name, and printed as
// --help. Understands `--name value`, `--name=value`, `-n value`, `-nvalue`, `--` (all after it are
// paths) and `-` (a path: standard input). An option that does not exist is answered with the
// nearest one that does. Texts for people are messages; a plain string reads the same in every
// language.
//
//   OptionParser parser("report", "PATH...", Say("report.about"));
//   parser.Flag("--all", Say("report.all"), &options.all);
//   parser.Integer("--top", "N", Say("report.top"), &options.top, 1);
//   parser.Positionals("PATH", &options.paths, 1);
//   parser.Example("stepscope report trace.json.gz", Say("report.example"));
class OptionParser {
 public:
  // usage: what follows the verb in the usage line; about: one paragraph for --help.
  OptionParser(std::string_view verb, std::string_view usage, Sentences about);

  // `names` holds one or more spellings, comma separated: "-o,--output". The variables must outlive
  // Parse(); those whose option is not given are left alone.
  void Flag(std::string_view names, Sentences help, bool* into);
  void Text(std::string_view names, std::string_view metavar, Sentences help, std::string* into);
  // May be given several times.
  void Texts(std::string_view names, std::string_view metavar, Sentences help,
             std::vector<std::string>* into);
  void Integer(std::string_view names, std::string_view metavar, Sentences help, int64_t* into,
               int64_t least = std::numeric_limits<int64_t>::min(),
               int64_t most = std::numeric_limits<int64_t>::max());
  void Number(std::string_view names, std::string_view metavar, Sentences help, double* into);
  void Choice(std::string_view names, std::vector<std::string> choices, Sentences help,
              std::string* into);
  // Anything else: `accept` gets the value and returns nothing, or what is wrong with it.
  void Custom(std::string_view names, std::string_view metavar, Sentences help,
              std::function<Sentences(std::string_view)> accept);
  void Positionals(std::string_view metavar, std::vector<std::string>* into, size_t least = 0,
                   size_t most = std::numeric_limits<size_t>::max());
  // A line between options in --help.
  void Section(Sentences title);
  void Example(std::string_view command, Sentences what);

  enum class Outcome : uint8_t { kRun, kHelp };
  // kHelp when --help or -h was among the arguments: print Help() and stop. An Error has code
  // kUsage.
  Result<Outcome> Parse(std::span<char*> arguments) const;
  std::string Help(Language language = TerminalLanguage()) const;

 private:
  struct Option {
    std::vector<std::string> names;
    std::string metavar;  // empty: a flag
    Sentences help;
    std::function<Sentences(std::string_view)> accept;
    Sentences section;  // when this is only a title
  };

  void Add(std::string_view names, std::string_view metavar, Sentences help,
           std::function<Sentences(std::string_view)> accept);
  const Option* Find(std::string_view name) const;
  Result<size_t> Take(std::span<char*> arguments, size_t at) const;
  std::unexpected<Error> UnknownOption(std::string_view name) const;
  std::unexpected<Error> Wrong(Sentences sentence) const;

  std::string verb_, usage_;
  Sentences about_;
  std::vector<Option> options_;
  std::string positional_metavar_;
  std::vector<std::string>* positionals_ = nullptr;
  size_t least_positionals_ = 0, most_positionals_ = std::numeric_limits<size_t>::max();
  struct ExampleLine {
    std::string command;
    Sentences what;
  };
  std::vector<ExampleLine> examples_;
};

}  // namespace stepscope
