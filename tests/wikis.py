"""Wikis as Debian installs them, made anew in a folder of the test."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

DOKUWIKI = Path("/usr/share/dokuwiki")
MEDIAWIKI = Path("/usr/share/mediawiki")
_FOLDERS = ("pages", "attic", "cache", "index", "locks", "log", "media", "media_attic", "media_meta", "meta", "tmp")
_SHELL_LIMIT_S = 240


def needed(path: Path, package: str) -> None:
    """Skip where the package isn't installed, but for CI, where that fails."""
    if not path.exists() or shutil.which("php") is None:
        if "CI" in os.environ:
            raise AssertionError(f"{package} is not installed")
        pytest.skip(f"{package} is not installed")


def run(command: list[str], text: str = "") -> str:
    """What the command prints, once it has succeeded."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=_SHELL_LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class DokuWiki:
    """A wiki with its own pages and settings; the package keeps its settings under /etc."""

    def __init__(self, folder: Path, language: str) -> None:
        self.pages = folder / "data" / "pages"
        self.settings = folder / "conf"
        self._folder = folder
        for name in _FOLDERS:
            (folder / "data" / name).mkdir(parents=True)
        self.settings.mkdir()
        (self.settings / "local.php").write_text(
            f"<?php $conf['savedir'] = '{folder / 'data'}'; $conf['lang'] = '{language}'; $conf['useacl'] = 0;"
            " $conf['title'] = 'GPU';",
            encoding="utf-8",
        )
        (folder / "own.php").write_text(f"<?php define('DOKU_CONF', '{self.settings}/');", encoding="utf-8")

    @property
    def options(self) -> list[str]:
        """Options of PHP with which it serves this wiki."""
        return ["-d", f"auto_prepend_file={self._folder / 'own.php'}"]

    def save(self, name: str, text: str) -> None:
        """A page as the wiki itself writes it."""
        draft = self._folder / "draft.txt"
        draft.write_text(text, encoding="utf-8")
        run(["php", *self.options, str(DOKUWIKI / "bin" / "dwpage.php"), "commit", "-m", "x", str(draft), name])


class MediaWiki:
    """A wiki in a file of SQLite."""

    def __init__(self, folder: Path, address: str, language: str) -> None:
        self.settings = folder / "LocalSettings.php"
        self._script(
            "install", "--dbtype", "sqlite", "--dbpath", str(folder / "db"), "--confpath", str(folder), "--scriptpath",
            "", "--server", address, "--lang", language, "--skins", "Vector", "--pass", "a-long-passphrase-9", "GPU",
            "Admin",
        )  # fmt: skip
        own = f"\n$wgCacheDirectory = '{folder}';\n$wgUploadDirectory = '{folder}';\n$wgLogos = false;\n"
        self.settings.write_text(self.settings.read_text(encoding="utf-8") + own, encoding="utf-8")

    def save(self, title: str, text: str) -> None:
        self._script("edit", "--conf", str(self.settings), "--user", "Admin", title, text=text)

    def export(self) -> str:
        """All pages as XML."""
        return self._script("dumpBackup", "--conf", str(self.settings), "--full", "--quiet")

    def _script(self, name: str, *arguments: str, text: str = "") -> str:
        return run(["php", str(MEDIAWIKI / "maintenance" / f"{name}.php"), *arguments], text)
