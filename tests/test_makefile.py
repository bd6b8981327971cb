"""`make run` gets over an install that broke off, and an environment that no longer runs."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.settings import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")

BACKEND = """
def _wheel(directory):
    import zipfile
    from pathlib import Path
    name = "stub-1.0-py3-none-any.whl"
    with zipfile.ZipFile(Path(directory) / name, "w") as wheel:
        wheel.writestr("stub-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: stub\\nVersion: 1.0\\n")
        wheel.writestr("stub-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("stub-1.0.dist-info/RECORD", "")
    return name

def build_wheel(directory, config_settings=None, metadata_directory=None):
    return _wheel(directory)

build_editable = build_wheel
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The Makefile with nothing to install but a stub."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "requirements.lock").write_text("", encoding="utf-8")
    (tmp_path / "backend.py").write_text(BACKEND, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "stub"\nversion = "1.0"\n',
        encoding="utf-8",
    )
    return tmp_path


def install(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = ["make", ".venv/run.stamp", *options]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300, check=False)


def test_a_broken_environment_is_made_anew_and_a_sound_one_left_alone(project: Path) -> None:
    binaries = project / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").symlink_to(project / "gone" / "python3.9")
    (project / ".venv" / "run.stamp").touch()

    done = install(project, f"PYTHON={sys.executable}")
    assert done.returncode == 0, done.stderr
    assert subprocess.run([binaries / "python", "-c", "import pip"], check=False).returncode == 0

    kept = project / ".venv" / "kept"
    kept.touch()
    (project / "requirements.lock").write_text("# another lock\n", encoding="utf-8")
    assert install(project).returncode == 0
    assert kept.exists()
    assert "up to date" in install(project).stdout


def test_an_install_that_broke_off_is_begun_from_nothing_where_it_fails_again(project: Path) -> None:
    assert install(project, f"PYTHON={sys.executable}").returncode == 0
    # Half a package: pip can neither use nor replace it.
    (project / ".venv" / "installing").touch()
    (project / "requirements.lock").write_text("no-such-package-anywhere @ file:///nowhere.whl\n", encoding="utf-8")
    failed = install(project)
    assert failed.returncode != 0
    assert "from nothing" in failed.stdout
    assert not (project / ".venv" / "run.stamp").exists()

    (project / "requirements.lock").write_text("", encoding="utf-8")
    assert install(project).returncode == 0
