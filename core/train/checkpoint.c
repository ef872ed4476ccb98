/* SPDX-License-Identifier: MIT */
#include "core/train/checkpoint.h"

#include "core/experiment/param.h"
#include "core/optim/optimizer.h"
#include "core/train/live.h"

#include <string.h>

/* ---- Taking ---- */

/* A copy of n elements; true if there is nothing to copy. */
static bool keep(ns_real **to, const ns_real *from, size_t n, GError **error)
{
    if (!from || !n) return true;
    *to = ns_real_new(n, "a checkpoint", error);
    if (!*to) return false;
    memcpy(*to, from, n * sizeof **to);
    return true;
}

NsCheckpoint *ns_checkpoint_new(const NsExperiment *experiment, const NsSettings *settings)
{
    NsCheckpoint *s = g_new0(NsCheckpoint, 1);
    g_atomic_ref_count_init(&s->refs);
    s->experiment = ns_experiment_ref(experiment);
    s->settings = *settings;
    return s;
}

NsCheckpoint *ns_checkpoint_take(const NsRunState *run, GError **error)
{
    const NsTensorTable *table = ns_model_tensors(run->model);
    g_autoptr(NsCheckpoint) s = ns_checkpoint_new(run->experiment, run->settings);
    s->corpus = ns_corpus_ref(run->corpus);
    s->table = *table;
    s->table.tensors = g_memdup2(table->tensors, table->n * sizeof *table->tensors);
    s->moments_since = g_memdup2(run->moments_since, table->n * sizeof *run->moments_since);
    s->weight_sq = g_memdup2(run->weight_sq, table->n * sizeof *run->weight_sq);
    s->update_sq = g_memdup2(run->update_sq, table->n * sizeof *run->update_sq);
    if (run->ratio_sum) {
        s->ratio_sum = g_memdup2(run->ratio_sum, table->n * sizeof *run->ratio_sum);
        s->ratio_max = g_memdup2(run->ratio_max, table->n * sizeof *run->ratio_max);
    }
    s->lr = run->lr;
    s->step = run->steps;
    s->diverged = run->diverged;
    s->spikes = run->spikes;
    ns_model_state(run->model, &s->n_state);
    bool room = keep(&s->w, ns_model_weights(run->model), table->size, error) &&
                keep(&s->m, run->m, table->size, error) &&
                keep(&s->v, run->v, table->size, error) &&
                keep(&s->state, run->state, s->n_state, error);
    return room ? g_steal_pointer(&s) : NULL;
}

NsCheckpoint *ns_checkpoint_ref(NsCheckpoint *checkpoint)
{
    g_atomic_ref_count_inc(&checkpoint->refs);
    return checkpoint;
}

void ns_checkpoint_unref(NsCheckpoint *s)
{
    if (!s || !g_atomic_ref_count_dec(&s->refs)) return;
    ns_experiment_unref(s->experiment);
    g_clear_pointer(&s->corpus, ns_corpus_unref);
    ns_tensor_table_clear(&s->table);
    ns_real_free(s->w);
    ns_real_free(s->m);
    ns_real_free(s->v);
    ns_real_free(s->state);
    g_free(s->moments_since);
    g_free(s->weight_sq);
    g_free(s->update_sq);
    g_free(s->ratio_sum);
    g_free(s->ratio_max);
    g_clear_pointer(&s->others, g_ptr_array_unref);
    g_free(s);
}

void ns_checkpoint_add_seed(NsCheckpoint *s, NsCheckpoint *taken)
{
    if (!s->others) s->others = g_ptr_array_new_with_free_func((GDestroyNotify)ns_checkpoint_unref);
    g_ptr_array_add(s->others, taken);
}

size_t ns_checkpoint_seeds(const NsCheckpoint *s)
{
    return 1 + (s->others ? s->others->len : 0);
}

NsCheckpoint *ns_checkpoint_seed(NsCheckpoint *s, size_t i)
{
    return i ? s->others->pdata[i - 1] : s;
}

int64_t ns_checkpoint_step(const NsCheckpoint *checkpoint)
{
    return checkpoint->step;
}

const NsSettings *ns_checkpoint_settings(const NsCheckpoint *checkpoint)
{
    return &checkpoint->settings;
}

static size_t bytes_of(const ns_real *m, const ns_real *v, size_t size, size_t n_state)
{
    size_t arenas = 1u + (m ? 1u : 0u) + (v ? 1u : 0u);
    return (arenas * size + n_state) * sizeof(ns_real);
}

size_t ns_checkpoint_bytes(const NsCheckpoint *s)
{
    size_t bytes = bytes_of(s->m, s->v, s->table.size, s->n_state);
    for (guint i = 0; s->others && i < s->others->len; i++)
        bytes += ns_checkpoint_bytes(s->others->pdata[i]);
    return bytes;
}

size_t ns_checkpoint_size(const NsRunState *run)
{
    size_t n_state;
    ns_model_state(run->model, &n_state);
    return bytes_of(run->m, run->v, ns_model_tensors(run->model)->size, n_state);
}

NsCorpus *ns_checkpoint_corpus(const NsCheckpoint *checkpoint, const NsSettings *settings)
{
    return ns_settings_same_data(&checkpoint->settings, settings) ? checkpoint->corpus : NULL;
}

/* ---- Restoring ---- */

/* Whether moments of one optimizer mean the same to another. */
static bool kin(unsigned a, unsigned b)
{
    return a == b || (ns_optimizer(a)->adam_moments && ns_optimizer(b)->adam_moments);
}

static void copy_tensor(ns_real *to, const NsTensor *at, const ns_real *from,
                        const NsTensor *source)
{
    if (to && from) memcpy(to + at->offset, from + source->offset, ns_tensor_size(at) * sizeof *to);
}

/* Index by name, one more than the number so that 0 means absent. */
static GHashTable *index_tensors(const NsTensorTable *table)
{
    GHashTable *index = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < table->n; i++)
        g_hash_table_insert(index, table->tensors[i].name, GSIZE_TO_POINTER(i + 1));
    return index;
}

void ns_checkpoint_restore(const NsCheckpoint *s, NsRunState *run)
{
    const NsTensorTable *table = ns_model_tensors(run->model);
    g_autoptr(GHashTable) index = index_tensors(&s->table);
    bool moments = kin(s->settings.optimizer, run->settings->optimizer);
    size_t fitting = 0;
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        size_t found = GPOINTER_TO_SIZE(g_hash_table_lookup(index, t->name));
        const NsTensor *source = found ? &s->table.tensors[found - 1] : NULL;
        bool fits = source && source->rows == t->rows && source->cols == t->cols;
        run->moments_since[i] = fits && moments ? s->moments_since[found - 1] : s->step;
        if (!fits) continue;
        fitting++;
        copy_tensor(ns_model_weights(run->model), t, s->w, source);
        if (moments) {
            copy_tensor(run->m, t, s->m, source);
            copy_tensor(run->v, t, s->v, source);
        }
        run->weight_sq[i] = s->weight_sq[found - 1];
        run->update_sq[i] = s->update_sq[found - 1];
        if (run->ratio_sum && s->ratio_sum) {
            run->ratio_sum[i] = s->ratio_sum[found - 1];
            run->ratio_max[i] = s->ratio_max[found - 1];
        }
    }

    size_t n;
    ns_real *state = ns_model_state(run->model, &n);
    if (n && n == s->n_state && fitting == table->n && fitting == s->table.n)
        memcpy(state, s->state, n * sizeof *state);
    run->steps = s->step;
    run->lr = s->lr;
    /* Another model has another loss, which is no jump. */
    if (!ns_live_only(&s->settings, run->settings)) return;
    run->spikes = s->spikes;
    run->diverged = s->diverged;
}
