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

#include <math.h>
#include <string.h>

/* Lines of the written file have at most so many characters. */
#define LINE 100

/* The model for the text: `flags` choose the parts of the text, `words` are inserted. */
typedef struct {
    const NsCheckpoint *checkpoint;
    const NsSettings *settings;
    const NsCorpus *corpus;
    GHashTable *flags;    /* a set, such as "activation=relu", "final_norm" */
    GHashTable *words;    /* from a name to the text in its place */
    GArray *sublayers;    /* Sublayer, from the first stack and layer upward */
    GPtrArray *equations; /* the different ones of the sub-layers */
} Page;

/* A sub-layer and the index of its equation. */
typedef struct {
    char *name; /* "dec.blk0.cross" */
    NsWiring c;
    NsSublayerKind kind;
    bool dual;
    guint equation;
} Sublayer;

static void sublayer_clear(gpointer sublayer)
{
    g_free(((Sublayer *)sublayer)->name);
}

static void page_clear(Page *page)
{
    g_hash_table_unref(page->flags);
    g_hash_table_unref(page->words);
    g_array_unref(page->sublayers);
    g_ptr_array_unref(page->equations);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Page, page_clear)

static void flag(Page *page, const char *name)
{
    g_hash_table_add(page->flags, g_strdup(name));
}

static void word(Page *page, const char *name, const char *text)
{
    g_hash_table_insert(page->words, g_strdup(name), g_strdup(text));
}

/* The shortest text of a number that reads back to the same bits. */
static char *number(double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];
    if (value == floor(value) && fabs(value) < 1e9) return g_strdup_printf("%.0f", value);
    for (int digits = 1; digits <= 17; digits++) {
        g_snprintf(format, sizeof format, "%%.%dg", digits);
        g_ascii_formatd(text, sizeof text, format, value);
        if (g_ascii_strtod(text, NULL) == value) break;
    }
    return g_strdup(text);
}

static void number_word(Page *page, const char *name, double value)
{
    g_autofree char *text = number(value);
    word(page, name, text);
}

/* A text inside a string of Python. */
static char *quoted(const char *text)
{
    GString *out = g_string_new(NULL);
    for (const char *p = text; *p; p++) {
        if (*p == '\\' || *p == '"') g_string_append_c(out, '\\');
        if ((guchar)*p < ' ')
            g_string_append_printf(out, "\\x%02x", (guint)(guchar)*p);
        else
            g_string_append_c(out, *p);
    }
    return g_string_free(out, FALSE);
}

/* ---- The equation of the sub-layers ---- */

typedef double (*Constant)(const NsWiring *c);

static double constant_s(const NsWiring *c)
{
    return c->s;
}

static double constant_a(const NsWiring *c)
{
    return c->a;
}

static double constant_b(const NsWiring *c)
{
    return c->b;
}

/* "2.5 * " for a constant that all sub-layers share, "S[name] * " for one that varies, "" for 1. */
static char *factor(const Page *page, Constant constant, const char *table)
{
    const Sublayer *all = (const Sublayer *)(const void *)page->sublayers->data;
    for (guint i = 1; i < page->sublayers->len; i++)
        if (constant(&all[i].c) != constant(&all[0].c))
            return g_strdup_printf("%s[name] * ", table);
    if (constant(&all[0].c) == 1) return g_strdup("");
    g_autofree char *text = number(constant(&all[0].c));
    return g_strdup_printf("%s * ", text);
}

/* The statements of N_out(a x + r + b N_br(F(s N_in(x)))), without the terms that are absent. */
static char *equation(const Page *page, const Sublayer *sublayer)
{
    static const char *const gains[] = {[NS_GAIN_NONE] = "",
                                        [NS_GAIN_LAYER] =
                                            "self.w(f\"{stack}{block}.branch_gain\") * ",
                                        [NS_GAIN_SCALAR] = "self.w(name + \".branch_gain\") * ",
                                        [NS_GAIN_VECTOR] = "self.w(name + \".branch_gain\") * "};
    const NsWiring *c = &sublayer->c;
    g_autofree char *s = factor(page, constant_s, "S"), *a = factor(page, constant_a, "A");
    g_autofree char *b = factor(page, constant_b, "B");
    g_autofree char *u = g_strdup_printf("%s%s", s, c->in ? "N(\"\", x)" : "x");
    const char *place = c->in || c->out ? "branch_" : "";
    g_autofree char *inner = g_strdup_printf("F(%s)", u);
    g_autofree char *branch =
        c->branch ? g_strdup_printf("N(\"%s\", %s)", place, inner) : g_strdup(inner);
    g_autofree char *y = g_strdup_printf("%s%s%s", b, gains[c->gain], branch);
    g_autoptr(GString) text = g_string_new(NULL);
    if (sublayer->dual) g_string_append_printf(text, "y = %s\nself.second = self.second + y\n", y);
    g_autoptr(GString) sum = g_string_new(NULL);
    if (c->stream_gain) g_string_append(sum, "self.w(name + \".stream_gain\") * x + ");
    if (!c->stream_gain && c->a != 0) g_string_append_printf(sum, "%sx + ", a);
    if (c->skip_layer) g_string_append(sum, "start + ");
    g_string_append(sum, sublayer->dual ? "y" : y);
    if (c->out)
        g_string_append_printf(text, "return N(\"%s\", %s)", c->in ? "out_" : "", sum->str);
    else
        g_string_append_printf(text, "return %s", sum->str);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void add_sublayers(Page *page)
{
    static const char *const kinds[] = {
        [NS_SELF_ATTENTION] = "attn", [NS_CROSS_ATTENTION] = "cross", [NS_FFN] = "ffn"};
    NsStackWiring stacks[NS_STACKS_MAX];
    size_t n = ns_stacks_wiring(page->settings, NULL, stacks);
    for (size_t i = 0; i < n; i++) {
        const char *prefix = n == 1 ? "" : stacks[i].decoder ? "dec." : "enc.";
        for (unsigned layer = 0; layer < stacks[i].layers; layer++) {
            NsSublayerWiring sublayers[NS_LAYER_SUBLAYERS];
            size_t m = ns_layer_wiring(page->settings, NULL, &stacks[i], layer, sublayers);
            for (size_t k = 0; k < m; k++) {
                NsSublayerKind kind = sublayers[k].position.kind;
                Sublayer sublayer = {g_strdup_printf("%sblk%u.%s", prefix, layer, kinds[kind]),
                                     sublayers[k].c, kind, stacks[i].dual, 0};
                g_array_append_val(page->sublayers, sublayer);
            }
        }
        if (stacks[i].dual) flag(page, "dual");
    }
}

/* "    "blk0.attn": 0, "blk0.ffn": 1," in lines. */
static void append_table(GString *out, const Page *page, Constant constant)
{
    size_t begin = out->len;
    for (guint i = 0; i < page->sublayers->len; i++) {
        const Sublayer *s = &g_array_index(page->sublayers, Sublayer, i);
        g_autofree char *value = constant ? number(constant(&s->c)) : NULL;
        g_autofree char *item = value ? g_strdup_printf("\"%s\": %s,", s->name, value)
                                      : g_strdup_printf("\"%s\": %u,", s->name, s->equation);
        bool first = out->len == begin;
        if (first || out->len - begin + strlen(item) + 1 > LINE) {
            if (!first) g_string_append_c(out, '\n');
            begin = out->len;
            g_string_append(out, "   ");
        }
        g_string_append_printf(out, " %s", item);
    }
}

static void add_constants(Page *page)
{
    static const struct {
        const char *table;
        Constant constant;
    } tables[] = {{"S", constant_s}, {"A", constant_a}, {"B", constant_b}};
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_autofree char *used = factor(page, tables[i].constant, tables[i].table);
        if (*used != *tables[i].table) continue;
        g_string_append_printf(text, "%s%s = {  # a factor of every sub-layer\n",
                               text->len ? "\n" : "", tables[i].table);
        append_table(text, page, tables[i].constant);
        g_string_append(text, "\n}");
    }
    if (text->len) flag(page, "constants");
    word(page, "constants", text->str);
}

/* Lines with an indentation. */
static void append_indented(GString *out, const char *text, int spaces)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        g_string_append_printf(out, "%s%*s%s", out->len ? "\n" : "", spaces, "", *line);
}

static void add_equations(Page *page)
{
    for (guint i = 0; i < page->sublayers->len; i++) {
        Sublayer *s = &g_array_index(page->sublayers, Sublayer, i);
        g_autofree char *own = equation(page, s);
        if (!g_ptr_array_find_with_equal_func(page->equations, own, g_str_equal, &s->equation)) {
            s->equation = page->equations->len;
            g_ptr_array_add(page->equations, g_steal_pointer(&own));
        }
    }
    guint n = page->equations->len;
    g_autoptr(GString) text = g_string_new(NULL), forms = g_string_new(NULL);
    for (guint i = 0; i < n; i++) {
        bool last = i + 1 == n;
        g_autofree char *condition = g_strdup_printf("if FORMS[name] == %u:", i);
        if (!last) append_indented(text, condition, 8);
        append_indented(text, page->equations->pdata[i], last ? 8 : 12);
    }
    if (n > 1) flag(page, "forms");
    append_table(forms, page, NULL);
    word(page, "forms", forms->str);
    word(page, "sub-layer", text->str);
    add_constants(page);
}

/* ---- Flags and words ---- */

static void add_choice(GString *words, const NsChoice *choice)
{
    g_autofree char *line =
        g_strdup_printf("%s: %s%s%s", choice->label, choice->formula ? choice->formula : "",
                        choice->reference ? "; " : "", choice->reference ? choice->reference : "");
    if (!strstr(words->str, line))
        g_string_append_printf(words, "%s%s", words->len ? "\n        " : "", line);
}

/* The placements and the kinds of norms that the layers have. */
static void add_kinds(Page *page)
{
    g_autoptr(GString) placements = g_string_new(NULL), norms = g_string_new(NULL);
    NsStackWiring stacks[NS_STACKS_MAX];
    size_t n = ns_stacks_wiring(page->settings, NULL, stacks);
    for (size_t i = 0; i < n; i++)
        for (unsigned layer = 0; layer < stacks[i].layers; layer++)
            add_choice(placements,
                       &ns_placement_at(page->settings, layer, stacks[i].layers)->choice);
    for (guint i = 0; i < page->sublayers->len; i++) {
        const NsWiring *c = &g_array_index(page->sublayers, Sublayer, i).c;
        if (!c->norm) continue;
        bool full = ns_norm_over_batch(c->norm);
        g_autofree char *kind = g_strconcat("kind:", c->norm->choice.key, NULL);
        flag(page, kind);
        add_choice(norms, &c->norm->choice);
        if (c->qk != NS_QK_NONE) flag(page, full || c->qk == NS_QK_FULL ? "qk:full" : "qk:head");
        if (c->v) flag(page, full ? "v:full" : "v:head");
    }
    word(page, "formula", placements->str);
    word(page, "norm-words", norms->str);
}

/* The parts of the names of all tensors, such as "blk0", "attn", "q_norm" and "gain". */
static void add_tensors(Page *page)
{
    const NsTensorTable *table = &page->checkpoint->table;
    double lr = 1, eps = 1;
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        g_auto(GStrv) parts = g_strsplit(t->name, ".", -1);
        for (char **part = parts; *part; part++) flag(page, *part);
        if (g_str_has_suffix(t->name, ".gain") && strstr(t->name, "norm")) flag(page, "norms");
        if (t->lr != 1) lr = t->lr;
        if (t->eps != 1) eps = t->eps;
    }
    if (lr != 1 || eps != 1) flag(page, "factors");
    number_word(page, "lr-factor", lr);
    number_word(page, "eps-factor", eps);
}

static void add_settings(Page *page)
{
    const NsSettings *s = page->settings;
    for (size_t i = 0; i < NS_PARAM_COUNT; i++) {
        const NsParam *param = ns_param(i);
        g_autofree char *value = ns_settings_get(s, param);
        g_autofree char *both = g_strdup_printf("%s=%s", param->key, value);
        flag(page, both);
        word(page, param->key, value);
    }
    if (s->clip > 0) flag(page, "clips");
    if (s->weight_decay > 0) flag(page, "decays");
    const NsSchedule *schedule = ns_schedule(s->schedule);
    word(page, "schedule-words",
         schedule->choice.formula ? schedule->choice.formula : schedule->choice.label);
    const NsChoice *optimizer = ns_optimizer_choice(s->optimizer);
    g_autofree char *words = g_strdup_printf(
        "%s%s%s%s", optimizer->label, optimizer->reference ? " (" : "",
        optimizer->reference ? optimizer->reference : "", optimizer->reference ? ")" : "");
    word(page, "optimizer-words", words);
    g_autofree char *purpose = g_strdup(ns_decay_scope_choice(s->decay_scope)->purpose);
    purpose[strlen(purpose) - 1] = '\0';
    word(page, "decay-words", purpose);
    number_word(page, "decay-end", (double)ns_schedule_end(s));
    g_autofree char *smoothing = number(s->label_smoothing);
    g_autofree char *option = g_strdup_printf(", label_smoothing=%s", smoothing);
    word(page, "smoothing", s->label_smoothing > 0 ? option : "");
}

static void add_model(Page *page)
{
    const NsCheckpoint *c = page->checkpoint;
    const NsSettings *s = page->settings;
    NsStackWiring stacks[NS_STACKS_MAX];
    size_t n = ns_stacks_wiring(s, NULL, stacks);
    number_word(page, "layers", stacks[n - 1].layers);
    number_word(page, "encoder-layers", stacks[0].layers);
    number_word(page, "decoder-layers", stacks[n - 1].layers);
    number_word(page, "vocab", (double)ns_corpus_vocab(page->corpus, s).out);
    number_word(page, "step", (double)c->step);
    number_word(page, "since", (double)c->moments_since[0]);
    if (c->moments_since[0]) flag(page, "since");
    number_word(page, "batches", NS_PYTORCH_BATCHES);
    bool shared = ns_tensor_find(&c->table, "tok_emb") != NULL;
    word(page, "head", shared ? "tok_emb" : "dec.tok_emb");
    bool tied = s->tie_embeddings == NS_TOGGLE_ON;
    word(page, "embeddings", !tied ? ", \"tok_emb\"" : shared ? "" : ", \"enc_tok_emb\"");
    word(page, "source-words", n > 1 ? ",\n        source [B, S] and source_length [B]" : "");
    word(page, "moments", c->m && c->step > 0 ? ", the moments of its optimizer" : "");
    /* Where layers differ, the size of a gain tells which features are normalized together. */
    bool both = g_hash_table_contains(page->flags, "qk:full") &&
                g_hash_table_contains(page->flags, "qk:head");
    word(page, "or-full", both ? " and self.w(name + \".q_norm.gain\").numel() == WIDTH" : "");
    word(page, "or-head", both ? " and self.w(name + \".q_norm.gain\").numel() < WIDTH" : "");
}

/* ---- The text ---- */

/* Whether a line “#? a b” (has any of these flags) or “#! a b” (has none) includes its part. */
static bool includes(const Page *page, const char *line)
{
    g_auto(GStrv) names = g_strsplit(line + 3, " ", -1);
    bool any = false;
    for (char **name = names; *name; name++) any |= g_hash_table_contains(page->flags, *name);
    return line[1] == '?' ? any : !any;
}

static void append_line(GString *out, const Page *page, const char *line)
{
    for (const char *p = line; *p;) {
        const char *end = *p == '@' ? strchr(p + 1, '@') : NULL;
        g_autofree char *name = end ? g_strndup(p + 1, (gsize)(end - p - 1)) : NULL;
        const char *text = name ? g_hash_table_lookup(page->words, name) : NULL;
        if (text)
            g_string_append(out, text);
        else
            g_string_append_c(out, *p);
        p = text ? end + 1 : p + 1;
    }
    g_string_append_c(out, '\n');
}

static GString *write_text(const Page *page)
{
    g_autoptr(GBytes) bytes = ns_model_text();
    g_auto(GStrv) lines = g_strsplit(g_bytes_get_data(bytes, NULL), "\n", -1);
    GString *out = g_string_new(NULL);
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(bool));
    for (char **line = lines; *line; line++) {
        bool inside = parts->len == 0 || g_array_index(parts, bool, parts->len - 1);
        if (g_str_has_prefix(*line, "#? ") || g_str_has_prefix(*line, "#! ")) {
            bool included = inside && includes(page, *line);
            g_array_append_val(parts, included);
        } else if (g_str_equal(*line, "#.")) {
            g_array_set_size(parts, parts->len - 1);
        } else if (inside && line[1]) { /* not the end of the last line */
            append_line(out, page, *line);
        }
    }
    return out;
}

/* ---- The tensors ---- */

typedef struct {
    GArray *stored;   /* NsStoredTensor */
    GPtrArray *owned; /* names and data */
} Tensors;

static void store(Tensors *t, char *name, NsStoredTensor tensor)
{
    g_ptr_array_add(t->owned, name);
    tensor.name = name;
    g_array_append_val(t->stored, tensor);
}

static void store_arena(Tensors *t, const NsTensorTable *table, const char *part,
                        const ns_real *arena)
{
    for (size_t i = 0; arena && i < table->n; i++) {
        const NsTensor *own = &table->tensors[i];
        store(t, g_strdup_printf("%s.%s", part, own->name),
              (NsStoredTensor){.type = sizeof(ns_real) == sizeof(double) ? NS_STORED_F64
                                                                         : NS_STORED_F32,
                               .dims = own->cols > 0 ? 2 : 1,
                               .shape = {own->rows, own->cols},
                               .data = arena + own->offset});
    }
}

static void store_numbers(Tensors *t, int batch, const char *name, const int32_t *from, size_t rows,
                          size_t cols)
{
    size_t n = rows * MAX(cols, 1);
    int64_t *to = g_new(int64_t, n);
    for (size_t i = 0; i < n; i++) to[i] = from[i];
    g_ptr_array_add(t->owned, to);
    store(t, g_strdup_printf("batch%d.%s", batch, name),
          (NsStoredTensor){
              .type = NS_STORED_I64, .dims = cols ? 2 : 1, .shape = {rows, cols}, .data = to});
}

/* The batches of the next updates. */
static void store_batches(Tensors *t, const NsCheckpoint *c, const NsCorpus *corpus)
{
    NsBatch batch;
    ns_batch_init_for(&batch, &c->settings);
    bool segments = ns_corpus_vocab(corpus, &c->settings).segments > 0;
    for (int i = 0; i < NS_PYTORCH_BATCHES; i++) {
        ns_corpus_train_batch(corpus, (uint64_t)c->settings.data_seed, (uint64_t)(c->step + i),
                              &batch);
        store_numbers(t, i, "tokens", batch.tokens, batch.B, batch.T);
        store_numbers(t, i, "targets", batch.targets, batch.B, batch.T);
        store_numbers(t, i, "length", batch.length, batch.B, 0);
        if (segments) {
            store_numbers(t, i, "second", batch.second, batch.B, 0);
            store_numbers(t, i, "labels", batch.labels, batch.B, 0);
        }
        if (batch.S == 0) continue;
        store_numbers(t, i, "source", batch.source, batch.B, batch.S);
        store_numbers(t, i, "source_length", batch.source_length, batch.B, 0);
    }
    ns_batch_clear(&batch);
}

static bool write_tensors(const NsCheckpoint *c, const NsCorpus *corpus, const char *path,
                          GError **error)
{
    Tensors t = {g_array_new(FALSE, FALSE, sizeof(NsStoredTensor)),
                 g_ptr_array_new_with_free_func(g_free)};
    bool trained = c->step > 0;
    store_arena(&t, &c->table, "weight", c->w);
    store_arena(&t, &c->table, "first", trained ? c->m : NULL);
    store_arena(&t, &c->table, "second", trained ? c->v : NULL);
    store_batches(&t, c, corpus);
    bool good = ns_safetensors_write(path, (const NsStoredTensor *)(const void *)t.stored->data,
                                     t.stored->len, error);
    g_array_unref(t.stored);
    g_ptr_array_unref(t.owned);
    return good;
}

/* ---- The files ---- */

static bool check(const NsCheckpoint *c, const char *path, GError **error)
{
    const NsSettings *s = &c->settings;
    if (!g_str_has_suffix(path, ".py"))
        return ns_refuse(error, NS_ERROR_USAGE,
                         N_("A program in PyTorch needs a name that ends in “.py”."));
    if (s->dropout > 0 || s->drop_path > 0)
        return ns_refuse(error, NS_ERROR_SETTING,
                         N_("PyTorch cannot repeat the random numbers of dropout and of "
                            "stochastic depth; set dropout and drop-path to 0."));
    for (size_t i = 1; i < c->table.n; i++)
        if (c->moments_since[i] != c->moments_since[0])
            return ns_refuse(error, NS_ERROR_SETTING,
                             N_("The moments of this run are of different ages, which its program "
                                "in PyTorch could not continue; start a new run from its "
                                "settings."));
    return true;
}

bool ns_pytorch_write(const NsCheckpoint *checkpoint, const char *path, GError **error)
{
    if (!check(checkpoint, path, error)) return false;
    g_autoptr(NsCorpus) corpus = checkpoint->corpus ? ns_corpus_ref(checkpoint->corpus)
                                                    : ns_corpus_open(&checkpoint->settings, error);
    if (!corpus) return false;
    g_auto(Page) page = {
        .checkpoint = checkpoint,
        .settings = &checkpoint->settings,
        .corpus = corpus,
        .flags = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .words = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .sublayers = g_array_new(FALSE, FALSE, sizeof(Sublayer)),
        .equations = g_ptr_array_new_with_free_func(g_free),
    };
    g_array_set_clear_func(page.sublayers, sublayer_clear);
    add_sublayers(&page);
    add_equations(&page);
    add_kinds(&page);
    add_tensors(&page);
    add_settings(&page);
    add_model(&page);
    g_autofree char *stem = g_strndup(path, strlen(path) - strlen(".py"));
    g_autofree char *data = g_strconcat(stem, ".safetensors", NULL);
    g_autofree char *file_name = g_filename_display_basename(path), *file = quoted(file_name);
    g_autofree char *data_name = g_filename_display_basename(data), *beside = quoted(data_name);
    g_autofree char *line = ns_settings_line(&checkpoint->settings, false),
                    *settings = quoted(line);
    word(&page, "file", file);
    word(&page, "data", beside);
    word(&page, "settings", settings);
    word(&page, "version", NS_VERSION);
    g_autoptr(GString) text = write_text(&page);
    return write_tensors(checkpoint, corpus, data, error) &&
           ns_save(path, text->str, text->len, error);
}
