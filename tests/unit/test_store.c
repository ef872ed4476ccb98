/* Safetensors and dumps read back.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/data/task.h"
#include "core/store/dump.h"
#include "core/store/safetensors.h"
#include "tests/unit/support.h"

#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

/* A safetensors file, read by the letter of the format. */
typedef struct {
    char *bytes;
    const char *data;
    JsonNode *header;
} Stored;

static Stored read_stored(const char *path)
{
    Stored stored = {0};
    size_t size, length, end = 0;
    g_autoptr(GError) error = NULL;
    g_file_get_contents(path, &stored.bytes, &size, &error);
    g_assert_no_error(error);
    uint64_t word;
    memcpy(&word, stored.bytes, sizeof word);
    length = GUINT64_FROM_LE(word);
    g_assert_cmpuint(length % 8, ==, 0);
    g_assert_cmpuint(8 + length, <=, size);
    g_assert_cmpint(stored.bytes[8], ==, '{');
    g_autofree char *header = g_strndup(stored.bytes + 8, length);
    stored.header = ns_test_parse(header);
    stored.data = stored.bytes + 8 + length;

    /* Tensors follow one another without holes up to the end of the file. */
    JsonObjectIter iter;
    const char *name;
    JsonNode *node;
    json_object_iter_init_ordered(&iter, json_node_get_object(stored.header));
    while (json_object_iter_next_ordered(&iter, &name, &node)) {
        JsonArray *offsets =
            json_object_get_array_member(json_node_get_object(node), "data_offsets");
        g_assert_cmpint(json_array_get_int_element(offsets, 0), ==, (int64_t)end);
        end = (size_t)json_array_get_int_element(offsets, 1);
    }
    g_assert_cmpuint(8 + length + end, ==, size);
    return stored;
}

static void clear_stored(Stored *stored)
{
    json_node_unref(stored->header);
    g_free(stored->bytes);
}

/* The data of a tensor, whose type and shape are checked. */
static const char *stored_tensor(const Stored *stored, const char *name, const char *type,
                                 size_t rows, size_t cols)
{
    JsonObject *all = json_node_get_object(stored->header);
    g_assert_true(json_object_has_member(all, name));
    JsonObject *tensor = json_object_get_object_member(all, name);
    g_assert_cmpstr(json_object_get_string_member(tensor, "dtype"), ==, type);
    JsonArray *shape = json_object_get_array_member(tensor, "shape");
    g_assert_cmpuint(json_array_get_length(shape), ==, cols > 0 ? 2 : 1);
    g_assert_cmpint(json_array_get_int_element(shape, 0), ==, (int64_t)rows);
    if (cols > 0) g_assert_cmpint(json_array_get_int_element(shape, 1), ==, (int64_t)cols);
    JsonArray *offsets = json_object_get_array_member(tensor, "data_offsets");
    return stored->data + json_array_get_int_element(offsets, 0);
}

static void test_safetensors(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    const float f[] = {1.5f, -2, 3, 4, 5, 6};
    const double d[] = {G_PI, (double)NAN};
    const int64_t i[] = {1, -1, INT64_MAX};
    const NsStoredTensor tensors[] = {
        {"a.w", NS_STORED_F32, 2, {2, 3}, f},
        {"odd", NS_STORED_F32, 1, {1}, f},
        {"b", NS_STORED_F64, 1, {2}, d},
        {"c", NS_STORED_I64, 2, {3, 1}, i},
    };
    g_autofree char *path = g_build_filename(files->folder, "x.safetensors", NULL);
    g_autoptr(GError) error = NULL;
    for (size_t n = 0; n <= G_N_ELEMENTS(tensors); n++) {
        g_assert_true(ns_safetensors_write(path, tensors, n, &error));
        g_assert_no_error(error);
        Stored stored = read_stored(path);
        g_assert_cmpuint(json_object_get_size(json_node_get_object(stored.header)), ==, n);
        if (n == G_N_ELEMENTS(tensors)) {
            g_assert_true(memcmp(stored_tensor(&stored, "a.w", "F32", 2, 3), f, sizeof f) == 0);
            g_assert_true(memcmp(stored_tensor(&stored, "b", "F64", 2, 0), d, sizeof d) == 0);
            g_assert_true(memcmp(stored_tensor(&stored, "c", "I64", 3, 1), i, sizeof i) == 0);
        }
        clear_stored(&stored);
    }
    g_assert_cmpuint(ns_test_folder_empty(files->folder), ==, 1);
}

static void test_safetensors_refused(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    static const float zeros[4096];
    const NsStoredTensor tensor = {"zeros", NS_STORED_F32, 1, {G_N_ELEMENTS(zeros)}, zeros};
    g_autoptr(GError) error = NULL;

    g_autofree char *nowhere = g_build_filename(files->folder, "no", "x.safetensors", NULL);
    g_assert_false(ns_safetensors_write(nowhere, &tensor, 1, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
    g_assert_nonnull(strstr(error->message, nowhere));
    g_clear_error(&error);

    g_assert_false(ns_safetensors_write(files->folder, &tensor, 1, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
    g_clear_error(&error);

    /* A full disk, played by a limit on the size of files: the old file stays, no part of the new
     * one does. */
    g_autofree char *path = g_build_filename(files->folder, "x.safetensors", NULL);
    g_assert_true(g_file_set_contents(path, "old", 3, NULL));
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 8192;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    bool written = ns_safetensors_write(path, &tensor, 1, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    g_assert_false(written);
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
    g_autofree char *contents = NULL;
    g_assert_true(g_file_get_contents(path, &contents, NULL, NULL));
    g_assert_cmpstr(contents, ==, "old");
    g_assert_cmpuint(ns_test_folder_empty(files->folder), ==, 1);
}

static void assert_arena(const char *folder, const char *file, const NsTensorTable *table,
                         const ns_real *arena)
{
    g_autofree char *path = g_build_filename(folder, file, NULL);
    Stored stored = read_stored(path);
    g_assert_cmpuint(json_object_get_size(json_node_get_object(stored.header)), ==, table->n);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *tensor = &table->tensors[i];
        const char *bytes =
            stored_tensor(&stored, tensor->name, sizeof(ns_real) == 4 ? "F32" : "F64", tensor->rows,
                          tensor->cols);
        g_assert_true(
            memcmp(bytes, arena + tensor->offset, ns_tensor_size(tensor) * sizeof(ns_real)) == 0);
    }
    clear_stored(&stored);
}

static void assert_stored_integers(const Stored *stored, const char *name, const int32_t *expected,
                                   size_t rows, size_t cols)
{
    const char *bytes = stored_tensor(stored, name, "I64", rows, cols);
    for (size_t i = 0; i < rows * MAX(cols, 1); i++) {
        int64_t value;
        memcpy(&value, bytes + i * sizeof value, sizeof value);
        g_assert_cmpint(value, ==, expected[i]);
    }
}

static void assert_batch(const char *folder, const NsBatch *batch, bool segments)
{
    g_autofree char *path = g_build_filename(folder, "batch.safetensors", NULL);
    Stored stored = read_stored(path);
    size_t B = batch->B, T = batch->T, S = batch->S;
    g_assert_cmpuint(json_object_get_size(json_node_get_object(stored.header)), ==,
                     S > 0 || segments ? 5 : 3);
    if (segments) assert_stored_integers(&stored, "second", batch->second, B, 0);
    if (segments) assert_stored_integers(&stored, "labels", batch->labels, B, 0);
    assert_stored_integers(&stored, "tokens", batch->tokens, B, T);
    assert_stored_integers(&stored, "targets", batch->targets, B, T);
    assert_stored_integers(&stored, "length", batch->length, B, 0);
    if (S > 0) {
        g_autofree int32_t *mask = g_new(int32_t, B * S);
        for (size_t b = 0; b < B; b++)
            for (size_t i = 0; i < S; i++)
                mask[b * S + i] = (int32_t)i < batch->source_length[b] ? 1 : 0;
        assert_stored_integers(&stored, "src", batch->source, B, S);
        assert_stored_integers(&stored, "src_mask", mask, B, S);
    }
    clear_stored(&stored);
}

static void assert_meta(const char *folder, NsRun *run)
{
    const NsSettings *settings = &run->settings;
    const NsCorpus *corpus = run->corpus;
    NsVocab vocab = ns_corpus_vocab(corpus, settings);
    g_autofree char *path = g_build_filename(folder, "meta.json", NULL);
    g_autofree char *meta = NULL;
    g_assert_true(g_file_get_contents(path, &meta, NULL, NULL));
    g_autoptr(JsonNode) node = ns_test_parse(g_strchomp(meta));
    JsonObject *object = json_node_get_object(node);
    g_assert_cmpint(json_object_get_int_member(object, "step"), ==, 1);
    g_assert_true(json_object_get_double_member(object, "loss") ==
                  ns_history_step(run->history, 1)->loss);
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(object, "symbols")), ==,
                     corpus->symbols ? corpus->V : 0);
    g_assert_cmpstr(json_object_get_string_member(object, "arch"), ==,
                    ns_arch_choice(settings->arch)->key);
    g_assert_cmpint(json_object_get_int_member(object, "vocab"), ==, (int64_t)vocab.out);
    g_assert_cmpint(json_object_get_int_member(object, "vocab_in"), ==, (int64_t)vocab.in);
    g_assert_cmpint(json_object_get_int_member(object, "layers"), ==,
                    (int64_t)ns_model_layers(run->model));
    bool both = settings->arch == NS_ARCH_ENCODER_DECODER;
    g_assert_true(json_object_has_member(object, "encoder_layers") == both);
    if (!both) return;
    g_assert_cmpint(json_object_get_int_member(object, "encoder_layers"), ==, 2);
    g_assert_cmpint(json_object_get_int_member(object, "decoder_layers"), ==, 1);
}

static void assert_dump(const char *parent, const char *task, unsigned arch)
{
    NsSettings settings;
    ns_test_small_settings(&settings);
    settings.task = (unsigned)ns_choices_find(ns_task_choice, task);
    settings.arch = arch;
    settings.decoder_layers = 1;
    settings.source_seq = 4;
    if (g_str_equal(task, "mlm")) settings.seq = 12; /* room for two segments */
    g_autoptr(GError) error = NULL;
    g_autoptr(NsRun) run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    g_assert_true(ns_run_step(run));
    g_autofree char *folder = g_build_filename(parent, "new", NULL);
    g_assert_true(ns_dump(run, folder, &error));
    g_assert_no_error(error);

    NsModel *model = run->model;
    assert_arena(folder, "params.safetensors", ns_model_tensors(model), ns_model_weights(model));
    assert_arena(folder, "grads.safetensors", ns_model_tensors(model), ns_model_gradients(model));
    const char *names[] = {"tok_emb", "tok_emb", "dec.tok_emb"};
    const NsTensor *embedding = ns_tensor_find(ns_model_tensors(model), names[arch]);
    g_assert_nonnull(embedding);
    g_assert_cmpuint(embedding->rows, ==, ns_corpus_vocab(run->corpus, &settings).in);
    assert_batch(folder, &run->batch, g_str_equal(task, "mlm"));
    assert_meta(folder, run);
    g_assert_cmpuint(ns_test_folder_empty(folder), ==, 4);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    ns_settings_clear(&settings);
}

static void test_dump(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    for (size_t i = 0; ns_task(i); i++) {
        const char *task = ns_task_choice(i)->key;
        for (unsigned arch = 0; ns_arch_choice(arch); arch++)
            if (!g_str_equal(task, "text") && !g_str_equal(task, "translation") &&
                (!g_str_equal(task, "mlm") || arch == NS_ARCH_ENCODER))
                assert_dump(files->folder, task, arch);
    }
}

/* A file stands where the folder should be. */
static void test_dump_refused(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    NsSettings settings;
    ns_test_small_settings(&settings);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsRun) run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    g_autofree char *path = g_build_filename(files->folder, "file", NULL);
    g_assert_true(g_file_set_contents(path, "x", 1, NULL));
    g_assert_false(ns_dump(run, path, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
    g_assert_cmpuint(ns_test_folder_empty(files->folder), ==, 1);
    ns_settings_clear(&settings);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add(path, NsTestFiles, NULL, ns_test_files_set_up, function, ns_test_files_tear_down)
    ADD("/store/safetensors/read-back", test_safetensors);
    ADD("/store/safetensors/refused", test_safetensors_refused);
    ADD("/store/dump", test_dump);
    ADD("/store/dump/refused", test_dump_refused);
    return g_test_run();
}
