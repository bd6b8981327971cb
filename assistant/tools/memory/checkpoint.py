"""A model read from its own files: config.json, safetensors index or header, GGUF header, or a folder with these."""

from collections import Counter
from pathlib import Path

from pydantic import Field

from assistant.errors import InvalidInput
from assistant.tools.memory.architecture import Architecture
from assistant.tools.memory.config_reader import MAX_CONFIG_BYTES, architecture_from_config, read_json_object
from assistant.tools.memory.gguf_model import read_gguf_model
from assistant.tools.memory.gguf_types import MIXTURES
from assistant.tools.memory.kept_modules import kept_shares
from assistant.tools.memory.language_model import LanguageModel
from assistant.tools.memory.quantization import weight_format
from assistant.tools.memory.safetensors_file import StoredTensors, read_safetensors_header, read_safetensors_index
from assistant.tools.memory.stored_format import stored_format

# llama.cpp's general.file_type (enum llama_ftype), for the name of the mixture.
_FILE_TYPES = {
    0: "f32", 1: "f16", 2: "q4_0", 3: "q4_1", 7: "q8_0", 8: "q5_0", 9: "q5_1", 10: "q2_k", 11: "q3_k_s", 12: "q3_k_m",
    13: "q3_k_l", 14: "q4_k_s", 15: "q4_k_m", 16: "q5_k_s", 17: "q5_k_m", 18: "q6_k", 19: "iq2_xxs", 20: "iq2_xs",
    21: "q2_k_s", 22: "iq3_xs", 23: "iq3_xxs", 24: "iq1_s", 25: "iq4_nl", 26: "iq3_s", 27: "iq3_m", 28: "iq2_s",
    29: "iq2_m", 30: "iq4_xs", 31: "iq1_m", 32: "bf16", 36: "tq1_0", 37: "tq2_0", 38: "mxfp4_moe",
}  # fmt: skip
_INDEX_ENDING = ".safetensors.index.json"


class StoredModel(LanguageModel):
    """A model whose files are at hand: `file_bytes` is the exact size of its tensors as they are stored."""

    file_bytes: int | None = Field(default=None, ge=1)
    file_parameters: int | None = Field(default=None, ge=1)

    @property
    def counted(self) -> int:
        return self.file_parameters or self.parameters


def _identifier(name: str) -> str:
    kept = "".join(character if character.isalnum() or character in "._-" else "-" for character in name.lower())
    return (kept.strip("._-") or "model")[:80]


def _from_config(path: Path, stored: StoredTensors | None = None) -> StoredModel:
    config = read_json_object(path, MAX_CONFIG_BYTES)
    architecture = architecture_from_config(config)
    text = config.get("text_config")
    inner = text if isinstance(text, dict) and "quantization_config" in text else config
    form = stored_format(inner)
    quantised = inner.get("quantization_config")
    kept = kept_shares(quantised, architecture.layer_count) if isinstance(quantised, dict) else {}
    given = config.get("_name_or_path")
    name = given.rstrip("/").rsplit("/", 1)[-1] if isinstance(given, str) and given.strip() else path.parent.name
    model = _model(name or path.stem, architecture, form.name, str(path), stored)
    bits = form.bits if form.bits != weight_format(form.name).bits else None
    return model.model_copy(update={"kept_shares": kept, "stored_bits": bits})


def _model(
    name: str,
    architecture: Architecture,
    form: str,
    source: str,
    stored: StoredTensors | None,
    count: int | None = None,
) -> StoredModel:
    return StoredModel(
        id=_identifier(name),
        name=name[:80],
        architecture=architecture,
        stored_as=form,
        sources=(source,),
        file_bytes=stored.size if stored else None,
        file_parameters=count,
    )


def _from_safetensors(path: Path) -> StoredModel:
    stored = read_safetensors_index(path) if path.name.endswith(_INDEX_ENDING) else read_safetensors_header(path)
    config = path.with_name("config.json")
    if not config.is_file():
        raise InvalidInput(
            f"{path}: holds {stored.size} bytes of tensors, but the model's shape is in its config.json, "
            "which is not beside it.",
            "Put config.json in the same folder, or give --params.",
        )
    return _from_config(config, stored)


def _from_gguf(path: Path) -> StoredModel:
    header, architecture = read_gguf_model(path)
    size = sum(tensor.size for tensor in header.tensors)
    count = sum(tensor.numbers for tensor in header.tensors)
    number = header.metadata.get("general.file_type")
    form = _FILE_TYPES.get(number) if type(number) is int else None
    if form is None:
        kinds = Counter[str]()
        for tensor in header.tensors:
            kinds[tensor.kind] += tensor.size
        form = next((kind for kind, _ in kinds.most_common() if kind in MIXTURES), "q4_k_m")
    name = header.metadata.get("general.name")
    shown = name if isinstance(name, str) and name.strip() else path.stem
    stored = StoredTensors(size, None)
    return _model(shown, architecture, {"f16": "fp16", "f32": "fp32"}.get(form, form), str(path), stored, count)


def read_model_file(path: Path) -> StoredModel:
    """The model in a config.json, *.safetensors, *.safetensors.index.json or *.gguf file, or in a folder with these.

    Raises InvalidInput in one line that names the file, and the field or tensor at fault.
    """
    if path.is_dir():
        index = sorted(path.glob("*.safetensors.index.json")) or sorted(path.glob("*.safetensors"))
        return _from_safetensors(index[0]) if len(index) == 1 else _from_config(path / "config.json")
    if not path.is_file():
        raise InvalidInput(f"model: {path}: no such file.")
    if path.suffix == ".gguf":
        return _from_gguf(path)
    if path.suffix == ".safetensors" or path.name.endswith(_INDEX_ENDING):
        return _from_safetensors(path)
    return _from_config(path)
