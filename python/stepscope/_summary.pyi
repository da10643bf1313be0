from stepscope._report import Report
from stepscope._table import Table

def summary(report: Report) -> Table[str]: ...
