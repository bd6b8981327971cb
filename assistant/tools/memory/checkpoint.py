"""A model read from its own files: config.json, safetensors index or header, GGUF header, or a folder with these."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

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
_SHARD = re.compile(
    r"^(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})(?P<ending>\.safetensors|\.gguf)$", re.IGNORECASE
)


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
    if "quantization_config" not in inner:
        inner = {**inner, **_beside(path.with_name("hf_quant_config.json"))}
    form = stored_format(inner)
    quantised = inner.get("quantization_config")
    kept = kept_shares(quantised, architecture.layer_count) if isinstance(quantised, dict) else {}
    given = config.get("_name_or_path")
    name = given.rstrip("/").rsplit("/", 1)[-1] if isinstance(given, str) and given.strip() else path.parent.name
    model = _model(name or path.stem, architecture, form.name, str(path), stored)
    bits = form.bits if form.bits != weight_format(form.name).bits else None
    return model.model_copy(update={"kept_shares": kept, "stored_bits": bits})


def _beside(path: Path) -> dict[str, Any]:
    """The quantisation that ModelOpt writes in a file of its own; nothing where there is none."""
    if not path.is_file():
        return {}
    values = read_json_object(path, MAX_CONFIG_BYTES).get("quantization")
    if not isinstance(values, dict):
        raise InvalidInput(f"{path}: quantization is missing.")
    return {"quantization_config": {**values, "quant_method": "modelopt"}}


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
    stored = _stored_tensors(path)
    config = path.with_name("config.json")
    if not config.is_file():
        raise InvalidInput(
            f"{path}: holds {stored.size} bytes of tensors, but the model's shape is in its config.json, "
            "which is not beside it.",
            "Put config.json in the same folder, or give --params.",
        )
    return _from_config(config, stored)


def _stored_tensors(path: Path) -> StoredTensors:
    """What an index lists, or what one file holds; one of several files stands for all of them."""
    if path.name.lower().endswith(_INDEX_ENDING):
        return read_safetensors_index(path)
    shard = _SHARD.match(path.name)
    if shard is None:
        return read_safetensors_header(path)
    index = path.with_name(f"{shard['stem']}{_INDEX_ENDING}")
    if index.is_file():
        return read_safetensors_index(index)
    size = 0
    for number in range(1, int(shard["count"]) + 1):
        other = path.with_name(f"{shard['stem']}-{number:05d}-of-{shard['count']}{shard['ending']}")
        if not other.is_file():
            raise InvalidInput(f"{other}: missing, of the {int(shard['count'])} files of this model.", "Download it.")
        size += read_safetensors_header(other).size
    return StoredTensors(size, None)


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
        return _from_folder(path)
    if not path.is_file():
        raise InvalidInput(f"model: {path}: no such file.")
    name = path.name.lower()
    if name.endswith(".gguf"):
        return _from_gguf(path)
    if name.endswith((".safetensors", _INDEX_ENDING)):
        return _from_safetensors(path)
    return _from_config(path)


def _from_folder(folder: Path) -> StoredModel:
    """By an index where there is one, else by its safetensors, its config.json, or its only GGUF model."""
    names = sorted(folder.iterdir())
    indices = [path for path in names if path.name.lower().endswith(_INDEX_ENDING)]
    if len(indices) == 1:
        return _from_safetensors(indices[0])
    tensors = [path for path in names if path.name.lower().endswith(".safetensors")]
    first = _first_of_one_model(tensors)
    if first is not None:
        return _from_safetensors(first)
    if (folder / "config.json").is_file():
        return _from_config(folder / "config.json")
    files = [path for path in names if path.name.lower().endswith(".gguf") and "mmproj" not in path.name.lower()]
    first = _first_of_one_model(files)
    if first is not None:
        return _from_gguf(first)
    if files:
        shown = ", ".join(path.name[:60] for path in files[:3])
        raise InvalidInput(f"model: {folder}: holds several models ({shown}).", "Name the file.")
    raise InvalidInput(f"model: {folder}: holds neither a config.json nor a GGUF file.")


def _first_of_one_model(files: list[Path]) -> Path | None:
    """The first file, where all of them are one model: a single file, or the parts of one."""
    stems = {match["stem"] if (match := _SHARD.match(path.name)) else path.name for path in files}
    return files[0] if len(stems) == 1 else None
