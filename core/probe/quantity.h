/* The registry of measured quantities, and the layout of a record.
 * SPDX-License-Identifier: MIT
 *
 * There is one quantity for the gradient of every parameter (core/model/parameter_kind.h), and one
 * for each row of NS_QUANTITIES:
 *
 * X(ID, key, label, symbol, domain, cost, range, needs, definition, source)
 *
 * domain: STEP, one value a step; LAYER, one for each layer, l = 1..L; HIDDEN, one for each hidden
 * state (those of the encoder, then those of the decoder); HEAD, one for each head of each layer.
 * cost: CHEAP, measured at every step; EXPENSIVE, measured every `probe-every` steps; VALIDATED,
 * measured every `eval-every` steps and at the end; CURVATURE, measured in the first update and
 * every `curvature-every` steps; SHARPNESS, measured every `layer-sharpness-every` steps; ABLATION,
 * measured every `ablation-every` steps.
 * range: SIZE, positive, of any magnitude; UNIT, a share, a cosine or a score, for which a
 * logarithmic axis makes no sense.
 * needs: what a model must have for the quantity to exist (NsNeed).
 * Symbols use _ and ^ (with braces) for sub- and superscripts.
 *
 * Whether a value was measured is stored in a flag of its own (NsValues), never encoded in the
 * value. */
#pragma once

#include "core/base/choice.h"
#include "core/base/tensor.h"
#include "core/model/parameter_kind.h"

/* Rows that exist for every kind of sub-layer: self-attention, cross-attention, feed-forward.
 * P, k and words: the name of the kind in the ID, in the key and in text. */
#define NS_QUANTITIES_OF_SUBLAYER(X, P, k, words, needs)                                           \
    X(BRANCH_RATIO_##P, "branch-ratio-" k, "Branch / stream, " words, "branch / stream", LAYER,    \
      CHEAP, SIZE, needs,                                                                          \
      "Frobenius norm of the output of the branch over that of the residual connection, in "       \
      "the " words " sub-layer; blank where there is no residual connection.",                     \
      "Sun et al. 2025, The Curse of Depth, arXiv 2502.05795")                                     \
    X(SKIP_SHARE_##P, "skip-share-" k, "Gradient share of the residual connection, " words,        \
      "‖g_{skip}‖^2 / Σ‖g‖^2", LAYER, CHEAP, UNIT, needs,                                          \
      "The gradient at the input of the " words " sub-layer is the sum of two parts, one through " \
      "the residual connection and one through the branch. Share of the first in the sum of "      \
      "their squared Frobenius norms.",                                                            \
      "Veit et al. 2016, arXiv 1605.06431 (the idea)")                                             \
    X(BRANCH_SHARE_##P, "branch-share-" k, "Gradient share of the branch, " words,                 \
      "‖g_{branch}‖^2 / Σ‖g‖^2", LAYER, CHEAP, UNIT, needs,                                        \
      "Share of the part through the branch of the " words " sub-layer: the share of the "         \
      "residual connection and this one add up to 1.",                                             \
      "Veit et al. 2016, arXiv 1605.06431 (the idea)")                                             \
    X(NORM_SIGMA_##P, "norm-sigma-" k, "Scale before the norm, " words, "σ", LAYER, CHEAP, SIZE,   \
      needs,                                                                                       \
      "Standard deviation over the features (root mean square for norms that do not center) of "   \
      "the input of the first norm of the " words " sub-layer, mean over tokens; its inverse "     \
      "multiplies the gradient that passes the norm.",                                             \
      "Xiong et al. 2020, Lemma 3")                                                                \
    X(SKIP_SIGNAL_##P, "skip-signal-" k, "Signal of the residual connection, " words, "‖a x‖",     \
      LAYER, CHEAP, SIZE, needs,                                                                   \
      "L2 norm of the signal on the residual connection of the " words                             \
      " sub-layer, root mean square over tokens.",                                                 \
      NULL)                                                                                        \
    X(BRANCH_SIGNAL_##P, "branch-signal-" k, "Signal of the branch, " words, "‖y‖", LAYER, CHEAP,  \
      SIZE, needs,                                                                                 \
      "L2 norm of the output of the branch of the " words                                          \
      " sub-layer, root mean square over tokens.",                                                 \
      NULL)                                                                                        \
    X(SKIP_GRAD_##P, "skip-grad-" k, "Gradient through the residual connection, " words,           \
      "‖g_{skip}‖", LAYER, CHEAP, SIZE, needs,                                                     \
      "Frobenius norm, over all tokens of the batch, of the part of the gradient at the input of " \
      "the " words " sub-layer that came through the residual connection.",                        \
      NULL)                                                                                        \
    X(BRANCH_GRAD_##P, "branch-grad-" k, "Gradient through the branch, " words, "‖g_{branch}‖",    \
      LAYER, CHEAP, SIZE, needs,                                                                   \
      "Frobenius norm, over all tokens of the batch, of the part of the gradient at the input of " \
      "the " words " sub-layer that came through the branch.",                                     \
      NULL)

/* Rows that exist for every kind of attention. */
#define NS_QUANTITIES_OF_ATTENTION(X, P, k, words, needs)                                          \
    X(ENTROPY_##P, k "-entropy", words " entropy, mean", "entropy / ln n", LAYER, EXPENSIVE, UNIT, \
      needs,                                                                                       \
      "Entropy of the attention weights of a query over ln of the number of its visible keys: 1 "  \
      "is uniform, 0 is a single key. Mean over heads and over queries with two or more visible "  \
      "keys.",                                                                                     \
      "Zhai et al. 2023, arXiv 2303.06296")                                                        \
    X(ENTROPY_MIN_##P, k "-entropy-min", words " entropy, lowest head", "lowest entropy / ln n",   \
      LAYER, EXPENSIVE, UNIT, needs, "The lowest entropy of any head of the layer.",               \
      "Zhai et al. 2023, arXiv 2303.06296")                                                        \
    X(LOGIT_##P, k "-logit", words " logit, largest", "max |q·k| / √d_h", LAYER, EXPENSIVE, SIZE,  \
      needs,                                                                                       \
      "Largest absolute value of q.k / sqrt(d / heads) of any visible pair and head of the "       \
      "layer.",                                                                                    \
      "Wortsman et al. 2023, arXiv 2309.14322")                                                    \
    X(FIRST_KEY_##P, k "-first-key", words " weight of the first key", "⟨P_{i1}⟩", LAYER,          \
      EXPENSIVE, UNIT, needs,                                                                      \
      "Attention weight of the first key, mean over heads and over queries with two or more "      \
      "visible keys. Near 1 in an attention sink; uniform causal attention over n tokens has "     \
      "(1/2 + ... + 1/n) / (n - 1).",                                                              \
      "Gu et al. 2024, arXiv 2410.10781")                                                          \
    X(HEAD_ENTROPY_##P, "head-" k "-entropy", words " entropy by head", "entropy / ln n", HEAD,    \
      EXPENSIVE, UNIT, needs,                                                                      \
      "Entropy of the attention weights over ln of the visible keys, mean over queries.",          \
      "Zhai et al. 2023, arXiv 2303.06296")                                                        \
    X(HEAD_FIRST_KEY_##P, "head-" k "-first-key", words " to first key by head", "⟨P_{i1}⟩", HEAD, \
      EXPENSIVE, UNIT, needs,                                                                      \
      "Attention weight of the first key, mean over queries with two or more visible keys: near "  \
      "1 where the key is an attention sink of the head.",                                         \
      "Gu et al. 2024, arXiv 2410.10781")                                                          \
    X(HEAD_LOGIT_##P, "head-" k "-logit", words " logit by head, largest", "max |q·k| / √d_h",     \
      HEAD, EXPENSIVE, SIZE, needs,                                                                \
      "Largest absolute value of q.k / sqrt(d / heads) of any visible pair.",                      \
      "Wortsman et al. 2023, arXiv 2309.14322")

/* Rows that exist for every matrix of a layer.  P and k: the parameter in the ID and in the key. */
#define NS_QUANTITIES_OF_MATRIX(X, P, k, symbol)                                                   \
    X(WEIGHT_##P, "weight-" k, "Norm of " symbol, "‖" symbol "‖", LAYER, EXPENSIVE, SIZE, NOTHING, \
      "Frobenius norm of " symbol " at this step.", NULL)                                          \
    X(SINGULAR_##P, "singular-" k, "Largest singular value of " symbol, "σ_1(" symbol ")", LAYER,  \
      EXPENSIVE, SIZE, NOTHING, "Largest singular value of " symbol ", within 0.01 %.", NULL)      \
    X(STABLE_RANK_##P, "stable-rank-" k, "Stable rank of " symbol, "‖" symbol "‖^2 / σ_1^2",       \
      LAYER, EXPENSIVE, SIZE, NOTHING,                                                             \
      "Squared Frobenius norm of " symbol " over its squared largest singular value: about n / 4 " \
      "for an n by n matrix of independent normal elements, 1 for a matrix of rank 1.",            \
      "Rudelson and Vershynin 2007, arXiv math/0503442")                                           \
    X(GRAD_COSINE_##P, "grad-cosine-" k, "Cosine of the gradient and " symbol,                     \
      "cos(∇" symbol ", " symbol ")", LAYER, EXPENSIVE, UNIT, NOTHING,                             \
      "Cosine between " symbol " and its mini-batch gradient: 0 where the loss does not depend "   \
      "on the scale of the matrix; positive where a gradient step shrinks it.",                    \
      NULL)

/* Rows that exist for every place at which the sizes of activations are measured.  P and k: the
 * place in the ID and in the key; name, words: in the label and in text. */
#define NS_QUANTITIES_OF_PLACE(X, P, k, name, words, symbol)                                       \
    X(MEDIAN_##P, k "-median", name ", median", "median |" symbol "|", LAYER, EXPENSIVE, SIZE,     \
      NOTHING,                                                                                     \
      "Median of the absolute values of the input of " words                                       \
      ", over all features of all tokens of the batch.",                                           \
      "Dettmers et al. 2022, arXiv 2208.07339")                                                    \
    X(P99_##P, k "-p99", name ", 99th percentile", "P_{99} |" symbol "|", LAYER, EXPENSIVE, SIZE,  \
      NOTHING,                                                                                     \
      "The smallest absolute value that 99 of 100 features of the tokens of the batch do not "     \
      "exceed, in the input of " words ".",                                                        \
      "Dettmers et al. 2022, arXiv 2208.07339")                                                    \
    X(LARGEST_##P, k "-max", name ", largest value", "max |" symbol "|", LAYER, EXPENSIVE, SIZE,   \
      NOTHING,                                                                                     \
      "Largest absolute value of any feature of any token of the batch in the input of " words     \
      ".",                                                                                         \
      "Dettmers et al. 2022, arXiv 2208.07339")

#define NS_QUANTITIES(X)                                                                           \
    X(GRAD_LAYER, "grad-layer", "Gradient norm, whole layer", "‖∇_l‖", LAYER, CHEAP, SIZE,         \
      NOTHING,                                                                                     \
      "Frobenius norm of the mini-batch gradient of all tensors of a layer, before clipping.",     \
      "Xiong et al. 2020, 3.3")                                                                    \
    X(GRAD_TOTAL, "grad-total", "Gradient norm, whole model", "‖∇‖", STEP, CHEAP, SIZE, NOTHING,   \
      "Frobenius norm of the mini-batch gradient of all tensors, before clipping.", NULL)          \
    X(GRAD_SHARE, "grad-share", "Share of the gradient, whole layer", "‖∇_l‖^2 / ‖∇‖^2", LAYER,    \
      CHEAP, UNIT, NOTHING,                                                                        \
      "Share of a layer in the squared norm of the whole gradient; the layers, the "               \
      "embeddings and what follows the last layer add up to 1.",                                   \
      NULL)                                                                                        \
    X(WEIGHT_NORM, "weight-norm", "Weight norm, whole layer", "‖W_l‖", LAYER, CHEAP, SIZE,         \
      NOTHING,                                                                                     \
      "Frobenius norm of all tensors of a layer before the update that led to this step; "         \
      "blank at step 0.",                                                                          \
      NULL)                                                                                        \
    X(UPDATE_NORM, "update-norm", "Update norm, whole layer", "‖ΔW_l‖", LAYER, CHEAP, SIZE,        \
      NOTHING,                                                                                     \
      "Frobenius norm of the update that led to this step, all tensors of a layer; blank at "      \
      "step 0.",                                                                                   \
      NULL)                                                                                        \
    X(UPDATE_RATIO, "update-ratio", "Update / weight", "‖ΔW‖ / ‖W‖", LAYER, CHEAP, SIZE, NOTHING,  \
      "Norm of the update that led to this step over the norm of the weights it changed, "         \
      "all tensors of a layer; 0 at step 0.",                                                      \
      "CS231n notes, ratio of weights to updates")                                                 \
    X(UPDATE_ANGLE, "update-angle", "Update angle, whole layer", "∠(W_l, W_l + ΔW_l), rad", LAYER, \
      CHEAP, SIZE, NOTHING,                                                                        \
      "Angle in radians between the weights before and after the update that led to this step, "   \
      "all tensors of a layer as one vector; blank at step 0.",                                    \
      "Kosson et al. 2024, arXiv 2305.17212")                                                      \
    X(HIDDEN_NORM, "hidden-norm", "Hidden-state norm", "‖x_l‖", HIDDEN, CHEAP, SIZE, NOTHING,      \
      "L2 norm of the hidden state after layer l, mean over tokens; l = 0 is the embedding.",      \
      "Xiong et al. 2020, Lemma 2")                                                                \
    X(HIDDEN_SQ, "hidden-sq", "Squared hidden-state norm", "‖x_l‖^2", HIDDEN, CHEAP, SIZE,         \
      NOTHING, "Squared L2 norm of the hidden state after layer l, mean over tokens.",             \
      "Xiong et al. 2020, Lemma 2")                                                                \
    X(FINAL_NORM, "final-hidden-norm", "Hidden-state norm after the final norm", "‖x_{final}‖",    \
      STEP, CHEAP, SIZE, FINAL_NORM,                                                               \
      "L2 norm of the hidden state after the final norm, mean over "                               \
      "tokens.",                                                                                   \
      "Xiong et al. 2020, Table 1")                                                                \
    X(FINAL_SQ, "final-hidden-sq", "Squared hidden-state norm after the final norm",               \
      "‖x_{final}‖^2", STEP, CHEAP, SIZE, FINAL_NORM,                                              \
      "Squared L2 norm of the hidden state after the final norm, mean over tokens.",               \
      "Xiong et al. 2020, Table 1")                                                                \
    X(GRAD_RMS_LAYER, "grad-rms-layer", "Gradient per parameter, whole layer", "‖∇_l‖ / √n",       \
      LAYER, CHEAP, SIZE, NOTHING,                                                                 \
      "Root mean square of the mini-batch gradient over the n parameters of a layer: its norm "    \
      "over √n, so that tensors of different size can be compared.",                               \
      "Xiong et al. 2020, 3.3")                                                                    \
    X(GRAD_RMS_WV, "grad-rms-wv", "Gradient per parameter of W_V", "‖∇W_V‖ / √n", LAYER, CHEAP,    \
      SIZE, NOTHING, "Root mean square of the mini-batch gradient over the n elements of W_V.",    \
      "Xiong et al. 2020, 3.3")                                                                    \
    X(GRAD_RMS_W1, "grad-rms-w1", "Gradient per parameter of W_1", "‖∇W_1‖ / √n", LAYER, CHEAP,    \
      SIZE, NOTHING, "Root mean square of the mini-batch gradient over the n elements of W_1.",    \
      "Xiong et al. 2020, 3.3")                                                                    \
    X(GRAD_RMS_W2, "grad-rms-w2", "Gradient per parameter of W_2", "‖∇W_2‖ / √n", LAYER, CHEAP,    \
      SIZE, NOTHING, "Root mean square of the mini-batch gradient over the n elements of W_2.",    \
      "Xiong et al. 2020, 3.3")                                                                    \
    X(MEAN_GRAD_LAYER, "mean-grad-layer", "Norm of the mean gradient, whole layer", "‖E ∇_l‖",     \
      LAYER, EXPENSIVE, SIZE, NOTHING,                                                             \
      "Frobenius norm of the gradient averaged over `probe-batches` batches instead of one "       \
      "mini-batch, all tensors of a layer. The batches are the same at every step.",               \
      "Xiong et al. 2020, Fig. 3a, 3b")                                                            \
    X(MEAN_GRAD_WV, "mean-grad-wv", "Norm of the mean gradient of W_V", "‖E ∇W_V‖", LAYER,         \
      EXPENSIVE, SIZE, NOTHING,                                                                    \
      "Frobenius norm of the gradient of W_V averaged over `probe-batches` batches.",              \
      "Xiong et al. 2020, Fig. 3a, 3b")                                                            \
    X(MEAN_GRAD_W1, "mean-grad-w1", "Norm of the mean gradient of W_1", "‖E ∇W_1‖", LAYER,         \
      EXPENSIVE, SIZE, NOTHING,                                                                    \
      "Frobenius norm of the gradient of W_1 averaged over `probe-batches` batches.",              \
      "Xiong et al. 2020, Fig. 3a, 3b")                                                            \
    X(MEAN_GRAD_W2, "mean-grad-w2", "Norm of the mean gradient of W_2", "‖E ∇W_2‖", LAYER,         \
      EXPENSIVE, SIZE, NOTHING,                                                                    \
      "Frobenius norm of the gradient of W_2 averaged over `probe-batches` batches.",              \
      "Xiong et al. 2020, Fig. 3a, 3b")                                                            \
    X(NOISE_SCALE, "noise-scale", "Gradient noise scale", "tr Σ / ‖G‖^2", STEP, EXPENSIVE, SIZE,   \
      BATCHES,                                                                                     \
      "Batch size, in sequences, beyond which a larger batch adds little information: trace of "   \
      "the covariance of a sequence's gradient over the squared norm of the true gradient, both "  \
      "estimated without bias from the squared norms of `probe-batches` gradients and of their "   \
      "mean; blank where these are too few to tell the gradient from noise.",                      \
      "McCandlish et al. 2018, arXiv 1812.06162, appendix A")                                      \
    X(HIDDEN_GRAD, "hidden-grad", "Gradient of the hidden state", "‖∂loss/∂x_l‖", HIDDEN, CHEAP,   \
      SIZE, NOTHING,                                                                               \
      "Frobenius norm, over all tokens of the batch, of the gradient of the loss with respect "    \
      "to the hidden state after layer l.",                                                        \
      "Xiong et al. 2020, appendix F")                                                             \
    X(HIDDEN_RMS, "hidden-rms", "Hidden-state RMS", "rms(x_l)", HIDDEN, CHEAP, SIZE, NOTHING,      \
      "Root mean square of the hidden state after layer l over tokens and features.",              \
      "Xiong et al. 2020, Lemma 2")                                                                \
    X(HIDDEN_MAX, "hidden-max", "Largest activation", "max |x_l|", HIDDEN, CHEAP, SIZE, NOTHING,   \
      "Largest absolute value of any feature of any token of the hidden state after layer l.",     \
      "Sun et al. 2024, Massive Activations, arXiv 2402.17762")                                    \
    X(HIDDEN_PEAK, "hidden-peak", "Largest activation / RMS", "max |x_l| / rms(x_l)", HIDDEN,      \
      CHEAP, SIZE, NOTHING,                                                                        \
      "The largest absolute value over the root mean square of the same state: large where a few " \
      "features dominate.",                                                                        \
      "Sun et al. 2024, Massive Activations, arXiv 2402.17762")                                    \
    NS_QUANTITIES_OF_SUBLAYER(X, ATTENTION, "attention", "attention", NOTHING)                     \
    NS_QUANTITIES_OF_SUBLAYER(X, CROSS, "cross", "cross-attention", CROSS)                         \
    NS_QUANTITIES_OF_SUBLAYER(X, FFN, "ffn", "feed-forward", NOTHING)                              \
    NS_QUANTITIES_OF_ATTENTION(X, ATTENTION, "attention", "Attention", NOTHING)                    \
    NS_QUANTITIES_OF_ATTENTION(X, CROSS, "cross-attention", "Cross-attention", CROSS)              \
    X(TOKEN_COSINE, "token-cosine", "Token cosine", "cos(x_i, x_j)", HIDDEN, EXPENSIVE, UNIT,      \
      NOTHING,                                                                                     \
      "Mean cosine between the hidden states of two different tokens of a sequence, over all "     \
      "pairs and then over sequences; 1 means that all tokens point in the same direction.",       \
      "Dong et al. 2021, arXiv 2103.03404 (rank collapse)")                                        \
    X(PARTICIPATION, "hidden-participation", "Participation ratio", "(Σλ)^2 / Σλ^2", HIDDEN,       \
      EXPENSIVE, SIZE, NOTHING,                                                                    \
      "Effective number of directions over which the hidden states of the tokens spread: λ "      \
      "are the eigenvalues of their covariance; 1 along a line, the width where all "              \
      "directions are alike. Computed from at most 512 tokens and 49 states, evenly "              \
      "spaced; blank where all tokens are equal.",                                                 \
      "Gao et al. 2017, A theory of multineuronal dimensionality, bioRxiv 214262")                 \
    NS_QUANTITIES_OF_PLACE(X, LAYER, "layer-input", "Layer input", "the layer", "x_{l−1}")         \
    NS_QUANTITIES_OF_PLACE(X, QKV, "wqkv-input", "QKV input", "W_Q, W_K and W_V", "u_{QKV}")       \
    NS_QUANTITIES_OF_PLACE(X, O, "wo-input", "W_O input", "W_O", "u_O")                            \
    NS_QUANTITIES_OF_PLACE(X, W1, "w1-input", "W_1 input", "W_1", "u_1")                           \
    NS_QUANTITIES_OF_PLACE(X, W2, "w2-input", "W_2 input", "W_2", "u_2")                           \
    X(DEAD_RELU, "dead-relu", "Dead ReLU units", "dead / d_{ff}", LAYER, EXPENSIVE, UNIT, RELU,    \
      "Share of the units of the feed-forward network that are 0 for every token of the batch.",   \
      "CS231n notes, ReLU")                                                                        \
    NS_QUANTITIES_OF_MATRIX(X, WQ, "wq", "W_Q")                                                    \
    NS_QUANTITIES_OF_MATRIX(X, WK, "wk", "W_K")                                                    \
    NS_QUANTITIES_OF_MATRIX(X, WV, "wv", "W_V")                                                    \
    NS_QUANTITIES_OF_MATRIX(X, WO, "wo", "W_O")                                                    \
    NS_QUANTITIES_OF_MATRIX(X, W1, "w1", "W_1")                                                    \
    NS_QUANTITIES_OF_MATRIX(X, W2, "w2", "W_2")                                                    \
    X(LAYER_ABLATION, "layer-ablation", "Loss increase without the layer", "L_{without l} − L",    \
      LAYER, ABLATION, UNIT, NOTHING,                                                              \
      "Loss of the batch if the layer passes its input on unchanged, minus the loss of the "       \
      "model, both without dropout: how much the layer contributes. 0 for a layer that is the "    \
      "identity; negative where the model is better without it.",                                  \
      "Veit et al. 2016, arXiv 1605.06431, 4.1")                                                   \
    X(LOGIT_LENS, "logit-lens", "Loss of the logit lens", "L(x_l)", LAYER, ABLATION, UNIT,         \
      NOTHING,                                                                                     \
      "Loss of the batch if the prediction is made from the hidden state after layer l, by "       \
      "the final norm and the head of the model, without dropout; at the last layer this is "      \
      "the loss of the model. Blank for the encoder of an encoder-decoder.",                       \
      "nostalgebraist 2020, interpreting GPT: the logit lens")                                     \
    X(LENS_ENTROPY, "logit-lens-entropy", "Entropy of the logit lens", "H(x_l)", LAYER, ABLATION,  \
      UNIT, NOTHING,                                                                               \
      "Entropy of the prediction of the logit lens in nats, mean over targets: 0 is certain, "     \
      "ln V is uniform over V symbols.",                                                           \
      "nostalgebraist 2020, interpreting GPT: the logit lens")                                     \
    X(LENS_LOG_Z, "logit-lens-log-z", "Log of the softmax normalizer of the logit lens",           \
      "⟨ln Z⟩(x_l)", LAYER, ABLATION, UNIT, NOTHING,                                               \
      "Logarithm of the sum of exp(logit) over the vocabulary in the logit lens, mean over "       \
      "targets.",                                                                                  \
      "nostalgebraist 2020, interpreting GPT: the logit lens")                                     \
    X(ADAM_RMS, "adam-rms", "Adam RMS ratio", "√⟨g^2/v⟩", LAYER, CHEAP, SIZE, MOMENTS,             \
      "Root mean of g^2 / max(v, eps^2) over the parameters of a layer in the update that led to " \
      "this step: g is the gradient as it enters the moments, v the bias-corrected second moment " \
      "that includes it. Well above 1 where v is out of date; blank at step 0.",                   \
      "Wortsman et al. 2023, arXiv 2304.13013")                                                    \
    X(SPIKE_SCORE, "spike-score", "Gradient spike score", "max g^2 / v", LAYER, CHEAP, SIZE,       \
      MOMENTS,                                                                                     \
      "Largest g^2 / max(v, eps^2) of any parameter of a layer in the update that led to this "    \
      "step: g is the gradient as it enters the moments, v the bias-corrected second moment "      \
      "before it; blank at steps 0 and 1, which have none.",                                       \
      "Huang et al. 2025, SPAM, arXiv 2501.06842")                                                 \
    X(CRITICAL_RATE, "critical-rate", "Critical learning rate", "η_c", STEP, CURVATURE, SIZE,      \
      NOTHING,                                                                                     \
      "The smallest learning rate at which the update that led to this step, taken from the same " \
      "weights in the same direction, would not have lowered the loss of its own batch, without "  \
      "dropout; found by doubling and bisection, within 1.1 %. Blank where no rate lowers it.",    \
      "Kalra et al. 2026, arXiv 2601.16979")                                                       \
    X(CRITICAL_RATIO, "critical-ratio", "Rate / critical rate", "η / η_c", STEP, CURVATURE, SIZE,  \
      NOTHING,                                                                                     \
      "The learning rate of the update that led to this step over its critical rate: above 1 the " \
      "update raised the loss of its own batch.",                                                  \
      "Kalra et al. 2026, arXiv 2601.16979")                                                       \
    X(CRITICAL_SHARPNESS, "critical-sharpness", "Critical sharpness", "2 / η_c", STEP, CURVATURE,  \
      SIZE, NOTHING,                                                                               \
      "Two over the critical rate: the curvature u^T H u / |g^T u| along the update u, where the " \
      "loss is quadratic.",                                                                        \
      "Kalra et al. 2026, arXiv 2601.16979")                                                       \
    X(SHARPNESS, "sharpness", "Sharpness", "λ_{max}(H)", STEP, CURVATURE, SIZE, NOTHING,           \
      "Largest eigenvalue of the Hessian of the mean loss, on the batch and at the weights of "    \
      "the update that led to this step, without dropout; by Lanczos iteration on central "        \
      "differences of the gradient, started from the update. Blank where it did not converge.",    \
      "Cohen et al. 2021, arXiv 2103.00065")                                                       \
    X(SHARPNESS_RESIDUAL, "sharpness-residual", "Residual of the sharpness", "‖Hx − λx‖ / λ",      \
      STEP, CURVATURE, SIZE, NOTHING,                                                              \
      "Residual of the sharpness relative to it, at the end of the iteration. A sharpness is "     \
      "recorded only if this is at most 0.01.",                                                    \
      NULL)                                                                                        \
    X(PRECONDITIONED_SHARPNESS, "preconditioned-sharpness", "Preconditioned sharpness",            \
      "λ_{max}(P^{-1}H)", STEP, CURVATURE, SIZE, PRECONDITIONER,                                   \
      "Largest eigenvalue of the Hessian in the coordinates in which the optimizer makes a plain " \
      "gradient step: P = (1 − β_1^t) (√v + ε) with Adam's moments, v corrected for "        \
      "its bias; 1 for SGD.",                                                                      \
      "Cohen et al. 2022, arXiv 2207.14484")                                                       \
    X(PRECONDITIONED_RESIDUAL, "preconditioned-residual",                                          \
      "Residual of the preconditioned sharpness", "‖P^{-1}Hx − λx‖ / λ", STEP, CURVATURE, SIZE,    \
      PRECONDITIONER,                                                                              \
      "Residual of the preconditioned sharpness relative to it, in the norm of P. That "           \
      "sharpness is recorded only if this is at most 0.01.",                                       \
      NULL)                                                                                        \
    X(RATE_SHARPNESS, "rate-sharpness", "Rate × sharpness", "η λ_{max}(P^{-1}H)", STEP, CURVATURE, \
      SIZE, PRECONDITIONER,                                                                        \
      "Learning rate of the update that led to this step times the preconditioned sharpness. "     \
      "Above 2 (1 + β_1) / (1 − β_1) for Adam, 38 for β_1 = 0.9, and 2 (1 + μ) for "         \
      "SGD, the steps on a quadratic loss would grow without bound.",                              \
      "Cohen et al. 2021, arXiv 2103.00065; 2022, 2207.14484")                                     \
    X(LAYER_SHARPNESS, "layer-sharpness", "Sharpness of a layer", "λ_{max}(H_l)", LAYER,           \
      SHARPNESS, SIZE, NOTHING,                                                                    \
      "Largest eigenvalue of the block of the Hessian that belongs to the weights of a layer, "    \
      "all other weights held fixed, at the weights and on the batch of this step, without "       \
      "dropout; by Lanczos iteration, started from the gradient. Blank where it did not "          \
      "converge.",                                                                                 \
      "Cohen et al. 2021, arXiv 2103.00065 (of all weights)")                                      \
    X(LOG_Z, "log-z", "Log of the softmax normalizer", "⟨ln Z⟩", STEP, CHEAP, UNIT, NOTHING,       \
      "Logarithm of the sum of exp(logit) over the vocabulary, mean over targets. The loss does "  \
      "not depend on it: logits that drift together move it away from 0.",                         \
      "Chowdhery et al. 2022, arXiv 2204.02311, 5")                                                \
    X(TOKENS, "sequence-tokens", "Tokens per sequence", "n", STEP, CHEAP, SIZE, NOTHING,           \
      "Mean number of tokens of the sequences of the batch, without padding.", NULL)               \
    X(SOURCE_TOKENS, "source-tokens", "Tokens per source", "n_{source}", STEP, CHEAP, SIZE, CROSS, \
      "Mean number of tokens of the sources of the batch, without padding.", NULL)                 \
    X(EQUAL_TOKENS, "equal-tokens", "Equal tokens", "P(t_i = t_j)", STEP, CHEAP, UNIT, NOTHING,    \
      "Share of equal tokens among the pairs of two positions of a sequence, mean over the "       \
      "tokens of the batch.",                                                                      \
      NULL)                                                                                        \
    X(EQUAL_SOURCE, "equal-source-tokens", "Equal tokens of the source", "P(s_i = s_j)", STEP,     \
      CHEAP, UNIT, CROSS,                                                                          \
      "Share of equal tokens among the pairs of two positions of a source, mean over the tokens "  \
      "of the batch.",                                                                             \
      NULL)                                                                                        \
    X(BLEU, "bleu", "Validation BLEU", "BLEU", STEP, VALIDATED, UNIT, TRANSLATION,                 \
      "BLEU score, 0 to 100, of the greedy translations of `bleu-sentences` held-out sentences, "  \
      "measured where the validation loss is.",                                                    \
      "Papineni et al. 2002; Post 2018, arXiv 1804.08771")

typedef enum { NS_DOMAIN_STEP, NS_DOMAIN_LAYER, NS_DOMAIN_HIDDEN, NS_DOMAIN_HEAD } NsDomain;

/* The parts that a model must have for a quantity to exist, as bits. */
typedef enum {
    NS_NEED_NOTHING = 0,
    NS_NEED_FINAL_NORM = 1 << 0,
    NS_NEED_CROSS = 1 << 1,          /* cross-attention */
    NS_NEED_RELU = 1 << 2,           /* units that are exactly 0 when they are off */
    NS_NEED_MOMENTS = 1 << 3,        /* an optimizer with second moments */
    NS_NEED_BATCHES = 1 << 4,        /* two probe batches or more */
    NS_NEED_TRANSLATION = 1 << 5,    /* the task translation, with bleu-sentences > 0 */
    NS_NEED_CURVATURE = 1 << 6,      /* curvature-every > 0 */
    NS_NEED_PRECONDITIONER = 1 << 7, /* an optimizer with a diagonal one: all but Muon */
    NS_NEED_ABLATION = 1 << 8,       /* ablation-every > 0 */
    NS_NEED_SHARPNESS = 1 << 9,      /* layer-sharpness-every > 0 */
} NsNeed;

typedef enum {
#define NS_QUANTITY_OF_PARAMETER(ID, ...) NS_QUANTITY_GRAD_##ID,
    NS_PARAMETERS(NS_QUANTITY_OF_PARAMETER)
#undef NS_QUANTITY_OF_PARAMETER
#define NS_QUANTITY_ID(ID, ...) NS_QUANTITY_##ID,
        NS_QUANTITIES(NS_QUANTITY_ID)
#undef NS_QUANTITY_ID
            NS_QUANTITY_COUNT
} NsQuantity;

/* Quantities that only runs of other programs have (core/store/outside.h) are numbered from
 * NS_QUANTITY_COUNT on, in the order in which they were named. */
#define NS_QUANTITIES_NAMED 256
#define NS_QUANTITY_ALL (NS_QUANTITY_COUNT + NS_QUANTITIES_NAMED)

typedef struct {
    NsChoice choice;
    const char *symbol;
    NsDomain domain;
    bool expensive, validated, unit; /* cost and range */
    const char *every;               /* the setting of its interval; NULL: measured at every step */
    unsigned needs;                  /* NsNeed */
} NsQuantityInfo;

/* The description of a quantity below NS_QUANTITY_COUNT, or of one that was named.  The quantity of
 * the gradient of parameter r has the number r, and the key "grad-" followed by that of r. */
const NsQuantityInfo *ns_quantity(NsQuantity quantity);
const NsChoice *ns_quantity_choice(size_t i);

/* The quantity that was named with this key and domain, or a new one; NS_QUANTITY_ALL if there are
 * NS_QUANTITIES_NAMED already.  It exists until the program ends.  Any thread. */
NsQuantity ns_quantity_name(const char *key, NsDomain domain);

/* The properties of a model that determine the layout of a record. */
typedef struct {
    const NsTensorTable *table;
    size_t layers;
    size_t hidden; /* hidden states: layers + 1; with an encoder and a decoder layers + 2 */
    size_t heads;
    unsigned has;           /* the NsNeed that are met */
    int64_t probe_every;    /* 0: expensive quantities are never measured */
    int64_t ablation_every; /* 0: layers are never removed */
} NsRecordShape;

/* The quantities of NS_QUANTITIES_OF_SUBLAYER for one kind of sub-layer. */
typedef struct {
    NsQuantity branch_ratio, skip_share, branch_share, norm_sigma;
    NsQuantity skip_signal, branch_signal, skip_grad, branch_grad;
} NsSublayerQuantities;

extern const NsSublayerQuantities ns_sublayer_quantities[]; /* by NsSublayerKind */

/* Where the values of one step are stored: quantity q has the indices offset[q] to offset[q] +
 * count[q] - 1.  The values of heads are ordered by layer, then by head. */
typedef struct {
    size_t layers, hidden, heads;
    int64_t probe_every, ablation_every;
    size_t offset[NS_QUANTITY_ALL];
    size_t count[NS_QUANTITY_ALL]; /* 0 if the model does not have it or it is never measured */
    size_t width;                  /* number of values in a record */
} NsRecordLayout;

void ns_record_layout_init(NsRecordLayout *layout, const NsRecordShape *shape);

/* The steps between two measurements of a quantity that is measured at multiples of a number of
 * steps; 1 for all others. */
int64_t ns_record_interval(const NsRecordLayout *layout, NsQuantity quantity);

/* The number of values that a quantity of the domain has in a step. */
size_t ns_record_layout_count(const NsRecordLayout *layout, NsDomain domain);

/* Values and, for each, whether it was measured.  A value is not measured if the quantity was not
 * due at the step, or if it does not exist in the layer; it is then NaN, so that it cannot be added
 * up by mistake, and has no meaning.  A measured value that is not finite means divergence. */
typedef struct {
    float *value;
    bool *has;
} NsValues;

/* n values, none of them measured. */
NsValues ns_values_new(size_t n);
void ns_values_free(NsValues *values);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsValues, ns_values_free)

/* Marks all n values as not measured. */
void ns_values_reset(NsValues values, size_t n);

static inline void ns_values_put(NsValues values, size_t i, double value)
{
    values.value[i] = (float)value;
    values.has[i] = true;
}

/* Sets value i of a quantity in a record; does nothing if the model does not have the quantity. */
static inline void ns_record_put(const NsRecordLayout *layout, NsValues values, NsQuantity quantity,
                                 size_t i, double value)
{
    if (layout->count[quantity]) ns_values_put(values, layout->offset[quantity] + i, value);
}
