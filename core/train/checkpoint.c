/* SPDX-License-Identifier: MIT */
#include "core/train/checkpoint.h"

#include "core/base/error.h"
#include "core/experiment/param.h"

NsCheckpoint *ns_checkpoint_new(const NsExperiment *experiment, const NsSettings *settings)
{
    NsCheckpoint *s = g_new0(NsCheckpoint, 1);
    g_atomic_ref_count_init(&s->refs);
    s->experiment = ns_experiment_ref(experiment);
    s->settings = *settings;
    return s;
}

void ns_checkpoint_set_without_updates(NsCheckpoint *s)
{
    s->moments_since = g_new0(int64_t, s->table.n);
    s->updates = g_new(NsTensorUpdate, s->table.n);
    for (size_t i = 0; i < s->table.n; i++)
        s->updates[i] = (NsTensorUpdate){.ratio_sum = -1, .ratio_max = -1};
}

NsCheckpoint *ns_checkpoint_of_weights(const NsCheckpoint *from, GError **error)
{
    g_autoptr(NsCheckpoint) c = ns_checkpoint_new(from->experiment, &from->settings);
    c->table = from->table;
    c->table.tensors = g_memdup2(from->table.tensors, from->table.n * sizeof *c->table.tensors);
    ns_checkpoint_set_without_updates(c);
    c->w = ns_real_new(from->table.size, "a checkpoint", error);
    if (!c->w) return NULL;
    memcpy(c->w, from->w, from->table.size * sizeof *c->w);
    return g_steal_pointer(&c);
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
    g_free(s->updates);
    ns_bands_clear(&s->bands);
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

size_t ns_checkpoint_bytes(const NsCheckpoint *s)
{
    size_t arenas = 1u + (s->m ? 1u : 0u) + (s->v ? 1u : 0u);
    size_t bytes = (arenas * s->table.size + s->n_state) * sizeof(ns_real);
    for (guint i = 0; s->others && i < s->others->len; i++)
        bytes += ns_checkpoint_bytes(s->others->pdata[i]);
    return bytes;
}

static char *shape_words(const NsTensor *tensor)
{
    return tensor->cols ? g_strdup_printf("%zu x %zu", tensor->rows, tensor->cols)
                        : g_strdup_printf("%zu", tensor->rows);
}

bool ns_checkpoint_fits(const NsCheckpoint *s, const NsTensorTable *table, GError **error)
{
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *ours = &table->tensors[i], *theirs = ns_tensor_find(&s->table, ours->name);
        if (theirs && theirs->rows == ours->rows && theirs->cols == ours->cols) continue;
        g_autofree char *wanted = shape_words(ours);
        g_autofree char *found = theirs ? shape_words(theirs) : g_strdup("none");
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The checkpoint does not fit the model: the tensor %s is %s in the "
                         "model and %s in the checkpoint; keep the settings of the model and "
                         "its data as in the checkpoint.",
                         ours->name, wanted, found);
    }
    for (size_t i = 0; i < s->table.n; i++)
        if (!ns_tensor_find(table, s->table.tensors[i].name))
            return ns_refuse(error, NS_ERROR_SETTING,
                             "The checkpoint does not fit the model, which has no tensor %s; "
                             "keep the settings of the model as in the checkpoint.",
                             s->table.tensors[i].name);
    return true;
}

NsCorpus *ns_checkpoint_corpus(const NsCheckpoint *checkpoint, const NsSettings *settings)
{
    return ns_settings_same_data(&checkpoint->settings, settings) ? checkpoint->corpus : NULL;
}
