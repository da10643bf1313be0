from typing import Any, Dict, List, Literal, Optional

from stepscope import _answers
from stepscope._columns import FindingsColumn
from stepscope._record import Rows
from stepscope._table import Table

class Report(_answers.Report):
    # Of several traces; one trace has the members of _answers.Report instead.
    reports: Rows[_answers.Report]
    ranks: Dict[str, Any]
    @property
    def parts(self) -> List[_answers.Report]: ...
    def text(
        self,
        *,
        top: int = 8,
        all: bool = False,
        width: int = 100,
        ascii: bool = False,
        color: bool = False,
        lang: Optional[Literal["en", "zh"]] = None,
    ) -> str: ...

class Findings(Rows[_answers.Finding]):
    table: Table[FindingsColumn]
    def __init__(self, profile: Any) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any: ...
    def to_pandas(self) -> Any: ...
    def to_polars(self) -> Any: ...
    def to_arrow(self) -> Any: ...
