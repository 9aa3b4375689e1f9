"""A run small enough for two cores in which reward rises: a multiple-choice question that comes again and again.

The question is LogiHard's, of level 1. The model has been taught to answer it with a letter drawn at random, which is
right one time in four. GRPO, paid by the environment alone, has to find the right one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arggym_env.envs.stream import Stream
from arggym_env.rewards.trl import Reward, stop_ids
from arggym_env.training.seed_table import Render, seed_table
from tests.training.tiny import talk, tiny_model

LETTERS = "ABCD"


def learn(
    folder: Path, *, questions: int = 1, steps: int = 30, group: int = 32, rate: float = 3e-3, seed: int = 0
) -> list[dict[str, Any]]:
    """Train in ``folder`` and return the trainer's log: one entry a step, of ``group`` completions of each question."""
    from transformers import AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer

    chosen = {"family": "ordering", "level": 1}
    table = seed_table(questions, seed=seed, weights={"logihard_base": 1}, logihard=chosen)
    prompts = [row["prompt"][0]["content"] for row in table.with_transform(Render())]
    stream = Stream("letters", seed)
    taught = [(prompt, stream.choice(LETTERS)) for _ in range(800 // questions) for prompt in prompts]
    model = talk(tiny_model(folder / "model", texts=prompts, vocabulary=512), taught)
    tokenizer = AutoTokenizer.from_pretrained(str(model), padding_side="left")
    stops = stop_ids(tokenizer)
    trainer = GRPOTrainer(
        model=str(model),
        reward_funcs=[Reward("native", workers=0, truncated="zero", stop_ids=stops)],
        args=GRPOConfig(
            output_dir=str(folder / "run"),
            seed=seed,
            max_steps=steps,
            shuffle_dataset=False,
            remove_unused_columns=False,
            num_generations=group,
            per_device_train_batch_size=group * questions,
            learning_rate=rate,
            lr_scheduler_type="constant",
            max_completion_length=8,
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
        ),
        train_dataset=table.select(list(range(questions)) * steps).with_transform(Render()),
        processing_class=tokenizer,
    )
    trainer.train()
    return [entry for entry in trainer.state.log_history if "reward" in entry]
