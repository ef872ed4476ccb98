/* The table of settings.  SPDX-License-Identifier: MIT
 *
 * Each setting has one row.  From this table come the fields of NsSettings, the rows of the
 * sidebar, `--set key=value`, `list settings`, presets and the settings line inside a figure.  To
 * add a setting, add a row and use the field.
 *
 *     * INT   (field, key, group, label, unit, least, most, default, scale, effect, help, source)
 *     * REAL  (the same)
 *     * CHOICE(field, key, group, label, registry, default key, effect, help, source)
 *     * TEXT  (field, key, group, label, default, effect, help, source)
 *
 * scale: the slider is LINEAR or LOG.  effect: when a change acts.  LIVE: at the next step of a
 * running model.  FORK: in a new model, which can be a fork that takes over every tensor, since
 * neither the shapes nor the initial values of tensors depend on the setting.  RESTART: only in a
 * new model with other tensors.  With “| SHARED” all lanes of a run have the same value, since the
 * setting determines their data or the number of steps. */
#pragma once

/* clang-format off */
#define NS_PARAMS(INT, REAL, CHOICE, TEXT)                                                         \
    CHOICE(arch, "arch", ARCH, "Architecture", ns_arch_choice, "decoder", RESTART | SHARED,        \
        "Which parts of the Transformer are used.", "Vaswani et al. 2017, 3.1")                    \
    CHOICE(placement, "placement", NORM, "Norm placement", ns_placement_choice, "post", RESTART,   \
        "Where the normalization sits in each sub-layer.", "Xiong et al. 2020, Table 1")           \
    TEXT(mixture, "mixture", NORM, "Mixture", "", RESTART,                                         \
        "Placements from the first layer up, each with its share of the depth: post*3,pre*9 "      \
        "means a quarter and three quarters. A formula can replace a name, such as x + "           \
        "N(F(N(x))) or N(2 x + F(x)). A mixture replaces the single placement.",                   \
        "Li et al. 2024, arXiv 2412.13795")                                                        \
    CHOICE(norm, "norm", NORM, "Norm kind", ns_norm_choice, "auto", RESTART,                       \
        "The normalization that every norm applies; auto follows the placement: RMSNorm where "    \
        "the models of its paper use it, such as OLMo 2 and Keel, LayerNorm otherwise. To "        \
        "compare placements alone, choose one kind for all.", NULL)                                \
    INT(layers, "layers", ARCH, "Layers", NULL, 1, 10000, 6, LOG, RESTART,                         \
        "Depth L of the stack; each layer is attention followed by a feed-forward network.", NULL) \
    INT(decoder_layers, "decoder-layers", ARCH, "Decoder layers", NULL, 0, 10000, 0, LOG,          \
        RESTART, "Depth of the decoder of an encoder-decoder; 0 means as deep as the encoder.",    \
        NULL)                                                                                      \
    INT(base_layers, "base-layers", ARCH, "Base depth", NULL, 1, 10000, 2, LOG, RESTART,           \
        "Depth at which CompleteP and depth-μP change nothing.", "Dey et al. 2025")                \
    INT(d_model, "d-model", ARCH, "Width", NULL, 1, 8192, 64, LOG, RESTART,                        \
        "Width d of the hidden state; a multiple of the number of heads.", NULL)                   \
    INT(heads, "heads", ARCH, "Heads", NULL, 1, 256, 4, LOG, RESTART,                              \
        "Attention heads; each has d / heads features.", "Vaswani et al. 2017, 3.2.2")             \
    INT(kv_heads, "kv-heads", ARCH, "Key and value heads", NULL, 0, 256, 0, LOG, RESTART,          \
        "Heads of keys and values, each shared by a group of query heads: a divisor of the "       \
        "number of heads. 0 means one per head, 1 is multi-query attention.",                      \
        "Ainslie et al. 2023, arXiv 2305.13245")                                                   \
    INT(d_ff, "d-ff", ARCH, "FFN width", NULL, 0, 65536, 0, LOG, RESTART,                          \
        "Width of the feed-forward network; 0 means 4 d.", "Vaswani et al. 2017, 3.3")             \
    INT(base_width, "base-width", ARCH, "Base width", NULL, 0, 8192, 0, LOG, RESTART,              \
        "Width at which μP changes nothing; 0 means off. With m = d-model / base-width, the "      \
        "initial standard deviation at the base width is divided by √m for the layers' "           \
        "matrices and by m for the head; Adam's learning rate for both is divided by m, as is "    \
        "ε in the layers. One learning rate then works at every width. Attention keeps the "       \
        "factor 1 / √d_head, so let heads grow with the width.",                                   \
        "Yang et al. 2022, arXiv 2203.03466, table 8; Dey et al. 2025, arXiv 2505.01618")          \
    CHOICE(final_norm, "final-norm", NORM, "Final norm", ns_switch_choice, "auto", RESTART,        \
        "A norm after the last layer; auto follows the placement (Pre-LN has one).",               \
        "Xiong et al. 2020, Table 1")                                                              \
    CHOICE(embedding_norm, "embedding-norm", NORM, "Embedding norm", ns_switch_choice, "auto",     \
        RESTART, "A norm after the embedding, as in BERT; auto follows the placement, and no "     \
        "placement here has one in its paper.", "Devlin et al. 2018, arXiv 1810.04805")            \
    REAL(norm_eps, "norm-eps", NORM, "Norm epsilon", NULL, 0.0, 1.0, 1e-5, LOG, FORK,              \
        "Added to the variance before the square root.", "Ba, Kiros, Hinton 2016")                 \
    CHOICE(qk_norm, "qk-norm", NORM, "QK norm", ns_qk_norm_choice, "auto", RESTART,                \
        "A norm on queries and keys, over each head or over the full width; auto follows the "     \
        "placement (OLMo 2 has one over the full width).",                                         \
        "Henry et al. 2020, arXiv 2010.04245")                                                     \
    CHOICE(activation, "activation", ARCH, "Activation", ns_activation_choice, "relu", RESTART,    \
        "The nonlinearity of the feed-forward network.", NULL)                                     \
    CHOICE(attention, "attention", ARCH, "Attention", ns_attention_choice, "softmax", RESTART,     \
        "How attention weights are computed; uniform is the setting of the paper's theory.",       \
        "Xiong et al. 2020, 3.3")                                                                  \
    CHOICE(positions, "positions", ARCH, "Positions", ns_positions_choice, "learned", RESTART,     \
        "How the model encodes the position of a token.", "Vaswani et al. 2017, 3.5")              \
    CHOICE(tie_embeddings, "tie-embeddings", ARCH, "Tied embeddings", ns_toggle_choice, "off",     \
        RESTART, "The output head and all token embeddings share one matrix.",                     \
        "Press and Wolf 2017, arXiv 1608.05859")                                                   \
    CHOICE(tie_layers, "tie-layers", ARCH, "Tied layers", ns_toggle_choice, "off", RESTART,        \
        "All layers of a stack share the same weights. Their gradient is the sum over the "        \
        "layers, and each layer shows these same weights and this gradient.",                      \
        "Lan et al. 2020, arXiv 1909.11942, 3.1")                                                  \
    CHOICE(scale_embeddings, "scale-embeddings", ARCH, "Scaled embeddings", ns_toggle_choice,      \
        "off", FORK, "Token embeddings are multiplied by √d where they are read, before the "      \
        "positions are added.", "Vaswani et al. 2017, 3.4")                                        \
    CHOICE(weight_standardization, "weight-standardization", NORM, "Weight standardization",       \
        ns_toggle_choice, "off", FORK,                                                             \
        "Every row of a layer's matrices is centered and scaled before use.",                      \
        "Qiao et al. 2019, arXiv 1903.10520")                                                      \
    CHOICE(init, "init", ARCH, "Initialization", ns_init_choice, "xavier-normal", RESTART,         \
        "The distribution of the initial weights.", NULL)                                          \
    REAL(init_scale, "init-scale", ARCH, "Initial scale", NULL, 0.0, 1000.0, 1, LOG, RESTART,      \
        "Multiplies every initial matrix of the layers.", NULL)                                    \
    REAL(dropout, "dropout", REGULARIZER, "Dropout", NULL, 0.0, 0.95, 0, LINEAR, FORK,             \
        "Probability that a feature of an embedding or of a branch's output is dropped in "        \
        "training.", "Srivastava et al. 2014")                                                     \
    REAL(drop_path, "drop-path", REGULARIZER, "Stochastic depth", NULL, 0.0, 0.95, 0, LINEAR,      \
        FORK, "Probability that the last layer is dropped for a sequence; for layer l it is l / "  \
        "L times this.", "Huang et al. 2016, arXiv 1603.09382, eq. 4")                             \
    REAL(label_smoothing, "label-smoothing", REGULARIZER, "Label smoothing", NULL, 0.0, 0.99, 0,   \
        LINEAR, FORK, "Share of the target probability that is spread evenly over the "            \
        "vocabulary.", "Szegedy et al. 2016, arXiv 1512.00567")                                    \
    REAL(z_loss, "z-loss", REGULARIZER, "Z-loss", NULL, 0.0, 1.0, 0, LOG, FORK,                    \
        "Coefficient of the penalty log² Z, added to the loss of every token, where Z is the "     \
        "softmax normalizer; it keeps the logits from drifting. PaLM uses 1e-4. 0 means off.",     \
        "Chowdhery et al. 2022, arXiv 2204.02311, 5")                                              \
    REAL(weight_decay, "weight-decay", REGULARIZER, "Weight decay", NULL, 0.0, 10.0, 0, LOG, LIVE, \
        "Shrinks the weights named by decay-scope toward zero; AdamW and Muon decouple it from "   \
        "the gradient, the other optimizers add it to the gradient.",                              \
        "Loshchilov and Hutter 2019, arXiv 1711.05101")                                            \
    CHOICE(decay_scope, "decay-scope", REGULARIZER, "Weight decay applies to",                     \
        ns_decay_scope_choice, "matrices", LIVE, "Which weights the weight decay covers.", NULL)   \
    REAL(clip, "clip", REGULARIZER, "Gradient clipping", NULL, 0.0, 1e6, 0, LOG, LIVE,             \
        "Maximum global gradient norm of an update: a larger gradient is scaled down to it. "      \
        "0 means off. Norms are measured before clipping.",                                        \
        "Pascanu et al. 2013, arXiv 1211.5063")                                                    \
    CHOICE(optimizer, "optimizer", OPTIMIZER, "Optimizer", ns_optimizer_choice, "adam", FORK,      \
        "The rule that turns gradients into updates.", NULL)                                       \
    REAL(lr, "lr", SCHEDULE, "Peak learning rate", NULL, 0.0, 100.0, 3e-3, LOG, LIVE,              \
        "The learning rate after the warm-up, before any decay.", NULL)                            \
    INT(warmup, "warmup", SCHEDULE, "Warm-up", "steps", 1, 1000000, 1, LOG, LIVE,                  \
        "The learning rate rises linearly from 0 to its peak over this many steps; 1 means off.",  \
        "Xiong et al. 2020, eq. 1")                                                                \
    CHOICE(schedule, "schedule", SCHEDULE, "Schedule", ns_schedule_choice, "constant", LIVE,       \
        "The decay of the learning rate: a factor f that does not depend on the warm-up.", NULL)   \
    INT(decay_start, "decay-start", SCHEDULE, "Decay from", "steps", 1, 1000000000, 100, LOG,      \
        LIVE, "Step after which the inverse-sqrt, linear and cosine schedules begin to decay. "    \
        "For papers whose decay begins at the end of the warm-up, set it to the value of warmup.", \
        "Vaswani et al. 2017, 5.3")                                                                \
    INT(decay_steps, "decay-steps", SCHEDULE, "Decay to step", "steps", 0, 1000000000, 0, LOG,     \
        LIVE, "Step at which the linear and cosine schedules reach 0; the step schedule drops at " \
        "one third and two thirds of it. 0 means the steps of the run, or 1,000 if it has no "     \
        "end.", NULL)                                                                              \
    REAL(momentum, "momentum", OPTIMIZER, "Momentum", NULL, 0.0, 0.999999, 0, LINEAR, FORK,        \
        "Momentum of SGD and Muon.", "Polyak 1964")                                                \
    REAL(beta1, "beta1", OPTIMIZER, "Adam beta 1", NULL, 0.0, 0.999999, 0.9, LINEAR, FORK,         \
        "Decay rate of the first moment.", "Kingma and Ba 2015")                                   \
    REAL(beta2, "beta2", OPTIMIZER, "Adam beta 2", NULL, 0.0, 0.999999, 0.98, LINEAR, FORK,        \
        "Decay rate of the second moment.", "Kingma and Ba 2015")                                  \
    REAL(eps, "eps", OPTIMIZER, "Adam epsilon", NULL, 0.0, 1.0, 1e-8, LOG, FORK,                   \
        "Added to the square root of the second moment.", "Kingma and Ba 2015")                    \
    CHOICE(task, "task", DATA, "Task", ns_task_choice, "grammar", RESTART | SHARED,                \
        "What the model learns.", NULL)                                                            \
    TEXT(text, "text", DATA, "Text file", "", RESTART | SHARED,                                    \
        "A UTF-8 file to train on, character by character. Choosing one selects the task text, unless the task is mlm; another task clears it.", NULL)                                                           \
    CHOICE(next_sentence, "next-sentence", DATA, "Next sentence", ns_toggle_choice, "on",          \
        RESTART | SHARED, "In the task mlm, the second segment of half of the sequences does not follow the first, and a head on the first token predicts whether it does.",                   \
        "Devlin et al. 2018, arXiv 1810.04805")                                                    \
    TEXT(source, "source", DATA, "Source file", "", RESTART | SHARED,                              \
        "Sentences for the task translation, one per line, plain or compressed by gzip; line i of the target file is the translation of line i. Empty: generated pairs. Choosing a file selects the task translation; another task clears it.", NULL)                               \
    TEXT(target, "target", DATA, "Target file", "", RESTART | SHARED,                              \
        "The translations of the source file, line by line.", NULL)                                \
    TEXT(valid_source, "valid-source", DATA, "Validation source", "", RESTART | SHARED,            \
        "Sentences for the validation loss of the task translation. Empty: the last tenth of the pairs is held out.", NULL)                                                             \
    TEXT(valid_target, "valid-target", DATA, "Validation target", "", RESTART | SHARED,            \
        "The translations of the validation source, line by line.", NULL)                          \
    TEXT(tokenizer, "tokenizer", DATA, "Tokenizer", "", RESTART | SHARED,                          \
        "How a text becomes tokens. char or empty: character by character. bpe: a byte-pair "      \
        "encoding with vocab tokens, learned from the training part of the text. Or a path: "      \
        "a merges file in subword-nmt's format, or a folder with GPT-2's vocab.json and "          \
        "merges.txt, or its tokenizer.json.", "Sennrich, Haddow, Birch 2016, arXiv 1508.07909")    \
    INT(vocab, "vocab", DATA, "Vocabulary size", NULL, 0, 1000000, 0, LOG, RESTART | SHARED,       \
        "Number of symbols in the tasks copy, reverse, sort, gaussian and random, and the "        \
        "most tokens that tokenizer=bpe may learn; 0 means the task's default, or 1,000 "          \
        "tokens. Other texts determine the number themselves; a GPT-2 folder adds tokens up "      \
        "to this number.", NULL)                                                                   \
    CHOICE(vocabularies, "vocabularies", DATA, "Vocabularies", ns_vocabularies_choice, "joint",    \
        RESTART | SHARED, "In the task translation, whether source and target share one "          \
        "vocabulary, or each has its own of up to vocab tokens; tied embeddings then tie the "     \
        "head to those of the target.", "Sennrich, Haddow, Birch 2016, arXiv 1508.07909, 3.2")     \
    INT(seq, "seq", DATA, "Sequence", "characters", 1, 8192, 32, LOG, RESTART | SHARED,            \
        "Characters in one training sequence.", NULL)                                              \
    INT(batch, "batch", DATA, "Batch", "sequences", 1, 4096, 16, LOG, FORK | SHARED,               \
        "Sequences per step, unless batch-tokens is set. A large batch is computed in parts "      \
        "whose gradients are added (gradient accumulation).", NULL)                                \
    INT(batch_tokens, "batch-tokens", DATA, "Tokens per batch", "tokens", 0, 1000000, 0, LOG,      \
        FORK | SHARED, "Positions per step, on either side of an encoder-decoder. In the "         \
        "task translation the pairs of a batch have similar lengths, so little of the batch "      \
        "is padding; in other tasks every sequence has length seq. 0 means that the setting "      \
        "batch applies.",                                                                          \
        "Vaswani et al. 2017, 5.1")                                                                \
    INT(source_seq, "source-seq", DATA, "Source length", "tokens", 0, 8192, 0, LOG, RESTART |      \
        SHARED, "Tokens in one source sequence of an encoder-decoder; 0 means as many as in the "  \
        "target sequence.", NULL)                                                                  \
    INT(eval_every, "eval-every", MEASURE, "Validate every", "steps", 0, 1000000, 50, LOG, FORK,   \
        "Steps between two measurements of the validation loss; 0 measures it only at the end.",   \
        NULL)                                                                                      \
    INT(eval_batches, "eval-batches", MEASURE, "Validation size", "batches", 1, 100000, 8, LOG,    \
        FORK | SHARED, "Batches per validation loss, evenly spaced over the held-out text.", NULL) \
    INT(bleu_sentences, "bleu-sentences", MEASURE, "BLEU sentences", "sentences", 0, 100000, 32,   \
        LOG, FORK | SHARED, "Number of held-out sentences, evenly spaced, that the task "          \
        "translation translates greedily at every validation to compute the BLEU score. 0 means no BLEU.",     \
        "Papineni et al. 2002")                                                                    \
    INT(seed, "seed", RUN, "Seed", NULL, 0, 2147483647, 1, LINEAR, RESTART,                        \
        "Seed of the initial weights and of dropout; of the first run if a lane has several.", NULL) \
    INT(seeds, "seeds", RUN, "Seeds per lane", NULL, 1, 10, 1, LINEAR, RESTART | SHARED,                    \
        "Runs per lane, trained side by side on the same batches with consecutive seeds, the "     \
        "first of which is “Seed”. Curves show their mean with a band of one standard "            \
        "deviation; all other charts show the first run.", NULL)                                   \
    INT(data_seed, "data-seed", RUN, "Data seed", NULL, 0, 2147483647, 1, LINEAR, RESTART |        \
        SHARED, "Seed of the generated text and of the order of the batches; all lanes share both.", NULL)               \
    INT(steps, "steps", RUN, "Steps", NULL, 0, 1000000000, 0, LOG, FORK | SHARED,                  \
        "The run finishes after this many steps; 0 means that it continues until it is paused.",   \
        NULL)                                                                                      \
    INT(probe_every, "probe-every", MEASURE, "Measure attention every", "steps", 0, 1000000, 0,    \
        LOG, FORK, "Steps between two measurements of the quantities that are expensive to "       \
        "compute, such as attention and similarity; 0 means never.",                               \
        NULL)                                                                                      \
    INT(curvature_every, "curvature-every", MEASURE, "Measure curvature every", "steps", 0,        \
        1000000, 0, LOG, FORK, "Steps between two measurements of sharpness and critical rate, which take " \
        "about as long as 50 steps, and memory for six copies of the weights and, with ReLU, a "   \
        "byte for every unit and position; the first update is measured, too. 0 means never.",     \
        "Cohen et al. 2022, arXiv 2207.14484")                                                     \
    INT(sharpness_every, "layer-sharpness-every", MEASURE, "Measure sharpness every",        \
        "steps", 0, 1000000, 0, LOG, FORK, "Steps between two measurements of the sharpness of "   \
        "every layer, which take about as long as 60 steps for each layer, and as much memory as " \
        "the curvature; 0 means never.",                                                           \
        "Cohen et al. 2021, arXiv 2103.00065")                                                     \
    INT(ablation_every, "ablation-every", MEASURE, "Measure ablation every", "steps", 0,     \
        1000000, 0, LOG, FORK, "Steps between two measurements of the loss without each "          \
        "layer and of the logit lens, which take two forward passes for each layer; 0 means never.",                \
        "Veit et al. 2016, arXiv 1605.06431")                                                      \
    INT(sample_every, "sample-every", MEASURE, "Continue the prompt every", "steps", 0, 1000000,   \
        50, LOG, FORK | SHARED, "Steps between two continuations of the prompt in each lane; 0 "   \
        "means never.", NULL)                                                                      \
    TEXT(prompt, "prompt", MEASURE, "Prompt", "", FORK | SHARED,                                   \
        "The text that each lane continues; empty means the beginning of the held-out data.",      \
        NULL)                                                                                      \
    REAL(temperature, "temperature", MEASURE, "Temperature", NULL, 0.0, 10.0, 0.7, LINEAR, FORK |  \
        SHARED, "The prompt is continued with tokens sampled from the softmax of the logits "      \
        "divided by this value. At 0, and always for answers and translations, the most "          \
        "probable token is taken.",                                                                \
        "Holtzman et al. 2020, arXiv 1904.09751, 2.4")                                             \
    INT(probe_batches, "probe-batches", MEASURE, "Gradient averaged over", "batches",    \
        1, 10000, 8, LOG, FORK, "Batches whose gradients are averaged for the norm of the mean gradient.",      \
        "Xiong et al. 2020, 3.3")                                                                  \
    CHOICE(recompute, "recompute", RUN, "Recompute activations", ns_toggle_choice, "off", FORK,    \
        "The backward pass recomputes the activations of each layer instead of storing them: "     \
        "less memory at the cost of a second forward pass, with identical numbers.",               \
        "Chen et al. 2016, arXiv 1604.06174")                                                      \
    INT(threads, "threads", RUN, "Threads", NULL, 0, 256, 0, LINEAR, FORK,                         \
        "Threads that share a batch; 0 means one for every processor that the program may use.",   \
        NULL)
/* clang-format on */
