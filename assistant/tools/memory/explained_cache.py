"""The cache of an estimate, written out as the engine lays it out."""

from typing import NamedTuple

from assistant.tools.memory.architecture import Architecture, DeltaNet, GroupedAttention, Mamba2
from assistant.tools.memory.arithmetic import bracketed, down, over, product, shown, total, up
from assistant.tools.memory.cache_layout import KV_TYPES, AttentionRow, CacheLayout, attention_rows, state_sizes
from assistant.tools.memory.kv_cache import cache_bytes
from assistant.tools.memory.llama_cache import PADDING, cell_bytes
from assistant.tools.memory.plan import Plan
from assistant.tools.memory.sglang_cache import WINDOW_SHARE, token_pools
from assistant.tools.memory.vllm_cache import BlockGroup, block_pool, request_blocks

_LATENT_ROW_FP8 = 656


class Written(NamedTuple):
    """A step: its term, its text left of the equals sign, and its unit."""

    term: str
    text: str
    unit: str
    value: float = 0
    """Where it is not one of the result's own terms."""


def row_text(model: Architecture, layout: CacheLayout) -> str:
    """Bytes that a card caches for one token: Σ layers × what a layer keeps of it."""
    size = KV_TYPES[layout.kv_type]
    terms: list[str] = []
    for count, mixer in model.attention_groups:
        if isinstance(mixer, GroupedAttention):
            shared = over(shown(mixer.kv_heads), layout.tensor_parallel)
            heads = shared if mixer.kv_heads >= layout.tensor_parallel else f"max(1, {shared})"
            terms.append(product(count, 2, heads, mixer.head_dim, size))
            continue
        row = f"({mixer.kv_rank} + {mixer.rope_dim}) × {shown(size)}"
        if layout.kv_type == "fp8_ds_mla":
            row = shown(_LATENT_ROW_FP8)
        if mixer.index_heads:
            row = f"({row} + {mixer.index_dim} + 4)"
        terms.append(f"{count} × {row}")
    return total(terms)


def read_text(model: Architecture, layout: CacheLayout, context: int) -> str:
    """Bytes of one sequence's cache that a card reads for its next token."""
    rows = [
        product(row.layers, shown(row.token_bytes), f"min({shown(context)}, {shown(row.window)})")
        if row.window
        else product(row.layers, shown(row.token_bytes), shown(context))
        for row in attention_rows(model, layout)
    ]
    return total([*rows, *(product(count, shown(size)) for count, size in state_sizes(model, layout))])


def states_text(model: Architecture, layout: CacheLayout) -> str:
    """Bytes of the states of fixed size of one sequence: convolution and recurrent state of each layer."""
    width = 4 if layout.engine == "llama.cpp" else 2
    terms: list[str] = []
    for count, mixer in model.state_groups:
        match mixer:
            case DeltaNet():
                keys, values = f"{mixer.key_heads} × {mixer.key_dim}", f"{mixer.value_heads} × {mixer.value_dim}"
                convolved = f"2 × {keys} + {values}"
                recurrent = f"{mixer.value_heads} × {mixer.key_dim} × {mixer.value_dim}"
            case Mamba2():
                inner = f"{mixer.heads} × {mixer.head_dim}"
                convolved, recurrent = f"{inner} + 2 × {mixer.groups} × {mixer.state}", f"{inner} × {mixer.state}"
        size = f"(({convolved}) × {mixer.kernel - 1} × {width} + {recurrent} × 4)"
        terms.append(product(count, up(over(size, layout.tensor_parallel))))
    return total(terms)


def _stage_share(model: Architecture, layout: CacheLayout, text: str) -> str:
    """The share of the pipeline stage that holds most layers, in whole bytes."""
    stages, layers = layout.pipeline_parallel, model.layer_count
    return up(text) if stages == 1 else up(f"{bracketed(text)} × ⌈{layers} ÷ {stages}⌉ ÷ {layers}")


def cache_steps(model: Architecture, chosen: Plan) -> list[Written]:
    """The steps to the bytes of the whole cache on the fullest card; the last is the cache itself."""
    match chosen.layout.engine:
        case "vllm":
            return _vllm(model, chosen)
        case "llama.cpp":
            return [_llama(model, chosen)]
        case "sglang":
            return [_sglang(model, chosen)]


def _vllm(model: Architecture, chosen: Plan) -> list[Written]:
    layout, request = chosen.layout, chosen.request
    pool = block_pool(model, layout)
    per_request = total(_blocks_text(group, chosen) for group in pool.groups)
    blocks = product(request.concurrency, bracketed(per_request))
    shared = total(
        product(group.tables, down(f"{min(request.prefix, chosen.context)} ÷ {group.block}"))
        for group in pool.groups
        if request.prefix and group.window is None and not group.is_state
    )
    if shared != "0" and request.concurrency > 1:
        blocks = f"({blocks} − {request.concurrency - 1} × {bracketed(shared)})"
    whole = _stage_share(model, layout, f"{blocks} × {shown(pool.block_bytes)}")
    return [
        Written("block_bytes", block_text(model, layout), "bytes", pool.block_bytes),
        Written("sequence_blocks", per_request, "blocks", request_blocks(pool, chosen.context, layout.batched_tokens)),
        Written("kv_cache", whole, "bytes"),
    ]


def block_text(model: Architecture, layout: CacheLayout) -> str:
    """Bytes of one block over the layers that share it: the widest page, times the layers of the smallest kind."""
    pool = block_pool(model, layout)
    rows, states = attention_rows(model, layout), state_sizes(model, layout)
    if not pool.paged_by_kind:
        return product(bracketed(total(product(row.layers, shown(row.token_bytes)) for row in rows)), layout.block)
    widest = max((row.token_bytes for row in rows), default=0.0)
    state = max((size for _, size in states), default=0)
    page = product(shown(widest), pool.page_block)
    if state:
        page = f"max({page}, {shown(state)})"
    return product(page, pool.shared_layers)


def _blocks_text(group: BlockGroup, chosen: Plan) -> str:
    context, batched = shown(chosen.context), shown(chosen.layout.batched_tokens)
    if group.is_state:
        return product(group.tables, 2)
    if group.window is None:
        blocks = up(f"{context} ÷ {group.block}")
    elif group.chunked:
        blocks = up(f"min({shown(group.window)} + {batched}, {context}) ÷ {group.block}")
    else:
        blocks = f"({up(f'min({shown(group.window)} − 1 + {batched}, {context}) ÷ {group.block}')} + 1)"
    return product(group.tables, blocks)


def _llama(model: Architecture, chosen: Plan) -> Written:
    layout, request = chosen.layout, chosen.request
    rows = [
        product(_cells_text(row, chosen), row.layers, shown(cell_bytes(row, layout)))
        for row in attention_rows(model, layout)
    ]
    states = states_text(model, layout)
    if states != "0":
        rows.append(product(request.concurrency, bracketed(states)))
    return Written("kv_cache", _stage_share(model, layout, total(rows)), "bytes")


def _cells_text(row: AttentionRow, chosen: Plan) -> str:
    layout, sequences = chosen.layout, chosen.request.concurrency
    whole = _padded(product(shown(chosen.context), sequences) if layout.unified else shown(chosen.context))
    if row.window is not None and not layout.swa_full:
        own = sequences if layout.unified else 1
        window = _padded(f"({product(shown(row.window), own)} + {shown(layout.micro_batch)})")
        whole = f"min({whole}, {window})"
    return whole if layout.unified else product(sequences, whole)


def _padded(text: str) -> str:
    return f"⌈{text} ÷ {PADDING}⌉ × {PADDING}"


def _sglang(model: Architecture, chosen: Plan) -> Written:
    layout, request = chosen.layout, chosen.request
    pools = token_pools(model, layout)
    shared = min(request.prefix, chosen.context) // layout.block * layout.block
    cells = f"⌈{shown(chosen.context)} ÷ {layout.block}⌉ × {layout.block}"
    tokens = product(request.concurrency, cells)
    if shared:
        tokens = f"({request.concurrency} × ({cells} − {shown(shared)}) + {shown(shared)})"
    if pools.windowed:
        kept = f"{request.concurrency} × min({cells}, {pools.window}) + {shown(layout.batched_tokens)}"
        needed = f"min({kept}, {request.concurrency} × {cells})"
        tokens = f"max({tokens}, {needed} ÷ {WINDOW_SHARE:g})" if pools.full else needed
    cell = shown(pools.windowed) if not pools.full else shown(pools.full)
    if pools.full and pools.windowed:
        cell = f"({shown(pools.full)} + {WINDOW_SHARE:g} × {shown(pools.windowed)})"
    whole = product(tokens, cell)
    states = states_text(model, layout)
    if states != "0":
        whole = f"{whole} + {product(request.concurrency, bracketed(states))}"
    return Written("kv_cache", _stage_share(model, layout, whole), "bytes")


def room_text(model: Architecture, chosen: Plan, usable: int, others: int) -> str:
    """Tokens that what is left of the usable bytes holds, in sequences of the length asked for."""
    layout, context = chosen.layout, chosen.context
    if usable <= others:
        return f"max(0, {shown(usable)} − {shown(others)})"
    free = f"({shown(usable)} − {shown(others)})"
    if layout.engine == "llama.cpp":
        one = cache_bytes(model, layout, context=context)
        return down(f"{free} ÷ {shown(one)} × {shown(context)}") if one else "0"
    stages, layers = layout.pipeline_parallel, model.layer_count
    whole = free if stages == 1 else down(f"{free} ÷ (⌈{layers} ÷ {stages}⌉ ÷ {layers})")
    if layout.engine == "sglang":
        cell = token_pools(model, layout).cell
        return product(down(f"{down(f'{whole} ÷ {shown(cell)}')} ÷ {layout.block}"), layout.block) if cell else "0"
    pool = block_pool(model, layout)
    if not pool.block_bytes:
        return "0"
    per_request = total(_blocks_text(group, chosen) for group in pool.groups)
    return down(f"{down(f'{whole} ÷ {shown(pool.block_bytes)}')} ÷ ({per_request}) × {shown(context)}")
