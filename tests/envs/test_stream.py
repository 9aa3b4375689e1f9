"""The random stream: pinned words, uniform draws, and bounds that are checked."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.envs.stream import Stream

KEY = (1, "train", "attack", 5, "last-link elitist", 0)


def test_the_words_are_pinned() -> None:
    """Another word means other instances at the same coordinates: bump the generator version."""
    stream = Stream(*KEY)
    assert [stream.word() for _ in range(4)] == WORDS
    for _ in range(996):
        stream.word()
    assert stream.word() == WORD_1001


WORDS = [8805538830674919527, 13455373347947860373, 17909418220737117277, 10804472086008488258]
WORD_1001 = 7156593413155311473


def test_the_draws_are_pinned() -> None:
    stream = Stream("draws")
    assert [stream.below(10) for _ in range(12)] == BELOW
    assert stream.shuffled("abcdefgh") == SHUFFLED
    assert stream.sample(range(100), 5) == SAMPLED
    assert [stream.chance(0.5) for _ in range(8)] == COINS


BELOW = [6, 0, 0, 8, 9, 9, 8, 6, 5, 1, 2, 6]
SHUFFLED = list("adhbegfc")
SAMPLED = [87, 54, 68, 77, 52]
COINS = [True, False, False, True, False, False, True, False]


def test_the_words_are_philox_words_of_the_key_alone() -> None:
    """Raw words are stable by NumPy's contract; nothing of ``Generator`` takes part."""
    stream, again = Stream(*KEY), Stream(*KEY)
    np.random.default_rng(0).random(100)
    assert [stream.word() for _ in range(600)] == [again.word() for _ in range(600)]


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_a_new_process_draws_the_same(hash_seed: str) -> None:
    code = f"from arggym_env.envs.stream import Stream; s = Stream(*{KEY!r}); print([s.word() for _ in range(4)])"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert run.stdout.strip() == str(WORDS)


@pytest.mark.parametrize(
    "other",
    [
        (2, "train", "attack", 5, "last-link elitist", 0),
        (1, "eval", "attack", 5, "last-link elitist", 0),
        (1, "train", "defence", 5, "last-link elitist", 0),
        (1, "train", "attack", 6, "last-link elitist", 0),
        (1, "train", "attack", 5, "last-link democratic", 0),
        (1, "train", "attack", 5, "last-link elitist", 1),
        (1, "train", "attack", 5, "last-link elitist", "0"),
        (1, "train", "attack", 5, "last-link elitist"),
        (1, "train", "attack", 50, "last-link elitist", 0),
        (1, "train", "attack", 5, "last-link elitist", 00, 0),
        (),
    ],
)
def test_any_other_key_is_another_stream(other: tuple[str | int, ...]) -> None:
    stream, rival = Stream(*KEY), Stream(*other)
    assert not {stream.word() for _ in range(300)} & {rival.word() for _ in range(300)}


def test_neighbouring_seeds_share_nothing() -> None:
    words = [word for seed in range(200) for word in _words(Stream("x", seed), 50)]
    assert len(set(words)) == len(words)


def _words(stream: Stream, count: int) -> list[int]:
    return [stream.word() for _ in range(count)]


def test_parts_of_a_key_do_not_run_together() -> None:
    keys: list[tuple[str | int, ...]] = [("a", "b"), ("ab",), ("a", "b", ""), ("a b",), (1, 2), (12,)]
    assert len({tuple(_words(Stream(*key), 2)) for key in keys}) == len(keys)


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 255, 256, 257, 2**32 + 1, 2**63, 2**64 - 1, 2**64])
def test_below_stays_below(bound: int) -> None:
    stream = Stream("below", bound)
    assert all(0 <= stream.below(bound) < bound for _ in range(500))


@pytest.mark.parametrize("bound", [0, -1, -(2**70), 2**64 + 1, 2**65, 2**200])
def test_bounds_without_a_word_for_each_number_are_refused_at_once(bound: int) -> None:
    with pytest.raises(ValueError, match="bound"):
        Stream("bounds").below(bound)


@pytest.mark.parametrize("bound", [2, 3, 7, 10, 26, 100])
def test_below_is_uniform(bound: int) -> None:
    draws = 400 * bound
    stream = Stream("uniform", bound)
    counts = Counter(stream.below(bound) for _ in range(draws))
    chi_square = sum((counts[value] - 400) ** 2 / 400 for value in range(bound))
    assert chi_square < bound + 6 * (2 * bound) ** 0.5, "six standard deviations of a chi-square"


def test_below_takes_no_word_from_the_uneven_end() -> None:
    """With bound 3 * 2**62 a quarter of the words must be drawn again, or small numbers would come twice as often."""
    bound = 3 << 62
    stream = Stream("uneven")
    low = sum(stream.below(bound) < (1 << 62) for _ in range(6000))
    assert abs(low - 2000) < 6 * (6000 * 2 / 9) ** 0.5


@given(st.integers(-50, 50), st.integers(-50, 50))
def test_between_includes_both_ends(low: int, high: int) -> None:
    stream = Stream("between", low, high)
    if low > high:
        with pytest.raises(ValueError, match="bound"):
            stream.between(low, high)
    else:
        assert low <= stream.between(low, high) <= high


def test_between_reaches_both_ends() -> None:
    stream = Stream("ends")
    assert {stream.between(3, 5) for _ in range(100)} == {3, 4, 5}


@pytest.mark.parametrize(
    ("probability", "share"), [(0.0, 0.0), (1.0, 1.0), (0.5, 0.5), (0.12, 0.12), (-1.0, 0.0), (2.0, 1.0)]
)
def test_chance_keeps_its_probability(probability: float, share: float) -> None:
    stream = Stream("chance", str(probability))
    hits = sum(stream.chance(probability) for _ in range(4000))
    assert abs(hits - 4000 * share) <= 6 * (4000 * share * (1 - share)) ** 0.5


@given(st.lists(st.integers(), max_size=20))
def test_shuffling_is_a_permutation_that_leaves_its_argument_alone(items: list[int]) -> None:
    before = list(items)
    assert sorted(Stream("shuffle").shuffled(items)) == sorted(items)
    assert items == before


def test_every_order_comes_equally_often() -> None:
    stream = Stream("orders")
    counts = Counter("".join(stream.shuffled("abcd")) for _ in range(24 * 200))
    assert len(counts) == 24
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 24 + 6 * 48**0.5


@given(st.integers(0, 12), st.integers(-3, 15))
def test_samples_are_different_positions(count: int, size: int) -> None:
    stream = Stream("sample", count, size)
    if 0 <= size <= count:
        drawn = stream.sample(range(count), size)
        assert len(drawn) == size == len(set(drawn))
        assert set(drawn) <= set(range(count))
    else:
        with pytest.raises(ValueError, match="cannot draw"):
            stream.sample(range(count), size)


def test_nothing_can_be_chosen_from_nothing() -> None:
    with pytest.raises(ValueError, match="bound"):
        Stream("nothing").choice([])
