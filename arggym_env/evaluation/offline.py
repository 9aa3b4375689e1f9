"""A model in this process, by vLLM: the same requests as to a server, in batches.

Replies are recorded batch by batch, so a batch is what a killed run asks again. Thinking stays in the completion, where
its closing tag ends it. A prompt that does not fit the context is an error of that question alone, as at a server.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from arggym_env.errors import RunError
from arggym_env.evaluation.harness import Job
from arggym_env.evaluation.record import TRUNCATION, Failure, Reply
from arggym_env.evaluation.settings import Settings
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.score import JsonValue

_SAMPLING: Final = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "stop",
    "seed",
)
"""The fields of a request that are vLLM's sampling parameters, by the same names."""
_OTHER: Final = (
    "model",
    "messages",
    "chat_template_kwargs",
    "reasoning_effort",
    "max_tokens",
    "max_completion_tokens",
)
"""The other fields of a request that mean something here."""


class OfflineBackend:
    """Answers with vLLM's ``LLM`` class in this process.

    Args:
        settings: of the model; its context is vLLM's ``max_model_len``.
        batch: how many questions are handed to vLLM at a time.
        options: more arguments of ``vllm.LLM``, such as ``tensor_parallel_size``.
    """

    name = "vllm"
    source = "vllm"

    def __init__(self, settings: Settings, *, batch: int = 256, options: Mapping[str, JsonValue] | None = None) -> None:
        unknown = sorted(set(settings.request()) - set(_SAMPLING) - set(_OTHER))
        if unknown:
            raise RunError(f"setting {unknown[0]!r} means nothing to vLLM in this process; it needs a server")
        self._settings = settings
        self._batch = batch
        self._options = dict(options or {})

    def answer(self, jobs: Sequence[Job], record: Callable[[Job, Reply], None]) -> None:
        """Answer every job; see :class:`~arggym_env.evaluation.harness.Backend`."""
        try:
            import vllm
        except ImportError:
            raise RunError("offline evaluation needs vllm: pip install 'arggym-env[vllm]'") from None
        engine: Any = vllm.LLM(model=self._settings.model, max_model_len=self._settings.context, **self._options)
        for start in range(0, len(jobs), self._batch):
            batch = jobs[start : start + self._batch]
            for job, reply in zip(batch, _answers(vllm, engine, batch), strict=True):
                record(job, reply)


def _answers(vllm: Any, engine: Any, jobs: Sequence[Job]) -> list[Reply]:
    """Return the replies to a batch; one that vLLM refuses is halved until the refused question stands alone."""
    started = time.monotonic()
    try:
        outputs = engine.chat(
            [job.body["messages"] for job in jobs],
            sampling_params=[vllm.SamplingParams(**sampling(job.body)) for job in jobs],
            chat_template_kwargs=template_variables(jobs[0].body) or None,
            use_tqdm=False,
        )
    except (ValueError, vllm.exceptions.VLLMClientError) as error:
        if len(jobs) == 1:
            return [Reply(failure=Failure("refused", " ".join(str(error).split())[:500]))]
        half = len(jobs) // 2
        return [*_answers(vllm, engine, jobs[:half]), *_answers(vllm, engine, jobs[half:])]
    seconds = round((time.monotonic() - started) / len(jobs), 3)
    return [_reply(output, seconds) for output in outputs]


def sampling(body: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a request's sampling parameters as vLLM's; without a limit a completion may fill the context."""
    limit = body.get("max_tokens", body.get("max_completion_tokens"))
    return {"max_tokens": limit, **{name: body[name] for name in _SAMPLING if name in body}}


def template_variables(body: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return what a request sets in the chat template."""
    variables = body.get("chat_template_kwargs")
    found = dict(variables) if isinstance(variables, Mapping) else {}
    return {**found, "reasoning_effort": body["reasoning_effort"]} if "reasoning_effort" in body else found


def _reply(output: Any, seconds: float) -> Reply:
    completion = output.outputs[0]
    usage = {"prompt_tokens": len(output.prompt_token_ids), "completion_tokens": len(completion.token_ids)}
    reply = Reply(completion.text, None, completion.finish_reason, FrozenMap(usage), seconds=seconds)
    if not completion.text and completion.finish_reason != TRUNCATION:
        return Reply(usage=reply.usage, failure=Failure("empty", "an empty completion"), seconds=seconds)
    return reply
