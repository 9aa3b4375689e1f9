"""Tasks of other distributions: what they get for free, and that they can harm nobody else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import arggym_env as ag
from tests.plugins import EXAMPLE, RETRACTION, ROOT, arggym, install, install_example, python, write

ENV_ID = "revision/retraction-v0"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the example is as good as installed."""
    return install_example(tmp_path_factory.mktemp("site"))


def says(site: Path, code: str) -> str:
    """Return what ``code`` prints in a fresh interpreter, in which warnings are errors."""
    result = python(site, "-W", "error", "-c", code)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return result.stdout


def test_importing_the_package_finds_a_plugin_and_does_not_import_it(site: Path) -> None:
    code = f"""
import sys, gymnasium, arggym_env
print("arggym_retraction" in sys.modules, {ENV_ID!r} in gymnasium.registry)
env = gymnasium.make({ENV_ID!r}, level=1)
print("arggym_retraction" in sys.modules)
assert gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()) == env.spec
prompt, info = env.reset(seed=0)
assert prompt.startswith("Below is a defeasible argumentation theory")
print(info["task"], env.step(f"<answer>{{env.unwrapped.instance.reference}}</answer>")[1])
"""
    assert says(site, code) == f"False True\nTrue\n{RETRACTION} 1.0\n"


def test_the_suite_stays_the_twelve(site: Path) -> None:
    code = "import arggym_env as ag; print(ag.TASKS, ag.ENV_IDS, len(ag.load_frozen()), *ag.__all__)"
    assert says(site, code) == f"{ag.TASKS} {ag.ENV_IDS} {len(ag.load_frozen())} {' '.join(ag.__all__)}\n"


def test_a_plugin_changes_no_instance_of_the_suite(site: Path) -> None:
    code = "import arggym_env as ag; print(ag.generate('status_query', 1, ag.ORDERINGS[0], 3).to_json())"
    assert says(site, code) == ag.generate("status_query", 1, ag.ORDERINGS[0], 3).to_json() + "\n"


def test_instances_are_made_scored_stored_and_pickled_with_the_plugins_own_versions(tmp_path: Path) -> None:
    source = (EXAMPLE / "arggym_retraction.py").read_text(encoding="utf-8")
    source = source.replace("Versions(generator=1, prompt=1, scoring=1)", "Versions(generator=7, prompt=8, scoring=9)")
    site = install(tmp_path, "other", {RETRACTION: "arggym_other:TASK"}, {"arggym_other": source})
    code = f"""
import pickle, arggym_env as ag
instance = ag.generate({RETRACTION!r}, 2, ag.ORDERINGS[1], 5)
print(instance.id, instance.versions)
assert ag.Instance.from_json(instance.to_json()) == pickle.loads(pickle.dumps(instance)) == instance
assert ag.score(instance, f"<answer>{{instance.reference}}</answer>").success
try:
    ag.Instance.from_json(instance.to_json().replace('"prompt":8', '"prompt":1'))
except ag.InstanceError as error:
    print(error)
"""
    assert says(site, code) == (
        "revision.retraction/L02/last_link_democratic/train/5 Versions(generator=7, prompt=8, scoring=9)\n"
        "instance: prompt version 1 is not task revision.retraction's prompt version 8\n"
    )


def test_a_row_of_a_plugin_that_is_not_installed_is_refused_by_name(site: Path) -> None:
    row = says(site, f"import arggym_env as ag; print(ag.generate({RETRACTION!r}, 1, ag.ORDERINGS[0], 0).to_json())")
    with pytest.raises(ag.InstanceError, match=r"task 'revision\.retraction' is not one of formalization"):
        ag.Instance.from_json(row)


def test_mixtures_and_vectors_hold_plugins(site: Path, tmp_path: Path) -> None:
    """Asynchronous ones start processes, which have to find the plug-in themselves."""
    script = tmp_path / "vectors.py"
    write(
        script,
        f"""
import gymnasium as gym
import arggym_env

if __name__ == "__main__":
    mixture = gym.make("ArgGYM/mixture-v0", weights={{{RETRACTION!r}: 1, "status_query": 1}}, level=1)
    print(sorted({{mixture.reset(seed=seed)[1]["task"] for seed in range(8)}}))
    print(mixture.reset(options={{"task": {RETRACTION!r}}})[1]["task"])
    envs = gym.make_vec({ENV_ID!r}, num_envs=2, level=1, asynchronous=True, context="spawn")
    envs.reset(seed=0)
    print(envs.step(("junk", "<answer>junk</answer>"))[4]["final_info"]["reason"])
    envs.close()
""",
    )
    result = python(site, "-W", "error", str(script))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (f"['{RETRACTION}', 'status_query']\n{RETRACTION}\n['no_answer' 'unreadable']\n")


def test_the_command_line_knows_plugins(site: Path, tmp_path: Path) -> None:
    listed = json.loads(arggym(site, "tasks", "-o", "json").stdout)
    assert listed[RETRACTION] == "retract directives so that an overruled claim is justified"
    row = arggym(site, "sample", RETRACTION, "-l", "2", "-o", "json").stdout
    write(tmp_path / "row.json", row)
    reference = f"<answer>{json.loads(row)['reference']}</answer>"
    for words in (["--row", str(tmp_path / "row.json")], [RETRACTION, "-l", "2"]):
        verdict = json.loads(arggym(site, "score", *words, "-o", "json", stdin=reference).stdout)
        assert (verdict["native"], verdict["reason"]) == (1.0, "correct")
    assert arggym(site, "show", RETRACTION, "-l", "2").stdout.startswith("revision.retraction/L02/")
    page = arggym(site, "gallery", "-t", RETRACTION, "-l", "1").stdout
    assert RETRACTION in page


def test_export_and_evaluation_know_plugins(site: Path, tmp_path: Path) -> None:
    words = ("-t", RETRACTION, "-l", "1", "-n", "1")
    for name, workers in (("one", "1"), ("two", "2")):
        result = arggym(site, "export", str(tmp_path / f"{name}.jsonl"), *words, "--workers", workers)
        assert result.returncode == 0, result.stderr
    rows = (tmp_path / "one.jsonl").read_text(encoding="utf-8")
    assert rows == (tmp_path / "two.jsonl").read_text(encoding="utf-8")
    assert [json.loads(row)["task"] for row in rows.strip().split("\n")] == [RETRACTION] * 4
    run = tmp_path / "run"
    chosen = ("--suite", "fresh", "--task", RETRACTION, "--level", "1", "--agent", "reference", "--out", str(run))
    result = arggym(site, "eval", *chosen)
    assert result.returncode == 0, result.stderr
    assert "4 of 4 asked, success 100.0%" in result.stdout + result.stderr
    stored = ("--suite", str(tmp_path / "one.jsonl"), "--agent", "random", "--out", str(tmp_path / "stored"))
    result = arggym(site, "eval", *stored)
    assert result.returncode == 0, result.stderr
    refused = arggym(
        site, "eval", "--suite", "fresh", "--task", "revision.x", "--agent", "reference", "--out", str(run)
    )
    assert "task 'revision.x' is not in suite fresh" in refused.stderr


def test_a_fresh_suite_holds_a_plugin_only_when_it_is_asked_for(site: Path) -> None:
    code = f"""
from arggym_env import TASKS
from arggym_env.evaluation.suites import SUITES, Selection
for selection in (Selection(), Selection(tasks=({RETRACTION!r},))):
    print(*({{entry.task for entry in SUITES["fresh"](selection)}} - {{*TASKS}}))
"""
    assert says(site, code) == f"\n{RETRACTION}\n"


def test_the_example_keeps_all_promises(site: Path) -> None:
    result = python(site, "-m", "arggym_env.testing", RETRACTION, "--level", "1", "--level", "8", "--floor", "0.1")
    assert (result.returncode, result.stdout) == (0, f"{RETRACTION}: all promises hold\n"), result.stdout


@pytest.mark.slow
def test_the_example_keeps_all_promises_at_every_level(site: Path) -> None:
    levels = [word for level in ag.LEVELS for word in ("--level", str(level))]
    result = python(site, "-m", "arggym_env.testing", RETRACTION, *levels, "--seeds", "2", "--floor", "0.1")
    assert (result.returncode, result.stdout) == (0, f"{RETRACTION}: all promises hold\n"), result.stdout


# Broken ones

GOOD = """
from arggym_env.envs.status_query import StatusQuery
from arggym_env.versions import Versions

class Mine(StatusQuery):
    name = "acme.mine"
    versions = Versions()

TASK = Mine()
"""
MISNAMED = {
    "attack": "a plug-in's task is named <namespace>.<task>, both of lower-case letters, digits and underscores",
    "mine": "a plug-in's task is named <namespace>.<task>, both of lower-case letters, digits and underscores",
    "Acme.mine": "a plug-in's task is named <namespace>.<task>, both of lower-case letters, digits and underscores",
    "acme/mine": "a plug-in's task is named <namespace>.<task>, both of lower-case letters, digits and underscores",
    "acme.b.mine": "a plug-in's task is named <namespace>.<task>, both of lower-case letters, digits and underscores",
    "arggym.attack": "the namespaces arggym, logihard are reserved",
    "logihard.base": "the namespaces arggym, logihard are reserved",
}


def test_a_task_under_a_name_it_may_not_have_is_ignored_with_one_warning(tmp_path: Path) -> None:
    site = install(tmp_path, "acme", dict.fromkeys((*MISNAMED, "acme.mine"), "acme_task:TASK"), {"acme_task": GOOD})
    code = """
import gymnasium, arggym_env as ag
print(ag.generate("attack", 1, ag.ORDERINGS[0], 0).id, ag.generate("acme.mine", 1, ag.ORDERINGS[0], 0).id)
print(*sorted(name for name in gymnasium.registry if "cme" in name or "mine" in name))
"""
    warnings = [f"task {name!r} of acme 1.0 is ignored: {why}" for name, why in sorted(MISNAMED.items())]
    result = python(site, "-W", "error", "-c", code)
    assert result.returncode == 0
    assert result.stderr.strip().split("\n") == warnings
    assert result.stdout == (
        "attack/L01/last_link_elitist/train/0 acme.mine/L01/last_link_elitist/train/0\nacme/mine-v0\n"
    )
    listed = arggym(site, "tasks", "-o", "json")
    assert [name for name in json.loads(listed.stdout) if name not in ag.TASKS][3:] == ["acme.mine"]
    assert listed.stderr.strip().split("\n") == warnings


UNUSABLE: dict[str, tuple[str, str, str]] = {
    "no_module": ("absent:TASK", "", "cannot be imported from absent:TASK: ModuleNotFoundError: "),
    "no_name": ("no_name:ABSENT", GOOD, "cannot be imported from no_name:ABSENT: AttributeError: "),
    "raises": ("raises:TASK", "1 / 0", "cannot be imported from raises:TASK: ZeroDivisionError: "),
    "syntax": ("syntax:TASK", "def", "cannot be imported from syntax:TASK: SyntaxError: "),
    "abstract": (
        "abstract:TASK",
        "from arggym_env.envs.task import Task\nclass Mine(Task):\n    pass\nTASK = Mine()\n",
        "cannot be imported from abstract:TASK: TypeError: Can't instantiate abstract class Mine",
    ),
    "a_class": ("a_class:Mine", GOOD, "a_class:Mine is ABCMeta, not an instance of a subclass of"),
    "a_module": ("a_module", GOOD, "a_module is module, not an instance of a subclass of"),
    "other_name": ("other_name:TASK", GOOD, "is called 'acme.mine', which is not the name of the entry point"),
    "no_versions": (
        "no_versions:TASK",
        GOOD.replace("    versions = Versions()\n", "").replace("acme.mine", "acme.no_versions"),
        "declares no versions of its own (versions = Versions(",
    ),
    "no_levels": (
        "no_levels:TASK",
        GOOD.replace("    versions", "    levels = ()\n    versions").replace("acme.mine", "acme.no_levels"),
        "has 0 levels, not 15",
    ),
    "no_question": (
        "no_question:TASK",
        GOOD.replace("    versions", "    question_type = int\n    versions").replace("acme.mine", "acme.no_question"),
        "has a question_type that is not a dataclass derived from",
    ),
    "exits": ("exits:TASK", "import sys\nsys.exit(3)", "cannot be imported from exits:TASK: SystemExit: 3"),
    "raising_name": (
        "raising_name:TASK",
        GOOD.replace(
            '    name = "acme.mine"', "    @property\n    def name(self):\n        raise RuntimeError('no name')"
        ),
        "raising_name:TASK cannot be examined: RuntimeError: no name",
    ),
    "exiting_levels": (
        "exiting_levels:TASK",
        GOOD.replace(
            "    versions", "    @property\n    def levels(self):\n        raise SystemExit(3)\n    versions", 1
        ),
        "exiting_levels:TASK cannot be examined: SystemExit: 3",
    ),
    **{
        attribute: (
            f"{attribute}:TASK",
            GOOD.replace("TASK = Mine()", f"Mine.{field} = {value}\nTASK = Mine()").replace("mine", attribute),
            message,
        )
        for attribute, field, value, message in (
            ("levels_none", "levels", "None", "has levels that are NoneType, not a tuple"),
            (
                "levels_ints",
                "levels",
                "(*range(15),)",
                "has a level that is int, not an instance of a frozen dataclass",
            ),
            ("levels_types", "levels", "(Versions,) * 15", "has a level that is type, not an instance of a frozen"),
            ("summary_none", "summary", "None", "has a summary that is NoneType, not a string"),
            (
                "versions_dict",
                "versions",
                "{'prompt': 1}",
                "has versions {'prompt': 1}, not Versions of three integers",
            ),
            ("versions_text", "versions", "Versions(1, '1', 1)", "not Versions of three integers"),
            ("stream_name_int", "stream_name", "3", "has a stream_name that is int, not a string or None"),
        )
    },
}


def test_a_task_that_cannot_be_used_is_an_error_for_who_asks_for_it_alone(tmp_path: Path) -> None:
    targets = {f"acme.{name}": target for name, (target, _, _) in UNUSABLE.items()}
    site = install(tmp_path, "acme-tasks", targets, {name: source for name, (_, source, _) in UNUSABLE.items()})
    code = f"""
import gymnasium, arggym_env as ag
print(ag.generate("attack", 1, ag.ORDERINGS[0], 0).id)
for name in {list(UNUSABLE)!r}:
    for ask in (
        lambda: ag.generate(f"acme.{{name}}", 1, ag.ORDERINGS[0], 0),
        lambda: gymnasium.make(f"acme/{{name}}-v0"),
        lambda: gymnasium.make("ArgGYM/mixture-v0", weights={{f"acme.{{name}}": 1}}),
    ):
        try:
            ask()
        except ag.ArgGymError as error:
            print(type(error).__name__, error)
"""
    first, *errors = says(site, code).strip().split("\n")
    assert first.startswith("attack/L01/")
    assert len(errors) == 3 * len(UNUSABLE)
    for number, (name, (_, _, message)) in enumerate(UNUSABLE.items()):
        for error in errors[3 * number : 3 * number + 3]:
            assert error.startswith(f"PluginError task 'acme.{name}' of acme-tasks 1.0")
            assert message in error
    listed = arggym(site, "tasks")
    assert listed.returncode == 0, listed.stderr
    assert "attack_defense" in listed.stdout
    lines = listed.stderr.strip().split("\n")
    assert len(lines) == len(UNUSABLE)
    assert all(line.startswith("arggym: task 'acme.") and "of acme-tasks 1.0" in line for line in lines)


def test_a_name_that_two_distributions_claim_belongs_to_neither(tmp_path: Path) -> None:
    site = install(tmp_path, "acme-one", {"acme.mine": "acme_task:TASK"}, {"acme_task": GOOD})
    install(site, "acme-two", {"acme.mine": "acme_task:TASK", "acme_two.mine": "acme_task:TASK"})
    code = """
import arggym_env as ag
try:
    ag.generate("acme.mine", 1, ag.ORDERINGS[0], 0)
except ag.ArgGymError as error:
    print(error)
"""
    clash = "task 'acme.mine' is declared by acme-one 1.0 and acme-two 1.0; it cannot be used until one of them is gone"
    result = python(site, "-W", "error", "-c", code)
    assert (result.returncode, result.stdout, result.stderr) == (0, clash + "\n", clash + "\n")


def test_a_distribution_that_is_found_twice_is_the_first(site: Path, tmp_path: Path) -> None:
    """An editable checkout beside an installed copy is no clash."""
    install(tmp_path, "ArgGym_Retraction", {RETRACTION: "absent:TASK"})
    code = f"import arggym_env as ag; print(ag.generate({RETRACTION!r}, 1, ag.ORDERINGS[0], 0).task)"
    both = Path(f"{site}{os.pathsep}{tmp_path}")
    assert python(both, "-W", "error", "-c", code, cwd=site).stdout == f"{RETRACTION}\n"


def test_malformed_entry_points_of_anybody_do_not_break_the_import(tmp_path: Path) -> None:
    site = install_example(tmp_path)
    for number, text in enumerate(("[console_scripts]\nbroken\n", "nonsense", "[arggym_env.tasks]\n")):
        install(site, f"acme-{number}", text)
    install(site, "acme", "[arggym_env.tasks]\nno equals sign\n")
    install(site, "bytes", "")
    (site / "bytes-1.0.dist-info" / "entry_points.txt").write_bytes(b"[arggym_env.tasks]\n\xff\xfe")
    code = f"import arggym_env as ag; print(ag.generate({RETRACTION!r}, 1, ag.ORDERINGS[0], 0).task)"
    result = python(site, "-W", "error", "-c", code)
    assert (result.returncode, result.stdout) == (0, f"{RETRACTION}\n")
    assert result.stderr.startswith("the entry points of acme 1.0 cannot be read and are ignored: ")
    assert result.stderr.count("\n") == 1


# Installed for real


@pytest.mark.slow
def test_the_example_works_when_it_is_installed_with_pip(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(tmp_path), str(ROOT), str(EXAMPLE)], check=True)
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    wheels = sorted(map(str, tmp_path.glob("*.whl")))
    assert len(wheels) == 2
    subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", *wheels], check=True)

    def run(program: str, *words: str, stdin: str = "") -> str:
        clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        command = [str(programs / program), *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=clean, input=stdin, capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    assert RETRACTION in run("arggym", "tasks")
    code = f"""
import gymnasium as gym
import arggym_env
env = gym.make({ENV_ID!r}, level=[1, 2])
env.reset(seed=0)
print(env.step(f"<answer>{{env.unwrapped.instance.reference}}</answer>")[1])
"""
    assert run("python", "-W", "error", "-c", code) == "1.0\n"
    completion = run("arggym", "sample", RETRACTION, "--reference")
    assert "correct" in run("arggym", "score", RETRACTION, stdin=completion)
    assert "8 rows written" in run("arggym", "export", "x.jsonl", "-t", RETRACTION, "-l", "1", "-n", "2", "-w", "2")
    chosen = ("--suite", "fresh", "--task", RETRACTION, "--level", "1", "--agent", "reference", "--out", "run")
    assert "4 of 4 asked, success 100.0%" in run("arggym", "eval", *chosen)
    assert RETRACTION in run("arggym", "report", "run")
    assert run("python", "-m", "arggym_env.testing", RETRACTION, "--level", "3") == f"{RETRACTION}: all promises hold\n"
    run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "arggym-retraction")
    assert RETRACTION not in run("arggym", "tasks")
