/* SPDX-License-Identifier: MIT */
#include "core/train/finetune.h"

#include "core/experiment/assignment.h"
#include "core/train/run.h"

#include <inttypes.h>

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

bool ns_finetune_can(const NsCorpus *vocabulary)
{
    return (vocabulary->symbols || vocabulary->subwords) && ns_sentence_end(vocabulary) >= 0;
}

void ns_finetune_settings(NsSettings *settings, const NsSettings *pretraining, int64_t steps)
{
    ns_settings_copy(settings, pretraining);
    g_autofree char *usual = g_strdup_printf(
        "steps=%" PRId64 " warmup=%" PRId64 " decay-start=%" PRId64
        " schedule=linear decay-steps=0 lr=1e-3 seeds=1 eval-every=0 sample-every=0 "
        "tie-embeddings=off",
        steps, MAX(1, steps / 10), MAX(1, steps / 10));
    ns_settings_assign_all(settings, usual, NULL);
    ns_settings_measure_nothing(settings);
}

bool ns_finetune(const NsFinetuning *finetuning, NsFinetuned *result, GError **error)
{
    NsCheckpoint *pretrained = finetuning->pretrained;
    g_autoptr(NsCheckpoint) origin =
        pretrained ? ns_checkpoint_of_weights(pretrained, error) : NULL;
    if (pretrained && !origin) return false;
    g_autoptr(NsRun) run = ns_run_new_alone(finetuning->settings, finetuning->pairs, origin, error);
    if (!run) return false;
    bool alive = !run->diverged;
    while (alive && run->steps < finetuning->settings->steps) {
        alive = ns_run_step(run);
        if (finetuning->continues && !finetuning->continues(finetuning->data)) return false;
    }
    size_t n = finetuning->pairs->n_pairs - finetuning->pairs->n_train_pairs;
    g_autofree int32_t *answers = g_new(int32_t, run->validation.B);
    Counts counts = {0};
    for (size_t first = 0; first < n; first += run->validation.B) {
        size_t filled = ns_labeled_held_out(finetuning->pairs, first, &run->validation);
        ns_model_answers(run->model, &run->validation, answers);
        for (size_t b = 0; b < filled; b++)
            count(&counts, answers[b], run->validation.targets[b * run->validation.T]);
    }
    *result = result_of(&counts, n);

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
