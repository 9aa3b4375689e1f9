"""Print the memory table of docs/training.md: what each recipe in configs/grpo needs on one GPU, by the formulas."""

from __future__ import annotations

from pathlib import Path

from arggym_env.training.grpo import Recipe
from arggym_env.training.memory import GIB, QWEN3, Sharding, estimate
from arggym_env.training.options import read_options
from arggym_env.training.preflight import plan_of

CONFIGS = Path(__file__).parents[1] / "configs" / "grpo"
GPUS: dict[str, tuple[int, Sharding]] = {"qwen3_14b_8xh200": (8, "zero3"), "qwen3_14b_2nodes": (8, "zero3")}
"""The GPUs that train and what is split over them, where that is not one GPU."""
COLUMNS = ("weights", "gradients", "optimizer", "activations", "overhead", "vllm_weights", "kv_cache", "total", "gpu")


def main() -> None:
    """Print one row for each recipe whose model's shape is known."""
    print("| recipe | " + " | ".join(name.replace("_", " ") for name in COLUMNS) + " | sequences cached | fits |")
    print("|---|" + "---:|" * (len(COLUMNS) + 1) + "---|")
    for file in sorted(CONFIGS.glob("*.yaml")):
        recipe = read_options(Recipe, file)
        if recipe.model in QWEN3:
            found = estimate(QWEN3[recipe.model], plan_of(recipe, *GPUS.get(file.stem, (1, "none"))))
            sizes = " | ".join(f"{getattr(found, name) / GIB:.1f}" for name in COLUMNS)
            print(f"| `{file.stem}` | {sizes} | {found.kv_sequences} | {'yes' if found.fits else 'no'} |")


if __name__ == "__main__":
    main()
