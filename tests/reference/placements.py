# SPDX-License-Identifier: MIT
"""Every placement as its paper writes it: x' of one sub-layer from x.

A sub-layer `s` offers

    s.F(x)                          the branch: attention or feed-forward network
    s.N(x), s.N_branch(x), s.N_out(x)    its first norm, and those beside it
    s.weight("branch_gain")         a learned factor of this sub-layer ("blk0.attn.branch_gain")
    s.l, s.L                        number of the layer from 1, layers of this stack
    s.k, s.S                        number of the sub-layer from 1, sub-layers of this stack
    s.encoder, s.decoder            layers of encoder and decoder, 0 where there is none
    s.in_decoder, s.is_attention, s.is_ffn
    s.layer_input                   what the layer got
    s.base                          depth at which depth-wise scaling rules change nothing

What the papers leave open in an encoder-decoder is read the same way for all: rules for
"attention" hold for self- and cross-attention, and depth counts in the sub-layer's own stack.
"""

import math
import re


def post(s, x):  # Vaswani et al. 2017
    return s.N(x + s.F(x))


def pre(s, x):  # Xiong et al. 2020, Table 1
    return x + s.F(s.N(x))


def none(s, x):
    return x + s.F(x)


def no_residual(s, x):
    return s.N(s.F(x))


def sandwich(s, x):  # Ding et al. 2021; Kim et al. 2025 (Peri-LN)
    return x + s.N_branch(s.F(s.N(x)))


def olmo2(s, x):
    return x + s.N(s.F(x))


def deepnorm(s, x):  # Wang et al. 2022, Table 1
    n, m = s.encoder, s.decoder
    if n and m:
        alpha = (3 * m) ** 0.25 if s.in_decoder else 0.81 * (n**4 * m) ** (1 / 16)
    else:
        alpha = (2 * (n or m)) ** 0.25
    return s.N(alpha * x + s.F(x))


def keel(s, x):  # arXiv 2601.19895: the first attention is plain Pre-LN, the first layer has no S
    y = s.F(s.N(x))
    if s.k == 1:
        return x + y
    return s.N_out((x if s.l == 1 else s.S * x) + y)


def ln_scaling(s, x):  # Sun et al. 2025
    return x + s.F(s.N(x) / math.sqrt(s.l))


def mix_ln(s, x):  # Li et al. 2024: Post-LN in the first floor(alpha L) layers, alpha = 1/4
    return post(s, x) if s.l <= s.L // 4 else pre(s, x)


def hybridnorm(s, x):  # Zhuo et al. 2025: Y = x + A(x), x' = N(Y) + FFN(N(Y))
    return s.N(x + s.F(x)) if s.is_attention else x + s.F(x)


def hybridnorm_star(s, x):  # the same, 3: the first block is Pre-LN and keeps its norms on q, k, v
    return pre(s, x) if s.l == 1 else hybridnorm(s, x)


def b2t(s, x):  # Takase et al. 2022
    y = s.F(x)
    return s.N(s.layer_input + x + y) if s.is_ffn else s.N(x + y)


def residual(s, x):  # Xie et al. 2023
    y = s.F(x)
    s.add_to_second_stream(y)
    return s.N(x + y)


def rezero(s, x):  # Bachlechner et al. 2020: one alpha a layer
    return x + s.layer_weight("branch_gain") * s.F(x)


def skipinit(s, x):  # De and Smith 2020
    return x + s.weight("branch_gain") * s.F(x)


def layerscale(s, x):  # Touvron et al. 2021
    return x + s.weight("branch_gain") * s.F(s.N(x))


def admin(s, x):  # Liu et al. 2020
    return s.N(s.weight("stream_gain") * x + s.F(x))


def normformer(s, x):  # Shleifer et al. 2021
    y = s.F(s.N(x))
    return x + (s.N_branch(y) if s.is_attention else y)


def completep(s, x):  # Dey et al. 2025
    return x + s.F(s.N(x)) * (s.base / s.L)


def depth_mup(s, x):  # Yang et al. 2023
    return x + s.F(s.N(x)) * math.sqrt(s.base / s.L)


PLACEMENTS = {
    "post": post,
    "pre": pre,
    "none": none,
    "no-residual": no_residual,
    "sandwich": sandwich,
    "peri": sandwich,
    "olmo2": olmo2,
    "deepnorm": deepnorm,
    "keel": keel,
    "ln-scaling": ln_scaling,
    "mix-ln": mix_ln,
    "hybridnorm": hybridnorm,
    "hybridnorm-star": hybridnorm_star,
    "b2t": b2t,
    "residual": residual,
    "rezero": rezero,
    "skipinit": skipinit,
    "layerscale": layerscale,
    "admin": admin,
    "t-fixup": none,
    "normformer": normformer,
    "subln": pre,
    "completep": completep,
    "depth-mup": depth_mup,
}

def formula(text):
    """A placement from a formula such as N(2x + F(x)): its norms are told apart by their input."""
    code = re.sub(r"([0-9.]+)\s*([xNF])", r"\1*\2", text)
    inner = re.search(r"F\([0-9.*]*N", code)

    def placement(s, x):
        outputs = []

        def F(u):
            outputs.append(s.F(u))
            return outputs[-1]

        def N(v):
            if v is x:
                return s.N(v)
            if outputs and v is outputs[-1]:
                outer = code.startswith("N(") and not code.startswith("N(F(")
                return s.N_branch(v) if inner or outer else s.N(v)
            return s.N_out(v) if inner else s.N(v)

        return eval(code, {"x": x, "F": F, "N": N})

    return placement


FINAL_NORM = {
    "pre", "sandwich", "peri", "olmo2", "ln-scaling", "mix-ln", "hybridnorm", "hybridnorm-star",
    "residual", "layerscale", "normformer", "subln", "completep", "depth-mup",
}  # fmt: skip

# Those whose own models have RMSNorm: Gemma 2 and 3, transformers' Olmo2RMSNorm, Keel's equation 5,
# the LLaMA models of LayerNorm scaling and Mix-LN, the configurations of HybridNorm.
RMSNORM = {
    "peri", "olmo2", "keel", "ln-scaling", "mix-ln", "hybridnorm", "hybridnorm-star",
}  # fmt: skip

# Over each head, or over the full width before the heads are split (transformers' Olmo2Attention).
QK_NORM = {"olmo2": "full", "hybridnorm": "head", "hybridnorm-star": "head"}
V_NORM = {"hybridnorm": "head", "hybridnorm-star": "head"}
HEAD_SCALE = {"normformer"}
# A norm before the last matrix of the branch: Shleifer et al. 2021; Wang et al. 2022 (Magneto).
MID_NORM_ATTENTION = {"subln"}
MID_NORM_FFN = {"subln", "normformer"}


def apply(placement, s, x):
    """x' of a sub-layer, by the name of its placement or by its formula."""
    return (formula(placement) if "(" in placement else PLACEMENTS[placement])(s, x)


def has_final_norm(placement):
    if "(" not in placement:
        return placement in FINAL_NORM
    # The sum may begin with a norm of the branch: N(F(x)) + x.
    outer = placement.startswith("N(") and not re.search(r"\)\s*\+", placement)
    return "N(" in placement and not outer


def placement_of(settings, layer, layers):
    """The placement of layer `layer`, from 0: that of the model, or by its share of a mixture."""
    mixture = settings.get("mixture", "")
    if not mixture:
        return settings["placement"]
    pattern = []
    for part in mixture.split(","):
        name, _, times = part.partition("*")
        pattern += [name.strip()] * int(times or 1)
    return pattern[layer * len(pattern) // layers]
