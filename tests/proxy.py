"""Debian's nginx in front of a server of the test, with a certificate of its own."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from web import PATIENCE_S

NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
_CONFIGURATION = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log off;
  server_names_hash_bucket_size 128;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
  proxy_http_version 1.1;
  {servers}
}}
"""
FORWARDED = (
    "proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"
    " proxy_set_header X-Forwarded-Proto $scheme;"
)
"""For a server block; nginx lets go of them where a block further in sets headers of its own."""


def make_certificate(folder: Path, names: Sequence[str]) -> None:
    """A certificate for these names, as `DNS:…` or `IP:…`; the test is skipped without nginx, but for CI."""
    if NGINX is None and "CI" not in os.environ:
        pytest.skip("nginx is not installed")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=test", "-addext", f"subjectAltName={','.join(names)}",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip


@contextmanager
def nginx(folder: Path, port: int, servers: str) -> Iterator[None]:
    """nginx with these server blocks, one of which listens on `port`; `folder` holds the certificate."""
    assert NGINX is not None
    (folder / "nginx.conf").write_text(_CONFIGURATION.format(folder=folder, servers=servers), encoding="utf-8")
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")], stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and process.poll() is None:
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)
