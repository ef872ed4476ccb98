/* The table of studies.  SPDX-License-Identifier: MIT */
#include "core/study/paper.h"

#include "core/base/words.h"

#include <math.h>

/* The setting of the paper's theory: uniform attention with one head, a feed-forward network as
 * wide as the model, independent Gaussian inputs. */
#define THEORY                                                                                     \
    "arch=encoder attention=uniform heads=1 positions=none task=gaussian vocab=256 "               \
    "embedding-norm=off seq=32 batch=4 "
#define AT_START_IN_ALL(quantity) "quantity = " quantity "\nlayer = all\nat = step 0\n"
#define NARROW THEORY "d-model=64 d-ff=64"

/* Validation loss and BLEU at every evaluation. */
#define LOSS_AND_BLEU                                                                              \
    "quantity = validation-loss\nat = every step\n[result-2]\nquantity = bleu\nat = every step\n"

#define POST_PRE                                                                                   \
    {                                                                                              \
        {N_("Post-LN"), "placement=post"}, {N_("Pre-LN"), "placement=pre"},                        \
    }

#define AT_START                                                                                   \
    N_("The order of magnitude is proved at initialization, in expectation over the weights, for " \
       "uniform attention and feed-forward networks of width d.")

/* Generated pairs instead of IWSLT, and a model with six encoder and six decoder layers. */
#define PAIRS                                                                                      \
    "arch=encoder-decoder task=translation d-model=32 heads=2 d-ff=64 batch=8 eval-every=20 "      \
    "eval-batches=2 steps=200 "
#define TRANSLATION PAIRS "layers=6 "

/* The model and training of the paper; source and target files are set with --set. */
#define IWSLT                                                                                      \
    "d-model=512 heads=4 d-ff=1024 batch-tokens=4096 seq=128 dropout=0.1 label-smoothing=0.1 "     \
    "tokenizer=bpe vocab=10000 eval-every=1000 eval-batches=8 steps=15000"

/* The paper reduces the learning rate of Pre-LN to a tenth at epoch 8, and decays that of RAdam
 * linearly.  An epoch has about 950 batches (153,000 pairs of about 25 tokens), and a step schedule
 * first reduces the rate after a third of decay-steps. */
#define IWSLT_STEP "schedule=step decay-steps=22800"
#define IWSLT_LINEAR "schedule=linear decay-start=1 decay-steps=15000"

/* Translation of Multi30k in minutes, whose files are set with --set as well. */
#define DESK                                                                                       \
    "d-model=128 heads=4 d-ff=512 layers=3 batch-tokens=1024 seq=64 dropout=0.1 "                  \
    "label-smoothing=0.1 tie-embeddings=on scale-embeddings=on tokenizer=bpe vocab=4000 "          \
    "schedule=linear decay-start=400 eval-every=475 eval-batches=8 bleu-sentences=1014 steps=1900"

/* The learning rates are those of the paper times sqrt(512 / 32). */
#define IN_PLACE                                                                                   \
    N_("Measured in the paper on IWSLT14 German-English, not proved. Here: generated "             \
       "sentence pairs, width 32, 200 steps, and four times the paper’s learning rates.")

/* A small language model. */
#define SMALL "d-model=32 heads=2 batch=8 seq=24 lr=3e-3 eval-every=0 "

/* Common part of the rows for the gradients of W_1 and W_2 by layer.  The trained model has
 * learned: its validation loss is about 1 nat, where a model that knows only the frequencies stays
 * at 3. */
#define BY_LAYER                                                                                   \
    .says = N_("Post-LN at initialization: it grows toward the output. Pre-LN: it is "             \
               "nearly the same in all layers. Post-LN after the warm-up: it is very small."),     \
    .holds =                                                                                       \
        N_("Measured in the paper on IWSLT14 German-English, not proved; here with "               \
           "generated pairs and a width of 32. “At initialization” is a run with a "           \
           "learning rate of 0; the trained model has made 400 steps, 100 of them of warm-up. "    \
           "Layers 1 to 6 are the encoder, 7 to 12 the decoder."),                                 \
    .settings = TRANSLATION "steps=400", .paper = IWSLT " steps=4000",                             \
    .arms = {{N_("Post-LN, initialization"), "placement=post lr=0"},                               \
             {N_("Pre-LN, initialization"), "placement=pre lr=0"},                                 \
             {N_("Post-LN, trained"), "placement=post lr=2e-3 warmup=100",                         \
              "lr=5e-4 warmup=4000"}},                                                             \
    .seeds = 12,                                                                                   \
    .claims = {{N_("ratio of last to first layer by the trend, encoder, Post-LN"), NS_CLAIM_TREND, \
                0, 0, NAN, 1.5, INFINITY, 0, NS_CLAIM_ENCODER},                                    \
               {N_("ratio of last to first layer by the trend, decoder, Post-LN"), NS_CLAIM_TREND, \
                0, 0, NAN, 1.5, INFINITY, 0, NS_CLAIM_DECODER},                                    \
               {N_("ratio of largest to smallest layer, encoder, Pre-LN"), NS_CLAIM_EVEN, 1, 0, 1, \
                -INFINITY, 1.5, 0, NS_CLAIM_ENCODER},                                              \
               {N_("ratio of largest to smallest layer, decoder, Pre-LN"), NS_CLAIM_EVEN, 1, 0, 1, \
                -INFINITY, 1.5, 0, NS_CLAIM_DECODER},                                              \
               {N_("largest ratio of trained to initial over the layers, encoder, Post-LN"),       \
                NS_CLAIM_EVERY, 2, 0, NAN, -INFINITY, 0.5, 0, NS_CLAIM_ENCODER},                   \
               {N_("largest ratio of trained to initial over the layers, decoder, Post-LN"),       \
                NS_CLAIM_EVERY, 2, 0, NAN, -INFINITY, 0.5, 0, NS_CLAIM_DECODER}}

/* Common part of the rows for the gradients of the last layer by model size. */
#define BY_SIZE                                                                                    \
    .holds =                                                                                       \
        N_("Measured in the paper on IWSLT14 German-English with ten seeds; here with generated "  \
           "pairs and a width of 32. Theorem 1 states the same order in expectation."),            \
    .settings = PAIRS "batch=32 steps=0", .grid = "layers=6,8,10,12,14",                           \
    .result = "quantity = grad-w2\nat = step 0\n", .paper = IWSLT " steps=0", .seeds = 40

static const NsPaperStudy studies[] = {
    {
        .choice = {"fig2a", N_("Warm-up and peak rate, Adam"), NULL, "Xiong et al. 2020, Fig. 2a",
                   N_("Validation loss and BLEU of Post-LN during training for three lengths of "
                      "warm-up and two peak rates, with Adam.")},
        .says = N_("Without warm-up Post-LN learns poorly at either rate; a short warm-up is "
                   "enough at the lower rate only."),
        .holds = IN_PLACE,
        .settings = TRANSLATION "placement=post schedule=inverse-sqrt decay-start=100",
        .grid = "lr=2e-3,4e-3",
        .result = LOSS_AND_BLEU,
        .paper = IWSLT " decay-start=4000",
        .paper_grid = "lr=5e-4,1e-3",
        .desk = DESK,
        .desk_grid = "lr=1.5e-3,3e-3",
        .arms = {{N_("no warm-up"), "warmup=1"},
                 {N_("short warm-up"), "warmup=25", "warmup=500", "warmup=50"},
                 {N_("long warm-up"), "warmup=100", "warmup=4000", "warmup=400"}},
        .seeds = 12,
        .claims =
            {{N_("loss without warm-up minus loss with the long warm-up, higher rate, in nats"),
              NS_CLAIM_END, 3, 5, NAN, 0.3, INFINITY},
             {N_("loss with the short warm-up minus loss with the long one, higher rate, in nats"),
              NS_CLAIM_END, 4, 5, NAN, 0.1, INFINITY},
             {N_("loss without warm-up minus loss with the long warm-up, lower rate, in nats"),
              NS_CLAIM_END, 0, 2, NAN, 0.3, INFINITY},
             {N_("BLEU without warm-up minus BLEU with the long warm-up, higher rate"),
              NS_CLAIM_END, 3, 5, NAN, -INFINITY, 0, 1}},
    },
    {
        .choice = {"fig2b", N_("Warm-up and peak rate, SGD"), NULL, "Xiong et al. 2020, Fig. 2b",
                   N_("Validation loss and BLEU of Post-LN during training with SGD, with and "
                      "without warm-up, beside Adam with warm-up.")},
        .says = N_("SGD learns much worse than Adam, and needs the warm-up as well."),
        .holds = N_("Measured in the paper on IWSLT14 German-English, not proved. Here: generated "
                    "sentence pairs, width 32, 200 steps, and learning rates that suit SGD."),
        .settings = TRANSLATION "placement=post schedule=inverse-sqrt decay-start=100",
        .result = LOSS_AND_BLEU,
        .paper = IWSLT " decay-start=4000",
        .arms = {{N_("Adam, warm-up"), "lr=2e-3 warmup=100", "lr=5e-4 warmup=4000"},
                 {N_("SGD, low rate, warm-up"), "optimizer=sgd lr=0.1 warmup=100",
                  "lr=1e-3 warmup=4000"},
                 {N_("SGD, high rate, warm-up"), "optimizer=sgd lr=0.5 warmup=100",
                  "lr=5e-3 warmup=4000"},
                 {N_("SGD, high rate, no warm-up"), "optimizer=sgd lr=0.5", "lr=5e-3"}},
        .seeds = 10,
        .claims = {{N_("loss of SGD minus loss of Adam, low rate, in nats"), NS_CLAIM_END, 1, 0,
                    NAN, 0.3, INFINITY},
                   {N_("loss of SGD minus loss of Adam, high rate, in nats"), NS_CLAIM_END, 2, 0,
                    NAN, 0.3, INFINITY},
                   {N_("loss of SGD without warm-up minus loss with it, high rate, in nats"),
                    NS_CLAIM_END, 3, 2, NAN, 0.05, INFINITY},
                   {N_("BLEU of SGD minus BLEU of Adam, high rate"), NS_CLAIM_END, 2, 0, NAN,
                    -INFINITY, 0, 1}},
    },
    {
        .choice = {"fig3a", N_("Mean gradient of W₁ by layer"), NULL, "Xiong et al. 2020, Fig. 3a",
                   N_("Norm of the mean gradient of W_1 in every layer of an encoder and a "
                      "decoder with six layers each, at initialization and after the warm-up.")},
        .result = "quantity = mean-grad-w1\nlayer = all\nat = last\n",
        BY_LAYER,
    },
    {
        .choice = {"fig3b", N_("Mean gradient of W₂ by layer"), NULL, "Xiong et al. 2020, Fig. 3b",
                   N_("Norm of the mean gradient of W_2 in every layer of an encoder and a "
                      "decoder with six layers each, at initialization and after the warm-up.")},
        .result = "quantity = mean-grad-w2\nlayer = all\nat = last\n",
        BY_LAYER,
    },
    {
        .choice = {"fig3c", N_("Last-layer gradient by model size, Pre-LN"), NULL,
                   "Xiong et al. 2020, Fig. 3c",
                   N_("Gradient norm of W_2 in the last layer of the decoder at initialization, "
                      "for models of 6-6 to 14-14 layers.")},
        .says = N_("Pre-LN: the gradient of the last layer falls as 1/√L."),
        BY_SIZE,
        .arms = {{N_("Pre-LN"), "placement=pre"}},
        .claims = {{N_("log-log slope of Pre-LN"), NS_CLAIM_SLOPE, 0, 0, -0.5, -0.65, -0.35}},
    },
    {
        .choice = {"fig3d", N_("Last-layer gradient by model size, Post-LN"), NULL,
                   "Xiong et al. 2020, Fig. 3d",
                   N_("Gradient norm of W_2 in the last layer of the decoder at initialization, "
                      "for models of 6-6 to 14-14 layers.")},
        .says = N_("Post-LN: the gradient of the last layer stays the same."),
        BY_SIZE,
        .arms = {{N_("Post-LN"), "placement=post"}},
        .claims = {{N_("log-log slope of Post-LN"), NS_CLAIM_SLOPE, 0, 0, 0, -0.15, 0.15}},
    },
    {
        .choice = {"fig4", N_("Pre-LN without warm-up"), NULL, "Xiong et al. 2020, Fig. 4",
                   N_("Validation loss and BLEU of Post-LN with warm-up, Pre-LN without, and both "
                      "with RAdam without warm-up.")},
        .says = N_("Pre-LN without warm-up ends where Post-LN with warm-up does, and gets there "
                   "sooner; RAdam trains Post-LN without warm-up."),
        .holds =
            N_("Measured in the paper on IWSLT14 German-English, not proved. Here: generated "
               "sentence pairs, width 32, 600 steps, and four times the paper’s learning rates."),
        .settings = TRANSLATION "lr=2e-3 schedule=inverse-sqrt decay-start=100 steps=600 "
                                "eval-every=60",
        .result = LOSS_AND_BLEU,
        .paper = IWSLT " lr=5e-4 decay-start=4000",
        .desk = DESK " lr=3e-3",
        .arms = {{N_("Post-LN, warm-up"), "placement=post warmup=100", "warmup=4000", "warmup=400"},
                 {N_("Pre-LN, no warm-up"), "placement=pre", IWSLT_STEP},
                 {N_("Post-LN, RAdam"), "placement=post optimizer=radam", IWSLT_LINEAR, .like = 1},
                 {N_("Pre-LN, RAdam"), "placement=pre optimizer=radam", IWSLT_LINEAR, .like = 2}},
        .seeds = 6,
        .claims = {{N_("loss of Pre-LN minus loss of Post-LN with warm-up, in nats"), NS_CLAIM_END,
                    1, 0, 0, -INFINITY, 0.1},
                   {N_("share of the steps that Pre-LN needs to reach the final loss of Post-LN"),
                    NS_CLAIM_SOONER, 1, 0, 0.6, -INFINITY, 0.9},
                   {N_("loss of Post-LN with RAdam minus loss with Adam and warm-up, in nats"),
                    NS_CLAIM_END, 2, 0, 0, -INFINITY, 0.2},
                   {N_("BLEU of Pre-LN minus BLEU of Post-LN with warm-up"), NS_CLAIM_END, 1, 0, 0,
                    -2, INFINITY, 1}},
    },
    {
        .choice =
            {"fig5", N_("Pre-training and two downstream tasks"), NULL, "Xiong et al. 2020, Fig. 5",
             N_(
                 "Validation loss of a masked language model during pre-training, Post-LN with "
                 "warm-up and Pre-LN without, and the accuracy on two tasks after fine-tuning "
                 "from each checkpoint.")},
        .says =
            N_("Pre-LN without warm-up, at three times the rate, learns faster than Post-LN with "
               "warm-up, and after fine-tuning its accuracy on two tasks rises faster, too."),
        .holds = N_("Measured in the paper with BERT base, MRPC and RTE, not proved. Here: an "
                    "encoder with three layers, 2,100 steps on generated sentences, and for each "
                    "task 2,000 generated pairs for training and 1,000 for testing."),
        .settings = "arch=encoder task=mlm tokenizer=bpe vocab=500 seq=44 layers=3 batch=32 "
                    "schedule=linear decay-start=210 eval-every=420 steps=2100",
        .result = "quantity = validation-loss\nat = every step\n"
                  "[result-2]\nquantity = paraphrase-accuracy\nat = every step\n"
                  "[result-3]\nquantity = entailment-accuracy\nat = every step\n",
        .paper = "layers=12 d-model=768 heads=12 d-ff=3072 seq=512 batch=256 vocab=30000 "
                 "dropout=0.1 decay-start=10000 eval-every=100000 eval-batches=8 steps=1000000",
        .arms = {{N_("Post-LN, warm-up"), "placement=post lr=1e-3 warmup=210",
                  "lr=1e-4 warmup=10000"},
                 {N_("Pre-LN, no warm-up"), "placement=pre lr=3e-3", "lr=3e-4"}},
        .seeds = 5,
        .claims = {{N_("loss of Pre-LN minus loss of Post-LN with warm-up, in nats"), NS_CLAIM_END,
                    1, 0, 0, -INFINITY, 0.1, 0},
                   {N_("share of the steps that Pre-LN needs to reach the final loss of Post-LN"),
                    NS_CLAIM_SOONER, 1, 0, 0.7, -INFINITY, 0.9, 0},
                   {N_("paraphrase accuracy: Pre-LN minus Post-LN, in points"), NS_CLAIM_END, 1, 0,
                    0, -5, INFINITY, 1},
                   {N_("paraphrase accuracy: gain of Pre-LN from pre-training, in points"),
                    NS_CLAIM_GAIN, 1, 0, NAN, 2, INFINITY, 1},
                   {N_("entailment accuracy: Pre-LN minus Post-LN, in points"), NS_CLAIM_END, 1, 0,
                    0, -5, INFINITY, 2},
                   {N_("entailment accuracy: gain of Pre-LN from pre-training, in points"),
                    NS_CLAIM_GAIN, 1, 0, NAN, 2, INFINITY, 2}},
    },
    {
        .choice = {"fig6", N_("A small constant rate"), NULL, "Xiong et al. 2020, Fig. 6",
                   N_("Validation loss of Post-LN at a small constant rate without warm-up, "
                      "between the high rate without and with warm-up.")},
        .says = N_("At a small constant rate Post-LN trains without warm-up, but more slowly "
                   "than with warm-up and the high rate."),
        .holds = IN_PLACE,
        .settings = TRANSLATION "placement=post",
        .result = "quantity = validation-loss\nat = every step\n",
        .paper = IWSLT,
        .arms = {{N_("high rate, no warm-up"), "lr=4e-3", "lr=1e-3"},
                 {N_("small rate, no warm-up"), "lr=4e-4", "lr=1e-4"},
                 {N_("high rate, warm-up"), "lr=4e-3 warmup=100", "lr=1e-3 warmup=4000"}},
        .seeds = 6,
        .claims = {{N_("loss without warm-up: high rate minus small rate, in nats"), NS_CLAIM_END,
                    0, 1, NAN, 0.1, INFINITY},
                   {N_("loss at the small rate minus loss at the high rate with warm-up, in nats"),
                    NS_CLAIM_END, 1, 2, NAN, 0.1, INFINITY}},
    },
    {
        .choice =
            {"depth", N_("Last layer’s gradient by depth"), NULL, "Xiong et al. 2020, Theorem 1",
             N_("Gradient norm of W_2 in the last layer as a function of the number of layers.")},
        .says = N_("Post-LN: it does not depend on the depth L. Pre-LN: it decreases as 1/√L."),
        .holds = AT_START,
        .settings = NARROW " steps=0",
        .grid = "layers=2,4,8,16,32",
        .result = "quantity = grad-w2\nat = step 0\n",
        .arms = POST_PRE,
        .seeds = 5,
        .claims = {{N_("log-log slope of Post-LN"), NS_CLAIM_SLOPE, 0, 0, 0, -0.15, 0.15},
                   {N_("log-log slope of Pre-LN"), NS_CLAIM_SLOPE, 1, 0, -0.5, -0.65, -0.35}},
    },
    {
        .choice = {"hidden-scale", N_("Size of the hidden state by layer"), NULL,
                   "Xiong et al. 2020, Lemma 2",
                   N_("Squared norm of the hidden state after every layer, in units of d.")},
        .says = N_("Post-LN: always d. Pre-LN: it grows by d/2 to 3d/2 per layer."),
        .holds = N_("Proved at initialization, in expectation over the weights, for uniform "
                    "attention and feed-forward networks of width d."),
        .settings = NARROW " layers=12 steps=0",
        .arms = POST_PRE,
        .result = AT_START_IN_ALL("hidden-sq"),
        .seeds = 5,
        .claims = {{N_("largest relative change over the layers, Post-LN"), NS_CLAIM_SPREAD, 0, 0,
                    0, -INFINITY, 0.01, .certain = true},
                   {N_("growth of Pre-LN per layer, in d"), NS_CLAIM_GROWTH, 1, 0, NAN, 0.5, 1.5}},
    },
    {
        .choice = {"layers", N_("Gradient by layer"), NULL, "Xiong et al. 2020, appendix F",
                   N_("Norm of the gradient of the hidden state after every layer, before any "
                      "update.")},
        .says = N_("Post-LN: it grows toward the output. Pre-LN: it is nearly constant across the "
                   "upper layers."),
        .holds = N_("At initialization, in expectation; a preliminary result in the paper, whose "
                    "figure shows gradients of weights. The gradient of a weight also scales with "
                    "its input, and the gradient of W₁ grows even without any norm."),
        .settings = NARROW " layers=12 steps=0",
        .arms = POST_PRE,
        .result = AT_START_IN_ALL("hidden-grad"),
        .seeds = 10,
        .claims = {{N_("ratio of last to middle layer, Post-LN"), NS_CLAIM_UPPER, 0, 0, NAN, 1.5,
                    INFINITY},
                   {N_("ratio of last to middle layer, Pre-LN"), NS_CLAIM_UPPER, 1, 0, 1, 0.67,
                    1.5}},
    },
    {
        .choice = {"warmup", N_("Which placement needs warm-up"), NULL,
                   "Xiong et al. 2020, section 3.2",
                   N_("Training loss with and without a warm-up of 100 steps, 6 layers.")},
        .says = N_("Post-LN learns poorly without warm-up; Pre-LN learns equally well with and "
                   "without it."),
        .holds = N_("Empirical, not proved. A small model and 200 steps illustrate the paper’s "
                    "translation experiments; they do not replace them. The learning rate is "
                    "constant after the warm-up and the same in all four runs."),
        .settings = "layers=6 d-model=64 batch=8 seq=24 lr=3e-3 eval-every=0 steps=200",
        .result = "at = every step\n",
        .arms = {{N_("Post-LN, no warm-up"), "placement=post warmup=1"},
                 {N_("Post-LN, warm-up 100"), "placement=post warmup=100", .like = 1},
                 {N_("Pre-LN, no warm-up"), "placement=pre warmup=1"},
                 {N_("Pre-LN, warm-up 100"), "placement=pre warmup=100", .like = 3}},
        .seeds = 6,
        .claims = {{N_("loss of Post-LN without warm-up minus loss with it, in nats"), NS_CLAIM_END,
                    0, 1, NAN, 0.3, INFINITY},
                   {N_("loss of Pre-LN without warm-up minus loss with it, in nats"), NS_CLAIM_END,
                    2, 3, 0, -INFINITY, 0.15}},
    },
    {
        .choice = {"concentration", N_("Token norms concentrate"), NULL,
                   "Xiong et al. 2020, section 3.4",
                   N_("Distribution over tokens of the squared norm of the last hidden state.")},
        .says = N_("At most 12.5% of the tokens exceed the mean squared norm by more than 10%."),
        .holds =
            N_("Measured in the paper for a translation model, not proved; here at initialization, "
               "for Pre-LN with d = 768. It holds only for a wide model: compare d = 64."),
        .settings = THEORY "placement=pre layers=6 steps=0",
        .result = "quantity = token-norms\nat = step 0\n",
        .arms = {{N_("d = 768"), "d-model=768 d-ff=768"}, {N_("d = 64"), "d-model=64 d-ff=64"}},
        .seeds = 3,
        .claims = {{N_("share of tokens above 1.1 times the mean"), NS_CLAIM_BEYOND, 0, 0, NAN,
                    -INFINITY, 0.125}},
    },
    {
        .choice = {"deepnorm", N_("DeepNorm equalizes gradients"), NULL,
                   "Wang et al. 2022, arXiv 2203.00555",
                   N_("Norm of the gradient of W_2 in every layer, before any update.")},
        .says = N_("With x scaled up and the branches scaled down, every layer’s gradient is the "
                   "same."),
        .holds = N_("An observation at initialization; the paper proves a bound on the updates."),
        .settings = NARROW " layers=12 steps=0",
        .arms = {{N_("Pre-LN"), "placement=pre"}, {N_("DeepNorm"), "placement=deepnorm"}},
        .result = AT_START_IN_ALL("grad-w2"),
        .seeds = 5,
        .claims = {{N_("ratio of last to first layer, DeepNorm"), NS_CLAIM_RATIO, 1, 0, 1, 0.75,
                    1.33}},
    },
    {
        .choice = {"deepnorm-depth", N_("DeepNorm learns at depth"), NULL,
                   "Wang et al. 2022, arXiv 2203.00555",
                   N_("Training loss after 100 steps without warm-up as a function of the "
                      "number of layers.")},
        .says = N_("DeepNorm learns at depths at which Post-LN does not."),
        .holds = N_("Measured in its paper for up to 1,000 layers of a translation model; here "
                    "a small language model of up to 32 layers."),
        .settings = SMALL "steps=100 lr=2e-3",
        .grid = "layers=4,8,16,32",
        .result = "at = last 10\n",
        .paper = "steps=10000 d-model=512 heads=8 d-ff=2048 batch=128 seq=128 lr=5e-4",
        .paper_grid = "layers=10,20,50,100,200,1000",
        .arms = {{N_("Post-LN"), "placement=post"},
                 {N_("Pre-LN"), "placement=pre"},
                 {N_("DeepNorm"), "placement=deepnorm"}},
        .seeds = 6,
        .claims = {{N_("loss of Post-LN minus loss of DeepNorm at the largest depth, in nats"),
                    NS_CLAIM_END, 0, 2, NAN, 0.3, INFINITY},
                   {N_("loss of DeepNorm minus loss of Pre-LN at the largest depth, in nats"),
                    NS_CLAIM_END, 2, 1, NAN, -INFINITY, 0.2}},
    },
    {
        .choice = {"curse-of-depth", N_("The curse of depth"), NULL,
                   "Sun et al. 2025, arXiv 2502.05795",
                   N_("Squared norm of the hidden state after every layer, in units of d, after "
                      "100 steps of training.")},
        .says = N_("In Pre-LN the hidden state keeps growing with depth, so that deep layers "
                   "change it little; LayerNorm scaling curbs this."),
        .holds = N_("Measured in its paper for language models of 130 million parameters and "
                    "more; here 16 layers of width 32."),
        .settings = SMALL "layers=16 steps=100",
        .result = "quantity = hidden-sq\nlayer = all\nat = last\n",
        .paper = "layers=12 d-model=768 heads=12 d-ff=2048 steps=10000 batch=512 seq=256 lr=1e-3",
        .arms = {{N_("Pre-LN"), "placement=pre"},
                 {N_("LayerNorm scaling"), "placement=ln-scaling"}},
        .seeds = 6,
        .claims = {{N_("ratio of Pre-LN to LayerNorm scaling, last layer"), NS_CLAIM_FACTOR, 0, 1,
                    NAN, 2, INFINITY},
                   {N_("ratio of last to first state, Pre-LN"), NS_CLAIM_RATIO, 0, 0, NAN, 4,
                    INFINITY}},
    },
    {
        .choice = {"peri-growth", N_("Peri-LN grows linearly"), NULL,
                   "Kim et al. 2025, arXiv 2502.02732",
                   N_("Squared norm of the hidden state after every layer, in units of d, after "
                      "100 steps of training.")},
        .says = N_("During training, the squared norm of the hidden state grows faster than "
                   "linearly with depth in Pre-LN, and linearly in Peri-LN."),
        .holds = N_("Measured in its paper for models of 400 million parameters and more; here "
                    "16 layers of width 32."),
        .settings = SMALL "layers=16 steps=100",
        .result = "quantity = hidden-sq\nlayer = all\nat = last\n",
        .paper = "layers=24 d-model=1024 heads=16 steps=10000 batch=256 seq=256 lr=5e-4",
        .arms = {{N_("Pre-LN"), "placement=pre"}, {N_("Peri-LN"), "placement=peri norm=layernorm"}},
        .seeds = 6,
        .claims = {{N_("ratio of Pre-LN to Peri-LN, last layer"), NS_CLAIM_FACTOR, 0, 1, NAN, 1,
                    INFINITY},
                   {N_("ratio of growth in the upper half to growth in the lower half, Peri-LN"),
                    NS_CLAIM_BEND, 1, 0, 1, 0.75, 1.33},
                   {N_("ratio of growth in the upper half to growth in the lower half, Pre-LN"),
                    NS_CLAIM_BEND, 0, 0, NAN, 1.33, INFINITY}},
    },
    {
        .choice = {"rank-collapse", N_("Tokens become alike"), NULL,
                   "Dong et al. 2021, arXiv 2103.03404",
                   N_("Mean cosine between the hidden states of two tokens after every layer, "
                      "before any update.")},
        .says = N_("Without residual connections all tokens become the same within a few layers; "
                   "residual connections slow this down."),
        .holds = N_("Proved for attention alone at initialization; here with feed-forward "
                    "networks and norms."),
        .settings = NARROW " attention=softmax layers=12 steps=0",
        .result = "quantity = token-cosine\nlayer = all\nat = step 0\n",
        .arms = {{N_("Post-LN"), "placement=post"},
                 {N_("Pre-LN"), "placement=pre"},
                 {N_("DeepNorm"), "placement=deepnorm"},
                 {N_("LayerNorm, no residual"), "placement=no-residual"}},
        .seeds = 5,
        .claims = {{N_("cosine in the last layer without residual"), NS_CLAIM_LAST, 3, 0, 1, 0.99,
                    INFINITY},
                   {N_("cosine in the last layer of Pre-LN"), NS_CLAIM_LAST, 1, 0, NAN, -INFINITY,
                    0.9}},
    },
    {
        .choice = {"residual-ablation", N_("Without residual or norm"), NULL,
                   "Vaswani et al. 2017, 3.1; Xiong et al. 2020, section 2",
                   N_("Training loss with and without the residual connections and the norms, "
                      "6 layers.")},
        .says = N_("Without residual connections a deep stack does not learn; without norms it "
                   "learns worse."),
        .holds = N_("Empirical, not proved. A small language model and 150 steps."),
        .settings = SMALL "layers=6 steps=150",
        .result = "at = every step\n",
        .arms = {{N_("Pre-LN"), "placement=pre"},
                 {N_("no residual"), "placement=no-residual"},
                 {N_("no norm"), "placement=none"}},
        .seeds = 6,
        .claims = {{N_("loss without residual connections minus loss of Pre-LN, in nats"),
                    NS_CLAIM_END, 1, 0, NAN, 0.3, INFINITY},
                   {N_("loss without norms minus loss of Pre-LN, in nats"), NS_CLAIM_END, 2, 0, NAN,
                    0.3, INFINITY}},
    },
    {
        .choice = {"norm-kinds", N_("Kinds of norm"), NULL,
                   "Zhang and Sennrich 2019, arXiv 1910.07467; Zhu et al. 2025, arXiv 2503.10622",
                   N_("Training loss of Pre-LN with LayerNorm, RMSNorm, ScaleNorm and DyT.")},
        .says = N_("RMSNorm, ScaleNorm and DyT learn as well as LayerNorm."),
        .holds = N_("Measured in their papers, not proved. A small language model and 150 "
                    "steps."),
        .settings = SMALL "layers=6 placement=pre steps=150",
        .result = "at = every step\n",
        .arms = {{N_("LayerNorm"), "norm=layernorm"},
                 {N_("RMSNorm"), "norm=rmsnorm"},
                 {N_("ScaleNorm"), "norm=scalenorm"},
                 {N_("DyT"), "norm=dyt"}},
        .seeds = 6,
        .claims = {{N_("loss of RMSNorm minus loss of LayerNorm, in nats"), NS_CLAIM_END, 1, 0, 0,
                    -0.1, 0.1},
                   {N_("loss of ScaleNorm minus loss of LayerNorm, in nats"), NS_CLAIM_END, 2, 0, 0,
                    -0.1, 0.1},
                   {N_("loss of DyT minus loss of LayerNorm, in nats"), NS_CLAIM_END, 3, 0, 0, -0.1,
                    0.1}},
    },
    {
        .choice = {"batchnorm-variance", N_("Why not BatchNorm"), NULL,
                   "Shen et al. 2020, arXiv 2003.07845",
                   N_("Validation loss of Pre-LN with LayerNorm and with BatchNorm as a "
                      "function of the batch size.")},
        .says = N_("The statistics of a batch of text vary so much that BatchNorm does worse than "
                   "LayerNorm on held-out text, especially with small batches."),
        .holds = N_("Measured in its paper for translation and language models, not proved. A "
                    "small language model and 150 steps with sequences of 8 tokens; the loss is "
                    "measured, not the statistics."),
        .settings =
            "d-model=32 heads=2 layers=4 placement=pre seq=8 lr=3e-3 eval-every=0 steps=150",
        .grid = "batch=16,8,4,2",
        .result = "quantity = validation-loss\nat = last\n",
        .arms = {{N_("LayerNorm"), "norm=layernorm"}, {N_("BatchNorm"), "norm=batchnorm"}},
        .seeds = 6,
        .claims = {{N_("loss of BatchNorm minus loss of LayerNorm, smallest batch, in nats"),
                    NS_CLAIM_END, 1, 0, NAN, 0.1, INFINITY}},
    },
    {
        .choice = {"stochastic-depth", N_("Stochastic depth"), NULL,
                   "Huang et al. 2016, arXiv 1603.09382",
                   N_("Validation loss of Pre-LN with 12 layers, with and without dropping "
                      "layers in training.")},
        .says = N_("Dropping layers at random in training lowers the loss on held-out data."),
        .holds = N_("Measured in its paper for images and hundreds of epochs. Here a small "
                    "language model sees fresh text for 200 steps, so that there is little to "
                    "overfit."),
        .settings = SMALL "layers=12 placement=pre steps=200 eval-every=20",
        .result = "quantity = validation-loss\nat = every step\n",
        .arms = {{N_("p = 0"), "drop-path=0"},
                 {N_("p = 0.2"), "drop-path=0.2"},
                 {N_("p = 0.5"), "drop-path=0.5"}},
        .seeds = 6,
        .claims = {{N_("loss with p = 0.2 minus loss with p = 0, in nats"), NS_CLAIM_END, 1, 0, NAN,
                    -INFINITY, 0},
                   {N_("loss with p = 0.5 minus loss with p = 0, in nats"), NS_CLAIM_END, 2, 0, NAN,
                    -INFINITY, 0}},
    },
    {
        .choice = {"init-scale", N_("Scale of the initial weights"), NULL,
                   "Glorot and Bengio 2010; He et al. 2015; Radford et al. 2019",
                   N_("Squared norm of the hidden state of Pre-LN after every layer, in units "
                      "of d, before any update.")},
        .says =
            N_("Kaiming weights make the hidden state grow faster than Xavier weights; those of "
               "GPT-2, smaller and scaled on the residual branches, keep it small."),
        .holds = N_("In expectation over the weights at initialization, with uniform attention "
                    "and feed-forward networks of width d."),
        .settings = NARROW " placement=pre layers=12 steps=0",
        .result = AT_START_IN_ALL("hidden-sq"),
        .arms = {{N_("Xavier"), "init=xavier-normal"},
                 {N_("Kaiming"), "init=kaiming-normal"},
                 {N_("GPT-2"), "init=gpt2"}},
        .seeds = 5,
        .claims = {{N_("growth of Xavier per layer, in d"), NS_CLAIM_GROWTH, 0, 0, NAN, 0.5, 1.5},
                   {N_("ratio of Kaiming to Xavier, last layer"), NS_CLAIM_FACTOR, 1, 0, NAN, 1.5,
                    INFINITY},
                   {N_("ratio of GPT-2 to Xavier, last layer"), NS_CLAIM_FACTOR, 2, 0, NAN,
                    -INFINITY, 0.5}},
    },
    {
        .choice = {"depth-cost", N_("The cost of depth"), NULL,
                   "Section 2.1 of Vaswani et al. 2017",
                   N_("Wall time of a step of training, and memory of the run, as functions of the "
                      "number of layers, from 100 to 10,000.")},
        .says = N_("Time and memory are linear in the depth."),
        .holds = N_("Expected from the number of operations and of stored values. Measured on "
                    "this machine, which other programs may be using, as the fastest of 12 steps; "
                    "the layers have a width of 8, so that 10,000 fit into memory."),
        .settings =
            "d-model=8 heads=1 d-ff=8 batch=1 seq=8 placement=pre lr=1e-4 eval-every=0 steps=12",
        .grid = "layers=100,300,1000,3000,10000",
        .result =
            "quantity = step-seconds\nat = minimum\n[result-2]\nquantity = memory\nat = last\n",
        .arms = {{N_("Pre-LN"), "placement=pre"}},
        .seeds = 3,
        .claims = {{N_("log-log slope of time"), NS_CLAIM_SLOPE, 0, 0, 1, 0.85, 1.15, 0},
                   {N_("log-log slope of memory"), NS_CLAIM_SLOPE, 0, 0, 1, 0.9, 1.1, 1,
                    .certain = true}},
    },
    {
        .choice =
            {
                "depth-limit", N_("Where learning stops"), NULL,
                "Xiong et al. 2020, section 3; Wang et al. 2022, arXiv 2203.00555",
                N_("Training loss after 100 steps without warm-up as a function of the number of "
                   "layers, up to 256.")},
        .says = N_("Post-LN stops learning at a small depth, Pre-LN at a much larger one; DeepNorm "
                   "still learns with 1,000 layers."),
        .holds = N_("Empirical, not proved. A small language model of width 32 and 100 steps; a "
                    "placement counts as learning at a depth if its loss there is at most 0.2 nats "
                    "above that of 4 layers."),
        .settings = "d-model=32 heads=2 batch=8 seq=16 lr=2e-3 eval-every=0 steps=100",
        .grid = "layers=4,16,64,256",
        .result = "at = last 10\n",
        .arms = {{N_("Post-LN"), "placement=post"},
                 {N_("Pre-LN"), "placement=pre"},
                 {N_("DeepNorm"), "placement=deepnorm"}},
        .seeds = 6,
        .claims =
            {{N_("layers up to which Post-LN learns"), NS_CLAIM_REACH, 0, 0, NAN, -INFINITY, 16},
             {N_("layers up to which Pre-LN learns"), NS_CLAIM_REACH, 1, 0, NAN, 64, INFINITY},
             {N_("layers up to which DeepNorm learns"), NS_CLAIM_REACH, 2, 0, NAN, 256, INFINITY}},
    },
    {
        .choice = {"warmup-curvature", N_("What a warm-up does to the curvature"), NULL,
                   "Kalra and Barkeshli 2024, arXiv 2406.09405",
                   N_("Learning rate times the largest curvature that Adam meets, over the first "
                      "100 steps, with and without a warm-up.")},
        .says = N_("While the learning rate rises, training moves to regions of lower curvature, "
                   "so the peak rate is no longer too large when it is reached."),
        .holds = N_("Measured in its paper for image classifiers and language models, not proved. "
                    "Here models of 6 layers and width 32; 38 is the edge of stability of Adam "
                    "with β₁ = 0.9 on a quadratic loss."),
        .settings = SMALL "layers=6 curvature-every=10 steps=100",
        .result = "quantity = rate-sharpness\nat = every step\n"
                  "[result-2]\nquantity = preconditioned-sharpness\nat = every step\n"
                  "[result-3]\nat = every step\n",
        .arms = {{N_("Post-LN, no warm-up"), "placement=post"},
                 {N_("Post-LN, warm-up"), "placement=post warmup=100"},
                 {N_("Pre-LN, no warm-up"), "placement=pre"},
                 {N_("Pre-LN, warm-up"), "placement=pre warmup=100"}},
        .seeds = 6,
        .fixing = 1,
        .claims = {{N_("largest rate times curvature, Post-LN without warm-up"), NS_CLAIM_MOST, 0,
                    0, NAN, 76, INFINITY},
                   {N_("largest rate times curvature, Post-LN with warm-up"), NS_CLAIM_MOST, 1, 0,
                    NAN, -INFINITY, 45},
                   {N_("largest rate times curvature, Pre-LN without warm-up"), NS_CLAIM_MOST, 2, 0,
                    NAN, 76, INFINITY},
                   {N_("largest rate times curvature, Pre-LN with warm-up"), NS_CLAIM_MOST, 3, 0,
                    NAN, -INFINITY, 45},
                   {N_("curvature after the warm-up over that at its start, Post-LN"),
                    NS_CLAIM_RATIO, 1, 0, NAN, -INFINITY, 0.1, 1},
                   {N_("loss of Post-LN without warm-up minus loss with it, in nats"), NS_CLAIM_END,
                    0, 1, NAN, 0, INFINITY, 2}},
    },
    {
        .choice = {"edge-of-stability", N_("The curvature follows the learning rate"), NULL,
                   "Cohen et al. 2022, arXiv 2207.14484",
                   N_("The largest curvature that Adam meets after 400 steps, as a function of the "
                      "learning rate.")},
        .says = N_("The larger the learning rate, the smaller the curvature that training settles "
                   "at; their product does not exceed the edge of stability, 38."),
        .holds = N_("Measured in its paper on full batches, where the product settles at 38. Here "
                    "every batch is new, and the product stays below. Pre-LN, 6 layers of width "
                    "32, 400 steps."),
        .settings = "d-model=32 heads=2 batch=8 seq=24 eval-every=0 layers=6 warmup=100 steps=400",
        .grid = "lr=5e-4,1e-3,2e-3,4e-3",
        .result = "quantity = preconditioned-sharpness\nat = last\n"
                  "[result-2]\nquantity = rate-sharpness\nat = last\n",
        .arms = {{N_("Pre-LN"), "placement=pre"}},
        .seeds = 6,
        .fixing = 1,
        .claims = {{N_("log-log slope of the curvature over the rate"), NS_CLAIM_SLOPE, 0, 0, NAN,
                    -1, -0.3},
                   {N_("rate times curvature, largest rate"), NS_CLAIM_LAST, 0, 0, NAN, -INFINITY,
                    38, 1}},
    },
    {
        .choice = {"layer-worth", N_("What the layers are worth"), NULL,
                   "Sun et al. 2025, arXiv 2502.05795",
                   N_("Loss of the logit lens after every layer, after 300 steps of training.")},
        .says = N_("In Pre-LN the deep layers contribute little to the prediction; with LayerNorm "
                   "scaling they contribute more."),
        .holds = N_("Measured in its paper for language models of 130 million parameters and "
                    "more; here 16 layers of width 32."),
        .settings = SMALL "layers=16 steps=300",
        .result = "quantity = logit-lens\nlayer = all\nat = last\n",
        .arms = {{N_("Pre-LN"), "placement=pre"},
                 {N_("LayerNorm scaling"), "placement=ln-scaling"}},
        .seeds = 6,
        .fixing = 1,
        .claims = {{N_("gain of the upper half of the layers over that of the lower, Pre-LN"),
                    NS_CLAIM_BEND, 0, 0, NAN, -INFINITY, 0.5},
                   {N_("gain of the upper half over that of the lower, LayerNorm scaling"),
                    NS_CLAIM_BEND, 1, 0, NAN, 0.5, INFINITY}},
    },
    {
        .choice = {"coordinate-check-width", N_("Coordinate check across widths"), NULL,
                   "Yang et al. 2022, arXiv 2203.03466, figure 5",
                   N_("Size of the hidden states (RMS) of the last layer after 10 steps as a "
                      "function of the width.")},
        .says = N_("With one learning rate for all widths the hidden states grow with the width; "
                   "with μP they do not."),
        .holds = N_("Derived for the limit of infinite width, measured here. Pre-LN, 4 layers, "
                    "widths 32 to 256, base width 32, always 4 heads."),
        .settings = "heads=4 layers=4 eval-every=0 steps=10",
        .grid = "d-model=32,64,128,256",
        .result = "quantity = hidden-rms\nat = last\n",
        .arms = {{N_("Standard"), "placement=pre"}, {N_("μP"), "placement=pre base-width=32"}},
        .seeds = 6,
        .fixing = 2,
        .claims = {{N_("log-log slope of the size over the width, standard"), NS_CLAIM_SLOPE, 0, 0,
                    NAN, 0.5, INFINITY},
                   {N_("log-log slope of the size over the width, μP"), NS_CLAIM_SLOPE, 1, 0, 0,
                    -0.15, 0.15}},
    },
    {
        .choice = {"coordinate-check-depth", N_("Coordinate check across depths"), NULL,
                   "Dey et al. 2025, arXiv 2505.01618",
                   N_("Size of the hidden states (RMS) of the last layer after 10 steps as a "
                      "function of the number of layers.")},
        .says = N_("With one learning rate for all depths the hidden states of Pre-LN grow with "
                   "the depth; with depth-μP and CompleteP they do not."),
        .holds = N_("Derived for the limit of infinite depth, measured here. Width 32, 2 to 32 "
                    "layers, base depth 2."),
        .settings = "d-model=32 heads=2 eval-every=0 steps=10",
        .grid = "layers=2,4,8,16,32",
        .result = "quantity = hidden-rms\nat = last\n",
        .arms = {{N_("Pre-LN"), "placement=pre"},
                 {N_("Depth-μP"), "placement=depth-mup"},
                 {N_("CompleteP"), "placement=completep"}},
        .seeds = 6,
        .fixing = 2,
        .claims = {{N_("log-log slope of the size over the depth, Pre-LN"), NS_CLAIM_SLOPE, 0, 0,
                    NAN, 0.5, INFINITY},
                   {N_("log-log slope of the size over the depth, depth-μP"), NS_CLAIM_SLOPE, 1, 0,
                    0, -0.15, 0.15},
                   {N_("log-log slope of the size over the depth, CompleteP"), NS_CLAIM_SLOPE, 2, 0,
                    0, -0.2, 0.2}},
    },
};

unsigned ns_paper_arms(const NsPaperStudy *row)
{
    unsigned n = 0;
    while (n < NS_PAPER_ARMS && row->arms[n].label) n++;
    return n;
}

unsigned ns_paper_claims(const NsPaperStudy *row)
{
    unsigned n = 0;
    while (n < NS_PAPER_CLAIMS && row->claims[n].label) n++;
    return n;
}

const NsPaperStudy *ns_paper_study(size_t i)
{
    return i < G_N_ELEMENTS(studies) ? &studies[i] : NULL;
}

NS_CHOICES(ns_paper_choice, studies)
