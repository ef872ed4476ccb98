/* SPDX-License-Identifier: MIT */
#include "core/train/finetune.h"

#include "core/train/run-private.h"

#include <string.h>

typedef struct {
    size_t right, wrong_ones, missed_ones, right_ones;
} Counts;

static void count(Counts *c, int answer, int label)
{
    c->right += answer == label;
    c->right_ones += answer == 1 && label == 1;
    c->wrong_ones += answer == 1 && label == 0;
    c->missed_ones += answer == 0 && label == 1;
}

static NsFinetuned result_of(const Counts *c, size_t n)
{
    double twice = 2 * (double)c->right_ones;
    double all = twice + (double)(c->wrong_ones + c->missed_ones);
    return (NsFinetuned){.accuracy = (double)c->right / (double)n, .f1 = all > 0 ? twice / all : 0};
}

static NsFinetuned test(NsModel *model, const NsCorpus *corpus, NsBatch *batch)
{
    size_t n = corpus->n_pairs - corpus->n_train_pairs;
    g_autofree int32_t *answers = g_new(int32_t, batch->B);
    Counts counts = {0};
    for (size_t first = 0; first < n; first += batch->B) {
        size_t filled = ns_labeled_held_out(corpus, first, batch);
        ns_model_answers(model, batch, answers);
        for (size_t b = 0; b < filled; b++)
            count(&counts, answers[b], batch->targets[b * batch->T]);
    }
    return result_of(&counts, n);
}

/* A copy of its weights alone, at step 0. */
static NsCheckpoint *beginning_of(NsCheckpoint *from, GError **error)
{
    g_autoptr(NsCheckpoint) c = ns_checkpoint_new(from->experiment, &from->settings);
    size_t n = from->table.n;
    c->table = from->table;
    c->table.tensors = g_memdup2(from->table.tensors, n * sizeof *c->table.tensors);
    c->moments_since = g_new0(int64_t, n);
    c->updates = g_new0(NsTensorUpdate, n);
    c->w = ns_real_new(from->table.size, "a checkpoint", error);
    if (!c->w) return NULL;
    memcpy(c->w, from->w, from->table.size * sizeof *c->w);
    return g_steal_pointer(&c);
}

bool ns_finetune(const NsSettings *settings, NsCorpus *corpus, NsCheckpoint *pretrained,
                 NsFinetuned *result, GError **error)
{
    g_autoptr(NsCheckpoint) origin = pretrained ? beginning_of(pretrained, error) : NULL;
    if (pretrained && !origin) return false;
    g_autoptr(NsRun) run = ns_run_new_alone(settings, corpus, origin, error);
    if (!run) return false;
    bool alive = !run->diverged;
    while (alive && run->steps < settings->steps) alive = ns_run_step(run);
    *result = test(run->model, corpus, &run->validation);
    result->diverged = !alive;
    return true;
}

NsFinetuned ns_finetune_majority(const NsCorpus *corpus)
{
    Counts ones = {0};
    size_t n = corpus->n_pairs - corpus->n_train_pairs;
    for (size_t i = corpus->n_train_pairs; i < corpus->n_pairs; i++)
        count(&ones, 1, corpus->pairs[i].label);
    NsFinetuned result = result_of(&ones, n);
    result.accuracy = MAX(result.accuracy, 1 - result.accuracy);
    return result;
}
