"""The space of prompts and completions: every string belongs to it, nothing else does, and batching keeps it text."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Text
from gymnasium.vector.utils import batch_space, create_shared_memory

from arggym_env.envs.spaces import TextSpace

STRINGS = {
    "empty": "",
    "blank and newline": " \n\r\n\t",
    "accent": "é",
    "emoji": "🙂",
    "lone surrogate": "\ud800",
    "NUL": "\x00",
    "line separator": "\u2028",
    "long": "x" * 100_000,
    "NumPy string": np.str_("answer"),
}
OTHERS = {"None": None, "bytes": b"a", "integer": 1, "list": ["a"], "array": np.array(["a"])}


@pytest.mark.parametrize("text", STRINGS.values(), ids=STRINGS.keys())
def test_every_string_belongs_to_the_space(text: str) -> None:
    assert text in TextSpace()


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_nothing_else_belongs_to_the_space(other: object) -> None:
    assert other not in TextSpace()


def test_samples_follow_the_seed_and_are_short_printable_text() -> None:
    def samples(seed: int) -> list[str]:
        space = TextSpace(seed=seed)
        return [space.sample() for _ in range(50)]

    assert samples(0) == samples(0)
    assert samples(0) != samples(1)
    assert len(set(samples(0))) > 40
    assert all(1 <= len(text) <= 32 and text.isprintable() and text.isascii() for text in samples(0))
    assert all(text in TextSpace() for text in samples(0))


def test_samples_are_the_same_with_every_numpy_version() -> None:
    space = TextSpace(seed=7)
    assert [space.sample() for _ in range(3)] == ["4bj&@xHrAIug", "}3Vhk]eS6I27.[L5YfR", "mR'D,e*1"]


def test_sampling_with_a_mask_is_refused() -> None:
    with pytest.raises(ValueError, match="no mask"):
        TextSpace().sample(mask=np.ones(3, dtype=np.int8))  # type: ignore[arg-type]


def test_all_text_spaces_are_equal_and_differ_from_gymnasiums() -> None:
    assert TextSpace(seed=1) == TextSpace(seed=2)
    assert hash(TextSpace(seed=1)) == hash(TextSpace(seed=2))
    assert TextSpace() != Text(10)
    assert not isinstance(TextSpace(), Text)
    assert repr(TextSpace()) == "TextSpace()"
    assert TextSpace().shape is None
    assert not TextSpace().is_np_flattenable


def test_a_copied_or_pickled_space_goes_on_with_the_same_samples() -> None:
    space = TextSpace(seed=5)
    space.sample()
    pickled, copied = pickle.loads(pickle.dumps(space)), copy.deepcopy(space)
    expected = space.sample()
    assert pickled.sample() == copied.sample() == expected


def test_a_batch_of_texts_is_a_tuple_of_texts() -> None:
    batch = batch_space(TextSpace(seed=3), n=3)
    batch.seed(0)
    texts = batch.sample()
    assert isinstance(texts, tuple)
    assert len(texts) == 3
    assert len(set(texts)) == 3
    assert texts in batch
    assert ("a", "b") not in batch


def test_shared_memory_is_refused_loudly() -> None:
    with pytest.raises(CustomSpaceError, match="create_shared_memory"):
        create_shared_memory(TextSpace(), n=2, ctx=multiprocessing)


def test_texts_survive_json_unchanged() -> None:
    texts = ["a", "é\n", "\u2028"]
    space = TextSpace()
    assert space.from_jsonable(space.to_jsonable(texts)) == texts
