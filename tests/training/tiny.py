"""A small random Qwen3 with a tokenizer trained here, and the same model after it has learnt to talk in answers.

    python -m tests.training.tiny runs/tiny-qwen3

writes one that gives every question of a task one of the same few answers, and often forgets to close it: a start from
which the rewards of the smoke recipe vary, as those of a random model, which writes noise, do not.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import arggym_env as ag
from arggym_env.envs.stream import Stream
from arggym_env.training.seed_table import Render, seed_table

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
GUESSES = {
    "attack": ("[defeasible n1: a => b]",),
    "logihard_base": ("A", "B", "C", "D"),
    "status_query": ("a: justified", "a: overruled", "a: undecided"),
}


ENDS = 800
"""How many characters of a prompt tell the tasks apart: its last two paragraphs."""


def tiny_model(
    folder: Path,
    *,
    texts: Sequence[str] = (),
    vocabulary: int = 2048,
    hidden: int = 32,
    layers: int = 2,
    seed: int = 0,
) -> Path:
    """Write a random model of about 90,000 parameters and its tokenizer to ``folder``, and return it.

    The tokenizer is byte-level BPE, trained on ``texts``, or on prompts of every task, without splitting them at blanks
    first: the sentences that prompts share become a token or two, so that a prompt is a few hundred tokens.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM, set_seed

    prompts = texts or [ag.generate(task, 1, ordering, 0).prompt for task in ag.TASKS for ordering in ag.ORDERINGS]
    base: Any = Tokenizer(models.BPE())
    base.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    base.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary - 2, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    base.train_from_iterator(prompts, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=base, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.add_tokens(["<answer>", "</answer>"])
    tokenizer.chat_template = CHATML
    tokenizer.save_pretrained(folder)
    set_seed(seed)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    Qwen3ForCausalLM(config).save_pretrained(folder)
    return folder


def talk(folder: Path, examples: Sequence[tuple[str, str]], *, batch: int = 8, rate: float = 1e-2) -> Path:
    """Train the model in ``folder`` on examples of a prompt and a completion, each once, and write it back."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    model = AutoModelForCausalLM.from_pretrained(str(folder))
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    starts = range(0, len(examples), batch)
    decay = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=len(starts))
    for start in starts:
        rows = []
        for prompt, completion in examples[start : start + batch]:
            asked = tokenizer.apply_chat_template(
                [{"role": "user", "content": prompt}], add_generation_prompt=True, tokenize=True, return_dict=False
            )
            rows.append((asked, [*tokenizer(completion)["input_ids"], tokenizer.eos_token_id]))
        width = max(len(asked) + len(said) for asked, said in rows)
        ids = torch.full((len(rows), width), tokenizer.pad_token_id)
        labels = torch.full((len(rows), width), -100)
        for index, (asked, said) in enumerate(rows):
            ids[index, : len(asked) + len(said)] = torch.tensor([*asked, *said])
            labels[index, len(asked) : len(asked) + len(said)] = torch.tensor(said)
        mask = torch.arange(width)[None] < torch.tensor([[len(asked) + len(said)] for asked, said in rows])
        loss = model(input_ids=ids, attention_mask=mask.long(), labels=labels).loss
        loss.backward()
        optimizer.step()
        decay.step()
        optimizer.zero_grad()
    model.save_pretrained(str(folder))
    return folder


def guesses(count: int, *, closed: float = 1.0) -> list[tuple[str, str]]:
    """Return examples that answer with one of ``GUESSES`` and, with chance ``closed``, close the answer.

    What is answered can be read whatever the theory is, so that the same answers to another prompt are paid alike.
    """
    table = seed_table(
        min(count, 240), seed=0, weights=dict.fromkeys(GUESSES, 1), level=[1, 2, 3], logihard={"level": 1}
    )
    asked = [(row["prompt"][0]["content"], GUESSES[row["task"]]) for row in table.with_transform(Render())]
    stream = Stream("guesses", count)
    found = []
    for prompt, answers in islice(cycle(asked), count):
        end = "\n</answer>" if stream.chance(closed) else ""
        found.append((prompt, f"<answer>\n{stream.choice(answers)}{end}"))
    return found


def talking_model(folder: Path, *, seed: int = 0) -> Path:
    """Write a tiny model that talks in answers, of which a part are closed and can be read.

    Most of it is learnt from the ends of prompts, which cost little, and the rest from whole ones.
    """
    examples = guesses(2000, closed=0.6)
    model = talk(tiny_model(folder, seed=seed), [(prompt[-ENDS:], said) for prompt, said in examples])
    return talk(model, examples[:160], rate=3e-3)


if __name__ == "__main__":
    print(talking_model(Path(sys.argv[1])))
