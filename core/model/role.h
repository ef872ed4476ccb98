/* What a tensor is to the model.  SPDX-License-Identifier: MIT
 *
 * One row a role.  PER_LAYER roles exist once in every layer (where the placement and the norm have
 * them); the others at most once.  Each row makes, by itself, a measured quantity: the Frobenius
 * norm of the gradient of that tensor (core/probe/quantity.h).
 *
 * X(ID, key, tensor name; per-layer names follow "blk{l}.", symbol with _ for a subscript, per
 * layer) */
#pragma once

#define NS_ROLES(X)                                                                                \
    X(TOK_EMB, "tok-emb", "tok_emb", "W_{tok}", 0)                                                 \
    X(POS_EMB, "pos-emb", "pos_emb", "W_{pos}", 0)                                                 \
    X(EMB_NORM_GAIN, "emb-norm-gain", "emb_norm.gain", "γ_{emb}", 0)                               \
    X(EMB_NORM_BIAS, "emb-norm-bias", "emb_norm.bias", "β_{emb}", 0)                               \
    X(NORM1_GAIN, "norm1-gain", "norm1.gain", "γ_{1}", 1)                                          \
    X(NORM1_BIAS, "norm1-bias", "norm1.bias", "β_{1}", 1)                                          \
    X(WQ, "wq", "attn.wq", "W_Q", 1)                                                               \
    X(WK, "wk", "attn.wk", "W_K", 1)                                                               \
    X(WV, "wv", "attn.wv", "W_V", 1)                                                               \
    X(BQ, "bq", "attn.bq", "b_Q", 1)                                                               \
    X(BK, "bk", "attn.bk", "b_K", 1)                                                               \
    X(BV, "bv", "attn.bv", "b_V", 1)                                                               \
    X(WO, "wo", "attn.wo", "W_O", 1)                                                               \
    X(BO, "bo", "attn.bo", "b_O", 1)                                                               \
    X(BRANCH_NORM1_GAIN, "branch-norm1-gain", "branch_norm1.gain", "γ_{1,br}", 1)                  \
    X(BRANCH_NORM1_BIAS, "branch-norm1-bias", "branch_norm1.bias", "β_{1,br}", 1)                  \
    X(OUT_NORM1_GAIN, "out-norm1-gain", "out_norm1.gain", "γ_{1,out}", 1)                          \
    X(OUT_NORM1_BIAS, "out-norm1-bias", "out_norm1.bias", "β_{1,out}", 1)                          \
    X(NORM2_GAIN, "norm2-gain", "norm2.gain", "γ_{2}", 1)                                          \
    X(NORM2_BIAS, "norm2-bias", "norm2.bias", "β_{2}", 1)                                          \
    X(W1, "w1", "ffn.w1", "W_1", 1)                                                                \
    X(B1, "b1", "ffn.b1", "b_1", 1)                                                                \
    X(W2, "w2", "ffn.w2", "W_2", 1)                                                                \
    X(B2, "b2", "ffn.b2", "b_2", 1)                                                                \
    X(BRANCH_NORM2_GAIN, "branch-norm2-gain", "branch_norm2.gain", "γ_{2,br}", 1)                  \
    X(BRANCH_NORM2_BIAS, "branch-norm2-bias", "branch_norm2.bias", "β_{2,br}", 1)                  \
    X(OUT_NORM2_GAIN, "out-norm2-gain", "out_norm2.gain", "γ_{2,out}", 1)                          \
    X(OUT_NORM2_BIAS, "out-norm2-bias", "out_norm2.bias", "β_{2,out}", 1)                          \
    X(FINAL_NORM_GAIN, "final-norm-gain", "final_norm.gain", "γ_{final}", 0)                       \
    X(FINAL_NORM_BIAS, "final-norm-bias", "final_norm.bias", "β_{final}", 0)                       \
    X(HEAD, "head", "head", "W_{head}", 0)

typedef enum {
#define NS_ROLE_ID(ID, key, name, symbol, per_layer) NS_ROLE_##ID,
    NS_ROLES(NS_ROLE_ID)
#undef NS_ROLE_ID
        NS_ROLE_COUNT
} NsRole;
