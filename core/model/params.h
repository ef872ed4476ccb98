/* The one table of settings.  SPDX-License-Identifier: MIT
 *
 * One row a setting.  From this table come the fields of NsSettings, the rows of the sidebar,
 * `--set key=value`, `list settings`, presets and the settings line inside a figure.  To add a
 * setting, add a row and use the field.
 *
 * INT   (field, key, group, label, unit, least, most, default, scale, effect, help, source)
 * REAL  (the same)
 * CHOICE(field, key, group, label, registry, default key, effect, help, source)
 * TEXT  (field, key, group, label, default, effect, help, source)
 *
 * scale: LINEAR or LOG, how a slider runs.  effect: LIVE acts at the next step of a running model,
 * RESTART starts a new one. */
#pragma once

/* clang-format off */
#define NS_PARAMS(INT, REAL, CHOICE, TEXT)                                                         \
    CHOICE(placement, "placement", MODEL, "Norm placement", ns_placement_choice, "post", RESTART,  \
        "Where the normalisation sits in each sub-layer.", "Xiong et al. 2020, Table 1")           \
    CHOICE(norm, "norm", MODEL, "Norm kind", ns_norm_choice, "layernorm", RESTART,                 \
        "What the normalisation does at every place that has one.", NULL)                          \
    INT(layers, "layers", MODEL, "Layers", NULL, 1, 10000, 6, LOG, RESTART,                        \
        "Depth L of the stack; each layer is attention followed by a feed-forward network.", NULL) \
    INT(d_model, "d-model", MODEL, "Width", NULL, 1, 8192, 64, LOG, RESTART,                       \
        "Width d of the hidden state; a multiple of the heads.", NULL)                             \
    INT(heads, "heads", MODEL, "Heads", NULL, 1, 256, 4, LOG, RESTART,                             \
        "Attention heads; each sees d / heads features.", "Vaswani et al. 2017, 3.2.2")            \
    INT(d_ff, "d-ff", MODEL, "FFN width", NULL, 0, 65536, 0, LOG, RESTART,                         \
        "Width of the feed-forward network; 0 means 4 d.", "Vaswani et al. 2017, 3.3")             \
    CHOICE(final_norm, "final-norm", MODEL, "Final norm", ns_switch_choice, "auto", RESTART,       \
        "A norm after the last layer; auto asks the placement (Pre-LN has one).",                  \
        "Xiong et al. 2020, Table 1")                                                              \
    CHOICE(embedding_norm, "embedding-norm", MODEL, "Embedding norm", ns_switch_choice, "auto",    \
        RESTART, "A norm after the embedding; auto asks the placement (Post-LN has one).", NULL)   \
    REAL(norm_eps, "norm-eps", MODEL, "Norm epsilon", NULL, 0.0, 1.0, 1e-5, LOG, RESTART,          \
        "Added to the variance before its root is taken.", "Ba, Kiros, Hinton 2016")               \
    REAL(lr, "lr", OPTIMIZER, "Peak learning rate", NULL, 0.0, 100.0, 3e-3, LOG, LIVE,             \
        "The learning rate at the end of the warm-up.", NULL)                                      \
    INT(warmup, "warmup", OPTIMIZER, "Warm-up", "steps", 1, 1000000, 1, LOG, LIVE,                 \
        "Steps over which the rate rises from 0 to its peak; 1 means no warm-up.",                 \
        "Xiong et al. 2020, eq. 1")                                                                \
    CHOICE(schedule, "schedule", OPTIMIZER, "Schedule", ns_schedule_choice, "inverse-sqrt", LIVE,  \
        "What the rate does after the warm-up.", NULL)                                             \
    REAL(beta1, "beta1", OPTIMIZER, "Adam beta 1", NULL, 0.0, 0.999999, 0.9, LINEAR, RESTART,      \
        "Decay of the first moment.", "Kingma and Ba 2015")                                        \
    REAL(beta2, "beta2", OPTIMIZER, "Adam beta 2", NULL, 0.0, 0.999999, 0.98, LINEAR, RESTART,     \
        "Decay of the second moment.", "Kingma and Ba 2015")                                       \
    REAL(eps, "eps", OPTIMIZER, "Adam epsilon", NULL, 0.0, 1.0, 1e-8, LOG, RESTART,                \
        "Added to the root of the second moment.", "Kingma and Ba 2015")                           \
    CHOICE(task, "task", DATA, "Task", ns_task_choice, "grammar", RESTART,                         \
        "What the model learns.", NULL)                                                            \
    TEXT(text, "text", DATA, "Text file", "", RESTART,                                             \
        "A UTF-8 file to learn, character by character; naming one chooses task text.", NULL)      \
    INT(seq, "seq", DATA, "Sequence", "characters", 1, 8192, 32, LOG, RESTART,                     \
        "Characters in one training sequence.", NULL)                                              \
    INT(batch, "batch", DATA, "Batch", "sequences", 1, 4096, 16, LOG, RESTART,                     \
        "Sequences in one step.", NULL)                                                            \
    INT(eval_every, "eval-every", DATA, "Validate every", "steps", 0, 1000000, 50, LOG, RESTART,  \
        "Steps between two measurements of the validation loss; 0 only at the end.", NULL)         \
    INT(eval_batches, "eval-batches", DATA, "Validation size", "batches", 1, 100000, 8, LOG,       \
        RESTART, "Batches of held-out text in one validation loss, evenly spread over it.", NULL)  \
    INT(seed, "seed", RUN, "Seed", NULL, 0, 2147483647, 1, LINEAR, RESTART,                        \
        "Draws the initial weights.", NULL)                                                        \
    INT(data_seed, "data-seed", RUN, "Data seed", NULL, 0, 2147483647, 1, LINEAR, RESTART,         \
        "Draws the generated text and the order of the batches.", NULL)                            \
    INT(steps, "steps", RUN, "Steps", NULL, 0, 1000000000, 0, LOG, RESTART,                        \
        "The run finishes after this many steps; 0 means it goes on until it is paused.", NULL)    \
    INT(threads, "threads", RUN, "Threads", NULL, 0, 256, 0, LINEAR, RESTART,                      \
        "Threads that share a batch; 0 means one for every core.", NULL)
/* clang-format on */
