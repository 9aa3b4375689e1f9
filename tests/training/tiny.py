"""A small random Qwen3 with a tokenizer trained here, and the same model after it has learnt to talk in answers.

    python -m tests.training.tiny runs/tiny-qwen3

writes one that answers a level-1 status query with labels drawn at random, and often forgets to close its answer: a
start from which the rewards of the smoke recipe vary, as those of a random model, which writes noise, do not.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import arggym_env as ag
from arggym_env.envs.stream import Stream

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
LABELS = ("justified", "overruled", "undecided")


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
    for start in range(0, len(examples), batch):
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
        optimizer.zero_grad()
    model.save_pretrained(str(folder))
    return folder


def guesses(instances: Sequence[Any], count: int, *, closed: float = 1.0) -> list[tuple[str, str]]:
    """Return examples that answer status queries with random labels and, with chance ``closed``, close the answer."""
    stream = Stream("guesses", count)
    found = []
    for _ in range(count):
        one = stream.choice(instances)
        lines = [f"{claim}: {stream.choice(LABELS)}" for claim in one.question.claims]
        end = "\n</answer>" if stream.chance(closed) else ""
        found.append((one.prompt, "<answer>\n" + "\n".join(lines) + end))
    return found


def status_queries(count: int) -> list[Any]:
    """Return level-1 status queries, each with its own theory."""
    return [ag.generate("status_query", 1, ag.ORDERINGS[0], seed) for seed in range(count)]


def talking_model(folder: Path) -> Path:
    """Write a tiny model that talks in answers to status queries."""
    return talk(tiny_model(folder), guesses(status_queries(1), 640, closed=0.6))


if __name__ == "__main__":
    print(talking_model(Path(sys.argv[1])))
