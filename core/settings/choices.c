/* SPDX-License-Identifier: MIT */
#include "core/settings/choices.h"

static const NsChoice switches[] = {
    [NS_SWITCH_AUTO] = {.key = "auto",
                        .label = "Automatic",
                        .purpose = "On where the placement's paper has one."},
    [NS_SWITCH_ON] = {.key = "on", .label = "On", .purpose = "Always on."},
    [NS_SWITCH_OFF] = {.key = "off", .label = "Off", .purpose = "Always off."},
};
NS_CHOICES(ns_switch_choice, switches)

static const NsChoice qk_norms[] = {
    [NS_QK_NORM_AUTO] = {.key = "auto",
                         .label = "Automatic",
                         .purpose = "As in the placement's paper."},
    [NS_QK_NORM_OFF] = {.key = "off", .label = "Off", .purpose = "Always off."},
    [NS_QK_NORM_HEAD] =
        {.key = "head",
         .label = "Each head",
         .formula = "N over the d / heads features of a head",
         .reference = "Henry et al. 2020, arXiv 2010.04245",
         .purpose = "Queries and keys are normalized within each head, as in Qwen 3 and Gemma 3.",
         .former = "on"},
    [NS_QK_NORM_FULL] = {.key = "full",
                         .label = "Full width",
                         .formula = "N over the d features of a token",
                         .reference = "OLMo team 2025, arXiv 2501.00656",
                         .purpose = "Queries and keys are normalized over the full width, "
                                    "before the heads are split, as in OLMo 2."},
};
NS_CHOICES(ns_qk_norm_choice, qk_norms)

static const NsChoice decay_scopes[] = {
    [NS_DECAY_MATRICES] = {.key = "matrices",
                           .label = "Matrices",
                           .purpose = "The matrices of the layers and the head, as in OLMo."},
    [NS_DECAY_EMBEDDINGS] = {.key = "embeddings",
                             .label = "Matrices, embeddings",
                             .purpose = "The matrices and the embeddings, but no biases and no "
                                        "norm parameters, as in BERT and GPT-2."},
    [NS_DECAY_ALL] =
        {.key = "all",
         .label = "All parameters",
         .purpose = "Every parameter, as in the AdamW paper, fairseq and PyTorch's optimizers."},
};
NS_CHOICES(ns_decay_scope_choice, decay_scopes)

static const NsChoice toggles[] = {
    [NS_TOGGLE_OFF] = {.key = "off", .label = "Off", .purpose = "Off."},
    [NS_TOGGLE_ON] = {.key = "on", .label = "On", .purpose = "On."},
};
NS_CHOICES(ns_toggle_choice, toggles)

static const NsChoice archs[] = {
    [NS_ARCH_DECODER] = {.key = "decoder",
                         .label = "Decoder only",
                         .formula = "every token attends to itself and to earlier tokens",
                         .reference = "Radford et al. 2018",
                         .purpose = "A language model, such as GPT."},
    [NS_ARCH_ENCODER] = {.key = "encoder",
                         .label = "Encoder only",
                         .formula = "every token attends to every other",
                         .reference = "Devlin et al. 2018, arXiv 1810.04805",
                         .purpose = "A model that reads both ways, such as BERT."},
    [NS_ARCH_ENCODER_DECODER] =
        {.key = "encoder-decoder",
         .label = "Encoder and decoder",
         .formula = "an encoder reads the source; a decoder attends to it and generates the target",
         .reference = "Vaswani et al. 2017, arXiv 1706.03762",
         .purpose = "The original Transformer, and the one of the paper's experiments."},
};
NS_CHOICES(ns_arch_choice, archs)

static const NsChoice attentions[] = {
    [NS_ATTENTION_SOFTMAX] = {.key = "softmax",
                              .label = "Softmax",
                              .formula = "softmax(Q K^T / √d_h) V W_O",
                              .reference = "Vaswani et al. 2017, eq. 1",
                              .purpose = "Standard attention."},
    [NS_ATTENTION_UNIFORM] =
        {.key = "uniform",
         .label = "Uniform",
         .formula = "mean of V over the visible keys: W_Q = W_K = 0, no W_O, one head",
         .reference = "Xiong et al. 2020, 3.3",
         .purpose = "The setting of the paper's theory, in which its constants hold."},
};
NS_CHOICES(ns_attention_choice, attentions)

static const NsChoice vocabularies[] = {
    [NS_VOCABULARIES_JOINT] = {.key = "joint",
                               .label = "Joint",
                               .reference = "Sennrich, Haddow, Birch 2016, 3.2",
                               .purpose = "Source and target share one vocabulary."},
    [NS_VOCABULARIES_SEPARATE] = {.key = "separate",
                                  .label = "Separate",
                                  .reference = "Sennrich, Haddow, Birch 2016, 3.2",
                                  .purpose = "Source and target each have their own vocabulary."},
};
NS_CHOICES(ns_vocabularies_choice, vocabularies)

static const NsChoice positions[] = {
    [NS_POSITIONS_LEARNED] = {.key = "learned",
                              .label = "Learned",
                              .formula = "x_0 = W_{tok}[token] + W_{pos}[t]",
                              .reference = "Gehring et al. 2017, arXiv 1705.03122",
                              .purpose = "A learned vector for every position."},
    [NS_POSITIONS_SINUSOIDAL] = {.key = "sinusoidal",
                                 .label = "Sinusoidal",
                                 .formula = "sin and cos of t / 10000^{2 i / d}",
                                 .reference = "Vaswani et al. 2017, 3.5",
                                 .purpose = "Fixed waves of many wavelengths; nothing is learned."},
    [NS_POSITIONS_NONE] =
        {.key = "none",
         .label = "None",
         .formula = "x_0 = W_{tok}[token]",
         .reference = "Xiong et al. 2020, 3.3",
         .purpose = "The setting of the theory; without a mask, the order of tokens is lost."},
    [NS_POSITIONS_ROTARY] =
        {.key = "rotary",
         .label = "Rotary",
         .formula = "(q_i, q_{i + h/2}) and k rotated by t / 10000^{2 i / h}, h = d / heads",
         .reference = "Su et al. 2021, arXiv 2104.09864, eq. 34",
         .purpose = "Queries and keys of self-attention are rotated by their position, after "
                    "any norm on them, so that their product depends on the distance. The "
                    "features of a pair are half a head apart, as in GPT-NeoX and Llama."},
};
NS_CHOICES(ns_positions_choice, positions)
