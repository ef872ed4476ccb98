#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the reference values that test_reference.c compares the core with.

Every case shares the weights and the batch of start.safetensors: weights that single precision
holds exactly, with gains, biases and all norms away from their usual start.  A case file holds the
loss and every gradient tensor at these weights, and what ten Adam steps on the same batch make of
them: for every tensor its norm and its sum with the weights cos(0.7 i + 0.3), and for the first
case all of it.  Its metadata are the settings of the model.

    make_fixtures.py [FOLDER]
"""

import pathlib
import sys

import numpy as np

from decoder import Adam, learning_rate, loss_and_gradients, write_safetensors

LAYERS, WIDTH, HEADS, FFN, VOCAB, LENGTH, BATCH = 2, 8, 2, 12, 11, 6, 3
STEPS, PEAK, BETA1, BETA2, EPS = 10, 3e-3, 0.9, 0.98, 1e-8

# placement, norm, norm after the embedding, norm after the last layer, warm-up
CASES = [
    ("post", "layernorm", True, False, 4),
    ("post", "rmsnorm", False, False, 1),
    ("pre", "layernorm", False, True, 1),
    ("pre", "rmsnorm", True, True, 4),
    ("none", "layernorm", False, False, 4),
    ("sandwich", "layernorm", False, True, 4),
    ("sandwich", "rmsnorm", False, True, 4),
    ("deepnorm", "layernorm", False, False, 4),
]


def start_weights(random):
    def matrix(rows, columns):
        return random.normal(0, np.sqrt(2 / (rows + columns)), (rows, columns))

    weights = {"tok_emb": matrix(VOCAB, WIDTH), "pos_emb": matrix(LENGTH, WIDTH)}
    norms = ["emb_norm", "final_norm"]
    for layer in range(LAYERS):
        block = f"blk{layer}"
        for name in "qkvo":
            weights[f"{block}.attn.w{name}"] = matrix(WIDTH, WIDTH)
            weights[f"{block}.attn.b{name}"] = random.normal(0, 0.2, WIDTH)
        weights[f"{block}.ffn.w1"] = matrix(FFN, WIDTH)
        weights[f"{block}.ffn.b1"] = random.normal(0, 0.2, FFN)
        weights[f"{block}.ffn.w2"] = matrix(WIDTH, FFN)
        weights[f"{block}.ffn.b2"] = random.normal(0, 0.2, WIDTH)
        norms += [f"{block}.{kind}{i}" for kind in ("norm", "branch_norm") for i in (1, 2)]
    weights["head"] = matrix(VOCAB, WIDTH)
    for norm in norms:
        weights[norm + ".gain"] = random.normal(1, 0.2, WIDTH)
        weights[norm + ".bias"] = random.normal(0, 0.2, WIDTH)
    return {name: array.astype(np.float32) for name, array in weights.items()}


def tensors_of(case, weights):
    """The tensors that a model of this case has."""
    placement, norm, embedding_norm, final_norm, _ = case
    kept = {}
    for name, array in weights.items():
        owner = name.split(".")[-2] if "." in name else ""
        present = (
            (owner == "emb_norm" and embedding_norm)
            or (owner == "final_norm" and final_norm)
            or (owner.startswith("norm") and placement != "none")
            or (owner.startswith("branch_norm") and placement == "sandwich")
            or not (name.endswith(".gain") or name.endswith(".bias"))
        )
        if present and not (norm == "rmsnorm" and name.endswith(".bias")):
            kept[name] = array.astype(np.float64)
    return kept


def signature(array):
    flat = array.ravel()
    return [np.linalg.norm(flat), flat @ np.cos(0.7 * np.arange(flat.size) + 0.3)]


def make_case(case, start, batch, full):
    placement, norm, embedding_norm, final_norm, warmup = case
    weights = tensors_of(case, start)
    model = {"placement": placement, "kind": norm, "heads": HEADS}
    loss, gradients = loss_and_gradients(weights, **batch, **model)
    tensors = {"loss": np.array([loss])}
    tensors |= {"grad." + name: array for name, array in gradients.items()}

    adam = Adam(BETA1, BETA2, EPS)
    for step in range(1, STEPS + 1):
        last, gradients = loss_and_gradients(weights, **batch, **model)
        adam.update(weights, gradients, learning_rate(step, PEAK, warmup))
    after, _ = loss_and_gradients(weights, **batch, **model)
    tensors["after.loss"] = np.array([after])
    for name, array in weights.items():
        tensors["after." + name] = array if full else np.array(signature(array))

    settings = (
        f"placement={placement} norm={norm} layers={LAYERS} d-model={WIDTH} heads={HEADS} d-ff={FFN} seq={LENGTH} "
        f"batch={BATCH} final-norm={'on' if final_norm else 'off'} "
        f"embedding-norm={'on' if embedding_norm else 'off'} lr={PEAK} warmup={warmup} "
        f"schedule=inverse-sqrt beta1={BETA1} beta2={BETA2} eps={EPS}"
    )
    return tensors, {"settings": settings, "steps": str(STEPS)}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "fixtures")
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(20)
    start = start_weights(random)
    text = random.randint(0, VOCAB, (BATCH, LENGTH + 1)).astype(np.int64)
    batch = {"tokens": text[:, :-1].copy(), "targets": text[:, 1:].copy()}
    write_safetensors(folder / "start.safetensors", start | batch, {"vocab": str(VOCAB)})
    for number, case in enumerate(CASES):
        tensors, metadata = make_case(case, start, batch, full=number == 0)
        path = folder / f"{case[0]}-{case[1]}.safetensors"
        write_safetensors(path, tensors, metadata)
        loss, after = tensors["loss"][0], tensors["after.loss"][0]
        print(f"{path.name}: loss {loss:.6f}, after {STEPS} steps {after:.6f}")


if __name__ == "__main__":
    main()
