/* Everything another framework needs to repeat one step.  SPDX-License-Identifier: MIT */
#include "core/store/dump.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/data/reader.h"
#include "core/data/task.h"
#include "core/experiment/provenance.h"
#include "core/store/jsonl.h"
#include "core/store/output_file.h"
#include "core/store/run_lines.h"
#include "core/store/safetensors.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* meta.json is the last, so that a folder that has it is a complete dump. */
enum { PARAMS, GRADS, BATCH, META, FILES };
static const char *const file_names[FILES] = {
    "params.safetensors",
    "grads.safetensors",
    "batch.safetensors",
    "meta.json",
};

static void add_batch(NsStoredTensors *tensors, const NsBatch *batch, bool segments)
{
    size_t B = batch->B, S = batch->S;
    ns_stored_tensors_add_batch(tensors, "", batch, segments);
    if (!S) return;
    /* 1 where a sequence has a token, 0 where it is padded. */
    g_autofree int32_t *mask = g_new(int32_t, B * S);
    for (size_t b = 0; b < B; b++)
        for (size_t s = 0; s < S; s++) mask[b * S + s] = s < (size_t)batch->source_length[b];
    ns_stored_tensors_add_numbers(tensors, "", "src", batch->source, B, S);
    ns_stored_tensors_add_numbers(tensors, "", "src_mask", mask, B, S);
}

/* On failure errno contains the reason. */
static bool write_file(int fd, int which, NsRun *run)
{
    const NsTensorTable *table = ns_model_tensors(run->model);
    g_auto(NsStoredTensors) tensors = {0};
    if (which == PARAMS) ns_stored_tensors_add(&tensors, "", table, ns_model_weights(run->model));
    if (which == GRADS) ns_stored_tensors_add(&tensors, "", table, ns_model_gradients(run->model));
    if (which == BATCH)
        add_batch(&tensors, &run->batch, ns_corpus_vocab(run->corpus, &run->settings).segments > 0);
    if (which != META) return ns_safetensors_fill(fd, tensors.tensor, tensors.n);
    NsHistory *history = run->history;
    const NsStep *newest = ns_history_step(history, ns_history_steps(history) - 1);
    NsJson json;
    ns_json_init(&json);
    ns_jsonl_add_model(&json, run);
    /* The list is empty if the symbols are not characters. */
    const NsCorpus *corpus = run->corpus;
    ns_json_open(&json, "symbols", '[');
    for (size_t k = 0; corpus->symbols && k < corpus->V; k++) {
        char symbol[7] = "";
        g_unichar_to_utf8(corpus->symbols[k], symbol);
        ns_json_string(&json, NULL, symbol);
    }
    ns_json_close(&json, ']');
    ns_json_int(&json, "step", newest->step);
    ns_json_double(&json, "loss", newest->loss);
    ns_json_open(&json, "grad_norm", '{');
    ns_json_double(&json, "total", newest->grad_norm);
    ns_json_close(&json, '}');
    ns_json_open(&json, "files", '[');
    for (size_t i = 0; i < META; i++) ns_json_string(&json, NULL, file_names[i]);
    ns_json_close(&json, ']');
    ns_json_program(&json);
    g_autofree char *meta = ns_json_finish(&json);
    return ns_write_all(fd, meta, strlen(meta)) && ns_write_all(fd, "\n", 1);
}

bool ns_dump_check(const char *directory, GError **error)
{
    for (int i = 0; i < FILES; i++) {
        g_autofree char *path = g_build_filename(directory, file_names[i], NULL);
        if (!g_file_test(path, G_FILE_TEST_EXISTS)) continue;
        g_autofree char *name = g_filename_display_name(path);
        return ns_refuse(error, NS_ERROR_FILE,
                         "“%s” exists, and a dump replaces no file; choose another folder.", name);
    }
    return true;
}

bool ns_dump(NsRun *run, const char *directory, GError **error)
{
    NsOutputFile files[FILES];
    int n = 0, code = 0;
    bool good = ns_dump_check(directory, error) && ns_folder_make(directory, error);
    while (good && n < FILES) {
        g_autofree char *path = g_build_filename(directory, file_names[n], NULL);
        good = ns_output_file_open(&files[n], path, error);
        if (!good) break;
        /* Synced here, so that nothing but renaming remains for the end. */
        if (!write_file(files[n].fd, n, run) || (!files[n].direct && fsync(files[n].fd) != 0))
            code = errno;
        n++;
        if (code) break;
    }
    bool written = good && !code;
    for (int i = 0; i < n; i++) {
        int own = written && good ? 0 : code && i == n - 1 ? code : ECANCELED;
        if (!ns_output_file_close(&files[i], own, own == ECANCELED ? NULL : error)) good = false;
    }
    return good;
}

/* ---- Reading ---- */

bool ns_dump_is(const char *directory)
{
    g_autofree char *path = g_build_filename(directory, "meta.json", NULL);
    return g_file_test(path, G_FILE_TEST_EXISTS);
}

static bool read_weights(const char *path, NsCheckpoint *c, GError **error)
{
    g_autoptr(NsSafetensors) file = ns_safetensors_open(path, error);
    if (!file) return false;
    for (size_t i = 0; i < c->table.n; i++) {
        const NsTensor *t = &c->table.tensors[i];
        size_t shape[2], rounded = 0;
        if (!ns_safetensors_shape(file, t->name, shape, error)) return false;
        if (shape[0] != t->rows || shape[1] != t->cols)
            return ns_refuse(error, NS_ERROR_FILE,
                             "The tensor “%s” is %zu x %zu, but the settings in meta.json need "
                             "%zu x %zu.",
                             t->name, shape[0], shape[1], t->rows, t->cols);
        if (!ns_safetensors_read(file, t->name, c->w + t->offset, ns_tensor_size(t), &rounded,
                                 error))
            return false;
        if (rounded > 0)
            return ns_refuse(error, NS_ERROR_FILE,
                             "The tensor “%s” has %zu numbers that single precision cannot hold; "
                             "save the weights in single precision (F32).",
                             t->name, rounded);
    }
    return true;
}

NsCheckpoint *ns_dump_read(const char *directory, GError **error)
{
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    g_autofree char *meta = g_build_filename(directory, "meta.json", NULL);
    g_autofree char *text = NULL, *name = g_filename_display_basename(directory);
    size_t size;
    if (!(text = ns_read_file(meta, NS_TEXT_MAX, &size, NULL)))
        return ns_refuse_null(error, NS_ERROR_FILE,
                              "“%s” is not a folder that “normscope-cli dump” wrote: it has no "
                              "meta.json; choose another.",
                              name);
    g_autofree char *line = ns_run_lines_provenance(text, size);
    if (!line)
        return ns_refuse_null(error, NS_ERROR_FILE, "The file meta.json in “%s” has no settings.",
                              name);
    if (!ns_provenance_read(&provenance, line, error)) return NULL;
    NsExperiment *experiment = ns_experiment_new_shared(&provenance.experiment);
    g_autoptr(NsCheckpoint) c = ns_checkpoint_new(experiment, &experiment->lane[0]);
    ns_experiment_unref(experiment);
    c->corpus = ns_corpus_open(&c->settings, error);
    if (!c->corpus) return NULL;
    /* This model only lists the tensors; it computes nothing, so it is made as small as
     * possible. */
    NsSettings least = c->settings;
    least.batch = least.threads = 1;
    ns_settings_measure_nothing(&least);
    g_autoptr(NsModel) model = ns_model_new(&least, ns_corpus_vocab(c->corpus, &least), error);
    if (!model) return NULL;
    size_t n_state;
    ns_model_state(model, &n_state);
    if (n_state > 0)
        return ns_refuse_null(
            error, NS_ERROR_FILE,
            "BatchNorm has running statistics, which “dump” does not write; record a run "
            "with --run.");
    c->table = *ns_model_tensors(model);
    c->table.tensors = g_memdup2(c->table.tensors, c->table.n * sizeof *c->table.tensors);
    ns_checkpoint_set_without_updates(c);
    c->w = ns_real_new(c->table.size, "the weights of a file", error);
    g_autofree char *path = g_build_filename(directory, file_names[0], NULL);
    return c->w && read_weights(path, c, error) ? g_steal_pointer(&c) : NULL;
}
