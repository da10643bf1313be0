#pragma once

#include <string>
#include <string_view>

#include "analyze/report.h"
#include "present/text_options.h"
#include "trace/trace.h"
#include "words/report.h"

// The sections of the text report, top to bottom. Each gives its lines, or nothing when the profile
// has nothing to say about it.
namespace stepscope {

struct TextView {
  const Trace& trace;
  const LinkedTrace& linked;
  const Report& report;
  const TextOptions& options;
  const Style& style;
  SayIn<kReportTexts> say{style};

  size_t rows(size_t available) const {
    return options.all || available < options.top ? available : options.top;
  }
};

// A front (already painted, so its width is given) and text after it, wrapped at the style's width;
// further lines are indented. A word that is too long gets a line of its own.
std::string Wrapped(const Style& style, std::string_view front, size_t front_width, size_t indent,
                    std::string_view text);
// "Memory  text…": a label, and text that is wrapped under itself.
std::string Labelled(const Style& style, std::string_view label, std::string_view text);

// "Top ops by device time (8 of 48)", or without the count where all are shown.
std::string Heading(const TextView& view, std::string what, size_t shown, size_t available);

std::string HeaderSection(const TextView& view);
std::string TrustSection(const TextView& view);
std::string StepSection(const TextView& view);
std::string DevicesSection(const TextView& view);  // one line per device if there are several
std::string BreakdownSection(const TextView& view);
std::string StepsTable(const TextView& view);
// Whether XLA's instructions say more about the time than the framework's ops.
bool HloTellsMore(const TextView& view);
std::string HloSection(const TextView& view);
std::string OpsSection(const TextView& view);  // where they do not, and with --all
std::string KernelsSection(const TextView& view);
std::string ModulesSection(const TextView& view);
std::string ShapesSection(const TextView& view);
std::string InputSection(const TextView& view);
std::string LaunchesLine(const TextView& view);
std::string MemoryLines(const TextView& view);
std::string CommunicationLine(const TextView& view);
std::string CollectivesTable(const TextView& view);
std::string CountersSection(const TextView& view);
std::string RecordedSection(const TextView& view);
std::string PythonSection(const TextView& view);

}  // namespace stepscope
