/* The kinds of parameters of a model.  SPDX-License-Identifier: MIT
 *
 * Each kind has one row.  PER_LAYER kinds exist once in every layer (if the placement and the norm
 * have them), the others once in every stack.  Encoder and decoder share the kinds.  Each row also
 * defines a measured quantity: the Frobenius norm of the gradient of that tensor
 * (core/probe/quantity.h).
 *
 * X(ID, key, tensor name; per-layer names follow "blk{l}.", symbol with _ for a subscript, per
 * layer) */
#pragma once

/* The parameters that a norm may have, in this order. */
#define NS_NORM_PARAMETERS(X, ID, key, name, place, per_layer)                                     \
    X(ID##_GAIN, key "-gain", name ".gain", "γ_{" place "}", per_layer)                            \
    X(ID##_BIAS, key "-bias", name ".bias", "β_{" place "}", per_layer)                            \
    X(ID##_ALPHA, key "-alpha", name ".alpha", "α_{" place "}", per_layer)

/* clang-format off */
#define NS_PARAMETERS(X)                                                                                \
    X(TOK_EMB, "tok-emb", "tok_emb", "W_{tok}", 0)                                                 \
    X(POS_EMB, "pos-emb", "pos_emb", "W_{pos}", 0)                                                 \
    X(SEG_EMB, "seg-emb", "seg_emb", "W_{seg}", 0)                                                 \
    NS_NORM_PARAMETERS(X, EMB_NORM, "emb-norm", "emb_norm", "emb", 0)                                   \
    X(LAYER_GAIN, "layer-gain", "branch_gain", "α", 1)                                             \
    NS_NORM_PARAMETERS(X, NORM1, "norm1", "norm1", "1", 1)                                              \
    X(WQ, "wq", "attn.wq", "W_Q", 1)                                                               \
    X(WK, "wk", "attn.wk", "W_K", 1)                                                               \
    X(WV, "wv", "attn.wv", "W_V", 1)                                                               \
    X(BQ, "bq", "attn.bq", "b_Q", 1)                                                               \
    X(BK, "bk", "attn.bk", "b_K", 1)                                                               \
    X(BV, "bv", "attn.bv", "b_V", 1)                                                               \
    NS_NORM_PARAMETERS(X, Q_NORM, "q-norm", "attn.q_norm", "Q", 1)                                      \
    NS_NORM_PARAMETERS(X, K_NORM, "k-norm", "attn.k_norm", "K", 1)                                      \
    NS_NORM_PARAMETERS(X, V_NORM, "v-norm", "attn.v_norm", "V", 1)                                      \
    X(HEAD_SCALE, "head-scale", "attn.head_scale", "γ_h", 1)                                       \
    NS_NORM_PARAMETERS(X, MID_NORM1, "mid-norm1", "attn.mid_norm", "1,mid", 1)                          \
    X(WO, "wo", "attn.wo", "W_O", 1)                                                               \
    X(BO, "bo", "attn.bo", "b_O", 1)                                                               \
    NS_NORM_PARAMETERS(X, BRANCH_NORM1, "branch-norm1", "branch_norm1", "1,br", 1)                      \
    X(BRANCH_GAIN1, "branch-gain1", "attn.branch_gain", "α_1", 1)                                  \
    X(STREAM_GAIN1, "stream-gain1", "attn.stream_gain", "ω_1", 1)                                  \
    NS_NORM_PARAMETERS(X, OUT_NORM1, "out-norm1", "out_norm1", "1,out", 1)                              \
    NS_NORM_PARAMETERS(X, CROSS_NORM, "cross-norm", "cross_norm", "×", 1)                               \
    X(CROSS_WQ, "cross-wq", "cross.wq", "W_{Q,×}", 1)                                              \
    X(CROSS_WK, "cross-wk", "cross.wk", "W_{K,×}", 1)                                              \
    X(CROSS_WV, "cross-wv", "cross.wv", "W_{V,×}", 1)                                              \
    X(CROSS_BQ, "cross-bq", "cross.bq", "b_{Q,×}", 1)                                              \
    X(CROSS_BK, "cross-bk", "cross.bk", "b_{K,×}", 1)                                              \
    X(CROSS_BV, "cross-bv", "cross.bv", "b_{V,×}", 1)                                              \
    NS_NORM_PARAMETERS(X, CROSS_Q_NORM, "cross-q-norm", "cross.q_norm", "Q,×", 1)                       \
    NS_NORM_PARAMETERS(X, CROSS_K_NORM, "cross-k-norm", "cross.k_norm", "K,×", 1)                       \
    NS_NORM_PARAMETERS(X, CROSS_V_NORM, "cross-v-norm", "cross.v_norm", "V,×", 1)                       \
    X(CROSS_HEAD_SCALE, "cross-head-scale", "cross.head_scale", "γ_{h,×}", 1)                      \
    NS_NORM_PARAMETERS(X, CROSS_MID_NORM, "cross-mid-norm", "cross.mid_norm", "×,mid", 1)               \
    X(CROSS_WO, "cross-wo", "cross.wo", "W_{O,×}", 1)                                              \
    X(CROSS_BO, "cross-bo", "cross.bo", "b_{O,×}", 1)                                              \
    NS_NORM_PARAMETERS(X, BRANCH_CROSS_NORM, "branch-cross-norm", "branch_cross_norm", "×,br", 1)       \
    X(CROSS_BRANCH_GAIN, "cross-branch-gain", "cross.branch_gain", "α_×", 1)                       \
    X(CROSS_STREAM_GAIN, "cross-stream-gain", "cross.stream_gain", "ω_×", 1)                       \
    NS_NORM_PARAMETERS(X, OUT_CROSS_NORM, "out-cross-norm", "out_cross_norm", "×,out", 1)               \
    NS_NORM_PARAMETERS(X, NORM2, "norm2", "norm2", "2", 1)                                              \
    X(W1, "w1", "ffn.w1", "W_1", 1)                                                                \
    X(B1, "b1", "ffn.b1", "b_1", 1)                                                                \
    X(W3, "w3", "ffn.w3", "W_3", 1)                                                                \
    NS_NORM_PARAMETERS(X, MID_NORM2, "mid-norm2", "ffn.mid_norm", "2,mid", 1)                           \
    X(W2, "w2", "ffn.w2", "W_2", 1)                                                                \
    X(B2, "b2", "ffn.b2", "b_2", 1)                                                                \
    NS_NORM_PARAMETERS(X, BRANCH_NORM2, "branch-norm2", "branch_norm2", "2,br", 1)                      \
    X(BRANCH_GAIN2, "branch-gain2", "ffn.branch_gain", "α_2", 1)                                   \
    X(STREAM_GAIN2, "stream-gain2", "ffn.stream_gain", "ω_2", 1)                                   \
    NS_NORM_PARAMETERS(X, OUT_NORM2, "out-norm2", "out_norm2", "2,out", 1)                              \
    NS_NORM_PARAMETERS(X, FINAL_NORM, "final-norm", "final_norm", "final", 0)                           \
    X(CLASS_HEAD, "class-head", "class_head", "W_{class}", 0)                                           \
    X(HEAD, "head", "head", "W_{head}", 0)
/* clang-format on */

typedef enum {
#define NS_PARAMETER_ID(ID, key, name, symbol, per_layer) NS_PARAMETER_##ID,
    NS_PARAMETERS(NS_PARAMETER_ID)
#undef NS_PARAMETER_ID
        NS_PARAMETER_COUNT
} NsParameterKind;
