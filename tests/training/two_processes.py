"""Run by two processes in test_distributed.py: the recipe it is given, and then what each process holds.

The second process takes its time over its part of a checkpoint.

Arguments: a folder for the reports, then the words of grpo.py.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import torch

from arggym_env.training import grpo

if __name__ == "__main__":
    # transformers 5.17 restores an optimizer to the device "cpu:0", which PyTorch does not know by that name.
    torch.serialization.register_package(
        0, lambda storage: None, lambda storage, at: storage if at == "cpu:0" else None
    )
    kept: list[Any] = []
    parts: list[int] = []
    build = grpo.build

    def late(trainer: Any) -> None:
        save = trainer._save_rng_state

        def save_late(folder: str) -> None:
            time.sleep(1)
            save(folder)

        trainer._save_rng_state = save_late

    def counting(write: Any) -> Any:
        def write_and_count(folder: Path) -> None:
            if folder.name.startswith("checkpoint-"):
                parts.append(len(list(folder.glob("rng_state_*.pth"))))
            write(folder)

        return write_and_count

    def build_and_keep(recipe: grpo.Recipe, arguments: Any, run: Any) -> Any:
        trainer = build(recipe, arguments, run)
        kept.append((trainer, run))
        run.write = counting(run.write)
        if trainer.accelerator.process_index:
            late(trainer)
        return trainer

    grpo.build = build_and_keep
    grpo.main(sys.argv[2:])
    trainer, run = kept[0]
    total = sum(float(weight.detach().double().abs().sum()) for weight in trainer.model.parameters())
    report = {"same": {"curriculum": run.curriculum.state(), "weights": total}, "parts": parts}
    name = f"process_{trainer.accelerator.process_index}_of_{trainer.accelerator.num_processes}.json"
    (Path(sys.argv[1]) / name).write_text(json.dumps(report), encoding="utf-8")
    # Threads of gloo outlive the group; one that asks for the interpreter's lock while that ends aborts the process.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
