/* SPDX-License-Identifier: MIT */
#include "core/store/gpt2.h"

#include "core/base/error.h"
#include "core/data/json_object.h"
#include "core/data/reader.h"
#include "core/experiment/param.h"
#include "core/store/safetensors.h"

#define MOST_CONFIG ((size_t)1 << 20)

/* ---- The shape ---- */

static JsonNode *read_config(const char *folder, GError **error)
{
    size_t size;
    g_autofree char *path = g_build_filename(folder, "config.json", NULL);
    g_autofree char *text = ns_read_file(path, MOST_CONFIG, &size, error);
    if (!text) return NULL;
    JsonNode *root = ns_json_parse(text, size);
    if (root) return root;
    g_autofree char *name = g_filename_display_name(path);
    ns_refuse(error, NS_ERROR_FILE,
              "“%s” is not a JSON object; choose the folder of a GPT-2 model.", name);
    return NULL;
}

static JsonNode *value_of(JsonObject *config, const char *key)
{
    JsonNode *node = json_object_get_member(config, key);
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
                     "The model in “%s” is not supported: its config.json has %s.", name, what);
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
        g_autofree char *what = g_strdup_printf("no number for “%s”", key);
        return refuse(folder, what, error);
    }
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(words, " %s=%s", setting, g_ascii_dtostr(text, sizeof text, value));
    return true;
}

static bool add_activation(GString *words, const char *folder, JsonObject *config, GError **error)
{
    static const char *const activations[][2] = {{"gelu_new", "gelu-tanh"},
                                                 {"gelu_pytorch_tanh", "gelu-tanh"},
                                                 {"gelu", "gelu"},
                                                 {"relu", "relu"}};
    JsonNode *node = value_of(config, "activation_function");
    const char *word = node ? json_node_get_string(node) : activations[0][0];
    for (size_t i = 0; word && i < G_N_ELEMENTS(activations); i++) {
        if (!g_str_equal(word, activations[i][0])) continue;
        g_string_append_printf(words, " activation=%s", activations[i][1]);
        return true;
    }
    return refuse(folder, "an activation_function other than gelu_new, gelu and relu", error);
}

/* Refuses options that would need a different model from the one that is built. */
static bool check_config(const char *folder, JsonObject *config, GError **error)
{
    JsonNode *type = value_of(config, "model_type");
    if (type && g_strcmp0(json_node_get_string(type), "gpt2") != 0)
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
    g_autoptr(JsonNode) root = read_config(folder, error);
    if (!root) return NULL;
    JsonObject *config = json_node_get_object(root);
    JsonNode *width = value_of(config, "n_embd");
    double hidden = width ? 4 * json_node_get_double(width) : 0;
    g_autoptr(GString) words =
        g_string_new("arch=decoder placement=pre norm=layernorm positions=learned");
    g_string_append_printf(words, " tie-embeddings=%s",
                           is(config, "tie_word_embeddings", true) ? "on" : "off");
    bool good = check_config(folder, config, error) &&
                add_number(words, folder, config, "n_layer", "layers", 0, error) &&
                add_number(words, folder, config, "n_embd", "d-model", 0, error) &&
                add_number(words, folder, config, "n_head", "heads", 0, error) &&
                add_number(words, folder, config, "n_inner", "d-ff", hidden, error) &&
                add_number(words, folder, config, "vocab_size", "vocab", 0, error) &&
                add_number(words, folder, config, "layer_norm_epsilon", "norm-eps", 1e-5, error) &&
                add_activation(words, folder, config, error);
    if (!good) return NULL;
    g_autofree char *vocabulary = g_build_filename(folder, "vocab.json", NULL);
    if (g_file_test(vocabulary, G_FILE_TEST_EXISTS)) {
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
    const NsSafetensors *file;
    const char *prefix; /* prefix of their names, except that of the head */
    size_t sizes[PLACES + 1];
    NsTensorTable *table;
    ns_real *w;  /* NULL while the table is being built */
    size_t next; /* index of the next tensor in the table */
    GError **error;
} Reading;

static bool read_matrix(const Reading *r, const Piece *piece, const char *name, ns_real *to,
                        size_t rows, size_t cols)
{
    bool turned = piece->turned;
    size_t shape[2], n = rows * MAX(cols, 1);
    if (!ns_safetensors_shape(r->file, name, shape, r->error)) return false;
    bool longer = piece->rows == PLACES && shape[0] > rows; /* more than the sequences need */
    if (turned ? shape[0] != cols || shape[1] != rows
               : (shape[0] != rows && !longer) || shape[1] != cols)
        return ns_refuse(r->error, NS_ERROR_FILE,
                         "The tensor “%s” is %zu x %zu, but the settings need %zu x %zu; "
                         "use a seq within the model's positions, or take all files from "
                         "the same model.",
                         name, shape[0], shape[1], turned ? cols : rows, turned ? rows : cols);
    if (!turned) return ns_safetensors_read(r->file, name, to, n, r->error);
    ns_real *other = ns_real_new(n, "a matrix of a file", r->error);
    bool read = other && ns_safetensors_read(r->file, name, other, n, r->error);
    for (size_t i = 0; read && i < rows; i++)
        for (size_t k = 0; k < cols; k++) to[i * cols + k] = other[k * rows + i];
    ns_real_free(other);
    return read;
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
    g_autofree char *theirs =
        layer < 0 ? g_strconcat(piece == &head ? "" : r->prefix, piece->theirs, NULL)
                  : g_strdup_printf("%sh.%d.%s", r->prefix, layer, piece->theirs);
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

NsCheckpoint *ns_gpt2_read(const char *folder, const NsExperiment *experiment, GError **error)
{
    g_autofree char *path = g_build_filename(folder, "model.safetensors", NULL);
    g_autoptr(NsSafetensors) file = ns_safetensors_open(path, error);
    if (!file) return NULL;
    NsExperiment *own = ns_experiment_new_shared(experiment);
    g_autoptr(NsCheckpoint) c = ns_checkpoint_new(own, &own->lane[0]);
    ns_experiment_unref(own);
    const NsSettings *s = &c->settings;
    Reading reading = {
        .file = file,
        .prefix = ns_safetensors_has(file, "transformer.wte.weight") ? "transformer." : "",
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
    return g_steal_pointer(&c);
}
