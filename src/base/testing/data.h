#pragma once

#include <string>
#include <vector>

// Where tests find their files. A file that is not there throws: the test fails with the path.
namespace stepscope {

// A file or folder of tests/data, or of an archive there, which the build has unpacked.
std::string TestData(const std::string& path);

// A file of examples/.
std::string Example(const std::string& name);

// A file or folder of the checkout.
std::string SourceFile(const std::string& path);

// A file or folder of the profiles of other projects, which `make acceptance DATA=dir` names. Only
// tests with "Acceptance" in their name may ask: `make test` does not run those.
std::string AcceptanceData(const std::string& path);

// The files below a folder that one of the functions above gave, sorted by path.
std::vector<std::string> FilesBelow(const std::string& folder);

}  // namespace stepscope
