"""The workflows and the job that people copy: valid where they run, sound scripts, one comment kept up to date."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from assistant.settings import ROOT

PROGRAMS = Path(sys.executable).parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
GITLAB = ROOT / ".gitlab" / "evaluation.gitlab-ci.yml"
MARK = "<!-- gpu-assistant eval -->"
# Whatever GitHub fills in is one word to the shell.
_FILLED_IN = re.compile(r"\$\{\{.*?\}\}")


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return content


def steps(path: Path) -> Iterator[dict[str, Any]]:
    for job in read(path)["jobs"].values():
        yield from job["steps"]


def scripts() -> Iterator[tuple[str, str]]:
    """Every piece of shell in the files, with where it stands."""
    for path in WORKFLOWS:
        for step in steps(path):
            if "run" in step:
                yield f"{path.name}: {step['name']}", _FILLED_IN.sub("filled_in", step["run"])
    for name, job in read(GITLAB).items():
        for part in ("script", "after_script"):
            for number, line in enumerate(job.get(part, ())):
                yield f"{GITLAB.name}: {name} {part} {number}", line


@pytest.mark.parametrize(
    ("files", "schema"),
    [(WORKFLOWS, ("vendor.github-workflows",)), ([GITLAB], ("vendor.gitlab-ci", "--data-transform", "gitlab-ci"))],
    ids=["github", "gitlab"],
)
def test_the_files_are_what_the_services_schemas_say(files: list[Path], schema: tuple[str, ...]) -> None:
    command = [str(PROGRAMS / "check-jsonschema"), "--builtin-schema", *schema, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_their_scripts_are_sound_shell() -> None:
    found = list(scripts())
    assert len(found) >= 9
    for where, script in [*found, (".ci/run", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))]:
        done = subprocess.run(
            [str(PROGRAMS / "shellcheck"), "--shell=bash", "-"],
            input=script,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, f"{where}: {done.stdout}"


def test_what_they_make_exists_and_their_paths_are_of_the_repository() -> None:
    commands = {command for _, script in scripts() for command in re.findall(r"\bmake [^|\n]+", script)}
    assert {command.split()[1] for command in commands} == {"sources-diff", "sources-check", "eval"}
    for command in commands:
        target, *settings = command.split(" || ")[0].replace('"', "").split()[1:3]
        done = subprocess.run(
            ["make", "--dry-run", "--directory", str(ROOT), target, *settings],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
    paths = [*read(WORKFLOWS[0])[True]["pull_request"]["paths"], *read(GITLAB)["evaluation"]["rules"][0]["changes"]]
    assert all((ROOT / path.partition("/*")[0]).exists() for path in paths)


def comment(script: str, folder: Path, program: str, listed: str) -> list[str]:
    """Run a script that comments, with a stand-in for the program that talks to the service; what that was told."""
    (folder / "eval-results").mkdir()
    (folder / "eval-results" / "report.md").write_text(
        f"{MARK}\nNothing got worse: {'x' * 100_000}\n", encoding="utf-8"
    )
    (folder / "bin").mkdir()
    stand_in = folder / "bin" / program
    stand_in.write_text(
        f"#!{sys.executable}\nimport json, sys\nopen('told', 'a').write(json.dumps(sys.argv[1:]) + '\\n')\n"
        f"if '--paginate' in sys.argv or any('per_page' in word for word in sys.argv):\n    print({listed!r})\n",
        encoding="utf-8",
    )
    stand_in.chmod(0o755)
    environment = {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "COMMENTS": "repos/o/r/issues/7/comments",
        "CI_API_V4_URL": "https://gitlab.example.org/api/v4", "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "5",
        "EVAL_TOKEN": "secret",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "comment.md").stat().st_size == 60_000
    return (folder / "told").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("listed", "way", "place"), [("", "POST", "issues/7/comments"), ("11\n12", "PATCH", "comments/11")]
)
def test_github_gets_one_comment_that_later_runs_replace(tmp_path: Path, listed: str, way: str, place: str) -> None:
    script = next(step["run"] for step in steps(WORKFLOWS[0]) if step.get("name") == "Comment")
    told = comment(script.replace("${{ github.repository }}", "o/r"), tmp_path, "gh", listed)
    last = json.loads(told[-1])
    assert last[last.index("--method") + 1] == way
    assert any(word.endswith(place) for word in last) and "body=@comment.md" in last


@pytest.mark.parametrize(
    ("notes", "way", "place"),
    [
        ([], "POST", "merge_requests/5/notes"),
        ([{"id": 4, "body": "Nice."}, {"id": 9, "body": f"{MARK}\nold"}], "PUT", "merge_requests/5/notes/9"),
    ],
)
def test_gitlab_gets_one_note_that_later_runs_replace(
    tmp_path: Path, notes: list[dict[str, object]], way: str, place: str
) -> None:
    told = comment(read(GITLAB)["evaluation"]["after_script"][0], tmp_path, "curl", json.dumps(notes))
    last = json.loads(told[-1])
    assert last[last.index("--request") + 1] == way
    assert last[-1].endswith(place) and "body@comment.md" in last
