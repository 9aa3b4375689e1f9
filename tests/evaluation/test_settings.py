"""Settings: every key of a file reaches the request or is refused, and the paper's models have theirs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arggym_env.errors import RunError
from arggym_env.evaluation.settings import Settings, read_assignments, read_settings
from arggym_env.frozenmap import FrozenMap

CONFIGS = sorted((Path(__file__).parents[2] / "configs" / "eval").glob("*.toml"))
VARIANTS = {
    "gemma-4-e2b": "off on",
    "gemma-4-e4b": "off on",
    "gemma-4-26b-a4b": "off on",
    "gemma-4-31b": "off on",
    "gpt-oss-20b": "low medium high",
    "gpt-oss-120b": "low medium high",
    "qwen3.5-0.8b": "off on",
    "qwen3.5-2b": "off on",
    "qwen3.5-4b": "off on",
    "qwen3.5-9b": "off on",
    "qwen3.5-35b-a3b": "off on",
    "qwen3.5-27b": "off on",
    "qwen3.8-27b": "low medium xhigh",
    "deepseek-v4.1-flash": "high",
    "gemini-2.5-pro": "low medium high",
    "gemini-3.5-flash-lite": "low medium high",
    "gemini-3.1-pro-preview": "low medium high",
    "gemini-3.8-flash": "low medium high",
}
"""The models and ways of reasoning of the paper's Table 3."""


def write(path: Path, text: str) -> Path:
    file = path / "settings.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_papers_models_are_all_there() -> None:
    assert {path.stem for path in CONFIGS} == set(VARIANTS)
    assert sum(len(names.split()) for names in VARIANTS.values()) == 42


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_shipped_file_gives_each_way_of_reasoning_another_request(path: Path) -> None:
    requests = []
    for name in VARIANTS[path.stem].split():
        settings = read_settings(path, name)
        assert settings.reasoning == name
        assert settings.max_tokens == 65536
        requests.append(settings.request())
        assert "stop" not in requests[-1]
    assert len({str(request) for request in requests}) == len(requests)
    with pytest.raises(RunError, match="choose one of the file's ways"):
        read_settings(path)
    with pytest.raises(RunError, match="'huge' is not one of"):
        read_settings(path, "huge")


def test_the_papers_sampling_is_in_the_request() -> None:
    by_name = {path.stem: path for path in CONFIGS}
    off, on = (read_settings(by_name["qwen3.5-2b"], name).request() for name in ("off", "on"))
    assert (off["top_p"], off["presence_penalty"], off["top_k"], off["min_p"]) == (1.0, 2.0, 20, 0.0)
    assert (on["top_p"], on["presence_penalty"]) == (0.95, 1.5)
    assert on["repetition_penalty"] == 1.0
    assert on["chat_template_kwargs"] == {"enable_thinking": True}
    assert read_settings(by_name["gpt-oss-20b"], "low").request()["reasoning_effort"] == "low"
    deepseek = read_settings(by_name["deepseek-v4.1-flash"], "high").body("Q", 0)
    assert deepseek["chat_template_kwargs"] == {"reasoning_effort": "high"}
    assert "seed" not in deepseek
    gemini = read_settings(by_name["gemini-3.8-flash"], "low").request()
    assert "temperature" not in gemini
    assert gemini["extra_body"] == {"google": {"thinking_config": {"thinking_level": "low"}}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("tempertaure = 1.0", "'tempertaure' is not a setting"),
        ("[reasoning.on]\ntop_pp = 1", "'top_pp' is not a setting"),
        ('temperature = "hot"', "temperature 'hot' is not a number"),
        ("temperature = true", "not a number"),
        ("temperature = nan", "not a finite number"),
        ("top_p = inf", "not a finite number"),
        (f"min_p = {10**400}", "not a finite number"),
        ("[extra_body]\nsince = 2026-01-01", "not a table of JSON values"),
        ("[chat_template_kwargs]\nx = [nan]", "not a table of JSON values"),
        ("top_k = 1.5", "not a whole number"),
        ("seed = -1", "not a whole number from 0"),
        ("max_tokens = 0", "not a whole number from 1"),
        ("thinking = 1", "not true or false"),
        ('stop = "x"', "not a list of texts"),
        ("chat_template_kwargs = 1", "not a table"),
        ("model = 1", "not a text"),
        ("max_tokens = 1\nmax_completion_tokens = 1", "two words for the same"),
        ("[extra_body]\ntemperature = 1", "extra_body.temperature"),
        ("[extra_body]\nn = 2", "extra_body.n"),
        ("reasoning = 1", "not a table"),
        ("a = ", "not TOML"),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(RunError) as raised:
        read_settings(write(tmp_path, text), "on" if "reasoning.on" in text else None)
    assert problem in str(raised.value)
    assert "settings.toml" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        read_settings(tmp_path / "none.toml")


def test_what_is_not_set_is_not_sent() -> None:
    assert Settings(model="m").body("Q", 0) == {"model": "m", "messages": [{"role": "user", "content": "Q"}]}


def test_zero_is_a_value() -> None:
    settings = Settings(model="m", temperature=0.0, top_k=0, min_p=0.0, seed=0)
    body = settings.body("Q", 0)
    assert (body["temperature"], body["top_k"], body["min_p"], body["seed"]) == (0.0, 0, 0.0, 0)


def test_stop_strings_are_sent_when_asked_for(tmp_path: Path) -> None:
    assert read_settings(write(tmp_path, 'stop = ["</answer>"]')).request()["stop"] == ["</answer>"]


def test_assignments_are_toml_values_or_bare_texts_and_come_after_the_file() -> None:
    settings = replace(Settings(model="m", max_tokens=1), chat_template_kwargs=FrozenMap({"a": 1}))
    changed = read_assignments(
        settings, ["max_tokens=512", "reasoning_effort=low", "thinking=false", "temperature=0", "system=Be brief."]
    )
    assert (changed.max_tokens, changed.reasoning_effort, changed.thinking) == (512, "low", False)
    assert (changed.temperature, changed.system) == (0.0, "Be brief.")
    assert read_assignments(settings, ["chat_template_kwargs.b=2"]).request()["chat_template_kwargs"] == {
        "a": 1,
        "b": 2,
    }
    for wrong in ("max_tokens", "=1", "max_tokens=many", "colour=red", ""):
        with pytest.raises(RunError):
            read_assignments(settings, [wrong])
