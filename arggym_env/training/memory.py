"""How much GPU memory a recipe needs, by the arithmetic of docs/training.md, so that both give the same numbers.

All sizes are bytes on one GPU. The formulas count what grows with the model and the sequences; fragmentation, CUDA
contexts and communication buffers are the ``OVERHEAD``. Nothing here needs a GPU or a model's weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from arggym_env.errors import RunError

GIB: Final = 1 << 30
OVERHEAD: Final = 4 * GIB
"""CUDA contexts, NCCL buffers, fragmentation: a reserve, not a measurement."""

Sharding = Literal["none", "zero2", "zero3"]


@dataclass(frozen=True, slots=True)
class Shape:
    """What of a decoder's architecture decides its memory.

    Attributes:
        layers: decoder layers.
        hidden: width of the residual stream.
        heads: query heads.
        kv_heads: key and value heads.
        head_dim: width of a head.
        intermediate: width of the gated MLP.
        vocabulary: rows of the embedding.
        tied: whether the output head is the embedding.
    """

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocabulary: int
    tied: bool

    @property
    def parameters(self) -> int:
        """Weights of embedding, attention, MLP and norms (query and key norms as in Qwen3)."""
        attention = 2 * self.hidden * self.head_dim * (self.heads + self.kv_heads)
        mlp = 3 * self.hidden * self.intermediate
        norms = 2 * self.hidden + 2 * self.head_dim
        embeddings = self.vocabulary * self.hidden * (1 if self.tied else 2)
        return self.layers * (attention + mlp + norms) + embeddings + self.hidden

    @property
    def linear_widths(self) -> int:
        """Sum of input and output widths over the linear layers of all decoder layers: LoRA's weights at rank 1."""
        query, key = self.heads * self.head_dim, self.kv_heads * self.head_dim
        attention = 2 * (self.hidden + query) + 2 * (self.hidden + key)
        return self.layers * (attention + 3 * (self.hidden + self.intermediate))

    @property
    def kv_bytes(self) -> int:
        """Key and value cache of one token in bfloat16."""
        return 2 * 2 * self.layers * self.kv_heads * self.head_dim


QWEN3: Final = {
    "Qwen/Qwen3-0.6B": Shape(28, 1024, 16, 8, 128, 3072, 151936, True),
    "Qwen/Qwen3-4B": Shape(36, 2560, 32, 8, 128, 9728, 151936, True),
    "Qwen/Qwen3-14B": Shape(40, 5120, 40, 8, 128, 17408, 151936, False),
}
"""The models that the recipes name, so that their memory is known before they are downloaded."""


def shape_of(config: Any) -> Shape:
    """Return the shape that a transformers configuration describes.

    Raises:
        RunError: it is not that of a decoder with attention heads and a gated MLP.
    """
    try:
        return Shape(
            layers=config.num_hidden_layers,
            hidden=config.hidden_size,
            heads=config.num_attention_heads,
            kv_heads=config.num_key_value_heads,
            head_dim=getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads,
            intermediate=config.intermediate_size,
            vocabulary=config.vocab_size,
            tied=bool(config.tie_word_embeddings),
        )
    except AttributeError as error:
        raise RunError(f"memory: the model's configuration is not that of a plain decoder ({error})") from None


@dataclass(frozen=True, slots=True)
class Plan:
    """What of a recipe decides its memory on one GPU.

    Attributes:
        gpus: processes that train.
        sharding: what DeepSpeed splits over them.
        width: bytes of a weight: 4 in float32, 2 in bfloat16.
        lora_rank: rank of the adapters; 0 trains every weight.
        sequences: sequences of one forward and backward pass.
        context: tokens of prompt and completion together.
        checkpointing: whether activations are recomputed.
        reference: whether a second copy of the weights is held for the KL term.
        vllm_share: share of the GPU that a colocated vLLM may use; 0 for none.
        vllm_tp: GPUs that share one vLLM.
        gpu: bytes of one GPU.
    """

    gpus: int
    sharding: Sharding
    width: int
    lora_rank: int
    sequences: int
    context: int
    checkpointing: bool
    reference: bool
    vllm_share: float
    vllm_tp: int
    gpu: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """Bytes on one GPU.

    Attributes:
        weights: of the policy, and of the reference where there is one.
        gradients: of what is trained.
        optimizer: Adam's two moments, as wide as the weights; under DeepSpeed in float32, with a float32 copy.
        activations: of the forward pass that the backward pass needs, at its largest.
        overhead: ``OVERHEAD``.
        vllm_weights: of the colocated vLLM.
        kv_cache: what is left of vLLM's share.
        kv_sequences: sequences of full context that the cache holds at a time.
        total: all of it.
        gpu: what there is.
    """

    weights: int
    gradients: int
    optimizer: int
    activations: int
    overhead: int
    vllm_weights: int
    kv_cache: int
    kv_sequences: int
    total: int
    gpu: int

    @property
    def fits(self) -> bool:
        """Whether it is no more than the GPU has, and vLLM has room for at least one sequence."""
        return self.total <= self.gpu and self.kv_cache >= 0 and (self.vllm_weights == 0 or self.kv_sequences > 0)


def estimate(shape: Shape, plan: Plan) -> Estimate:
    """Return what ``plan`` needs for a model of this shape."""
    size = shape.parameters
    trained = plan.lora_rank * shape.linear_widths if plan.lora_rank else size
    policy = plan.width * size + (4 * trained if plan.lora_rank else 0)
    copies = 2 if plan.reference and not plan.lora_rank else 1  # LoRA's reference is the policy without its adapters
    width = 4 if plan.lora_rank else plan.width
    moments = 2 * width if plan.sharding == "none" else 8 + 4
    over = {"none": (1, 1), "zero2": (1, plan.gpus), "zero3": (plan.gpus, plan.gpus)}
    over_weights, over_rest = over[plan.sharding]
    weights, gradients = copies * policy // over_weights, width * trained // over_rest
    optimizer = moments * trained // over_rest
    vllm_weights = 2 * size // plan.vllm_tp if plan.vllm_share else 0
    kv_cache = int(plan.vllm_share * plan.gpu) - vllm_weights if plan.vllm_share else 0
    parts = weights + gradients + optimizer + activations(shape, plan) + OVERHEAD
    return Estimate(
        weights=weights,
        gradients=gradients,
        optimizer=optimizer,
        activations=activations(shape, plan),
        overhead=OVERHEAD,
        vllm_weights=vllm_weights,
        kv_cache=kv_cache,
        kv_sequences=max(0, kv_cache) * plan.vllm_tp // (shape.kv_bytes * plan.context),
        total=parts + vllm_weights + max(0, kv_cache),
        gpu=plan.gpu,
    )


def activations(shape: Shape, plan: Plan) -> int:
    """Return the bytes of activations at their largest, in bfloat16, with attention that keeps no score matrix.

    A layer keeps, for each token, its input twice with the two norms' outputs (4 hidden), query and attention output
    (2 query widths), key and value (2 key widths), and three MLP rows. With checkpointing only each layer's input is
    kept, and one layer's activations exist at a time. TRL's fused head makes no logits; it accumulates the gradients of
    its weights and of its input in float32.
    """
    tokens = plan.sequences * plan.context
    row = 4 * shape.hidden + 2 * shape.head_dim * (shape.heads + shape.kv_heads) + 3 * shape.intermediate
    layer = 2 * tokens * row
    inputs = 2 * tokens * shape.hidden * shape.layers
    head = 4 * shape.hidden * (shape.vocabulary + tokens)
    return (inputs + layer if plan.checkpointing else shape.layers * layer) + head


def lines(name: str, shape: Shape, plan: Plan) -> list[str]:
    """Return the estimate as lines of text."""
    found = estimate(shape, plan)
    parts = ("weights", "gradients", "optimizer", "activations", "overhead", "vllm_weights", "kv_cache")
    gib = {part: getattr(found, part) / GIB for part in (*parts, "total", "gpu")}
    return [
        f"{name}: {shape.parameters / 1e9:.2f} billion parameters, {plan.context:,} tokens of context",
        ", ".join(f"{part.replace('_', ' ')} {gib[part]:.1f}" for part in parts)
        + f"; together {gib['total']:.1f} of {gib['gpu']:.0f} GiB",
        f"key-value cache: {shape.kv_bytes / 1024:.0f} KiB a token, room for {found.kv_sequences} full sequences",
    ]
