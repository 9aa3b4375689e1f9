"""The GRPO recipe with vLLM in the trainer's own process, on a CPU; run as a module by the Python that has vLLM.

    python -m tests.vllm.colocate FINDINGS.json REGEX --config recipe.yaml

Neither TRL nor vLLM is made for this, so three things are changed here that no GPU needs: vLLM's linear layers keep the
weights that TRL will write to (on a CPU they pack and drop them), the engine computes in float32 and compiles nothing,
and completions are held to a regular expression, so that a model which writes noise earns rewards that differ. What
holding them to it does to their log-probabilities is not corrected for.

After the recipe has run, the engine's log-probabilities are compared with the model's, without the expression:
as training left them, after the model's weights were changed, and after these were handed over.
"""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path
from typing import Any

import torch
import trl.generation.vllm_generation as colocated
from datasets import disable_progress_bars
from transformers import AutoModelForCausalLM
from vllm.model_executor.layers import utils as layers

from arggym_env.evaluation.suites import Selection, load_items
from arggym_env.training import grpo

COMPARED = 4
"""How many prompts the comparison generates for."""


def run_recipe(words: list[str], regex: str) -> Any:
    """Run the recipe's command line and return its trainer."""
    recipe_file: Any = grpo
    trainers: list[Any] = []
    build, configure = grpo.build, grpo.grpo_config

    def build_and_keep(*arguments: Any) -> Any:
        trainers.append(build(*arguments))
        return trainers[-1]

    def configure_form(recipe: Any) -> Any:
        arguments = configure(recipe)
        arguments.vllm_structured_outputs_regex = regex
        arguments.vllm_importance_sampling_correction = False
        return arguments

    recipe_file.build, recipe_file.grpo_config = build_and_keep, configure_form
    grpo.main(words)
    return trainers[0]


def keep_weights(layer: Any, remove_weight: bool) -> None:
    """Have a layer multiply by its weight as it is: in place of ``dispatch_cpu_unquantized_gemm``."""
    layer.cpu_linear = torch.nn.functional.linear


class Comparison:
    """The same prompts, again and again."""

    def __init__(self, trainer: Any) -> None:
        self._engine = trainer.vllm_generation
        self._engine.structured_outputs_regex = None
        self._prompts = [
            trainer.processing_class.apply_chat_template(
                [{"role": "user", "content": item.prompt}], add_generation_prompt=True, return_dict=False
            )
            for item in load_items("arggym", Selection(tasks=("status_query",), levels=(1,)))[:COMPARED]
        ]

    def gap(self, *models: Any) -> list[float]:
        """For each model, the largest difference of its log-probability of a token from the engine's, over tokens
        that the engine samples."""
        _, completions, said, _ = self._engine.generate(prompts=self._prompts, images=None, num_generations=1)
        return [max(map(functools.partial(_largest_gap, model), self._prompts, completions, said)) for model in models]


def _largest_gap(model: Any, prompt: list[int], completion: list[int], said: list[list[float]]) -> float:
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([[*prompt, *completion]])).logits[0, len(prompt) - 1 : -1]
    ours = logits.float().log_softmax(-1).gather(-1, torch.tensor(completion).unsqueeze(-1))
    return float((ours - torch.tensor(said)).abs().max())


def change(model: Any) -> None:
    """Change every matrix of a model by a tenth of its size."""
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim == 2:
                weight.add_(torch.randn_like(weight) * weight.std() / 10)


def main(findings: Path, regex: str, words: list[str]) -> None:
    """Run the recipe, compare, and write what was found as JSON."""
    disable_progress_bars()
    layers.dispatch_cpu_unquantized_gemm = keep_weights
    colocated.LLM = functools.partial(colocated.LLM, dtype="float32", enforce_eager=True)
    trainer = run_recipe(words, regex)
    model = trainer.accelerator.unwrap_model(trainer.model).eval()
    before = AutoModelForCausalLM.from_pretrained(model.name_or_path, dtype=torch.float32).eval()
    comparison = Comparison(trainer)
    left, from_start = comparison.gap(model, before)
    change(model)
    (changed,) = comparison.gap(model)
    trainer.vllm_generation.sync_weights()
    (synced,) = comparison.gap(model)
    found = {
        "log": trainer.state.log_history,
        "gaps": {"left": left, "from_start": from_start, "changed": changed, "synced": synced},
    }
    findings.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
