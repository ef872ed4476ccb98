/* Everything another framework needs to repeat one step.  SPDX-License-Identifier: MIT */
#include "core/store/dump.h"

#include "core/base/error.h"
#include "core/store/json.h"
#include "core/store/safetensors.h"

#include <errno.h>
#include <glib/gstdio.h>

static const char *const file_names[] = {
    "params.safetensors",
    "grads.safetensors",
    "batch.safetensors",
};

static bool write_arena(const char *path, const NsTensorTable *table, const ns_real *arena,
                        GError **error)
{
    g_autofree NsStoredTensor *stored = g_new0(NsStoredTensor, table->n);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *tensor = &table->tensors[i];
        stored[i] = (NsStoredTensor){
            .name = tensor->name,
            .type = sizeof(ns_real) == sizeof(double) ? NS_STORED_F64 : NS_STORED_F32,
            .dims = tensor->cols > 0 ? 2 : 1,
            .shape = {tensor->rows, tensor->cols},
            .data = arena + tensor->offset,
        };
    }
    return ns_safetensors_write(path, stored, table->n, error);
}

static int64_t *widen(const int32_t *from, size_t n)
{
    int64_t *to = g_new(int64_t, n);
    for (size_t i = 0; i < n; i++) to[i] = from[i];
    return to;
}

static bool write_batch(const char *path, const NsBatch *batch, GError **error)
{
    g_autofree int64_t *tokens = widen(batch->tokens, batch->B * batch->T);
    g_autofree int64_t *targets = widen(batch->targets, batch->B * batch->T);
    const NsStoredTensor stored[] = {
        {"tokens", NS_STORED_I64, 2, {batch->B, batch->T}, tokens},
        {"targets", NS_STORED_I64, 2, {batch->B, batch->T}, targets},
    };
    return ns_safetensors_write(path, stored, G_N_ELEMENTS(stored), error);
}

static char *make_meta(NsRun *run)
{
    NsHistory *history = ns_run_history(run);
    const NsStep *newest = ns_history_step(history, ns_history_steps(history) - 1);
    const NsCorpus *corpus = ns_run_corpus(run);
    NsModel *model = ns_run_model(run);

    NsJson json;
    ns_json_init(&json);
    ns_json_settings(&json, "settings", ns_run_settings(run));
    ns_json_int(&json, "layers", (int64_t)ns_model_layers(model));
    ns_json_int(&json, "parameters", (int64_t)ns_model_tensors(model)->elements);
    ns_json_int(&json, "vocab", (int64_t)corpus->V);
    ns_json_string(&json, "text", corpus->name);
    ns_json_open(&json, "symbols", '[');
    for (size_t i = 0; i < corpus->V; i++) {
        char symbol[7] = "";
        g_unichar_to_utf8(corpus->symbols[i], symbol);
        ns_json_string(&json, NULL, symbol);
    }
    ns_json_close(&json, ']');
    ns_json_int(&json, "step", newest->step);
    ns_json_double(&json, "loss", newest->loss);
    ns_json_double(&json, "grad_norm", newest->grad_norm);
    ns_json_open(&json, "files", '[');
    for (size_t i = 0; i < G_N_ELEMENTS(file_names); i++)
        ns_json_string(&json, NULL, file_names[i]);
    ns_json_close(&json, ']');
    ns_json_string(&json, "program", "normscope " NS_VERSION);
    return ns_json_finish(&json);
}

/* Written last, so that a folder with a meta.json is a whole dump. */
static bool write_meta(const char *path, NsRun *run, GError **error)
{
    g_autofree char *meta = make_meta(run);
    g_autofree char *text = g_strconcat(meta, "\n", NULL);
    g_autoptr(GError) reason = NULL;
    if (g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0666, &reason))
        return true;
    g_set_error(error, NS_ERROR, NS_ERROR_FILE, "%s.", reason->message);
    return false;
}

bool ns_dump(NsRun *run, const char *directory, GError **error)
{
    g_autofree char *meta = g_build_filename(directory, "meta.json", NULL);
    g_autofree char *params = g_build_filename(directory, file_names[0], NULL);
    g_autofree char *grads = g_build_filename(directory, file_names[1], NULL);
    g_autofree char *batch = g_build_filename(directory, file_names[2], NULL);

    if (g_mkdir_with_parents(directory, 0777) < 0) {
        int number = errno;
        g_autofree char *name = g_filename_display_name(directory);
        g_set_error(error, NS_ERROR, NS_ERROR_FILE,
                    "The folder “%s” cannot be made: %s; choose another.", name,
                    g_strerror(number));
        return false;
    }
    g_unlink(meta);

    NsModel *model = ns_run_model(run);
    const NsTensorTable *table = ns_model_tensors(model);
    return write_arena(params, table, ns_model_weights(model), error) &&
           write_arena(grads, table, ns_model_gradients(model), error) &&
           write_batch(batch, ns_run_batch(run), error) && write_meta(meta, run, error);
}
