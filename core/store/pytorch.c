/* SPDX-License-Identifier: MIT */
#include "core/store/pytorch.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/task.h"
#include "core/experiment/assignment.h"
#include "core/experiment/param.h"
#include "core/model/wiring.h"
#include "core/optim/schedule.h"
#include "core/store/bundled.h"
#include "core/store/output_file.h"
#include "core/store/safetensors.h"

#include <string.h>

/* Lines of prose and of tables have at most so many characters. */
#define LINE 100

/* The model for the text.  A part of the text is included if a name exists, such as “dual” or
 * “activation=relu”; the text of a name is inserted. */
typedef struct {
    const NsCheckpoint *checkpoint;
    const NsSettings *settings;
    const NsCorpus *corpus;
    GHashTable *words; /* from a name to its text or NULL */
    GArray *sublayers; /* Sublayer, from the first stack and layer upward */
} Page;

/* The values of a sub-layer that the text may need as a table: s, a and b, and its equation. */
enum { S, A, B, FORM, VALUES };

typedef struct {
    char name[24]; /* "dec.blk0.cross" */
    NsWiring c;
    bool dual;
    double values[VALUES];
} Sublayer;

static void page_clear(Page *page)
{
    g_hash_table_unref(page->words);
    g_array_unref(page->sublayers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Page, page_clear)

/* Takes ownership of the text. */
static void word(Page *page, const char *name, char *text)
{
    g_hash_table_insert(page->words, g_strdup(name), text);
}

/* ---- The equation of the sub-layers ---- */

static const Sublayer *sublayer_at(const Page *page, guint i)
{
    return &g_array_index(page->sublayers, Sublayer, i);
}

static void add_choice(GString *words, const NsChoice *choice)
{
    g_autofree char *line =
        g_strdup_printf("%s%s%s%s%s", choice->label, choice->formula ? ": " : "",
                        choice->formula ? choice->formula : "", choice->reference ? "; " : "",
                        choice->reference ? choice->reference : "");
    if (!strstr(words->str, line))
        g_string_append_printf(words, "%s%s", words->len ? "\n        " : "", line);
}

/* Adds the sub-layers, their placements and the kinds of their norms. */
static void add_sublayers(Page *page)
{
    static const char *const kinds[] = {
        [NS_SELF_ATTENTION] = "attn", [NS_CROSS_ATTENTION] = "cross", [NS_FFN] = "ffn"};
    g_autoptr(GString) placements = g_string_new(NULL), norms = g_string_new(NULL);
    NsStackWiring stacks[NS_STACKS_MAX];
    size_t n = ns_stacks_wiring(page->settings, NULL, stacks);
    for (size_t i = 0; i < n; i++) {
        const char *prefix = n == 1 ? "" : stacks[i].decoder ? "dec." : "enc.";
        if (stacks[i].dual) word(page, "dual", NULL);
        for (unsigned layer = 0; layer < stacks[i].layers; layer++) {
            NsSublayerWiring sublayers[NS_LAYER_SUBLAYERS];
            size_t m = ns_layer_wiring(page->settings, NULL, &stacks[i], layer, sublayers);
            add_choice(placements,
                       &ns_placement_at(page->settings, layer, stacks[i].layers)->choice);
            for (size_t k = 0; k < m; k++) {
                const NsWiring *c = &sublayers[k].c;
                Sublayer sublayer = {"", *c, stacks[i].dual, {c->s, c->a, c->b}};
                g_snprintf(sublayer.name, sizeof sublayer.name, "%sblk%u.%s", prefix, layer,
                           kinds[sublayers[k].position.kind]);
                g_array_append_val(page->sublayers, sublayer);
                if (!c->norm) continue;
                bool full = ns_norm_over_batch(c->norm);
                g_autofree char *kind = g_strconcat("kind:", c->norm->choice.key, NULL);
                word(page, kind, NULL);
                add_choice(norms, &c->norm->choice);
                if (c->qk != NS_QK_NONE)
                    word(page, full || c->qk == NS_QK_FULL ? "qk:full" : "qk:head", NULL);
                if (c->v) word(page, full ? "v:full" : "v:head", NULL);
            }
        }
    }
    word(page, "formula", g_strdup(placements->str));
    word(page, "norm-words", g_strdup(norms->str));
    word(page, "encoder-layers", g_strdup_printf("%u", stacks[0].layers));
    word(page, "decoder-layers", g_strdup_printf("%u", stacks[n - 1].layers));
    word(page, "source-words", g_strdup(n > 1 ? ", source [B, S] and source_length [B]" : ""));
}

/* The statements of N_out(a x + r + b N_br(F(s N_in(x)))), without the terms that are absent. */
static char *equation(const Sublayer *sublayer, char *const factors[])
{
    const NsWiring *c = &sublayer->c;
    const char *branch = !c->branch ? "" : c->in || c->out ? "N(\"branch_\", " : "N(\"\", ";
    const char *gain = c->gain == NS_GAIN_NONE    ? ""
                       : c->gain == NS_GAIN_LAYER ? "self.w(f\"{stack}{block}.branch_gain\") * "
                                                  : "self.w(name + \".branch_gain\") * ";
    g_autofree char *y = g_strdup_printf("%s%s%sF(%s%s)%s", factors[B], gain, branch, factors[S],
                                         c->in ? "N(\"\", x)" : "x", c->branch ? ")" : "");
    GString *text = g_string_new(NULL);
    if (sublayer->dual) g_string_printf(text, "y = %s\nself.second = self.second + y\n", y);
    g_string_append(text, "return ");
    if (c->out) g_string_append(text, c->in ? "N(\"out_\", " : "N(\"\", ");
    if (c->stream_gain)
        g_string_append(text, "self.w(name + \".stream_gain\") * x + ");
    else if (c->a != 0)
        g_string_append_printf(text, "%sx + ", factors[A]);
    if (c->skip_layer) g_string_append(text, "start + ");
    g_string_append(text, sublayer->dual ? "y" : y);
    if (c->out) g_string_append_c(text, ')');
    return g_string_free(text, FALSE);
}

/* A line such as "    "blk0.attn": 0, "blk0.ffn": 1,". */
static void append_table(GString *out, const Page *page, int value)
{
    g_string_append(out, "   ");
    for (guint i = 0; i < page->sublayers->len; i++) {
        const Sublayer *s = sublayer_at(page, i);
        g_autofree char *number = ns_number_text(s->values[value]);
        g_string_append_printf(out, " \"%s\": %s,", s->name, number);
    }
}

/* A constant is a number where all sub-layers share it, and S[name], A[name] or B[name] where it
 * varies. */
static void add_equations(Page *page)
{
    g_autoptr(GString) constants = g_string_new(NULL), forms = g_string_new(NULL);
    char *factors[FORM];
    for (int k = 0; k < FORM; k++) {
        double first = sublayer_at(page, 0)->values[k];
        bool varies = false;
        for (guint i = 1; i < page->sublayers->len; i++)
            varies |= sublayer_at(page, i)->values[k] != first;
        g_autofree char *number = ns_number_text(first);
        factors[k] = varies       ? g_strdup_printf("%c[name] * ", "SAB"[k])
                     : first == 1 ? g_strdup("")
                                  : g_strdup_printf("%s * ", number);
        if (!varies) continue;
        g_string_append_printf(constants, "%s%c = {  # a factor of every sub-layer\n",
                               constants->len ? "\n" : "", "SAB"[k]);
        append_table(constants, page, k);
        g_string_append(constants, "\n}");
    }
    if (constants->len) word(page, "constants", g_strdup(constants->str));

    g_autoptr(GPtrArray) equations = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < page->sublayers->len; i++) {
        Sublayer *s = &g_array_index(page->sublayers, Sublayer, i);
        g_autofree char *own = equation(s, factors);
        guint form = equations->len;
        if (!g_ptr_array_find_with_equal_func(equations, own, g_str_equal, &form))
            g_ptr_array_add(equations, g_steal_pointer(&own));
        s->values[FORM] = form;
    }
    for (int k = 0; k < FORM; k++) g_free(factors[k]);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < equations->len; i++) {
        bool last = i + 1 == equations->len;
        g_auto(GStrv) lines = g_strsplit(equations->pdata[i], "\n", -1);
        g_autofree char *body = g_strjoinv(last ? "\n        " : "\n            ", lines);
        if (!last) g_string_append_printf(text, "if FORMS[name] == %u:\n            ", i);
        g_string_append(text, body);
        if (!last) g_string_append(text, "\n        ");
    }
    word(page, "sub-layer", g_strdup(text->str));
    append_table(forms, page, FORM);
    if (equations->len > 1) word(page, "forms", g_strdup(forms->str));
}

/* ---- Names and their texts ---- */

static void add_settings(Page *page)
{
    const NsSettings *s = page->settings;
    for (size_t i = 0; i < NS_PARAM_COUNT; i++) {
        char *value = ns_settings_get(s, ns_param(i));
        g_autofree char *both = g_strdup_printf("%s=%s", ns_param(i)->key, value);
        word(page, both, NULL);
        word(page, ns_param(i)->key, value);
    }
    if (ns_settings_kv_heads(s) < s->heads) word(page, "grouped", NULL);
    if (s->clip > 0) word(page, "clips", NULL);
    if (s->z_loss > 0) word(page, "log-z", NULL);
    if (s->weight_decay > 0) word(page, "decays", NULL);
    const NsChoice *schedule = &ns_schedule(s->schedule)->choice;
    word(page, "schedule-words", g_strdup(schedule->formula ? schedule->formula : schedule->label));
    const NsChoice *optimizer = ns_optimizer_choice(s->optimizer);
    word(page, "optimizer-words",
         optimizer->reference ? g_strdup_printf("%s (%s)", optimizer->label, optimizer->reference)
                              : g_strdup(optimizer->label));
    const char *purpose = ns_decay_scope_choice(s->decay_scope)->purpose;
    word(page, "decay-words", g_strndup(purpose, strlen(purpose) - 1));
    word(page, "decay-end", ns_number_text((double)ns_schedule_end(s)));
    const char *smoothing = g_hash_table_lookup(page->words, "label-smoothing");
    word(page, "smoothing",
         s->label_smoothing > 0 ? g_strconcat(", label_smoothing=", smoothing, NULL)
                                : g_strdup(""));
}

static void add_model(Page *page)
{
    const NsCheckpoint *c = page->checkpoint;
    const NsSettings *s = page->settings;
    word(page, "vocab", ns_number_text((double)ns_corpus_vocab(page->corpus, s).out));
    word(page, "step", ns_number_text((double)c->step));
    if (c->moments_since[0]) word(page, "since", ns_number_text((double)c->moments_since[0]));
    word(page, "batches", ns_number_text(NS_PYTORCH_BATCHES));
    bool shared = ns_tensor_find(&c->table, "tok_emb") != NULL;
    word(page, "tied-head", g_strdup(shared ? "tok_emb" : "dec.tok_emb"));
    bool tied = s->tie_embeddings == NS_TOGGLE_ON;
    word(page, "embeddings", g_strdup(!tied ? ", \"tok_emb\"" : shared ? "" : ", \"enc_tok_emb\""));
    word(page, "moments", g_strdup(c->m && c->step > 0 ? ", the moments of its optimizer" : ""));
    /* Where layers differ, the size of a gain tells which features are normalized together. */
    bool both = g_hash_table_contains(page->words, "qk:full") &&
                g_hash_table_contains(page->words, "qk:head");
    const char *size = " and self.w(name + \".q_norm.gain\").numel()";
    word(page, "or-full", both ? g_strconcat(size, " == WIDTH", NULL) : g_strdup(""));
    word(page, "or-head", both ? g_strconcat(size, " < WIDTH", NULL) : g_strdup(""));
}

/* A text inside a string of Python, which may have all characters but control characters. */
static char *quoted(const char *text)
{
    char others[129] = "";
    for (int i = 0; i < 128; i++) others[i] = (char)(128 + i);
    return g_strescape(text, others);
}

/* ---- The text ---- */

/* Whether a line “#? a b” (any of these names exists) or “#! a b” (none does) includes its part. */
static bool includes(const Page *page, const char *line)
{
    g_auto(GStrv) names = g_strsplit(line + 3, " ", -1);
    bool any = false;
    for (char **name = names; *name; name++) any |= g_hash_table_contains(page->words, *name);
    return line[1] == '?' ? any : !any;
}

static GString *write_text(const Page *page)
{
    g_autoptr(GBytes) bytes = ns_model_text();
    g_auto(GStrv) lines = g_strsplit(g_bytes_get_data(bytes, NULL), "\n", -1);
    GString *out = g_string_new(NULL);
    guint depth = 0, left_out = 0; /* the depth of the part that is left out; 0 for none */
    bool prose = false;
    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, "#? ") || g_str_has_prefix(*line, "#! ")) {
            depth++;
            if (!left_out && !includes(page, *line)) left_out = depth;
        } else if (g_str_equal(*line, "#.")) {
            if (left_out == depth) left_out = 0;
            depth--;
        } else if (!left_out && line[1]) { /* not the end of the last line */
            /* The line with the texts of the names in it, “@name@”. */
            g_autoptr(GString) text = g_string_new(NULL);
            for (const char *p = *line; *p;) {
                const char *end = *p == '@' ? strchr(p + 1, '@') : NULL;
                g_autofree char *name = end ? g_strndup(p + 1, (gsize)(end - p - 1)) : NULL;
                const char *word = name ? g_hash_table_lookup(page->words, name) : NULL;
                if (word)
                    g_string_append(text, word);
                else
                    g_string_append_c(text, *p);
                p = word ? end + 1 : p + 1;
            }
            const char *quotes = strstr(*line, "\"\"\"");
            if (text->len && (prose || quotes || **line == '@')) { /* an inserted table */
                g_auto(GStrv) parts = g_strsplit(text->str, "\n", -1);
                for (char **part = parts; *part; part++) {
                    /* Append a line, broken at spaces, but not at those after a colon, into lines
                     * with the same indentation. */
                    size_t indent = strspn(*part, " ");
                    const char *p = *part + indent, *at;
                    for (;; p = at + strspn(at, " ")) {
                        g_string_append_printf(out, "%*s", (int)indent, "");
                        if ((size_t)g_utf8_strlen(p, -1) <= LINE - indent) break;
                        const char *end = g_utf8_offset_to_pointer(p, (glong)(LINE - indent));
                        for (at = end; at > p && (*at != ' ' || strchr(": ", at[-1]));) at--;
                        if (at == p && !(at = strchr(end, ' '))) break;
                        g_string_append_len(out, p, at - p);
                        g_string_append_c(out, '\n');
                    }
                    g_string_append_printf(out, "%s\n", p);
                }
            } else {
                g_string_append_printf(out, "%s\n", text->str);
            }
            if (quotes && !strstr(quotes + 3, "\"\"\"")) prose = !prose;
        }
    }
    return out;
}

/* ---- The tensors ---- */

static bool write_tensors(const NsCheckpoint *c, const NsCorpus *corpus, const char *path,
                          GError **error)
{
    g_auto(NsStoredTensors) t = {0};
    bool trained = c->step > 0;
    ns_stored_tensors_add(&t, "weight.", &c->table, c->w);
    ns_stored_tensors_add(&t, "first.", &c->table, trained ? c->m : NULL);
    ns_stored_tensors_add(&t, "second.", &c->table, trained ? c->v : NULL);
    /* The batches of the next updates. */
    NsBatch batch;
    ns_batch_init_for(&batch, &c->settings);
    bool segments = ns_corpus_vocab(corpus, &c->settings).segments > 0;
    for (int i = 0; i < NS_PYTORCH_BATCHES; i++) {
        ns_corpus_train_batch(corpus, (uint64_t)c->settings.data_seed, (uint64_t)(c->step + i),
                              &batch);
        g_autofree char *prefix = g_strdup_printf("batch%d.", i);
        ns_stored_tensors_add_batch(&t, prefix, &batch, segments);
        if (batch.S == 0) continue;
        ns_stored_tensors_add_numbers(&t, prefix, "source", batch.source, batch.B, batch.S);
        ns_stored_tensors_add_numbers(&t, prefix, "source_length", batch.source_length, batch.B, 0);
    }
    ns_batch_clear(&batch);
    return ns_safetensors_write(path, t.tensor, t.n, error);
}

/* ---- The files ---- */

static char *path_of_weights(const char *path)
{
    return g_strdup_printf("%.*s.safetensors", (int)(strlen(path) - strlen(".py")), path);
}

bool ns_pytorch_check(const char *path, GError **error)
{
    if (!g_str_has_suffix(path, ".py"))
        return ns_refuse(error, NS_ERROR_USAGE,
                         N_("A PyTorch script needs a name that ends in “.py”."));
    g_autofree char *weights = path_of_weights(path);
    if (!g_file_test(weights, G_FILE_TEST_EXISTS) || g_file_test(path, G_FILE_TEST_EXISTS))
        return true;
    g_autofree char *name = g_filename_display_name(weights);
    return ns_refuse(error, NS_ERROR_USAGE,
                     N_("“%s” exists, and would be replaced by the weights of the script; choose "
                        "another name."),
                     name);
}

bool ns_pytorch_write(const NsCheckpoint *checkpoint, const char *path, GError **error)
{
    const NsSettings *s = &checkpoint->settings;
    if (!ns_pytorch_check(path, error)) return false;
    if (s->dropout > 0 || s->drop_path > 0)
        return ns_refuse(error, NS_ERROR_SETTING,
                         N_("PyTorch cannot reproduce the random numbers of dropout and stochastic "
                            "depth; set dropout and drop-path to 0."));
    for (size_t i = 1; i < checkpoint->table.n; i++)
        if (checkpoint->moments_since[i] != checkpoint->moments_since[0])
            return ns_refuse(
                error, NS_ERROR_SETTING,
                N_("The optimizer’s moments of some tensors in this run began at different steps, "
                   "which a PyTorch script cannot continue; start a new run from its settings."));

    g_autoptr(NsCorpus) corpus = checkpoint->corpus ? ns_corpus_ref(checkpoint->corpus)
                                                    : ns_corpus_open(&checkpoint->settings, error);
    if (!corpus) return false;
    g_auto(Page) page = {
        .checkpoint = checkpoint,
        .settings = &checkpoint->settings,
        .corpus = corpus,
        .words = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .sublayers = g_array_new(FALSE, FALSE, sizeof(Sublayer)),
    };
    g_autofree char *data = path_of_weights(path);
    /* The parts of the names of all tensors, such as "blk0", "attn", "q_norm" and "gain". */
    const NsTensorTable *table = &page.checkpoint->table;
    double lr = 1, eps = 1, width = 1 / ns_settings_width_ratio(page.settings);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        g_auto(GStrv) parts = g_strsplit(t->name, ".", -1);
        for (char **part = parts; *part; part++) word(&page, *part, NULL);
        if (g_str_has_suffix(t->name, ".gain") && strstr(t->name, "norm"))
            word(&page, "norms", NULL);
        if (t->layer < 0 || t->cols) continue;
        lr = t->lr;
        eps = t->eps;
    }
    if (lr != 1 || eps != 1 || width != 1) word(&page, "factors", NULL);
    word(&page, "width-factor", ns_number_text(width));
    word(&page, "lr-factor", ns_number_text(lr));
    word(&page, "eps-factor", ns_number_text(eps));
    add_settings(&page);
    add_sublayers(&page);
    add_equations(&page);
    add_model(&page);
    g_autofree char *file = g_filename_display_basename(path);
    g_autofree char *data_name = g_filename_display_basename(data);
    g_autofree char *line = ns_settings_line(page.settings, false);
    word(&page, "file", quoted(file));
    word(&page, "data", quoted(data_name));
    word(&page, "settings", quoted(line));
    word(&page, "version", g_strdup(NS_VERSION));
    g_autoptr(GString) text = write_text(&page);
    return write_tensors(checkpoint, corpus, data, error) &&
           ns_save(path, text->str, text->len, error);
}
