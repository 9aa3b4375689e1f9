from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arggym_env.errors import RunError
from arggym_env.training.memory import GIB, QWEN3, Plan, Sharding, activations, estimate, shape_of

PLAN = Plan(
    gpus=1,
    sharding="none",
    width=4,
    lora_rank=0,
    sequences=2,
    context=8192,
    checkpointing=True,
    reference=False,
    vllm_share=0.3,
    vllm_tp=1,
    gpu=139 * GIB,
)
SHAPE = QWEN3["Qwen/Qwen3-4B"]


@pytest.mark.parametrize(
    ("name", "parameters", "billions"),
    [
        ("Qwen/Qwen3-0.6B", 596_049_920, 0.6),
        ("Qwen/Qwen3-4B", 4_022_468_096, 4.0),
        ("Qwen/Qwen3-14B", 14_768_307_200, 14.8),
    ],
)
def test_the_shapes_have_as_many_parameters_as_the_models_are_named_for(
    name: str, parameters: int, billions: float
) -> None:
    assert QWEN3[name].parameters == parameters
    assert round(QWEN3[name].parameters / 1e9, 1) == billions


def test_float32_weights_gradients_and_moments_are_sixteen_bytes_a_parameter() -> None:
    found = estimate(SHAPE, PLAN)
    assert found.weights + found.gradients + found.optimizer == 16 * SHAPE.parameters
    assert found.vllm_weights == 2 * SHAPE.parameters
    assert found.vllm_weights + found.kv_cache == int(0.3 * 139 * GIB)


@pytest.mark.parametrize(("sharding", "each"), [("zero2", 2 + (2 + 12) / 8), ("zero3", 16 / 8)])
def test_deepspeed_divides_what_it_shards(sharding: Sharding, each: float) -> None:
    found = estimate(SHAPE, replace(PLAN, gpus=8, sharding=sharding, width=2))
    assert (found.weights + found.gradients + found.optimizer) / SHAPE.parameters == pytest.approx(each, rel=1e-6)


def test_a_reference_model_is_a_second_copy_except_with_adapters() -> None:
    assert estimate(SHAPE, replace(PLAN, reference=True)).weights == 2 * estimate(SHAPE, PLAN).weights
    adapted = replace(PLAN, lora_rank=32, width=2)
    assert estimate(SHAPE, replace(adapted, reference=True)).weights == estimate(SHAPE, adapted).weights
    assert estimate(SHAPE, adapted).gradients < estimate(SHAPE, PLAN).gradients / 50


def test_activations_grow_with_the_tokens_and_shrink_with_checkpointing() -> None:
    assert activations(SHAPE, replace(PLAN, context=16384)) > activations(SHAPE, PLAN)
    assert activations(SHAPE, replace(PLAN, checkpointing=False)) > 5 * activations(SHAPE, PLAN)


def test_a_cache_without_room_does_not_fit() -> None:
    assert estimate(SHAPE, PLAN).fits
    assert not estimate(SHAPE, replace(PLAN, vllm_share=0.05)).fits
    assert not estimate(SHAPE, replace(PLAN, gpu=80 * GIB)).fits


def test_the_formulas_count_a_real_models_parameters_and_adapters_exactly(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed (extra: train)")
    pytest.importorskip("peft", reason="peft is not installed (extra: train)")
    from peft import LoraConfig, get_peft_model
    from transformers import Qwen3Config, Qwen3ForCausalLM

    for tied in (True, False):
        config = Qwen3Config(
            vocab_size=300,
            hidden_size=48,
            intermediate_size=80,
            num_hidden_layers=3,
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=16,
            tie_word_embeddings=tied,
        )
        model = Qwen3ForCausalLM(config)
        shape = shape_of(config)
        assert shape.parameters == sum(weight.numel() for weight in model.parameters())
        adapted = get_peft_model(model, LoraConfig(r=4, target_modules="all-linear", task_type="CAUSAL_LM"))
        trained = sum(weight.numel() for weight in adapted.parameters() if weight.requires_grad)
        assert trained == 4 * shape.linear_widths


def test_a_configuration_of_another_kind_is_refused() -> None:
    with pytest.raises(RunError, match="memory"):
        shape_of(object())
