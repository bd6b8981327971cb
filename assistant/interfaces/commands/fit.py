"""`gpu-assistant fit`: whether a model fits on a card, and what would make it fit."""

import json
from typing import Any, get_args

import click

from assistant.language.tongue import LANGUAGES, Language
from assistant.printable import json_escaped
from assistant.settings import Settings
from assistant.tools.memory.request import Offload, Optimizer, Recompute, Task

_ENGINES = ("vllm", "llama.cpp", "sglang")
_FSDP = {"full_shard": 3, "shard_grad_op": 2, "no_shard": 0}


@click.command()
@click.option("--model", help="Name or alias, or a config.json, *.safetensors, *.gguf file or a folder with these.")
@click.option("--params", help="Parameter count alone, as 70B: the outcome is a range over models of that size.")
@click.option("--gpu", required=True, help="Name of the card, as 'H100 SXM'.")
@click.option("--gpus", type=int, show_default="1", help="Number of cards.")
@click.option("--task", type=click.Choice(get_args(Task)), show_default="inference")
@click.option("--weights", help="bf16, fp16, fp32, fp8, w8a8, int8, int4, nf4, mxfp4, nvfp4, q4_k_m, q8_0 …")
@click.option("--kv-type", show_default="auto", help="auto (16-bit), bf16, fp8, q8_0, q4_0 …")
@click.option("--context", help="Tokens of one sequence, prompt and answer together: 8192 or 32k (k is 1024).")
@click.option("--concurrency", type=int, show_default="1", help="Sequences at the same time.")
@click.option("--prefix", help="Tokens at the start that all sequences share.")
@click.option("--engine", type=click.Choice(_ENGINES), help="Serving engine; llama.cpp for GGUF weights, else vllm.")
@click.option("--tp", type=int, help="Tensor parallelism; chosen where left out.")
@click.option("--pp", type=int, help="Pipeline parallelism; chosen where left out.")
@click.option("--memory-utilization", type=float, help="Share of the card that the engine may take (vllm: 0.9).")
@click.option("--hybrid-manager/--no-hybrid-manager", default=None, help="vLLM's cache manager for sliding windows.")
@click.option("--swa-full", is_flag=True, default=None, help="llama.cpp: cache sliding-window layers in full.")
@click.option("--unified-kv", is_flag=True, default=None, help="llama.cpp: one cache for all sequences.")
@click.option("--block", type=int, help="Tokens in a page of the cache (vllm: 16, sglang: 1).")
@click.option("--batched-tokens", type=int, help="vLLM's max-num-batched-tokens, llama.cpp's ubatch.")
@click.option("--max-sequences", type=int, help="vLLM's max-num-seqs, for which it reserves buffers.")
@click.option("--optimizer", type=click.Choice(get_args(Optimizer)), show_default="adamw")
@click.option("--zero", type=click.IntRange(0, 3), show_default="0", help="ZeRO stage over the cards.")
@click.option("--fsdp", type=click.Choice(tuple(_FSDP)), help="FSDP's names for ZeRO 3, 2 and 0.")
@click.option("--offload", type=click.Choice(get_args(Offload)), show_default="none")
@click.option("--sequence", show_default="the context, or 2048", help="Tokens of a training sequence.")
@click.option("--batch", type=int, show_default="1", help="Sequences in a micro-batch.")
@click.option("--accumulation", type=int, show_default="1", help="Micro-batches before an update.")
@click.option("--recompute", type=click.Choice(get_args(Recompute)), show_default="full")
@click.option("--flash-attention/--no-flash-attention", default=None, help="Attention without stored scores.")
@click.option("--loss", type=click.Choice(("full", "chunked")), show_default="full", help="Logits whole or in eighths.")
@click.option("--lora-rank", type=int, show_default="16")
@click.option("--sweep", help="context=4k..128k, gpus=1,2,4, weights=bf16,fp8,int4: a table and a bar for each value.")
@click.option("--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the text.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def command(
    settings: Settings,
    /,
    model: str | None,
    params: str | None,
    gpu: str,
    sweep: str | None,
    lang: Language,
    as_json: bool,
    **choices: Any,
) -> None:
    """Say whether a model fits on a card: weights, cache or training states, overhead, and what would make it fit."""
    from assistant.tools.memory.amounts import read_parameters
    from assistant.tools.memory.catalogue import open_catalogue
    from assistant.tools.memory.description import describe_fit, with_texts
    from assistant.tools.memory.fit import estimate_fit
    from assistant.tools.memory.sweep import read_sweep
    from assistant.tools.memory.sweep import sweep as over_values
    from assistant.tools.memory.sweep_description import describe_sweep, sweep_data

    request = read_request(choices)
    catalogue = open_catalogue(settings.corpus)
    subject = catalogue.subject(model, read_parameters(params) if params is not None else None)
    card = catalogue.card(gpu)
    if sweep is not None:
        field, values = read_sweep(sweep)
        points = over_values(request, subject, card, field, values)
        click.echo(
            json_escaped(json.dumps(sweep_data(field, points), ensure_ascii=False, indent=2))
            if as_json
            else describe_sweep(field, points, lang, settings.corpus)
        )
        return
    result = estimate_fit(request, subject, card, catalogue.cards.values())
    if as_json:
        click.echo(json_escaped(with_texts(result, lang, settings.corpus).model_dump_json(indent=2)))
    else:
        click.echo(describe_fit(result, lang, settings.corpus))


def read_request(choices: dict[str, Any]) -> Any:
    """The options as a FitRequest. Raises InvalidInput naming the option."""
    from pydantic import ValidationError

    from assistant.errors import InvalidInput
    from assistant.knowledge.schema import first_problem
    from assistant.tools.memory.amounts import read_tokens
    from assistant.tools.memory.request import FitRequest

    values = {name: value for name, value in choices.items() if value is not None}
    fsdp = values.pop("fsdp", None)
    if fsdp is not None:
        values["zero"] = _FSDP[fsdp]
    for name in ("context", "sequence", "prefix"):
        if name in values:
            values[name] = read_tokens(values[name], name)
    try:
        return FitRequest.model_validate(values)
    except ValidationError as error:
        raise InvalidInput(f"{first_problem(error)}.") from error
