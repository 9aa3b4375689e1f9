"""Coordinates have one type: what only looks like an integer is refused, and the message says how to make it one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import arggym_env as ag
from arggym_env.coordinates import Coordinates
from arggym_env.envs.mixture import MixtureEnv
from arggym_env.logihard.env import BaseEnv

ORDERING: Final = ag.ORDERINGS[0]
TAKES_A_LEVEL: Final[dict[str, Callable[[Any], object]]] = {
    "generate": lambda level: ag.generate("attack", level, ORDERING, 0),
    "coordinates": lambda level: Coordinates("attack", level, ORDERING, "train", 0),
    "an environment": lambda level: ag.ArgumentationEnv("attack", level=level),
    "an environment's list": lambda level: ag.ArgumentationEnv("attack", level=[1, level]),
    "an option": lambda level: ag.ArgumentationEnv("attack").reset(options={"level": level}),
    "a mixture": lambda level: MixtureEnv(level=level),
    "a mixture's weights": lambda level: MixtureEnv(level={level: 1.0}),
    "a mixture's option": lambda level: MixtureEnv().reset(options={"task": "attack", "level": level}),
}


@pytest.mark.parametrize("taker", TAKES_A_LEVEL)
@pytest.mark.parametrize("level", [np.int64(3), np.int8(3), np.uint64(3)], ids=lambda level: type(level).__name__)
def test_a_numpy_integer_is_no_level_and_the_message_says_so(taker: str, level: object) -> None:
    """Its name would key another random stream, and it has no JSON form."""
    with pytest.raises(ag.CoordinateError) as caught:
        TAKES_A_LEVEL[taker](level)
    advice = f"level {level!r} (numpy.{type(level).__name__}, not a Python int; convert it with int()) is not in 1..15"
    assert advice in str(caught.value)


def test_nor_is_it_a_level_of_logihard() -> None:
    advice = r"level .*3.* \(numpy\.int64, not a Python int; convert it with int\(\)\) is not in 1\.\.5"
    with pytest.raises(ag.CoordinateError, match=advice):
        BaseEnv(level=np.int64(3))  # type: ignore[arg-type]
    with pytest.raises(ag.CoordinateError, match=advice):
        BaseEnv().reset(options={"level": np.int64(3)})


@pytest.mark.parametrize("taker", TAKES_A_LEVEL)
@pytest.mark.parametrize("level", [True, np.True_, 3.0, np.float64(3), "three", 0, 16], ids=repr)
def test_what_is_no_level_is_refused_without_advice_that_would_not_help(taker: str, level: object) -> None:
    with pytest.raises(ag.CoordinateError) as caught:
        TAKES_A_LEVEL[taker](level)
    assert f"level {level!r} is not in 1..15" in str(caught.value)


def test_a_numpy_integer_is_no_seed_and_no_limit() -> None:
    message = r".*3.* \(numpy\.int64, not a Python int; convert it with int\(\)\) is not"
    with pytest.raises(ag.CoordinateError, match=f"seed {message} an integer from 0"):
        ag.generate("attack", 1, ORDERING, np.int64(3))  # type: ignore[arg-type]
    with pytest.raises(ag.CoordinateError, match=f"seed {message} an integer from 0"):
        ag.ArgumentationEnv("attack").reset(options={"seed": np.int64(3)})
    with pytest.raises(ag.CoordinateError, match=f"max_arguments {message} a positive integer"):
        ag.ArgumentationEnv("attack", max_arguments=np.int64(3))  # type: ignore[arg-type]


def test_an_array_is_no_level() -> None:
    with pytest.raises(ag.CoordinateError, match=r"level array\(\[1, 2\]\) is not in 1\.\.15"):
        ag.ArgumentationEnv("attack", level=np.array([1, 2]))  # type: ignore[arg-type]
    assert ag.ArgumentationEnv("attack", level=np.array([1, 2]).tolist()).levels == (1, 2)
