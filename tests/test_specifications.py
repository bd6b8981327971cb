"""What is true of the specifications, prices and names that every answer rests on."""

import re
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

import pytest

from assistant.knowledge.claim import Range
from assistant.knowledge.corpus import Corpus, load_corpus
from assistant.knowledge.period import Period
from assistant.knowledge.specification import SpecificationValue
from assistant.language.mention import folded, spellings
from assistant.tools.cost.card_figures import preferred

CORPUS = Path(__file__).parent.parent / "corpus"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus(CORPUS)


def values_of(corpus: Corpus, gpu: str, attribute: str) -> list[SpecificationValue]:
    row = next(row for row in corpus.gpus.gpus if row.entity == gpu)
    return [value for value in row.values if value.attribute == attribute]


def headline(corpus: Corpus, gpu: str, attribute: str) -> Decimal | Range:
    chosen = preferred(values_of(corpus, gpu, attribute))
    assert chosen is not None
    assert isinstance(chosen.value, Decimal | Range)
    return chosen.value


def test_no_spelling_means_two_things(corpus: Corpus) -> None:
    meant: dict[str, set[str]] = defaultdict(set)
    for spelling, entity_id in spellings(corpus.entities.values()):
        meant[spelling].add(entity_id)
    assert {spelling: ids for spelling, ids in meant.items() if len(ids) > 1} == {}


def test_relations_lead_to_entities_and_never_in_a_circle(corpus: Corpus) -> None:
    for entity in corpus.entities.values():
        for other in filter(None, (entity.parent, entity.maker, *entity.related)):
            assert other in corpus.entities, f"{entity.id} -> {other}"
        seen = [entity.id]
        for ancestor in corpus.ancestors(entity.id):
            assert ancestor not in seen, f"{entity.id} is its own ancestor"
            seen.append(ancestor)


def test_quantities_stand_in_the_unit_of_their_attribute(corpus: Corpus) -> None:
    for row in corpus.gpus.gpus:
        for value in row.values:
            attribute = corpus.attributes[value.attribute]
            if attribute.kind == "quantity":
                assert isinstance(value.value, Decimal | Range), (row.entity, value.attribute)
                assert value.unit == attribute.unit, (row.entity, value.attribute)
                low = value.value.low if isinstance(value.value, Range) else value.value
                assert low > 0, (row.entity, value.attribute)
            if attribute.kind == "boolean":
                assert isinstance(value.value, bool), (row.entity, value.attribute)


def test_every_card_with_a_specification_is_a_card(corpus: Corpus) -> None:
    ids = [row.entity for row in corpus.gpus.gpus]
    assert len(ids) == len(set(ids))
    assert {corpus.entities[id_].kind for id_ in ids} == {"gpu"}
    assert len(ids) >= 42


@pytest.mark.parametrize(
    ("gpu", "attribute", "expected"),
    [
        ("nvidia-b200-sxm", "memory_capacity", "180"),
        ("nvidia-b200-sxm", "memory_bandwidth", "8.0"),
        ("nvidia-b200-sxm", "power", "1000"),
        ("nvidia-h100-sxm", "memory_capacity", "80"),
        ("nvidia-h100-sxm", "memory_bandwidth", "3.35"),
        ("nvidia-h100-sxm", "power", "700"),
        ("nvidia-h200-sxm", "memory_capacity", "141"),
        ("nvidia-h200-sxm", "memory_bandwidth", "4.8"),
        ("amd-mi300x", "memory_capacity", "192"),
        ("amd-mi300x", "memory_bandwidth", "5.3"),
        ("amd-mi300x", "power", "750"),
        ("amd-mi325x", "memory_capacity", "256"),
        ("amd-mi325x", "memory_bandwidth", "6.0"),
        ("amd-mi350x", "memory_capacity", "288"),
        ("amd-mi355x", "memory_capacity", "288"),
        ("amd-mi355x", "power", "1400"),
        ("amd-mi455x", "memory_capacity", "432"),
        ("amd-mi455x", "memory_bandwidth", "23.3"),
    ],
)
def test_the_figures_of_the_sources_come_first(corpus: Corpus, gpu: str, attribute: str, expected: str) -> None:
    assert headline(corpus, gpu, attribute) == Decimal(expected)


def test_sources_that_disagree_stand_side_by_side(corpus: Corpus) -> None:
    assert {value.value for value in values_of(corpus, "amd-mi355x", "power")} == {Decimal(1400), Decimal(1000)}
    b200 = {value.value for value in values_of(corpus, "nvidia-b200-sxm", "memory_capacity")}
    assert {Decimal(180), Decimal(192), Decimal(90)} <= b200


def test_a_figure_that_no_longer_holds_says_why(corpus: Corpus) -> None:
    for row in corpus.gpus.gpus:
        for value in row.values:
            if value.status == "superseded" and value.attribute != "compute_capability":
                assert value.note is not None, (row.entity, value.attribute)


def test_a_variant_is_explained_in_every_language(corpus: Corpus) -> None:
    for row in corpus.gpus.gpus:
        for value in row.values:
            if value.variant is not None:
                assert value.note is not None, (row.entity, value.attribute, value.variant)


def test_usable_memory_is_never_more_than_the_nominal_size_in_binary_gigabytes(corpus: Corpus) -> None:
    for row in corpus.gpus.gpus:
        sizes = [v.value for v in row.values if v.attribute == "memory_capacity" and isinstance(v.value, Decimal)]
        for value in row.values:
            if value.attribute == "usable_memory":
                highest = value.value.high if isinstance(value.value, Range) else value.value
                assert isinstance(highest, Decimal)
                assert highest <= max(sizes) * 1024 * Decimal("1.01"), row.entity


def test_sparsity_doubles_the_dense_figure(corpus: Corpus) -> None:
    for kind in ("16bit", "fp8"):
        for row in corpus.gpus.gpus:
            dense = preferred([v for v in row.values if v.attribute == f"dense_flops_{kind}"])
            sparse = preferred([v for v in row.values if v.attribute == f"sparse_flops_{kind}"])
            if dense and sparse:
                assert isinstance(dense.value, Decimal)
                assert isinstance(sparse.value, Decimal)
                assert Decimal("1.9") <= sparse.value / dense.value <= Decimal("2.1"), row.entity


@pytest.mark.parametrize(
    ("gpu", "precision", "supported"),
    [
        ("nvidia-a100-80gb-sxm", "fp8", False),
        ("nvidia-v100-sxm2-32gb", "bf16", False),
        ("nvidia-t4", "bf16", False),
        ("nvidia-rtx-3090", "fp8", False),
        ("nvidia-rtx-4090", "fp8", True),
        ("nvidia-h100-sxm", "fp8", True),
        ("nvidia-h100-sxm", "fp4", False),
        ("nvidia-b200-sxm", "fp4", True),
        ("amd-mi250x", "fp8", False),
        ("amd-mi300x", "fp8", True),
        ("amd-mi355x", "fp4", True),
        ("amd-rx-7900-xtx", "fp8", False),
    ],
)
def test_number_formats_follow_the_architecture(corpus: Corpus, gpu: str, precision: str, supported: bool) -> None:
    found = [v.value for v in values_of(corpus, gpu, "precision_support") if v.precision == precision]
    assert found == [supported]


@pytest.mark.parametrize(
    ("written", "entity"),
    [
        ("H100 80G", "nvidia-h100"),
        ("h100-sxm5", "nvidia-h100-sxm"),
        ("英伟达 H100", "nvidia-h100"),
        ("H100 NVL", "nvidia-h100-nvl"),
        ("4090", "nvidia-rtx-4090"),
        ("RTX4090", "nvidia-rtx-4090"),
        ("GeForce RTX 4090", "nvidia-rtx-4090"),
        ("7900XTX", "amd-rx-7900-xtx"),
        ("MI300", "amd-instinct-mi300"),
        ("mi300x", "amd-mi300x"),
        ("MI355X OAM", "amd-mi355x"),
        ("A100", "nvidia-a100"),
        ("A100 80GB", "nvidia-a100-80gb"),
        ("A100 SXM", "nvidia-a100"),
        ("Tesla V100", "nvidia-v100"),
        ("RTX 6000", "nvidia-rtx-6000"),
        ("RTX 6000 Ada", "nvidia-rtx-6000-ada"),
        ("A6000", "nvidia-rtx-a6000"),
        ("DGX Spark", "nvidia-dgx-spark"),
        ("英伟达", "nvidia"),
        ("Lambda Labs", "lambda"),
        ("阿里云", "alibaba-cloud"),
        ("ROCm Core SDK 10.0.0", "rocm-10"),
        ("CUDA 13.4", "cuda-toolkit-13.4"),
    ],
)
def test_usual_spellings_are_known(corpus: Corpus, written: str, entity: str) -> None:
    assert {id_ for spelling, id_ in spellings(corpus.entities.values()) if spelling == folded(written)} == {entity}


def test_a_less_exact_name_has_its_variants(corpus: Corpus) -> None:
    assert {"nvidia-a100-40gb-pcie", "nvidia-a100-80gb-sxm"} <= set(corpus.descendants("nvidia-a100"))
    assert {"amd-mi300x", "amd-mi300a", "amd-mi325x"} == set(corpus.descendants("amd-instinct-mi300")) - {
        "amd-instinct-mi300"
    }
    assert {"nvidia-rtx-6000-ada", "nvidia-quadro-rtx-6000", "nvidia-rtx-pro-6000"} <= set(
        corpus.descendants("nvidia-rtx-6000")
    )


def test_prices_are_those_of_september_2026(corpus: Corpus) -> None:
    held = {(row.gpu, row.provider): row.price for row in corpus.prices.prices}
    assert held == {
        ("nvidia-h100-pcie", "runpod"): Decimal("1.99"),
        ("nvidia-h100-sxm", "runpod"): Decimal("3.49"),
        ("nvidia-h100-sxm", "lambda"): Decimal("3.99"),
        ("nvidia-h200", "runpod"): Range(low=Decimal("3.59"), high=Decimal("4.59")),
        ("nvidia-b200", "runpod"): Decimal("6.79"),
        ("nvidia-b200-sxm", "lambda"): Range(low=Decimal("6.69"), high=Decimal("6.99")),
        **{(card, name): None for card in ("amd-mi300x", "amd-mi325x") for name in ("runpod", "lambda", "tensorwave")},
    }
    assert {row.as_of for row in corpus.prices.prices} == {Period("2026-09")}
    assert {row.currency for row in corpus.prices.prices} == {"USD"}


def test_rocm_10_covers_four_generations_of_instinct(corpus: Corpus) -> None:
    supported = {
        row.subject for row in corpus.software.support if row.software == "rocm-10" and row.status == "supported"
    }
    assert {"gfx908", "gfx90a", "gfx942", "gfx950"} <= supported
    assert {"amd-mi100", "amd-mi210", "amd-mi250", "amd-mi250x", "amd-mi300x", "amd-mi300a", "amd-mi325x"} <= supported
    assert {"amd-mi350x", "amd-mi350p", "amd-mi355x"} <= supported


def test_releases_carry_the_dates_of_the_sources(corpus: Corpus) -> None:
    released = {row.entity: row.released for row in corpus.software.releases}
    assert released["cuda-toolkit-13.4"] == Period("2026-09-09")
    assert released["cuda-toolkit-13.4.1"] == Period("2026-09")
    assert released["rocm-10"] == Period("2026-08-27")
    assert released["rocm-7"] is None


def test_attributes_can_be_asked_for_in_every_language(corpus: Corpus) -> None:
    for attribute in corpus.attributes.values():
        for language in ("nl", "da", "zh", "en"):
            words = attribute.asked_as[language]
            assert words, (attribute.id, language)
            assert all(word == word.casefold() for word in words), (attribute.id, language)
            assert len(words) == len(set(words)), (attribute.id, language)
        assert re.search(r"[\u4e00-\u9fff]|[A-Z]", attribute.label.zh), attribute.id
