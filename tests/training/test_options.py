from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Literal

import pytest

pytest.importorskip("yaml", reason="PyYAML is not installed (extra: train)")

from arggym_env.errors import RunError
from arggym_env.training.grpo import FREE, Recipe
from arggym_env.training.options import read_options, take_flag

CONFIGS = sorted((Path(__file__).parents[2] / "configs" / "grpo").glob("*.yaml"))


@dataclass(frozen=True)
class Small:
    name: str
    rate: float = 0.5
    steps: int = 10
    fast: bool = False
    mode: Literal["a", "b"] = "a"
    engine: Literal["off", "near"] = "near"
    weights: dict[str, float] | None = None
    stages: dict[int, list[int]] = field(default_factory=dict)


def file_with(folder: Path, text: str) -> Path:
    path = folder / "recipe.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_values_come_from_the_file_and_the_command_line_wins(tmp_path: Path) -> None:
    file = file_with(tmp_path, "name: x\nrate: 1e-6\nweights: {attack: 1}\nstages: {0: [1, 3]}\n")
    found = read_options(Small, file, ["--steps", "20", "--fast=true", "--weights", "{defence: 2}"])
    assert found == Small("x", rate=1e-6, steps=20, fast=True, weights={"defence": 2.0}, stages={0: [1, 3]})


@pytest.mark.parametrize(
    ("text", "words", "says"),
    [
        ("name: x\nsteep: 3\n", [], "'steep' is not a hyperparameter; did you mean 'steps'"),
        ("name: x\n", ["--tempertaure", "1"], "'tempertaure' is not a hyperparameter"),
        ("name: x\nsteps: many\n", [], "steps 'many' is not a whole number"),
        ("name: x\nsteps: true\n", [], "steps True is not a whole number"),
        ("name: x\nsteps: 1.5\n", [], "steps 1.5 is not a whole number"),
        ("name: x\nmode: c\n", [], "mode 'c' is not one of 'a', 'b'"),
        ("name: x\nweights: [attack]\n", [], "is not a mapping from a text to a number or null"),
        ("rate: 1\n", [], "name has no value"),
        ("name: x\nrate: .nan\n", [], "rate nan is not a number"),
        ("name: x\n", ["--rate", "inf"], "rate 'inf' is not a number"),
        ("name: x\nsteps: 3\nrate: 1\nsteps: 4\n", [], "steps is there twice"),
        ("name: x\n", ["--weights", "{attack: 1, attack: 2}"], "is not YAML"),
        ("- name\n", [], "holds list, not a mapping"),
        ("name: [\n", [], "not YAML"),
        ("name: x\n", ["--steps"], "'--steps' is not --KEY VALUE"),
        ("name: x\n", ["steps", "3"], "'steps' is not --KEY VALUE"),
    ],
)
def test_what_is_not_a_hyperparameter_or_its_type_is_refused_by_name(
    tmp_path: Path, text: str, words: list[str], says: str
) -> None:
    with pytest.raises(RunError) as error:
        read_options(Small, file_with(tmp_path, text), words)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        read_options(Small, tmp_path / "none.yaml")


def test_a_flag_is_taken_out_of_the_words() -> None:
    words = ["--resume", "--steps", "3"]
    assert take_flag(words, "--resume")
    assert not take_flag(words, "--dry-run")
    assert words == ["--steps", "3"]


def test_off_is_a_choice_where_yaml_reads_it_as_false(tmp_path: Path) -> None:
    assert read_options(Small, file_with(tmp_path, "name: x\nengine: off\n")).engine == "off"
    assert read_options(Small, file_with(tmp_path, "name: x\nfast: off\n"), ["--engine", "off"]).engine == "off"


@pytest.mark.parametrize("file", CONFIGS, ids=[file.stem for file in CONFIGS])
def test_every_shipped_recipe_reads(file: Path) -> None:
    recipe = read_options(Recipe, file)
    assert recipe.steps > 0
    assert set(recipe.rewards) <= {"native", "success", "corrected", "format"}


def test_there_are_recipes_for_each_size_and_a_smoke_run() -> None:
    names = " ".join(file.stem for file in CONFIGS)
    for part in ("0.6b", "4b", "14b", "8xh200", "2nodes", "lora", "cpu_smoke"):
        assert part in names


def test_what_a_resumed_run_may_change_are_hyperparameters_and_none_of_its_data() -> None:
    names = {one.name for one in fields(Recipe)}
    assert names >= FREE
    assert not {"seed", "weights", "levels", "curriculum", "rewards", "num_generations", "truncated", "model"} & FREE
    assert replace(Recipe(model="m", output="o"), steps=3).steps == 3
