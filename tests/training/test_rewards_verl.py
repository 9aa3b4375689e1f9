"""The reward for verl: loaded by its path, fed by an export that went through Parquet."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import arggym_env as ag
from arggym_env.rewards import verl
from arggym_env.rewards.asking import ADDRESS_COLUMNS, versions_of

ROOT = Path(__file__).parent.parent.parent
DOCS = (ROOT / "docs" / "rewards.md").read_text(encoding="utf-8")
NUMBERS = {"score", "native", "success", "corrected", "answer_found"}


@pytest.fixture(scope="module")
def by_path() -> Any:
    """The module as verl loads it: from its file, under a name of verl's."""
    spec = importlib.util.spec_from_file_location("custom_module", verl.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def addressed(task: str, **options: Any) -> dict[str, str]:
    """Return the columns of a question."""
    values = (f"ArgGYM/{task}-v0", task, "train", json.dumps(options), "{}", versions_of(task))
    return dict(zip(ADDRESS_COLUMNS, values, strict=True))


@pytest.mark.parametrize("task", ag.TASKS)
def test_stored_and_addressed_questions_are_paid_what_the_environment_pays(task: str, by_path: Any) -> None:
    instance = ag.generate(task, 2, ag.ORDERINGS[1], 5)
    where = addressed(task, level=2, ordering=ag.ORDERINGS[1], seed=5)
    for text in (f"<answer>\n{instance.reference}\n</answer>", "<answer>\n[premise: a]\n</answer>", "nothing"):
        verdict = ag.score(instance, text)
        expected = {
            "native": verdict.native,
            "success": float(verdict.success),
            "corrected": ag.corrected(verdict.native, instance.floor),
            "answer_found": float(verdict.answer_found),
        }
        for reward in ("native", "success", "corrected"):
            paid = by_path.compute_score("arggym", text, instance.to_json(), {"index": 0}, reward=reward)
            assert paid == {**expected, "score": expected[reward]}
            assert {type(value) for value in paid.values()} == {float}
            assert by_path.compute_score("arggym", text, "", where, reward=reward, reward_router_address=None) == paid


@pytest.mark.parametrize("combinatorial", [False, True])
def test_logihard_questions_are_paid_too(combinatorial: bool, by_path: Any) -> None:
    env: Any = gym.make(ag.LOGIHARD_ENV_IDS[combinatorial]).unwrapped
    env.reset(seed=0)
    for text in (env.instance.reference, "C", "none"):
        env.reset(options={"instance": env.instance})
        *_, info = env.step(text)
        paid = by_path.compute_score("logihard", text, env.instance.to_json())
        assert {name: paid[name] for name in NUMBERS - {"score"}} == {
            name: float(info[name]) for name in NUMBERS - {"score"}
        }


def test_what_is_missing_or_of_another_version_is_named(by_path: Any) -> None:
    where = addressed("attack", level=1, ordering=ag.ORDERINGS[0], seed=0)
    for name in where:
        with pytest.raises(ag.InstanceError, match=f"there is no column '{name}'"):
            by_path.compute_score("arggym", "", None, {key: value for key, value in where.items() if key != name})
    with pytest.raises(ag.InstanceError, match="there is no column 'env_id'"):
        by_path.compute_score("arggym", "", "", None)
    with pytest.raises(ag.InstanceError, match="scoring version None; this package has 1"):
        by_path.compute_score("arggym", "", "", {**where, "versions": '{"generator": 1, "prompt": 1}'})
    row = json.loads(ag.generate("attack", 1, ag.ORDERINGS[0], 0).to_json())
    row["versions"]["scoring"] -= 1
    with pytest.raises(ag.InstanceError, match="scoring"):
        by_path.compute_score("arggym", "", json.dumps(row))
    with pytest.raises(ag.CoordinateError, match="reward 'best' is not one of"):
        by_path.compute_score("arggym", "", "", where, reward="best")


def test_the_documented_way_from_an_export_to_verls_parquet_keeps_every_question(tmp_path: Path, by_path: Any) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (extra: export)")
    section = DOCS[DOCS.index("## verl") :]
    (command,) = re.findall(r"```bash\narggym (.*)\n```", section)
    (code,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    arggym = "from arggym_env.cli import main; main()"
    for program in ([arggym, *command.split()], [code]):
        subprocess.run([sys.executable, "-c", *program], cwd=tmp_path, env=environment, check=True, capture_output=True)
    rows = pq.read_table(tmp_path / "verl.parquet").to_pylist()
    assert len(rows) == 2 * 2 * 4 * 4
    for row in rows:
        instance = ag.Instance.from_json(row["reward_model"]["ground_truth"])
        assert row["prompt"] == [{"role": "user", "content": instance.prompt}]
        assert row["data_source"] == f"arggym/{instance.task}"
        call = {"data_source": row["data_source"], "ground_truth": row["reward_model"]["ground_truth"]}
        right = f"</think><answer>\n{instance.reference}\n</answer>"
        paid = by_path.compute_score(solution_str=right, extra_info=row["extra_info"], **call)
        assert set(paid) == NUMBERS
        assert set(paid.values()) == {1.0}
        assert by_path.compute_score(solution_str="?", extra_info=row["extra_info"], **call)["score"] == 0
