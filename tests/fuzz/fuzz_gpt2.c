/* Any bytes as one of the files of a model in the layout of GPT-2.  SPDX-License-Identifier: MIT
 *
 * The first byte of the input chooses the file.  It is refused with an error of the program's own,
 * or read: tensors have as many elements as their shape says, settings and tokens can be used. */
#include "core/data/bpe.h"
#include "core/experiment/assignment.h"
#include "core/store/gpt2.h"
#include "core/store/safetensors.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

/* A folder whose file of this name has these bytes; the others are as they were left. */
static const char *folder_with(const char *name, const uint8_t *data, size_t size)
{
    g_autofree char *path = fuzz_path(name);
    fuzz_write(path, data, size);
    return fuzz_folder;
}

static void read_tensors(const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, "model.safetensors", NULL);
    g_autoptr(NsSafetensors) file = ns_safetensors_open(path, error);
    static const char *const names[] = {"a", "b", "wte.weight", "transformer.wte.weight"};
    for (size_t i = 0; file && i < G_N_ELEMENTS(names); i++) {
        size_t shape[2], rounded = 0;
        if (!ns_safetensors_shape(file, names[i], shape, NULL)) continue;
        size_t n = shape[0] * MAX(shape[1], 1);
        g_autofree ns_real *elements = g_new(ns_real, n);
        require(ns_safetensors_read(file, names[i], elements, n, &rounded, NULL));
    }
}

static void read_settings(const char *folder, GError **error)
{
    NsSettings settings;
    ns_settings_init(&settings);
    g_autofree char *words = ns_gpt2_settings(folder, error);
    if (words) ns_settings_assign_all(&settings, words, error);
    ns_settings_clear(&settings);
}

static void read_tokens(const char *folder, GError **error)
{
    g_autoptr(NsBpe) bpe = ns_bpe_new(folder, error);
    if (!bpe) return;
    const char *text = "it's 12 words, naïve \n  ones";
    g_autoptr(GArray) tokens = ns_bpe_encode(bpe, text, strlen(text));
    for (guint i = 0; i < tokens->len; i++)
        require(g_array_index(tokens, uint16_t, i) < ns_bpe_size(bpe));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        const char *name;
        void (*read)(const char *folder, GError **error);
    } files[] = {{"model.safetensors", read_tensors},
                 {"config.json", read_settings},
                 {"vocab.json", read_tokens},
                 {"merges.txt", read_tokens}};
    if (size == 0) return 0;
    size_t i = data[0] % G_N_ELEMENTS(files);
    g_autoptr(GError) error = NULL;
    files[i].read(folder_with(files[i].name, data + 1, size - 1), &error);
    if (error) {
        require(error->domain == NS_ERROR);
        require(strchr(".?", error->message[strlen(error->message) - 1]) != NULL);
        require(!strchr(error->message, '\n'));
    }
    return 0;
}
