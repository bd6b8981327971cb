"""`gpu-assistant fit` and `models` as scripts and people call them."""

import json
from pathlib import Path

import pytest

from assistant.interfaces.command_line import main


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    output = capsys.readouterr()
    return int(stop.value.code or 0), output.out, output.err


def test_the_documented_call(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = called(
        capsys, "fit", "--model", "Llama 3.3 70B", "--weights", "fp8", "--kv-type", "fp8", "--context", "32k",
        "--concurrency", "4", "--gpu", "H100 SXM", "--gpus", "2", "--tp", "2", "--engine", "vllm",
        "--task", "inference", "--memory-utilization", "0.9", "--json",
    )  # fmt: skip
    assert (status, err) == (0, "")
    data = json.loads(out)
    assert data["per_gpu"]["kv_cache"] == 4 * 32_768 * 81_920
    assert data["verdict"] == "fits"
    assert all(note["text"] for note in data["assumptions"])


def test_training_call(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = called(
        capsys, "fit", "--model", "llama-3.1-8b", "--task", "full", "--optimizer", "adamw", "--zero", "3", "--gpu",
        "H100 SXM", "--gpus", "8", "--sequence", "2048", "--batch", "2", "--recompute", "selective", "--json",
    )  # fmt: skip
    assert status == 0
    data = json.loads(out)
    assert data["per_gpu"]["optimizer"] == pytest.approx(12 * 8_030_261_248 / 8, rel=1e-6)
    assert data["max_context"] is None and data["decode_ceiling_tokens_per_s"] is None


def test_fsdp_is_another_name_for_a_zero_stage(capsys: pytest.CaptureFixture[str]) -> None:
    base = ("fit", "--model", "llama-3.1-8b", "--task", "full", "--gpu", "H100 SXM", "--gpus", "8", "--json")
    _, by_fsdp, _ = called(capsys, *base, "--fsdp", "full_shard")
    _, by_zero, _ = called(capsys, *base, "--zero", "3")
    assert json.loads(by_fsdp)["per_gpu"] == json.loads(by_zero)["per_gpu"]


def test_text_in_the_asked_language(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = called(capsys, "fit", "--params", "70B", "--gpu", "H100 SXM", "--lang", "da")
    assert out.startswith("Nej, 70B (bf16) kan ikke være på 1 × NVIDIA H100 SXM")
    assert "140,0 GB" in out


def test_a_sweep_as_table_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    call = ("fit", "--model", "llama-3.1-8b", "--gpu", "L4", "--sweep", "context=4k..128k")
    _, table, _ = called(capsys, *call)
    _, data, _ = called(capsys, *call, "--json")
    assert len(table.splitlines()) == 8
    assert [point["value"] for point in json.loads(data)["points"]] == [4096 * 2**n for n in range(6)]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--model", "gpt-5-open", "--gpu", "H100"], "gpt-5-open"),
        (["--model", "llama-3.1-8b", "--gpu", "H900"], "H900"),
        (["--model", "llama-3.1-8b", "--gpu", "H100", "--gpus", "0"], "gpus"),
        (["--model", "llama-3.1-8b", "--gpu", "H100", "--concurrency", "-2"], "concurrency"),
        (["--model", "llama-3.1-8b", "--gpu", "H100", "--context", "1e30"], "context"),
        (["--model", "llama-3.1-8b", "--gpu", "H100", "--context", "1000000"], "context"),
        (["--model", "llama-3.1-8b", "--gpu", "H100", "--gpus", "3", "--tp", "3"], "tp"),
        (["--model", "llama-3.1-8b", "--gpu", "H100", "--memory-utilization", "nan"], "memory_utilization"),
        (["--model", "llama-3.1-8b", "--gpu", "H100", "--weights", "int3"], "weights"),
        (["--model", "llama-3.1-8b", "--gpu", "H100", "--kv-type", "q9"], "kv-type"),
        (["--model", "llama-3.1-8b", "--params", "8B", "--gpu", "H100"], "params"),
        (["--params", "-8B", "--gpu", "H100"], "params"),
        (["--params", "0", "--gpu", "H100"], "params"),
        (["--gpu", "H100"], "model"),
        (["--model", "missing.gguf", "--gpu", "H100"], "missing.gguf"),
    ],
)
def test_bad_input_is_one_line_that_names_it(
    capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    status, out, err = called(capsys, "fit", *arguments)
    assert status == 2
    assert out == ""
    assert named in err and err.count("\n") == 1


def test_models_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    _, listed, _ = called(capsys, "models", "--json")
    _, shown, _ = called(capsys, "models", "gemma-3-27b")
    assert len(json.loads(listed)) >= 40
    assert "27,432,406,640" in shown and "window 1024" in shown


def test_the_truth_benchmark_prints_errors_worst_first(tmp_path: Path) -> None:
    import subprocess
    import sys

    rows = tmp_path / "rows.csv"
    rows.write_text(
        "id,kind,model,params,gpu,setting,quantity,value,unit,source\n"
        "A,weights_bytes_exact,Llama-3.1-8B,,-,bf16,safetensors total_size,16060522496,bytes,index\n"
        "B,weights_bytes_exact,Llama-3.1-8B,,-,bf16,safetensors total_size,16000000000,bytes,wrong on purpose\n"
        'C,vllm_log,gemma-4-31B-it,,(not stated),"bf16 KV, Available 24.54 GiB",GPU KV cache size,26800,tokens,log\n'
        "D,cost_train,Llama-2-70B,,A100,2.0T tokens,GPU hours,1720320,GPU-h,card\n",
        encoding="utf-8",
    )
    script = Path(__file__).parent.parent / "benchmarks" / "memory_truth.py"
    run = subprocess.run(
        [sys.executable, str(script), str(rows)], capture_output=True, text=True, timeout=60, check=False
    )
    lines = run.stdout.splitlines()
    assert lines[1].split()[1] == "B" and "MISSED" not in lines[1]
    assert "26,800 → 26,800" in run.stdout
    assert "D     cost_train" in run.stdout
    assert run.returncode == 0
