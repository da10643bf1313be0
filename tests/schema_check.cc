#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "base/json_document.h"
#include "present/testing/json_schema.h"

// Reads JSON from standard input and says where it does not follow the schema: schema_check SCHEMA.
namespace {

std::string All(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1]);
  const auto schema = stepscope::ParseJson(All(file));
  const auto value = stepscope::ParseJson(All(std::cin));
  if (!schema || !value) {
    std::printf(
        "%s is no JSON (byte %llu)\n", schema ? "standard input" : argv[1],
        static_cast<unsigned long long>((schema ? value : schema).error().offset.value_or(0)));
    return 1;
  }
  const std::vector<std::string> complaints = stepscope::SchemaComplaints(*schema, *value);
  for (const std::string& complaint : complaints) std::printf("%s\n", complaint.c_str());
  return complaints.empty() ? 0 : 1;
}
