from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from report_odd_samples import ALL
from report_samples import network_209, quiet

from logscope import report
from logscope.errors import LogscopeError, UsageError
from logscope.report.parts import templates

NAMES = ["github", "html", "json", "junit", "md", "sarif", "text"]


def test_the_folder_is_the_registry() -> None:
    found = report.formats()
    assert list(found) == NAMES
    assert {name: form.suffix for name, form in found.items()} == {
        "github": "",
        "html": ".html",
        "json": ".json",
        "junit": ".xml",
        "md": ".md",
        "sarif": ".sarif",
        "text": ".txt",
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sample", ALL)
def test_every_format_renders_every_report_the_same_twice(sample: str, name: str) -> None:
    first = report.render(ALL[sample](), name)
    assert first == report.render(ALL[sample](), name)
    assert first.endswith("\n")
    first.encode()  # nothing that UTF-8 cannot say


def test_a_template_is_a_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / templates.PAGE).write_text("")
    (tmp_path / "_part.html.j2").write_text("")
    (tmp_path / "brief.xml.j2").write_text("<v>{{ words.verdict(report) }} {{ report.sources[0].server }}</v>\n")
    monkeypatch.setattr(templates, "folder", lambda: tmp_path)
    assert list(report.formats()) == ["brief", *NAMES]
    assert report.format_for_suffix("x.xml") == "brief"
    given = quiet()
    given.sources[0].server = "<ms>\x1b"
    expected = "<v>No overlap found; 1 failed operation, 0 explained; rules: 4 not evaluated, 1 quiet; "
    assert report.render(given, "brief").startswith(expected)
    assert report.render(given, "brief").endswith("&lt;ms&gt;\\x1b</v>\n")


@pytest.mark.parametrize(
    ("path", "name"), [("report.html", "html"), ("a.b/REPORT.JSON", "json"), ("x.md", "md"), ("r.txt", "text")]
)
def test_suffix_names_the_format(path: str, name: str) -> None:
    assert report.format_for_suffix(path) == name
    assert report.format_for_suffix(Path(path)) == name


def test_unknown_suffix_lists_the_known_ones() -> None:
    with pytest.raises(UsageError) as told:
        report.format_for_suffix("out.pdf")
    assert str(told.value) == (
        "no report format has the suffix '.pdf' of 'out.pdf'; the known ones are .html, .json, .md, .sarif, .txt, .xml"
    )


def test_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no report format 'pdf'; choose one of github, html, json"):
        report.render(network_209(), "pdf")


def test_missing_templates_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "__file__", str(tmp_path / "a" / "b" / "c" / "templates.py"))
    with pytest.raises(LogscopeError, match="install logscope again"):
        templates.folder()


def test_installed_templates_are_found_inside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "logscope" / "templates"
    inside.mkdir(parents=True)
    (inside / templates.PAGE).write_text("")
    monkeypatch.setattr(templates, "__file__", str(tmp_path / "logscope" / "report" / "parts" / "templates.py"))
    assert templates.folder() == inside


def test_only_markup_loads_jinja() -> None:
    code = """
import sys
from report_samples import network_209
from logscope import report
for name in ("json", "md", "text"):
    report.render(network_209(), name)
print(sorted({"jinja2", "polars", "rich"} & set(sys.modules)))
"""
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=root,
        env={"PYTHONPATH": f"{root}:{root}/tests"},
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("sample", [name for name in ALL if name not in ("crowded", "hostile")])
@pytest.mark.parametrize("name", ["md", "text"])
def test_golden(sample: str, name: str, golden: Callable[[str, str], None]) -> None:
    suffix = report.formats()[name].suffix
    golden(report.render(ALL[sample](), name), f"reports/{sample}{suffix}")
