"""The bench's CI runs: as large as asked for, and with verdicts that the lines that fill them do not change."""

from __future__ import annotations

import json
from pathlib import Path

from bench import ci
from logscope import report
from logscope.runs import scan


def test_filled_runs_keep_their_truth(tmp_path: Path) -> None:
    folder, saved = tmp_path / "runs", tmp_path / "report.json"
    ci.write_runs(folder, 2, 2_000_000)
    logs = sorted(folder.glob(f"*/{ci.LOG}"))
    assert [2_000_000 <= log.stat().st_size < 2_100_000 for log in logs] == [True, True]
    made = scan([str(folder)])
    saved.write_text(report.render(made, "json"))
    assert ci.wrong(saved, folder / ci.TRUTH) == 0
    truth = json.loads((folder / ci.TRUTH).read_text())
    (folder / ci.TRUTH).write_text(json.dumps(truth[1:]))
    assert ci.wrong(saved, folder / ci.TRUTH) == 1
