/* SPDX-License-Identifier: MIT */
#include "core/store/gpt2.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/bpe.h"
#include "core/data/json_object.h"
#include "core/data/reader.h"
#include "core/data/task.h"
#include "core/data/tokenizer.h"
#include "core/experiment/param.h"
#include "core/store/safetensors.h"

#include <string.h>

#define MOST_CONFIG ((size_t)1 << 20)
#define MOST_INDEX ((size_t)64 << 20)
#define BYTES 256 /* the least number of tokens of a byte-level BPE */

#define ONE_FILE "model.safetensors"
#define INDEX "model.safetensors.index.json"

static JsonNode *read_object(const char *folder, const char *file, size_t limit, GError **error)
{
    size_t size;
    g_autofree char *path = g_build_filename(folder, file, NULL);
    g_autofree char *text = ns_read_file(path, limit, &size, error);
    if (!text) return NULL;
    JsonNode *root = ns_json_parse(text, size);
    if (root) return root;
    g_autofree char *name = g_filename_display_name(path);
    return ns_refuse_null(error, NS_ERROR_FILE,
                          "“%s” is not a JSON object; choose the folder of a GPT-2 model.", name);
}

/* ---- The files of weights ---- */

/* The tensors of a folder: in one file, or in several that an index lists. */
typedef struct {
    GHashTable *files;   /* from the name of a file to its NsSafetensors */
    GHashTable *tensors; /* from the name of a tensor to the NsSafetensors that has it */
    char *prefix;        /* of the names of tensors, such as "transformer." */
} Weights;

static void weights_clear(Weights *w)
{
    g_hash_table_unref(w->tensors);
    g_hash_table_unref(w->files);
    g_free(w->prefix);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Weights, weights_clear)

/* Opens a file of the folder, once. */
static NsSafetensors *open_file(Weights *w, const char *folder, const char *name, GError **error)
{
    NsSafetensors *file = g_hash_table_lookup(w->files, name);
    if (file) return file;
    g_autofree char *path = g_build_filename(folder, name, NULL);
    file = ns_safetensors_open(path, error);
    if (file) g_hash_table_insert(w->files, g_strdup(name), file);
    return file;
}

static bool open_one(Weights *w, const char *folder, GError **error)
{
    NsSafetensors *file = open_file(w, folder, ONE_FILE, error);
    g_autoptr(GList) names = file ? ns_safetensors_names(file) : NULL;
    for (GList *name = names; name; name = name->next)
        g_hash_table_insert(w->tensors, g_strdup(name->data), file);
    return file != NULL;
}

static bool open_shards(Weights *w, const char *folder, GError **error)
{
    g_autoptr(JsonNode) root = read_object(folder, INDEX, MOST_INDEX, error);
    if (!root) return false;
    JsonObject *map =
        ns_json_object_of(json_object_get_member(json_node_get_object(root), "weight_map"));
    if (!map)
        return ns_refuse(error, NS_ERROR_FILE,
                         "“%s” has no weight_map, the list of files; download it again.", INDEX);
    JsonObjectIter iter;
    const char *name;
    JsonNode *node;
    json_object_iter_init(&iter, map);
    while (json_object_iter_next(&iter, &name, &node)) {
        const char *shard = ns_json_text_of(node);
        if (!shard || !*shard || strchr(shard, '/') || strchr(shard, '\\') || *shard == '.')
            return ns_refuse(error, NS_ERROR_FILE,
                             "“%s” lists “%s” for “%s”, which is not the name of a file in "
                             "the same folder; download the index again.",
                             INDEX, shard ? shard : "nothing", name);
        NsSafetensors *file = open_file(w, folder, shard, error);
        if (!file) return false;
        g_hash_table_insert(w->tensors, g_strdup(name), file);
    }
    return true;
}

/* Refuses a folder without weights that can be read, by what it has instead. */
static bool refuse_folder(const char *folder, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    g_autofree char *name = g_filename_display_name(folder), *other = NULL, *shard = NULL;
    static const char *const others[] = {".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack"};
    for (const char *file; dir && (file = g_dir_read_name(dir));) {
        if (g_str_has_suffix(file, ".safetensors") && !shard) shard = g_strdup(file);
        for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
            if (g_str_has_suffix(file, others[i]) && !other) other = g_strdup(file);
    }
    if (shard)
        return ns_refuse(error, NS_ERROR_FILE,
                         "“%s” has “%s”, but neither %s nor the index of several files, %s; rename "
                         "the file, or download the index.",
                         name, shard, ONE_FILE, INDEX);
    if (other)
        return ns_refuse(
            error, NS_ERROR_FILE,
            "“%s” has its weights in “%s”, which only its own framework can read; convert it: "
            "python3 -c \"from transformers import AutoModelForCausalLM as M; "
            "M.from_pretrained('%s').save_pretrained('%s', safe_serialization=True)\".",
            name, other, name, name);
    return ns_refuse(error, NS_ERROR_FILE, "“%s” has no weights: neither %s nor %s; download them.",
                     name, ONE_FILE, INDEX);
}

static bool weights_open(Weights *w, const char *folder, GError **error)
{
    *w = (Weights){
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)ns_safetensors_free),
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL), NULL};
    g_autofree char *one = g_build_filename(folder, ONE_FILE, NULL);
    g_autofree char *index = g_build_filename(folder, INDEX, NULL);
    bool opened = g_file_test(one, G_FILE_TEST_EXISTS)     ? open_one(w, folder, error)
                  : g_file_test(index, G_FILE_TEST_EXISTS) ? open_shards(w, folder, error)
                                                           : refuse_folder(folder, error);
    if (!opened) return false;
    /* Finds what stands before the names of tensors: wrappers such as “_orig_mod.” and “module.”
     * leave their names, in any order. */
    static const char embedding[] = "wte.weight";
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, w->tensors);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        const char *name = key;
        size_t n = strlen(name), before = n - MIN(n, strlen(embedding));
        if (!g_str_has_suffix(name, embedding) || (before > 0 && name[before - 1] != '.')) continue;
        if (w->prefix)
            return ns_refuse(error, NS_ERROR_FILE,
                             "The weights contain “%s%s” and “%s”, which belong to two models; "
                             "save only one of them.",
                             w->prefix, embedding, name);
        w->prefix = g_strndup(name, before);
    }
    g_autofree char *name = g_filename_display_name(folder);
    return w->prefix || ns_refuse(error, NS_ERROR_FILE,
                                  "The weights in “%s” have no tensor “%s”, the embedding of a "
                                  "GPT-2 model; choose another folder.",
                                  name, embedding);
}

/* The file that has a tensor. */
static NsSafetensors *file_of(const Weights *w, const char *name, GError **error)
{
    NsSafetensors *file = g_hash_table_lookup(w->tensors, name);
    if (!file)
        ns_refuse(error, NS_ERROR_FILE,
                  "The weights have no tensor “%s”; take all files from the same GPT-2 model.",
                  name);
    return file;
}

/* The shape of a tensor of the model, without the prefix in its name; zeros if it cannot be read.
 */
static bool shape_of(const Weights *w, const char *name, size_t shape[2], GError **error)
{
    g_autofree char *full = g_strconcat(w->prefix, name, NULL);
    NsSafetensors *file = file_of(w, full, error);
    shape[0] = shape[1] = 0;
    return file && ns_safetensors_shape(file, full, shape, error);
}

/* ---- The shape ---- */

/* transformers reads both names of these keys. */
static const char *const second_names[][2] = {
    {"n_layer", "num_hidden_layers"}, {"n_embd", "hidden_size"}, {"n_head", "num_attention_heads"}};

static JsonNode *value_of(JsonObject *config, const char *key)
{
    JsonNode *node = json_object_get_member(config, key);
    for (size_t i = 0; !node && i < G_N_ELEMENTS(second_names); i++)
        if (g_str_equal(key, second_names[i][0]))
            node = json_object_get_member(config, second_names[i][1]);
    return node && JSON_NODE_HOLDS_VALUE(node) ? node : NULL;
}

static bool is(JsonObject *config, const char *key, bool otherwise)
{
    JsonNode *node = value_of(config, key);
    bool known = node && json_node_get_value_type(node) == G_TYPE_BOOLEAN;
    return known ? json_node_get_boolean(node) : otherwise;
}

static bool refuse(const char *folder, const char *what, GError **error)
{
    g_autofree char *name = g_filename_display_name(folder);
    return ns_refuse(error, NS_ERROR_SETTING,
                     "The model in “%s” is not supported: its config.json has %s.", name, _(what));
}

/* Appends “setting=number” to the words.  `otherwise` is the value of a missing key, 0 if the key
 * is required. */
static bool add_number(GString *words, const char *folder, JsonObject *config, const char *key,
                       const char *setting, double otherwise, GError **error)
{
    JsonNode *node = value_of(config, key);
    GType type = node ? json_node_get_value_type(node) : G_TYPE_NONE;
    bool number = type == G_TYPE_INT64 || type == G_TYPE_DOUBLE;
    double value = number ? json_node_get_double(node) : otherwise;
    if (!(value > 0)) {
        g_autofree char *what = g_strdup_printf(_("no number for “%s”"), key);
        return refuse(folder, what, error);
    }
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(words, " %s=%s", setting, g_ascii_dtostr(text, sizeof text, value));
    return true;
}

static bool add_activation(GString *words, const char *folder, JsonObject *config, GError **error)
{
    static const char *const activations[][2] = {
        {"gelu_new", "gelu-tanh"},         {"gelu_pytorch_tanh", "gelu-tanh"},
        {"gelu_python_tanh", "gelu-tanh"}, {"gelu_fast", "gelu-tanh"},
        {"gelu_accurate", "gelu-tanh"},    {"gelu", "gelu"},
        {"gelu_python", "gelu"},           {"relu", "relu"}};
    JsonNode *node = value_of(config, "activation_function");
    const char *word = node ? ns_json_text_of(node) : activations[0][0];
    for (size_t i = 0; word && i < G_N_ELEMENTS(activations); i++) {
        if (!g_str_equal(word, activations[i][0])) continue;
        g_string_append_printf(words, " activation=%s", activations[i][1]);
        return true;
    }
    g_autofree char *what = g_strdup_printf(
        _("the activation_function “%s”, not gelu_new, gelu or relu"), word ? word : "");
    return refuse(folder, what, error);
}

/* Refuses options that would need a different model from the one that is built. */
static bool check_config(const char *folder, JsonObject *config, GError **error)
{
    JsonNode *type = value_of(config, "model_type");
    if (type && g_strcmp0(ns_json_text_of(type), "gpt2") != 0)
        return refuse(folder, "a model_type other than gpt2", error);
    if (!is(config, "scale_attn_weights", true) ||
        is(config, "scale_attn_by_inverse_layer_idx", false) ||
        is(config, "add_cross_attention", false))
        return refuse(folder, "an attention that is scaled differently or attends to a source",
                      error);
    return true;
}

char *ns_gpt2_settings(const char *folder, GError **error)
{
    g_autoptr(JsonNode) root = read_object(folder, "config.json", MOST_CONFIG, error);
    if (!root) return NULL;
    JsonObject *config = json_node_get_object(root);
    if (!check_config(folder, config, error)) return NULL;
    g_auto(Weights) weights = {0};
    if (!weights_open(&weights, folder, error)) return NULL;
    /* Missing settings follow from the tensors, and so does the number of words: there may be more
     * rows of embeddings than config.json or the tokenizer says. */
    size_t embedding[2], inner[2], norm[2], layers = 0;
    if (!shape_of(&weights, "wte.weight", embedding, error)) return NULL;
    if (!shape_of(&weights, "h.0.mlp.c_fc.bias", inner, NULL)) inner[0] = 4 * embedding[1];
    for (bool found = true; found; layers += found) {
        g_autofree char *name = g_strdup_printf("h.%zu.ln_1.weight", layers);
        found = shape_of(&weights, name, norm, NULL);
    }
    g_autoptr(GString) words =
        g_string_new("arch=decoder placement=pre norm=layernorm positions=learned");
    g_string_append_printf(words, " tie-embeddings=%s vocab=%zu",
                           is(config, "tie_word_embeddings", true) ? "on" : "off", embedding[0]);
    bool good =
        add_number(words, folder, config, "n_layer", "layers", (double)layers, error) &&
        add_number(words, folder, config, "n_embd", "d-model", (double)embedding[1], error) &&
        add_number(words, folder, config, "n_head", "heads", 0, error) &&
        add_number(words, folder, config, "n_inner", "d-ff", (double)inner[0], error) &&
        add_number(words, folder, config, "layer_norm_epsilon", "norm-eps", 1e-5, error) &&
        add_activation(words, folder, config, error);
    if (!good) return NULL;
    if (ns_bpe_is(folder)) {
        g_autofree char *quoted = g_shell_quote(folder);
        g_string_append_printf(words, " tokenizer=%s", quoted);
    }
    return g_string_free(g_steal_pointer(&words), FALSE);
}

/* ---- The weights ---- */

typedef enum { NONE, WIDTH, HIDDEN, WORDS, PLACES } Size;

/* A tensor of the file: one of ours, or three of ours next to each other.  `turned`: the file
 * stores the transposed matrix, [in, out]. */
typedef struct {
    const char *ours[3], *theirs;
    Size rows, cols; /* of each of our tensors */
    bool turned;
} Piece;

static const Piece embeddings[] = {
    {{"tok_emb"}, "wte.weight", WORDS, WIDTH, false},
    {{"pos_emb"}, "wpe.weight", PLACES, WIDTH, false},
};

static const Piece of_layer[] = {
    {{"norm1.gain"}, "ln_1.weight", WIDTH, NONE, false},
    {{"norm1.bias"}, "ln_1.bias", WIDTH, NONE, false},
    {{"attn.wq", "attn.wk", "attn.wv"}, "attn.c_attn.weight", WIDTH, WIDTH, true},
    {{"attn.bq", "attn.bk", "attn.bv"}, "attn.c_attn.bias", WIDTH, NONE, false},
    {{"attn.wo"}, "attn.c_proj.weight", WIDTH, WIDTH, true},
    {{"attn.bo"}, "attn.c_proj.bias", WIDTH, NONE, false},
    {{"norm2.gain"}, "ln_2.weight", WIDTH, NONE, false},
    {{"norm2.bias"}, "ln_2.bias", WIDTH, NONE, false},
    {{"ffn.w1"}, "mlp.c_fc.weight", HIDDEN, WIDTH, true},
    {{"ffn.b1"}, "mlp.c_fc.bias", HIDDEN, NONE, false},
    {{"ffn.w2"}, "mlp.c_proj.weight", WIDTH, HIDDEN, true},
    {{"ffn.b2"}, "mlp.c_proj.bias", WIDTH, NONE, false},
};

static const Piece top[] = {
    {{"final_norm.gain"}, "ln_f.weight", WIDTH, NONE, false},
    {{"final_norm.bias"}, "ln_f.bias", WIDTH, NONE, false},
};

static const Piece head = {{"head"}, "lm_head.weight", WORDS, WIDTH, false};

typedef struct {
    const Weights *files;
    GHashTable *taken; /* the names that were read */
    size_t rounded;    /* numbers of double precision that were rounded */
    size_t sizes[PLACES + 1];
    NsTensorTable *table;
    ns_real *w;  /* NULL while the table is being built */
    size_t next; /* index of the next tensor in the table */
    GError **error;
} Reading;

static bool read_matrix(Reading *r, const Piece *piece, const char *name, ns_real *to, size_t rows,
                        size_t cols)
{
    bool turned = piece->turned;
    size_t shape[2], n = rows * MAX(cols, 1);
    NsSafetensors *file = file_of(r->files, name, r->error);
    if (!file || !ns_safetensors_shape(file, name, shape, r->error)) return false;
    g_hash_table_add(r->taken, g_strdup(name));
    bool longer = piece->rows == PLACES && shape[0] > rows; /* more than the sequences need */
    if (turned && rows != cols && shape[0] == rows && shape[1] == cols)
        return ns_refuse(
            r->error, NS_ERROR_FILE,
            "The tensor “%s” is %zu x %zu, [out, in] as torch.nn.Linear stores it, but "
            "GPT-2's layout is [in, out]; transpose the weights of c_attn, c_proj and "
            "c_fc.",
            name, rows, cols);
    if (turned ? shape[0] != cols || shape[1] != rows
               : (shape[0] != rows && !longer) || shape[1] != cols)
        return ns_refuse(r->error, NS_ERROR_FILE,
                         "The tensor “%s” is %zu x %zu, but the settings need %zu x %zu; "
                         "use a seq within the model's positions, or take all files from "
                         "the same model.",
                         name, shape[0], shape[1], turned ? cols : rows, turned ? rows : cols);
    if (!turned) return ns_safetensors_read(file, name, to, n, &r->rounded, r->error);
    ns_real *other = ns_real_new(n, "a matrix of a file", r->error);
    bool read = other && ns_safetensors_read(file, name, other, n, &r->rounded, r->error);
    for (size_t i = 0; read && i < rows; i++)
        for (size_t k = 0; k < cols; k++) to[i * cols + k] = other[k * rows + i];
    ns_real_free(other);
    return read;
}

/* The head is outside of the “transformer.” that has all else. */
static char *head_name(const Weights *w)
{
    static const char inner[] = "transformer.";
    size_t n = strlen(w->prefix) - (g_str_has_suffix(w->prefix, inner) ? strlen(inner) : 0);
    return g_strdup_printf("%.*s%s", (int)n, w->prefix, head.theirs);
}

/* Adds the tensors of a piece to the table or, when the table is complete, reads them. */
static bool take_piece(Reading *r, const Piece *piece, int layer)
{
    size_t rows = r->sizes[piece->rows], cols = r->sizes[piece->cols], n = 0;
    g_autofree char *block = layer < 0 ? g_strdup("") : g_strdup_printf("blk%d.", layer);
    for (; n < G_N_ELEMENTS(piece->ours) && piece->ours[n]; n++) {
        NsTensor tensor = {.rows = rows, .cols = cols, .layer = layer};
        g_snprintf(tensor.name, sizeof tensor.name, "%s%s", block, piece->ours[n]);
        if (!r->w) ns_tensor_table_add(r->table, tensor, n > 0);
    }
    if (!r->w) return true;
    ns_real *to = r->w + r->table->tensors[r->next].offset;
    r->next += n;
    const char *prefix = r->files->prefix;
    g_autofree char *theirs = piece == &head ? head_name(r->files)
                              : layer < 0
                                  ? g_strconcat(prefix, piece->theirs, NULL)
                                  : g_strdup_printf("%sh.%d.%s", prefix, layer, piece->theirs);
    return read_matrix(r, piece, theirs, to, n * rows, cols);
}

static bool take_all(Reading *r, const NsSettings *settings)
{
    bool good = true;
    for (size_t i = 0; good && i < G_N_ELEMENTS(embeddings); i++)
        good = take_piece(r, &embeddings[i], -1);
    for (int layer = 0; good && layer < settings->layers; layer++)
        for (size_t i = 0; good && i < G_N_ELEMENTS(of_layer); i++)
            good = take_piece(r, &of_layer[i], layer);
    for (size_t i = 0; good && i < G_N_ELEMENTS(top); i++) good = take_piece(r, &top[i], -1);
    bool tied = settings->tie_embeddings == NS_TOGGLE_ON;
    return good && (tied || take_piece(r, &head, -1));
}

/* Whether a tied head is written a second time. */
static bool is_same_as_embedding(Reading *r, const char *name)
{
    const NsTensor *t = &r->table->tensors[0];
    size_t n = t->rows * t->cols, shape[2], rounded = 0;
    NsSafetensors *file = file_of(r->files, name, NULL);
    ns_real *other = ns_real_new(n, "a matrix of a file", NULL);
    bool same = other && ns_safetensors_shape(file, name, shape, NULL) && shape[0] == t->rows &&
                shape[1] == t->cols && ns_safetensors_read(file, name, other, n, &rounded, NULL) &&
                memcmp(other, r->w + t->offset, n * sizeof *other) == 0;
    ns_real_free(other);
    return same;
}

/* A sentence about what was changed or left out; NULL if nothing was. */
static char *report(Reading *r)
{
    /* The causal mask is no weight. */
    static const char *const buffers[] = {".attn.bias", ".attn.masked_bias"};
    g_autofree char *tied = head_name(r->files);
    const char *first = NULL;
    guint left_out = 0;
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, r->files->tensors);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        bool known = g_hash_table_contains(r->taken, key) ||
                     (g_str_equal(key, tied) && is_same_as_embedding(r, key));
        for (size_t i = 0; !known && i < G_N_ELEMENTS(buffers); i++)
            known = g_str_has_suffix(key, buffers[i]);
        if (known) continue;
        left_out++;
        if (!first || strcmp(key, first) < 0) first = key;
    }
    g_autoptr(GString) text = g_string_new(NULL);
    if (left_out > 0)
        g_string_append_printf(
            text, "%u of %u tensors were left out, which this model does not have, such as “%s”",
            left_out, g_hash_table_size(r->files->tensors), first);
    if (r->rounded > 0)
        g_string_append_printf(text, "%s%zu numbers of double precision were rounded to single",
                               text->len ? "; " : "", r->rounded);
    if (text->len == 0) return NULL;
    g_string_append_c(text, '.');
    return g_string_free(g_steal_pointer(&text), FALSE);
}

NsCheckpoint *ns_gpt2_read(const char *folder, const NsExperiment *experiment, char **note,
                           GError **error)
{
    g_auto(Weights) files = {0};
    if (!weights_open(&files, folder, error)) return NULL;
    NsExperiment *own = ns_experiment_new_shared(experiment);
    g_autoptr(NsCheckpoint) c = ns_checkpoint_new(own, &own->lane[0]);
    ns_experiment_unref(own);
    const NsSettings *s = &c->settings;
    /* A model of characters needs no tokenizer. */
    if (ns_task(s->task)->V == 0 && s->vocab >= BYTES && !ns_tokenizer_is_path(s->tokenizer)) {
        g_autofree char *name = g_filename_display_name(folder);
        return ns_refuse_null(
            error, NS_ERROR_FILE,
            "“%s” has no vocabulary: vocab.json and merges.txt are missing, and so is "
            "tokenizer.json; download them, or set tokenizer to a folder that has them.",
            name);
    }
    g_autoptr(GHashTable) taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Reading reading = {
        .files = &files,
        .taken = taken,
        .sizes = {[WIDTH] = (size_t)s->d_model,
                  [HIDDEN] = (size_t)ns_settings_d_ff(s),
                  [WORDS] = (size_t)s->vocab,
                  [PLACES] = (size_t)s->seq},
        .table = &c->table,
        .error = error,
    };
    take_all(&reading, s);
    c->w = reading.w = ns_real_new(c->table.size, "the weights of a file", error);
    if (!c->w || !take_all(&reading, s)) return NULL;
    ns_checkpoint_set_without_updates(c);
    *note = report(&reading);
    return g_steal_pointer(&c);
}
