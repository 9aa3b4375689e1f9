"""What is kept beside every checkpoint, and what must be the same for a run to go on from it.

``arggym.json`` is written last into a checkpoint, so a checkpoint without it was interrupted while it was written and
is passed over. A run goes on only with the versions of prompts and scoring, and with the settings of data and
objective, that it began with: otherwise one curve would join two experiments.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from accelerate import PartialState
from transformers import TrainerCallback

from arggym_env.errors import RunError
from arggym_env.rewards.score import JsonValue
from arggym_env.training.curriculum import Curriculum
from arggym_env.versions import LOGIHARD_VERSIONS, Versions

RECORD: Final = "arggym.json"
"""The file beside a checkpoint and at the top of a run folder."""
VERSIONS: Final = {"arggym": asdict(Versions()), "logihard": asdict(LOGIHARD_VERSIONS)}
"""What generates, words and scores the questions."""
LEFT: Final = (RECORD, "completions", "frozen", "best", "final")
"""What a run leaves in its folder beside its checkpoints."""
LIBRARIES: Final = ("arggym-env", "trl", "transformers", "torch", "accelerate", "datasets", "peft", "deepspeed", "vllm")


def library_versions() -> dict[str, JsonValue]:
    """Return the versions of Python and of the libraries that a run depends on; None for one that is not installed."""
    found: dict[str, JsonValue] = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


class Run:
    """A training run's folder, its settings and what it may go on from.

    Args:
        folder: the run folder; the trainer's ``output_dir``.
        settings: every setting, as JSON.
        fixed: the names of the settings that a resumed run may not change.
        prompts: different prompts of one generation; the number of processes is part of it.
        curriculum: whose state goes with the checkpoints, if there is one.
    """

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, JsonValue],
        fixed: Iterable[str],
        prompts: int,
        curriculum: Curriculum | None,
    ) -> None:
        self.folder = folder
        self.settings = dict(settings)
        self.fixed = tuple(fixed)
        self.prompts = prompts
        self.curriculum = curriculum

    def write(self, folder: Path) -> None:
        """Write what a run may go on from beside a checkpoint."""
        record = {
            "settings": self.settings,
            "prompts": self.prompts,
            "versions": VERSIONS,
            "libraries": library_versions(),
            "curriculum": None if self.curriculum is None else self.curriculum.state(),
        }
        write_json(folder / RECORD, record)

    def latest(self) -> Path | None:
        """Return the newest whole checkpoint of the folder, or None."""
        found = [
            (int(path.name.removeprefix("checkpoint-")), path)
            for path in self.folder.glob("checkpoint-*")
            if path.name.removeprefix("checkpoint-").isdecimal() and (path / RECORD).is_file()
        ]
        return max(found)[1] if found else None

    def begin(self) -> None:
        """Accept the folder for a run that begins.

        Raises:
            RunError: it holds what another run left: a checkpoint, which this run would not go on from, or evaluations
                and weights, which it would take for its own.
        """
        if (there := self.latest()) is not None:
            raise RunError(f"{self.folder}: holds {there.name}; go on from it with --resume, or choose another output")
        if left := [name for name in LEFT if (self.folder / name).exists()]:
            raise RunError(
                f"{self.folder}: holds {', '.join(left)} of a run without a whole checkpoint; remove the folder, or "
                "choose another output"
            )

    def resume(self) -> Path:
        """Return the newest whole checkpoint, after putting the curriculum where it was.

        Raises:
            RunError: there is none; its versions, settings or number of prompts of a generation are not this run's; or
                its record cannot be read.
        """
        checkpoint = self.latest()
        if checkpoint is None:
            raise RunError(f"{self.folder}: there is no whole checkpoint to resume from")
        try:
            kept = json.loads((checkpoint / RECORD).read_text(encoding="utf-8"))
            settings, versions, prompts, state = (
                kept[key] for key in ("settings", "versions", "prompts", "curriculum")
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunError(f"{checkpoint}: {RECORD} cannot be read ({type(error).__name__}: {error})") from None
        for kind, ours in VERSIONS.items():
            for name, version in ours.items():
                if (old := versions.get(kind, {}).get(name)) != version:
                    raise RunError(f"{checkpoint}: made with {kind} {name} version {old}, this package has {version}")
        for name in self.fixed:
            if (old := settings.get(name)) != self.settings[name]:
                raise RunError(f"{checkpoint}: {name} is {old!r:.80}; {self.settings[name]!r:.80} would be another run")
        if prompts != self.prompts:
            raise RunError(
                f"{checkpoint}: {prompts} prompts a generation; {self.prompts} with these processes and batch sizes"
            )
        if self.curriculum is not None:
            self.curriculum.load(state)
        return checkpoint


class Keeper(TrainerCallback):  # type: ignore[misc, unused-ignore] # transformers is Any where it is not installed
    """Writes the run's record to its folder when training begins, and last of all into every checkpoint."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            self._run.folder.mkdir(parents=True, exist_ok=True)
            self._run.write(self._run.folder)

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        PartialState().wait_for_everyone()  # each process has written its random state and its share of the optimizer
        if state.is_world_process_zero:
            self._run.write(self._run.folder / f"checkpoint-{state.global_step}")


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON object so that the file is whole or not there, whenever the process ends."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8", newline="\n")
    os.replace(partial, path)


def settings_of(recipe: Any) -> dict[str, JsonValue]:
    """Return the fields of a dataclass as JSON values, as the record holds them."""
    found: dict[str, JsonValue] = json.loads(json.dumps(asdict(recipe)))
    return found


def read_json(path: Path) -> dict[str, Any] | None:
    """Return the JSON object that ``write_json`` wrote, or None where there is none."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        return None
    return found
