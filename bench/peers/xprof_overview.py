"""XProf's overview page of one XPlane file, as its server would make it: no cache, one process."""
import sys

from xprof.convert import raw_to_tool_data

data, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], "overview_page", {})
print(len(data))
