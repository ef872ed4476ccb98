/* Every task for every architecture: what is read, what is to be predicted, what is padding.
 * SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/data/sampler.h"
#include "core/data/task.h"
#include "core/experiment/param.h"
#include "tests/unit/support.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define B 6
#define INDICES 40

typedef struct {
    NsSettings settings;
    NsCorpus *corpus;
    NsVocab vocab;
    NsBatch batch;
    bool held_out; /* the batch is one of validation */
} Fixture;

static void open_made(Fixture *f, const char *task, unsigned arch, int64_t seq, int64_t source,
                      int64_t vocab)
{
    *f = (Fixture){0};
    ns_settings_init(&f->settings);
    f->settings.task = (unsigned)ns_choices_find(ns_task_choice, task);
    f->settings.arch = arch;
    f->settings.batch = B;
    f->settings.seq = seq;
    f->settings.source_seq = source;
    f->settings.vocab = vocab;
    g_autoptr(GError) error = NULL;
    f->corpus = ns_corpus_open(&f->settings, &error);
    g_assert_no_error(error);
    f->vocab = ns_corpus_vocab(f->corpus, &f->settings);
    ns_batch_init(&f->batch, B, (size_t)seq, (size_t)ns_settings_source_seq(&f->settings));
}

/* Tasks that a name alone does not open: one needs a file, one an architecture (test_translation,
 * test_mlm).
 */
static bool needs_more(const char *task)
{
    return g_str_equal(task, "text") || g_str_equal(task, "translation") ||
           g_str_equal(task, "mlm");
}

static void open_task(Fixture *f, const char *task, unsigned arch, int64_t seq, int64_t source)
{
    open_made(f, task, arch, seq, source, 0);
}

static void close_task(Fixture *f)
{
    ns_batch_clear(&f->batch);
    ns_corpus_unref(f->corpus);
    ns_settings_clear(&f->settings);
}

/* Sequence b of a batch. */
typedef struct {
    size_t n, m; /* lengths of tokens and source */
    const int32_t *tokens, *targets, *source;
} Sequence;

static Sequence sequence(const NsBatch *batch, size_t b)
{
    return (Sequence){
        .n = (size_t)batch->length[b],
        .m = batch->S > 0 ? (size_t)batch->source_length[b] : 0,
        .tokens = batch->tokens + b * batch->T,
        .targets = batch->targets + b * batch->T,
        .source = batch->S > 0 ? batch->source + b * batch->S : NULL,
    };
}

/* What holds for every batch of every task. */
static void assert_sound(const Fixture *f)
{
    const NsBatch *batch = &f->batch;
    size_t targets = 0;
    for (size_t b = 0; b < B; b++) {
        Sequence s = sequence(batch, b);
        size_t of_sequence = 0;
        g_assert_true(s.n >= 1 && s.n <= batch->T);
        for (size_t t = 0; t < batch->T; t++) {
            g_assert_true(s.tokens[t] >= 0 && (size_t)s.tokens[t] < f->vocab.in);
            g_assert_true(s.targets[t] >= NS_NO_TARGET && s.targets[t] < (int32_t)f->vocab.out);
            of_sequence += s.targets[t] != NS_NO_TARGET;
            if (t < s.n) continue;
            g_assert_cmpint(s.tokens[t], ==, 0);
            g_assert_cmpint(s.targets[t], ==, NS_NO_TARGET);
        }
        g_assert_cmpuint(of_sequence, >, 0);
        targets += of_sequence;
        g_assert_cmpuint(batch->S > 0, ==, f->settings.arch == NS_ARCH_ENCODER_DECODER);
        if (batch->S > 0) g_assert_true(s.m >= 1 && s.m <= batch->S);
        for (size_t i = 0; i < batch->S; i++) {
            g_assert_true(s.source[i] >= 0 && (size_t)s.source[i] < f->vocab.in);
            if (i >= s.m) g_assert_cmpint(s.source[i], ==, 0);
        }
    }
    g_assert_cmpuint(ns_batch_targets(batch), ==, targets);
}

static void assert_same(const NsBatch *a, const NsBatch *b, bool same)
{
    size_t n = B * a->T * sizeof(int32_t), m = B * a->S * sizeof(int32_t), l = B * sizeof(int32_t);
    bool equal = memcmp(a->tokens, b->tokens, n) == 0 && memcmp(a->targets, b->targets, n) == 0 &&
                 memcmp(a->length, b->length, l) == 0;
    if (m > 0)
        equal = equal && memcmp(a->source, b->source, m) == 0 &&
                memcmp(a->source_length, b->source_length, l) == 0;
    g_assert_true(equal == same);
}

typedef void (*Check)(const Fixture *f);

/* Training and validation batches are sound, right, and a function of their number and seed. */
static void check_task(Fixture *f, Check check)
{
    for (size_t i = 0; i < INDICES; i++) {
        f->held_out = false;
        ns_corpus_train_batch(f->corpus, 7, i, &f->batch);
        assert_sound(f);
        check(f);
        f->held_out = true;
        ns_corpus_validation_batch(f->corpus, i, INDICES, &f->batch);
        assert_sound(f);
        check(f);
    }
    NsBatch again;
    ns_batch_init(&again, B, f->batch.T, f->batch.S);
    ns_corpus_train_batch(f->corpus, 7, 3, &f->batch);
    ns_corpus_train_batch(f->corpus, 7, 3, &again);
    assert_same(&f->batch, &again, true);
    ns_corpus_train_batch(f->corpus, 8, 3, &again);
    assert_same(&f->batch, &again, false);
    ns_corpus_train_batch(f->corpus, 7, 4, &again);
    assert_same(&f->batch, &again, false);
    /* The seed of the settings must not make what is held out equal to what is trained on. */
    uint64_t seed = (uint64_t)f->settings.data_seed;
    for (size_t i = 0; i < INDICES; i++) {
        ns_corpus_train_batch(f->corpus, seed, i, &f->batch);
        ns_corpus_validation_batch(f->corpus, i, INDICES, &again);
        assert_same(&f->batch, &again, false);
    }
    ns_corpus_validation_batch(f->corpus, 3, 5, &f->batch);
    ns_corpus_validation_batch(f->corpus, 3, 5, &again);
    assert_same(&f->batch, &again, true);
    ns_batch_clear(&again);
}

/* ---- Text ---- */

/* A window stands in the part of the text that it must come from. */
static void assert_window(const Fixture *f, const int32_t *window, size_t n)
{
    const NsCorpus *corpus = f->corpus;
    size_t start = f->held_out ? corpus->n_train : 0;
    size_t end = f->held_out ? corpus->n : corpus->n_train;
    for (; start + n <= end; start++) {
        size_t i = 0;
        while (i < n && corpus->tokens[start + i] == window[i]) i++;
        if (i == n) return;
    }
    g_assert_not_reached();
}

static void check_text_decoder(const Fixture *f)
{
    for (size_t b = 0; b < B; b++) {
        Sequence s = sequence(&f->batch, b);
        g_assert_cmpuint(s.n, ==, f->batch.T);
        for (size_t t = 1; t < s.n; t++) g_assert_cmpint(s.tokens[t], ==, s.targets[t - 1]);
        assert_window(f, s.targets, s.n);
    }
}

static void test_text_decoder(void)
{
    Fixture f;
    open_task(&f, "grammar", NS_ARCH_DECODER, 24, 0);
    g_assert_cmpuint(f.vocab.in, ==, f.corpus->V);
    check_task(&f, check_text_decoder);
    close_task(&f);
}

static void check_text_encoder(const Fixture *f)
{
    int32_t mask = (int32_t)f->corpus->V;
    for (size_t b = 0; b < B; b++) {
        Sequence s = sequence(&f->batch, b);
        int32_t window[64];
        unsigned targets = 0;
        for (size_t t = 0; t < s.n; t++) {
            bool target = s.targets[t] != NS_NO_TARGET;
            targets += target;
            /* A mask never stands where nothing is asked. */
            if (!target) g_assert_cmpint(s.tokens[t], !=, mask);
            window[t] = target ? s.targets[t] : s.tokens[t];
        }
        g_assert_cmpuint(s.n, ==, f->batch.T);
        g_assert_cmpuint(targets, ==, (unsigned)MAX(1, (f->batch.T * 15 + 50) / 100));
        assert_window(f, window, s.n);
    }
}

static void test_text_encoder(void)
{
    const int64_t lengths[] = {2, 33, 64};
    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        Fixture f;
        open_task(&f, "grammar", NS_ARCH_ENCODER, lengths[i], 0);
        g_assert_cmpuint(f.vocab.in, ==, f.corpus->V + 1);
        g_assert_cmpuint(f.vocab.out, ==, f.corpus->V);
        check_task(&f, check_text_encoder);
        close_task(&f);
    }
}

/* 80 % of the positions to predict show the mask, 10 % the truth and another chance of 1 in V, 10 %
 * something else, and every position is as likely as any other. */
static void test_text_mask_shares(void)
{
    Fixture f;
    open_task(&f, "grammar", NS_ARCH_ENCODER, 20, 0);
    double masks = 0, truths = 0, others = 0, first = 0;
    const unsigned batches = 4000;
    for (uint64_t i = 0; i < batches; i++) {
        ns_corpus_train_batch(f.corpus, 1, i, &f.batch);
        for (size_t p = 0; p < B * f.batch.T; p++) {
            int32_t token = f.batch.tokens[p], target = f.batch.targets[p];
            if (target == NS_NO_TARGET) continue;
            if (p % f.batch.T == 0) first++;
            if (token == (int32_t)f.corpus->V)
                masks++;
            else if (token == target)
                truths++;
            else
                others++;
        }
    }
    double n = masks + truths + others;
    g_assert_cmpfloat(n, ==, 3.0 * B * batches);
    g_assert_cmpfloat_with_epsilon(masks / n, 0.8, 0.006);
    g_assert_cmpfloat_with_epsilon(truths / n, 0.1 + 0.1 / (double)f.corpus->V, 0.005);
    g_assert_cmpfloat_with_epsilon(first / n, 1.0 / 20, 0.004);
    close_task(&f);
}

static void check_text_both(const Fixture *f)
{
    for (size_t b = 0; b < B; b++) {
        Sequence s = sequence(&f->batch, b);
        int32_t window[64];
        g_assert_cmpuint(s.m, ==, f->batch.S);
        g_assert_cmpuint(s.n, ==, f->batch.T);
        memcpy(window, s.source, s.m * sizeof *window);
        memcpy(window + s.m, s.targets, s.n * sizeof *window);
        assert_window(f, window, s.m + s.n);
        g_assert_cmpint(s.tokens[0], ==, (int32_t)f->corpus->V);
        for (size_t t = 1; t < s.n; t++) g_assert_cmpint(s.tokens[t], ==, s.targets[t - 1]);
    }
}

static void test_text_both(void)
{
    const int64_t sources[] = {0, 1, 30};
    for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
        Fixture f;
        open_task(&f, "grammar", NS_ARCH_ENCODER_DECODER, 17, sources[i]);
        g_assert_cmpuint(f.batch.S, ==, sources[i] ? (size_t)sources[i] : 17);
        g_assert_cmpuint(f.vocab.in, ==, f.corpus->V + 1);
        g_assert_cmpuint(f.vocab.out, ==, f.corpus->V);
        check_task(&f, check_text_both);
        close_task(&f);
    }
}

/* The longest span that a text has room for, and one more. */
static void test_text_room(void)
{
    g_autofree char *text = g_strnfill(10 * 13, 'a');
    text[3] = 'b';
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *path = ns_test_folder_write(folder, "text", text);
    for (int64_t source = 7; source <= 8; source++) {
        NsSettings settings;
        ns_settings_init(&settings);
        settings.arch = NS_ARCH_ENCODER_DECODER;
        settings.seq = 5;
        settings.source_seq = source;
        g_autoptr(GError) error = NULL;
        g_assert_true(ns_settings_set(&settings, "text", path, &error));
        g_autoptr(NsCorpus) corpus = ns_corpus_open(&settings, &error);
        if (source == 7) {
            NsBatch batch;
            ns_batch_init(&batch, 2, 5, 7);
            ns_corpus_train_batch(corpus, 1, 0, &batch);
            ns_corpus_validation_batch(corpus, 1, 2, &batch);
            ns_batch_clear(&batch);
        } else
            g_assert_error(error, NS_ERROR, NS_ERROR_TEXT);
        ns_settings_clear(&settings);
    }
}

/* ---- Symbols ---- */

static int compare(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

/* The answer by its definition. */
static void assert_answer(const Fixture *f, const int32_t *answer, const int32_t *symbols, size_t n)
{
    int32_t expected[64];
    memcpy(expected, symbols, n * sizeof *expected);
    const char *task = ns_task_choice(f->settings.task)->key;
    if (g_str_equal(task, "sort")) qsort(expected, n, sizeof *expected, compare);
    for (size_t i = 0; i < n; i++)
        g_assert_cmpint(answer[i], ==, expected[g_str_equal(task, "reverse") ? n - 1 - i : i]);
}

static void check_symbols(const Fixture *f)
{
    size_t T = f->batch.T;
    for (size_t b = 0; b < B; b++) {
        Sequence s = sequence(&f->batch, b);
        const int32_t *symbols = s.tokens, *answer = s.targets;
        size_t n = s.n, most = T;
        if (f->settings.arch == NS_ARCH_DECODER) {
            n = s.n / 2;
            most = T / 2;
            g_assert_cmpuint(s.n, ==, 2 * n);
            g_assert_cmpint(s.tokens[n], ==, (int32_t)f->vocab.out);
            for (size_t t = 0; t < n; t++) g_assert_cmpint(s.targets[t], ==, NS_NO_TARGET);
            for (size_t t = n + 1; t < s.n; t++) g_assert_cmpint(s.tokens[t], ==, s.targets[t - 1]);
            answer += n;
        } else if (f->settings.arch == NS_ARCH_ENCODER_DECODER) {
            symbols = s.source;
            most = MIN(T, f->batch.S);
            g_assert_cmpuint(s.m, ==, n);
            g_assert_cmpint(s.tokens[0], ==, (int32_t)f->vocab.out);
            for (size_t t = 1; t < n; t++) g_assert_cmpint(s.tokens[t], ==, s.targets[t - 1]);
        }
        g_assert_true(n <= most && 2 * n >= most);
        for (size_t i = 0; i < n; i++) g_assert_cmpint(symbols[i], <, (int32_t)f->vocab.out);
        assert_answer(f, answer, symbols, n);
    }
}

static void test_symbols(void)
{
    static const char *const tasks[] = {"copy", "reverse", "sort"};
    static const int64_t sizes[][2] = {{2, 2}, {3, 5}, {21, 0}, {40, 12}};
    for (size_t i = 0; i < G_N_ELEMENTS(tasks); i++)
        for (unsigned arch = 0; ns_arch_choice(arch); arch++)
            for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++) {
                Fixture f;
                open_task(&f, tasks[i], arch, sizes[k][0], sizes[k][1]);
                bool extra = arch != NS_ARCH_ENCODER;
                g_assert_cmpuint(f.vocab.in, ==, NS_TASK_SYMBOLS + (extra ? 1 : 0));
                g_assert_cmpuint(f.vocab.out, ==, NS_TASK_SYMBOLS);
                /* Batches of sequences of one symbol repeat. */
                if (sizes[k][0] > 3)
                    check_task(&f, check_symbols);
                else
                    for (uint64_t index = 0; index < INDICES; index++) {
                        ns_corpus_train_batch(f.corpus, 7, index, &f.batch);
                        assert_sound(&f);
                        check_symbols(&f);
                    }
                close_task(&f);
            }
}

/* Lengths and symbols are uniform: every one occurs about as often as every other. */
static void test_symbols_spread(void)
{
    Fixture f;
    open_task(&f, "copy", NS_ARCH_ENCODER, 12, 0);
    unsigned lengths[13] = {0}, symbols[NS_TASK_SYMBOLS] = {0}, n = 0;
    const unsigned batches = 1000;
    for (uint64_t i = 0; i < batches; i++) {
        ns_corpus_train_batch(f.corpus, 1, i, &f.batch);
        for (size_t b = 0; b < B; b++) {
            Sequence s = sequence(&f.batch, b);
            lengths[s.n]++;
            for (size_t t = 0; t < s.n; t++, n++) symbols[s.tokens[t]]++;
        }
    }
    for (size_t i = 6; i <= 12; i++)
        g_assert_cmpfloat_with_epsilon(lengths[i], B * batches / 7.0, 150);
    for (size_t i = 0; i < NS_TASK_SYMBOLS; i++)
        g_assert_cmpfloat_with_epsilon(symbols[i], n / 16.0, 350);
    close_task(&f);
}

/* As many symbols as are asked for, all of which occur, with names as far as letters go. */
static void test_symbols_vocab(void)
{
    static const struct {
        int64_t vocab;
        unsigned V;
        bool names;
    } cases[] = {{0, NS_TASK_SYMBOLS, true}, {2, 2, true}, {26, 26, true}, {27, 27, false}};
    static const char *const tasks[] = {"copy", "reverse", "sort"};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(tasks); k++)
            for (unsigned arch = 0; ns_arch_choice(arch); arch++) {
                Fixture f;
                open_made(&f, tasks[k], arch, 30, 0, cases[i].vocab);
                g_assert_cmpuint(f.vocab.out, ==, cases[i].V);
                g_assert_true((f.corpus->symbols != NULL) == cases[i].names);
                check_task(&f, check_symbols);
                bool seen[32] = {false};
                for (uint64_t index = 0; index < INDICES; index++) {
                    ns_corpus_train_batch(f.corpus, 7, index, &f.batch);
                    for (size_t p = 0; p < B * f.batch.T; p++)
                        if (f.batch.targets[p] >= 0) seen[f.batch.targets[p]] = true;
                }
                for (size_t v = 0; v < cases[i].V; v++) g_assert_true(seen[v]);
                close_task(&f);
            }
}

/* One symbol leaves nothing to predict; a text has its own. */
static void test_vocab_too_small(void)
{
    for (size_t i = 0; ns_task(i); i++) {
        if (needs_more(ns_task_choice(i)->key)) continue;
        NsSettings settings;
        ns_settings_init(&settings);
        settings.task = (unsigned)i;
        settings.vocab = 1;
        g_autoptr(GError) error = NULL;
        g_autoptr(NsCorpus) corpus = ns_corpus_open(&settings, &error);
        if (ns_task(i)->V > 0) {
            g_assert_null(corpus);
            g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
            g_assert_nonnull(strstr(error->message, ns_task_choice(i)->key));
        } else {
            g_assert_no_error(error);
            g_assert_cmpuint(corpus->V, >, 1);
        }
        ns_settings_clear(&settings);
    }
}

static void test_symbols_room(void)
{
    NsSettings settings;
    ns_settings_init(&settings);
    settings.task = (unsigned)ns_choices_find(ns_task_choice, "sort");
    settings.seq = 1;
    g_autoptr(GError) error = NULL;
    g_assert_null(ns_corpus_open(&settings, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_assert_nonnull(strstr(error->message, "“sort”"));
    g_clear_error(&error);
    settings.arch = NS_ARCH_ENCODER;
    g_autoptr(NsCorpus) corpus = ns_corpus_open(&settings, &error);
    g_assert_no_error(error);
    g_assert_nonnull(corpus);
    ns_settings_clear(&settings);
}

/* ---- Gaussian inputs ---- */

static void check_gaussian(const Fixture *f)
{
    g_autofree bool *seen = g_new0(bool, f->vocab.in);
    size_t n = B * f->batch.T, m = B * f->batch.S;
    for (size_t i = 0; i < n + m; i++) {
        int32_t symbol = i < n ? f->batch.tokens[i] : f->batch.source[i - n];
        g_assert_false(seen[symbol]);
        seen[symbol] = true;
    }
    g_assert_cmpuint(n + m, ==, f->vocab.in);
    g_assert_cmpuint(ns_batch_targets(&f->batch), ==, n);
}

static void assert_targets_uniform(Fixture *f)
{
    unsigned occur[NS_GAUSSIAN_TARGETS] = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        ns_corpus_train_batch(f->corpus, 1, i, &f->batch);
        for (size_t p = 0; p < B * f->batch.T; p++) occur[f->batch.targets[p]]++;
    }
    double mean = 1000.0 * B * (double)f->batch.T / NS_GAUSSIAN_TARGETS;
    for (size_t v = 0; v < NS_GAUSSIAN_TARGETS; v++)
        g_assert_cmpfloat_with_epsilon(occur[v], mean, 0.3 * mean);
}

static void test_gaussian(void)
{
    for (unsigned arch = 0; ns_arch_choice(arch); arch++) {
        Fixture f;
        open_task(&f, "gaussian", arch, 9, 5);
        size_t source = arch == NS_ARCH_ENCODER_DECODER ? 5 : 0;
        g_assert_cmpuint(f.vocab.in, ==, B * (9 + source));
        g_assert_cmpuint(f.vocab.out, ==, NS_GAUSSIAN_TARGETS);
        check_task(&f, check_gaussian);
        assert_targets_uniform(&f);
        close_task(&f);
    }
}

/* ---- Random tokens ---- */

static void check_random(const Fixture *f)
{
    bool next = f->settings.arch != NS_ARCH_ENCODER;
    for (size_t b = 0; b < B; b++) {
        Sequence s = sequence(&f->batch, b);
        g_assert_cmpuint(s.n, ==, f->batch.T);
        g_assert_cmpuint(s.m, ==, f->batch.S);
        for (size_t t = 1; next && t < s.n; t++) g_assert_cmpint(s.tokens[t], ==, s.targets[t - 1]);
    }
    g_assert_cmpuint(ns_batch_targets(&f->batch), ==, B * f->batch.T);
}

/* In a hundred thousand draws all pairs of a target with its token, with the target before it and,
 * in an encoder, with the token after it are equally frequent: nothing can be learned. */
static void assert_independent(Fixture *f, size_t V)
{
    g_autofree double *pairs = g_new0(double, V *V), *before = g_new0(double, V *V);
    g_autofree double *after = g_new0(double, V *V);
    double n = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        ns_corpus_train_batch(f->corpus, 1, i, &f->batch);
        for (size_t p = 0; p < B * f->batch.T; p++, n++) {
            size_t token = (size_t)f->batch.tokens[p], target = (size_t)f->batch.targets[p];
            pairs[token * V + target]++;
            size_t beside = (p + 1) % (B * f->batch.T);
            if (p > 0) before[(size_t)f->batch.targets[p - 1] * V + target]++;
            after[(size_t)f->batch.tokens[beside] * V + target]++;
        }
    }
    double expected = n / (double)(V * V);
    for (size_t i = 0; i < V * V; i++) {
        g_assert_cmpfloat_with_epsilon(pairs[i], expected, 6 * sqrt(expected));
        g_assert_cmpfloat_with_epsilon(before[i], expected, 6 * sqrt(expected));
        if (f->settings.arch == NS_ARCH_ENCODER)
            g_assert_cmpfloat_with_epsilon(after[i], expected, 6 * sqrt(expected));
    }
}

static void test_random(void)
{
    for (unsigned arch = 0; ns_arch_choice(arch); arch++) {
        Fixture f;
        open_task(&f, "random", arch, 9, 5);
        g_assert_cmpuint(f.vocab.in, ==, NS_RANDOM_SYMBOLS);
        g_assert_cmpuint(f.vocab.out, ==, NS_RANDOM_SYMBOLS);
        check_task(&f, check_random);
        close_task(&f);
        open_made(&f, "random", arch, 9, 5, 7);
        g_assert_cmpuint(f.vocab.in, ==, 7);
        g_assert_cmpuint(f.vocab.out, ==, 7);
        check_task(&f, check_random);
        assert_independent(&f, 7);
        close_task(&f);
        open_made(&f, "random", arch, 1, 1, 8000);
        check_task(&f, check_random);
        close_task(&f);
    }
}

/* ---- The registry ---- */

static void test_registry(void)
{
    static const char *const keys[] = {"grammar", "text", "mlm",      "translation", "copy",
                                       "reverse", "sort", "gaussian", "random"};
    size_t n = 0;
    for (; ns_task(n); n++) {
        g_assert_cmpstr(ns_task_choice(n)->key, ==, keys[n]);
        g_assert_nonnull(ns_task_choice(n)->label);
        g_assert_nonnull(ns_task_choice(n)->purpose);
    }
    g_assert_cmpuint(n, ==, G_N_ELEMENTS(keys));
    g_assert_null(ns_task_choice(n));
}

/* Microseconds that this thread has computed, which others on the machine do not lengthen. */
static double thread_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* A batch of the default size costs little beside a step, which takes milliseconds. */
static void test_speed(void)
{
    for (size_t i = 0; ns_task(i); i++) {
        const char *task = ns_task_choice(i)->key;
        if (needs_more(task)) continue;
        for (unsigned arch = 0; ns_arch_choice(arch); arch++) {
            Fixture f;
            open_task(&f, task, arch, 64, 0);
            const int repeats = 200;
            double begin = thread_us();
            for (int k = 0; k < repeats; k++)
                ns_corpus_train_batch(f.corpus, 1, (uint64_t)k, &f.batch);
            double us = (thread_us() - begin) / repeats;
            g_test_message("%s, %s: %.1f us", task, ns_arch_choice(arch)->key, us);
            g_assert_cmpfloat(us, <, 1000);
            g_test_minimized_result(us, "us for a batch of %s", task);
            close_task(&f);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/task/text/decoder", test_text_decoder);
    g_test_add_func("/task/text/encoder", test_text_encoder);
    g_test_add_func("/task/text/mask-shares", test_text_mask_shares);
    g_test_add_func("/task/text/encoder-decoder", test_text_both);
    g_test_add_func("/task/text/room", test_text_room);
    g_test_add_func("/task/symbols", test_symbols);
    g_test_add_func("/task/symbols/spread", test_symbols_spread);
    g_test_add_func("/task/symbols/vocab", test_symbols_vocab);
    g_test_add_func("/task/symbols/room", test_symbols_room);
    g_test_add_func("/task/vocab-too-small", test_vocab_too_small);
    g_test_add_func("/task/random", test_random);
    g_test_add_func("/task/gaussian", test_gaussian);
    g_test_add_func("/task/registry", test_registry);
    g_test_add_func("/task/speed", test_speed);
    return g_test_run();
}
