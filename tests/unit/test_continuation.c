/* How a model continues a prompt.  SPDX-License-Identifier: MIT */
#include "core/data/corpus.h"
#include "core/experiment/assignment.h"
#include "core/train/continuation.h"
#include "core/train/run.h"

#include <math.h>
#include <string.h>

static NsRun *run_new(const char *const *settings)
{
    NsSettings s;
    g_autoptr(GError) error = NULL;
    ns_settings_init(&s);
    static const char *const small[] = {"layers=2", "d-model=12", "heads=3",      "seq=8",
                                        "batch=3",  "threads=1",  "eval-every=0", "placement=pre"};
    for (size_t i = 0; i < G_N_ELEMENTS(small); i++) ns_settings_assign(&s, small[i], &error);
    for (; *settings; settings++) ns_settings_assign(&s, *settings, &error);
    g_assert_no_error(error);
    NsRun *run = ns_run_new(&s, &error);
    g_assert_no_error(error);
    ns_settings_clear(&s);
    return run;
}

static const NsContinuation *newest(NsRun *run)
{
    return ns_history_continuation_at(run->history, run->steps);
}

/* -log p(next) after n tokens, by the whole forward pass. */
static double whole_loss(NsRun *run, const int32_t *tokens, size_t n, int32_t next)
{
    const NsSettings *s = &run->settings;
    NsBatch batch;
    ns_batch_init(&batch, (size_t)s->batch, (size_t)s->seq, 0);
    for (size_t i = 0; i < batch.B * batch.T; i++) {
        batch.tokens[i] = i % batch.T < n ? tokens[i % batch.T] : 0;
        batch.targets[i] = i == n - 1 ? next : NS_NO_TARGET;
    }
    for (size_t b = 0; b < batch.B; b++) batch.length[b] = (int32_t)batch.T;
    double loss = ns_model_loss(run->model, &batch);
    ns_batch_clear(&batch);
    return loss;
}

/* Every token is the most probable one after those before it, of which the model reads as many as
 * fit; when they are full, the newer half. */
static void test_greedy(void)
{
    static const char *const settings[] = {"temperature=0", "sample-every=4", "prompt=The kingß",
                                           NULL};
    g_autoptr(NsRun) run = run_new(settings);
    for (int k = 0; k < 9; k++) g_assert_true(ns_run_step(run));
    const NsCorpus *corpus = run->corpus;
    const NsContinuation *c = newest(run);
    g_assert_cmpint(c->step, ==, 8);
    g_assert_cmpuint(ns_history_continuations(run->history), ==, 3);
    g_assert_cmpstr(c->prompt, ==, "The king");

    /* At the weights of step 8, which a run of as many steps has. */
    g_autoptr(NsRun) eight = run_new(settings);
    for (int k = 0; k < 8; k++) g_assert_true(ns_run_step(eight));
    g_assert_cmpstr(newest(eight)->text, ==, c->text);
    g_autofree char *text = g_strconcat(c->prompt, c->text, NULL);
    size_t left_out;
    g_autoptr(GArray) encoded = ns_text_encode(corpus, text, &left_out);
    g_assert_cmpuint(left_out, ==, 0);
    size_t prompt = strlen("The king"), first = 0, T = 8;
    g_assert_cmpuint(encoded->len, ==, prompt + NS_CONTINUATION_TOKENS);
    g_autofree int32_t *tokens = g_new(int32_t, encoded->len);
    for (guint i = 0; i < encoded->len; i++) tokens[i] = g_array_index(encoded, uint16_t, i);
    for (size_t n = prompt; n < encoded->len; n++) {
        if (n - first > T) first = n - T / 2;
        double best = INFINITY, own = whole_loss(eight, tokens + first, n - first, tokens[n]);
        for (int32_t v = 0; v < (int32_t)corpus->V; v++)
            best = MIN(best, whole_loss(eight, tokens + first, n - first, v));
        g_assert_cmpfloat(own, <, best + 1e-4);
    }
}

/* The drawn text depends on the weights and the temperature, and measuring it changes nothing. */
static void test_drawn(void)
{
    static const char *const drawn[] = {"sample-every=2", NULL};
    static const char *const greedy[] = {"sample-every=2", "temperature=0", NULL};
    static const char *const never[] = {"sample-every=0", NULL};
    g_autoptr(NsRun) a = run_new(drawn);
    g_autoptr(NsRun) b = run_new(drawn);
    g_autoptr(NsRun) c = run_new(greedy);
    g_autoptr(NsRun) d = run_new(never);
    for (int k = 0; k < 2; k++) {
        g_assert_true(ns_run_step(a) && ns_run_step(b) && ns_run_step(c) && ns_run_step(d));
    }
    g_assert_cmpuint(strlen(newest(a)->text), >=, NS_CONTINUATION_TOKENS);
    g_assert_cmpstr(newest(a)->prompt, !=, "");
    g_assert_cmpstr(newest(a)->prompt, ==, newest(c)->prompt);
    g_assert_cmpstr(newest(a)->text, ==, newest(b)->text);
    g_assert_cmpstr(newest(a)->text, !=, newest(c)->text);
    g_assert_null(newest(d));
    size_t n = ns_model_tensors(a->model)->size * sizeof(ns_real);
    g_assert_cmpint(memcmp(ns_model_weights(a->model), ns_model_weights(d->model), n), ==, 0);

    /* A fork has those before its step. */
    NsHistory *past = a->history;
    g_autoptr(NsHistory) fork = ns_history_new(ns_history_layout(past), 0, 0);
    ns_history_take_past(fork, past, 2);
    g_assert_cmpuint(ns_history_continuations(past), ==, 2);
    g_assert_cmpuint(ns_history_continuations(fork), ==, 1);
    g_assert_null(ns_history_continuation_at(fork, -1));
    g_assert_cmpint(ns_history_continuation_at(fork, 9)->step, ==, 0);
}

/* They are the largest of all probabilities, of which the whole forward pass knows each. */
static void test_next_tokens(void)
{
    static const char *const settings[] = {"sample-every=0", NULL};
    g_autoptr(NsRun) run = run_new(settings);
    for (int k = 0; k < 5; k++) g_assert_true(ns_run_step(run));
    const NsCorpus *corpus = run->corpus;
    g_autoptr(GArray) prompt = ns_prompt_tokens(corpus, &run->settings, "the");
    NsNextToken next[NS_NEXT_TOKENS];
    g_assert_cmpuint(ns_next_tokens(run->model, corpus, prompt, next, NULL), ==, 5);
    const int32_t *tokens = (const int32_t *)(void *)prompt->data;
    for (int32_t v = 0; v < (int32_t)corpus->V; v++) {
        double p = exp(-whole_loss(run, tokens, prompt->len, v));
        char text[NS_TOKEN_TEXT];
        ns_corpus_token_text(corpus, v, text);
        size_t at = 0;
        while (at < NS_NEXT_TOKENS && !g_str_equal(next[at].text, text)) at++;
        if (at < NS_NEXT_TOKENS)
            g_assert_cmpfloat_with_epsilon(next[at].probability, p, 1e-5);
        else
            g_assert_cmpfloat(p, <, next[NS_NEXT_TOKENS - 1].probability + 1e-6);
    }
    for (size_t i = 1; i < NS_NEXT_TOKENS; i++)
        g_assert_cmpfloat(next[i].probability, <=, next[i - 1].probability);
}

/* Other tasks: answers have the length of the question, and translations end with a sentence. */
static void test_tasks(void)
{
    static const char *const copy[] = {"task=copy", "seq=16", "prompt=abcab", NULL};
    static const char *const pairs[] = {"task=translation", "arch=encoder-decoder", "seq=40", NULL};
    static const char *const subwords[] = {"tokenizer=bpe", "vocab=200", "prompt=the king", NULL};
    static const char *const masked[] = {"arch=encoder", NULL};
    g_autoptr(NsRun) a = run_new(copy);
    g_assert_cmpstr(newest(a)->prompt, ==, "abcab|");
    g_assert_cmpuint(strlen(newest(a)->text), ==, 5);
    g_autoptr(NsRun) b = run_new(pairs);
    g_assert_cmpuint(strlen(newest(b)->prompt), >, 0);
    g_assert_null(strchr(newest(b)->prompt, '\n'));
    g_assert_cmpuint(strlen(newest(b)->text), <=, 4 * 40);
    g_autoptr(NsRun) c = run_new(subwords);
    g_assert_cmpstr(newest(c)->prompt, ==, "the king");
    g_assert_true(*newest(c)->text == ' ' || *newest(c)->text == '\n');
    g_autoptr(NsRun) d = run_new(masked);
    g_assert_null(newest(d));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/continuation/greedy", test_greedy);
    g_test_add_func("/continuation/drawn", test_drawn);
    g_test_add_func("/continuation/next-tokens", test_next_tokens);
    g_test_add_func("/continuation/tasks", test_tasks);
    return g_test_run();
}
