/* SPDX-License-Identifier: MIT */
#include "core/store/outside_name.h"
#include "core/store/outside.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/store/json.h"
#include "core/train/run.h"

#include <string.h>

#define MOST_NAMES 200000
#define MOST_WORDS 24
#define MOST_LAYERS 65536 /* layers beyond this number are not layers */

/* ---- Columns named by the user ---- */

typedef struct {
    NsOutsideKind kind;
    bool layer; /* by the number in the place of “{l}” */
    char *column;
} Mapping;

static void mapping_free(gpointer data)
{
    g_free(((Mapping *)data)->column);
    g_free(data);
}

/* Whether a list of words with spaces between them has this word. */
static bool is_one(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; n && (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

static bool read_layer(const char *digits, size_t *layer)
{
    guint64 number;
    if (!g_ascii_string_to_unsigned(digits, 10, 0, MOST_LAYERS, &number, NULL)) return false;
    *layer = (size_t)number;
    return true;
}

const NsOutsideMeaning ns_outside_meanings[NS_OUTSIDE_MEANINGS] = {
    [NS_OUTSIDE_STEP] = {"step", N_("Step")},
    [NS_OUTSIDE_EPOCH] = {"epoch", N_("Epoch")},
    [NS_OUTSIDE_LOSS] = {"loss", N_("Training loss")},
    [NS_OUTSIDE_VALIDATION] = {"validation", N_("Validation loss")},
    [NS_OUTSIDE_LR] = {"lr", N_("Learning rate")},
    [NS_OUTSIDE_GRAD_NORM] = {"grad_norm", N_("Gradient norm")},
    [NS_OUTSIDE_SECONDS] = {"seconds", N_("Seconds per step")},
    [NS_OUTSIDE_BY_LAYER] = {"layer", N_("By layer")},
    [NS_OUTSIDE_CURVE] = {"curve", N_("Separate curve")},
    [NS_OUTSIDE_LEFT_OUT] = {"none", N_("Left out")},
};

/* The meaning with this key; NS_OUTSIDE_MEANINGS if there is none. */
static unsigned find_meaning(const char *key)
{
    unsigned i = 0;
    if (is_one(key, "validation_loss val_loss")) return NS_OUTSIDE_VALIDATION;
    while (i < NS_OUTSIDE_MEANINGS && !g_str_equal(ns_outside_meanings[i].key, key)) i++;
    return i;
}

/* The next item up to a comma outside quotes, without its quotes. */
static char *next_item(const char **at)
{
    GString *item = g_string_new(NULL);
    char quote = '\0';
    for (; **at && (quote || **at != ','); (*at)++) {
        if (quote ? **at == quote : **at == '\'' || **at == '"')
            quote = quote ? '\0' : **at;
        else
            g_string_append_c(item, **at);
    }
    if (**at == ',') (*at)++;
    return g_string_free(item, FALSE);
}

bool ns_outside_names_map(NsOutsideNames *names, const char *text, GError **error)
{
    while (*text) {
        g_autofree char *item = next_item(&text);
        char *column = strchr(item, '=');
        if (column) *column++ = '\0';
        unsigned meaning = find_meaning(item);
        if (!column || !*column || meaning == NS_OUTSIDE_MEANINGS)
            return ns_refuse(
                error, NS_ERROR_USAGE,
                N_("“%s” does not map a column; write “loss=COLUMN”, with step, epoch, loss, "
                   "validation, lr, grad_norm, seconds, layer, curve or none on the left."),
                item);
        bool layer = meaning == NS_OUTSIDE_BY_LAYER;
        if (layer && !strstr(column, "{l}"))
            return ns_refuse(error, NS_ERROR_USAGE,
                             N_("“%s” has no {l}; write {l} in place of the layer number."),
                             column);
        NsOutsideKind kind = meaning == NS_OUTSIDE_LEFT_OUT ? NS_OUTSIDE_IGNORED
                             : meaning > NS_OUTSIDE_SECONDS ? NS_OUTSIDE_VALUE
                                                            : (NsOutsideKind)meaning;
        if (!names) continue;
        const Mapping mapping = {kind, layer, g_strdup(column)};
        g_ptr_array_add(names->mapped, g_memdup2(&mapping, sizeof mapping));
    }
    return true;
}

/* The choice of the command line; NULL if it has made none. */
static char *given;

bool ns_outside_map_all(const char *text, GError **error)
{
    const char *map = g_str_equal(text, "auto") ? "" : text;
    bool good = ns_outside_names_map(NULL, map, error);
    if (good) given = g_strdup(map);
    return good;
}

const char *ns_outside_map_given(void)
{
    return given;
}

/* Whether the name is that of the column, or has a number in the place of its “{l}”. */
static bool fits(const char *pattern, const char *name, size_t *layer)
{
    const char *number = strstr(pattern, "{l}");
    if (!number) return g_str_equal(name, pattern);
    size_t before = (size_t)(number - pattern), after = strlen(number + 3), n = strlen(name);
    if (n <= before + after || memcmp(name, pattern, before) != 0 ||
        !g_str_equal(name + n - after, number + 3))
        return false;
    g_autofree char *digits = g_strndup(name + before, n - before - after);
    return read_layer(digits, layer);
}

char *ns_outside_map_change(const char *map, const char *column, unsigned meaning)
{
    const char *number = strpbrk(column, "0123456789");
    bool layer = meaning == NS_OUTSIDE_BY_LAYER, many = meaning > NS_OUTSIDE_SECONDS;
    g_autofree char *pattern = g_strdup(column);
    if (layer && number && !strstr(column, "{l}")) {
        const char *end = column + strlen(column);
        while (!g_ascii_isdigit(end[-1])) end--;
        for (number = end; number > column && g_ascii_isdigit(number[-1]);) number--;
        g_free(pattern);
        pattern = g_strdup_printf("%.*s{l}%s", (int)(number - column), column, end);
    }
    GString *changed = g_string_new(NULL);
    for (const char *at = map; *at;) {
        const char *start = at;
        size_t unused;
        g_autofree char *item = next_item(&at);
        g_autofree char *own = g_strndup(start, (gsize)(at - start) - (at[-1] == ','));
        char *there = strchr(item, '=');
        if (!there) continue;
        *there++ = '\0';
        bool same = fits(there, column, &unused) || fits(pattern, there, &unused) ||
                    g_str_equal(there, column) || (!many && find_meaning(item) == meaning);
        if (!same) g_string_append_printf(changed, "%s%s", changed->len ? "," : "", own);
    }
    const char *quote = strchr(pattern, '\'') ? "\"" : strpbrk(pattern, "\",") ? "'" : "";
    g_string_append_printf(changed, "%s%s=%s%s%s", changed->len ? "," : "",
                           ns_outside_meanings[meaning].key, quote, pattern, quote);
    return g_string_free(changed, FALSE);
}

/* ---- Words ---- */

typedef struct {
    char text[24];
    size_t at, end; /* in the name */
    bool begins;    /* it comes first, or after “/” or “.” */
    bool path;      /* it is a whole component between these */
} Word;

static bool is_separator(char c)
{
    return strchr("/._- :()[]", c) != NULL;
}

static bool is_slash(char c)
{
    return c == '/' || c == '.' || c == '\0';
}

/* Splits a name into lowercase words; returns their number, or 0 if there are too many. */
static size_t split(const char *name, Word *words)
{
    size_t n = 0;
    for (size_t i = 0; name[i];) {
        if (is_separator(name[i])) {
            i++;
            continue;
        }
        if (n == MOST_WORDS) return 0;
        Word *word = &words[n++];
        word->at = i;
        while (name[i] && !is_separator(name[i]) &&
               !(i > word->at && g_ascii_isupper(name[i]) && g_ascii_islower(name[i - 1]) &&
                 g_ascii_islower(name[i + 1])))
            i++;
        word->end = i;
        size_t length = MIN(i - word->at, sizeof word->text - 1);
        for (size_t k = 0; k < length; k++) word->text[k] = g_ascii_tolower(name[word->at + k]);
        word->text[length] = '\0';
        word->begins = word->at == 0 || is_slash(name[word->at - 1]);
        word->path = word->begins && is_slash(name[i]);
    }
    return n;
}

/* A name without the unit at its end: “loss [nats]”, “Step [1]”. */
static char *without_unit(const char *name)
{
    static const char units[] = "1 - # % s sec ms min h nat nats bit bits nats/token bits/token "
                                "step steps iteration iterations epochs a.u.";
    const char *open = strrchr(name, ' ');
    const bool bracket = open && (open[1] == '[' || open[1] == '(');
    g_autofree char *unit = g_ascii_strdown(bracket ? open + 2 : "", -1);
    if (*unit) unit[strlen(unit) - 1] = '\0';
    return g_strndup(name, is_one(unit, units) ? (gsize)(open - name) : strlen(name));
}

static const char train_words[] = "train training trainer fit tr trn";
static const char validation_words[] =
    "val valid validation validate eval dev evaluation heldout holdout held test cv";

/* ---- The losses ---- */

/* Other words in the name of a loss, and how much worse than “loss” alone they make it. */
static const struct {
    unsigned rank;
    const char *words;
} loss_words[] = {
    {0, "inner"},
    {1, "step batch iter out"},
    {2, "total lm language model cross entropy nll xent ce mlm global metrics value log logs main "
        "history reduced data cost info set all crossentropy losses words"},
    {4, "samples"},
    {8, "mean avg avr average running ema smooth smoothed"},
    {12, "epoch"},
};

/* Words in the names of numbers that are no part of what is trained. */
static const char other_losses[] =
    "scale scaler scaling weight weights coef factor ratio delta change rate count num std var min "
    "max best target time timestamp aux auxiliary balance balancing router z reg kl";

/* The rank of one loss of several, which is worse than any whole one; a perplexity and the name of
 * a split are still worse. */
#define RANK_OF_PART 100

/* Whether the words name a loss of training or of validation; what is only a part of one is noted
 * in the name. */
static bool read_loss(const Word *words, size_t n, NsOutsideName *name)
{
    bool loss = false, cross = false, validation = false, underscored = false, other = false;
    bool inner = false; /* “train_inner” of fairseq is of some steps, “train” of an epoch */
    bool perplexity = false, logarithm = false;
    unsigned rank = 0, parts = 0, splits = 0;
    for (size_t i = 0; i < n; i++) {
        const char *word = words[i].text;
        size_t k = 0;
        loss |= is_one(word, "loss losses nll xent ce crossentropy cost") ||
                (cross && g_str_equal(word, "entropy"));
        if (g_str_equal(word, "loss")) continue;
        cross = g_str_equal(word, "cross");
        logarithm |= g_str_equal(word, "log") && !words[i].path;
        if (is_one(word, "perplexity ppl")) {
            perplexity = true;
            continue;
        }
        if (is_one(word, train_words)) {
            underscored |= !words[i].path;
            splits++;
            continue;
        }
        if (is_one(word, validation_words)) {
            validation = true;
            splits++;
            rank += g_str_equal(word, "test") ? 20 : 0;
            continue;
        }
        if (g_str_equal(word, "dataloader") && i + 2 < n && g_str_equal(words[i + 1].text, "idx")) {
            i += 2; /* “val_loss/dataloader_idx_0” of Lightning: the first is taken */
            rank++;
            continue;
        }
        while (k < G_N_ELEMENTS(loss_words) && !is_one(word, loss_words[k].words)) k++;
        other |= is_one(word, other_losses);
        inner |= g_str_equal(word, "inner");
        parts += k == G_N_ELEMENTS(loss_words);
        rank += k < G_N_ELEMENTS(loss_words) ? loss_words[k].rank : 0;
    }
    /* “info/learner/default_policy/learner_stats/total_loss” is no part of a loss. */
    if (n > 2 && words[n - 2].begins && g_str_equal(words[n - 2].text, "total") &&
        g_str_equal(words[n - 1].text, "loss")) {
        rank += parts;
        parts = 0;
    }
    /* “log_ppl” is a loss, and “lm loss PPL” is none. */
    loss = perplexity ? logarithm : loss;
    perplexity &= !loss && !parts;
    bool named =
        n && (g_str_equal(words[n - 1].text, "loss") || g_str_equal(words[0].text, "loss"));
    if ((parts && parts <= 2 && !other && named) || (perplexity && !other) || (n && splits == n)) {
        name->part = validation ? NS_OUTSIDE_VALIDATION : NS_OUTSIDE_LOSS;
        name->perplexity = perplexity;
        name->split = splits == n;
    }
    if (!loss || parts) return false;
    /* The underscore makes no difference between “val_loss” and “val/loss”. */
    name->mean = !validation && underscored && !inner && rank == 0;
    name->kind = validation ? NS_OUTSIDE_VALIDATION : NS_OUTSIDE_LOSS;
    name->rank = rank + (name->mean ? 3 : 0);
    return true;
}

/* ---- Other numbers of a step ---- */

/* Names with “_” between their words. */
static const struct {
    NsOutsideKind kind;
    unsigned rank;
    const char *names;
} plain_names[] = {
    {NS_OUTSIDE_STEP, 0,
     "global_step global_steps trainer_global_step train_global_step num_updates"},
    {NS_OUTSIDE_STEP, 1, "current_steps current_step step"},
    {NS_OUTSIDE_STEP, 2,
     "steps iteration iterations iter iter_num n_iter it train_step training_step train_steps "
     "train_iter training_iteration optimizer_step opt_step update_step updates completed_step "
     "iters iter_number iteration_number num_iterations current_iteration step_num step_number "
     "step_count trainer_step progress_step optimizer_steps update_steps update_num n_updates "
     "gradient_step gradient_steps grad_step total_train_updates"},
    {NS_OUTSIDE_STEP, 3, "time_batch train_num_updates valid_num_updates"},
    {NS_OUTSIDE_STEP, 4, "total_timesteps time_total_timesteps timesteps_total num_env_steps"},
    {NS_OUTSIDE_STEP, 6, "batch batches batch_idx batch_num micro_step #"},
    {NS_OUTSIDE_STEP, 7, "update up"},
    {NS_OUTSIDE_EPOCH, 0, "epoch epochs ep train_epoch trainer_epoch current_epoch"},
    {NS_OUTSIDE_EPOCH, 1, "time_epoch"},
    {NS_OUTSIDE_SECONDS, 0, "seconds train_seconds"},
    {NS_OUTSIDE_PROBE_SECONDS, 0, "probe_seconds"},
    {NS_OUTSIDE_SEED, 0, "seed"},
    {NS_OUTSIDE_LANE, 0, "lane"},
    {NS_OUTSIDE_VERSION, 0, "format"},
    {NS_OUTSIDE_PROCESS, 0, "rank global_rank process_index"},
    {NS_OUTSIDE_PROCESS, 1, "local_rank"},
    {NS_OUTSIDE_SUMMARY, 0, "train_runtime train_train_runtime total_flos train_total_flos"},
    {NS_OUTSIDE_IGNORED, 0,
     "runtime timestamp time wall_time created_at total_steps max_steps percentage elapsed_time "
     "remaining_time elapsed remaining eta"},
    {NS_OUTSIDE_GRAD_NORM, 0,
     "gnorm g_norm gradnorm train_gradnorm grad_l2 total_norm global_norm grad_norm_before_clip "
     "grad_norm_pre_clip pre_clip_grad_norm"},
    {NS_OUTSIDE_LR, 0, "l_r"},
    /* Counts of tokens and samples. */
    {NS_OUTSIDE_VALUE, 0,
     "tokens num_tokens n_tokens total_tokens input_tokens tokens_seen num_tokens_seen "
     "total_tokens_seen num_input_tokens_seen input_tokens_seen tokens_processed tokens_consumed "
     "consumed_tokens consumed_train_tokens train_tokens train_num_tokens train_total_tokens "
     "train_tokens_seen train_num_tokens_seen train_num_input_tokens_seen samples_seen "
     "seen_samples examples_seen consumed_samples consumed_train_samples"},
};

static bool read_plain(const Word *words, size_t n, NsOutsideName *name)
{
    g_autoptr(GString) text = g_string_new(NULL);
    size_t i;
    for (i = 0; i < n; i++) g_string_append_printf(text, i ? "_%s" : "%s", words[i].text);
    i = 0;
    while (i < G_N_ELEMENTS(plain_names) && !is_one(text->str, plain_names[i].names)) i++;
    if (i == G_N_ELEMENTS(plain_names)) return false;
    name->kind = plain_names[i].kind;
    name->rank = plain_names[i].rank;
    name->tokens = name->kind == NS_OUTSIDE_VALUE;
    return true;
}

/* “lr”, “learning_rate”, “lr-AdamW/pg1”, “Train/Samples/lr”. */
static bool read_rate(const Word *words, size_t n, NsOutsideName *name)
{
    static const char others[] =
        "step epoch samples group pg optim optimizer param base opt "
        "decoupled log sgd lion muon schedule scheduler metrics data logs current "
        "cur last charts actor critic policy";
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        const char *word = words[i].text;
        bool learning =
            g_str_equal(word, "learning") && i + 1 < n && g_str_equal(words[i + 1].text, "rate");
        /* “optim0_lr0” */
        bool rate =
            g_str_equal(word, "learningrate") ||
            (g_str_has_prefix(word, "lr") && strspn(word + 2, "0123456789") == strlen(word + 2));
        if (learning || rate) {
            found = true;
            i += learning;
        } else if (!is_one(word, train_words)) {
            size_t letters = strcspn(word, "0123456789");
            g_autofree char *stem = g_strndup(word, letters);
            if (word[strspn(word, "0123456789")] && !is_one(stem, others) && !strstr(word, "adam"))
                return false;
            name->rank++;
        }
    }
    name->kind = NS_OUTSIDE_LR;
    return found;
}

/* “grad_norm”, “gradient/norm”, “grad_norm/total”, “grad_2.0_norm_total”. */
static bool read_gradient_norm(const Word *words, size_t n, NsOutsideName *name)
{
    bool gradient = false, norm = false;
    for (size_t i = 0; i < n; i++) {
        const char *word = words[i].text;
        if (is_one(word, "grad gradient grads gradients"))
            gradient = true;
        else if (g_str_equal(word, "norm"))
            norm = true;
        else if (g_str_equal(word, "2") && i + 1 < n && g_str_equal(words[i + 1].text, "0"))
            i++; /* “grad_2.0_norm” */
        else if (!is_one(word, train_words)) {
            if (!is_one(word, "total global all l2 step optim optimizer raw "
                              "unclipped actor metrics data logs"))
                return false;
            name->rank += !g_str_equal(word, "total");
        }
    }
    name->kind = NS_OUTSIDE_GRAD_NORM;
    return gradient && norm;
}

/* ---- Layers ---- */

/* The quantity of the registry with this name, plus 1; 0 if there is none. */
static unsigned find_quantity(const char *key)
{
    unsigned q = NS_QUANTITY_COUNT;
    while (q && !g_str_equal(ns_json_quantity_key((NsQuantity)(q - 1)), key)) q--;
    return q;
}

/* Removes from the name the part from `at` to `end` and the separator before it. */
static char *without(const char *name, size_t at, size_t end)
{
    end += name[end] == ']'; /* “layers[3].norm” */
    if (at > 0)
        at--;
    else if (name[end])
        end++;
    return g_strdup_printf("%.*s%s", (int)at, name, name + end);
}

/* Takes the layer out of “grad_norm/w2/3”, “act/layer_3/rms”, “h.3.attn”, “layer3_rms” and
 * “hidden_norm_3”.  Returns the name without it, or NULL if there is none.  Free with g_free. */
static char *take_layer(const char *name, const Word *words, size_t n, NsOutsideName *taken)
{
    size_t first = n, last = n; /* words */
    for (size_t i = 0; i < n && first == n; i++) {
        const char *word = words[i].text;
        size_t letters = strcspn(word, "0123456789");
        g_autofree char *stem = g_strndup(word, letters);
        if (!is_one(stem, "layer layers block blocks h l blk")) continue;
        bool norm = i + 1 < n && g_str_equal(word, "l2") && g_str_equal(words[i + 1].text, "norm");
        bool own = word[letters] && letters && !norm && read_layer(word + letters, &taken->layer);
        bool next = !word[letters] && i + 1 < n && read_layer(words[i + 1].text, &taken->layer);
        if (own || next) first = i;
        if (own || next) last = i + next;
        taken->of_block = (own || next) && !g_str_equal(stem, "l");
    }
    for (size_t i = n; first == n && i-- > 1;)
        if (words[i].path && !is_one(words[i - 1].text, "head heads") &&
            read_layer(words[i].text, &taken->layer))
            first = last = i;
    const bool end = first == n;
    if (end && (n < 2 || strlen(name + words[n - 1].end) > 1 ||
                !read_layer(words[n - 1].text, &taken->layer)))
        return NULL;
    if (end) first = last = n - 1;
    taken->behind = strlen(name) - words[last].end;
    g_autofree char *rest = without(name, words[first].at, words[last].end);
    bool known = !end || find_quantity(rest) || is_one(rest, "grad_norm gradient_norm");
    return known ? g_steal_pointer(&rest) : NULL;
}

/* ---- Roles of gradients ---- */

/* The ends of the names of parameters in public models, by the roles that they have here.  The
 * first row with an end of a name counts. */
static const struct {
    const char *role, *ends;
} roles[] = {
    {"wo", "attn.c_proj attention.dense attn.proj o_proj out_proj to_out wo"},
    {"wq", "q_proj to_q query wq"},
    {"wk", "k_proj to_k key wk"},
    {"wv", "v_proj to_v value wv"},
    {"w1", "gate_proj c_fc fc1 fc_in linear1 dense_h_to_4h w1"},
    {"w2", "down_proj c_proj fc2 fc_out linear2 dense_4h_to_h w2"},
    {"w3", "up_proj w3"},
};

/* NULL if there is none, or if the parameter is one of several of its role in a layer. */
static const char *role_of(const char *path)
{
    static const char *const several[] = {"expert", "cross", "encoder_attn", "EncDecAttention"};
    for (size_t i = 0; i < G_N_ELEMENTS(several); i++)
        if (strstr(path, several[i])) return NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(roles); i++)
        for (const char *end = path; *end; end++)
            if ((end == path || end[-1] == '.') && is_one(end, roles[i].ends)) return roles[i].role;
    return NULL;
}

static char *path_of(char *name)
{
    g_strdelimit(name, "/", '.');
    if (g_str_has_suffix(name, ".weight")) name[strlen(name) - strlen(".weight")] = '\0';
    return name;
}

/* Removes “grad_norm/” before or “/grad_norm” after a name; “grad_w2” of this program is the
 * gradient of “w2”.  Returns the new name, and whether it is that of a gradient. */
static char *take_gradient(const char *name, bool *gradient)
{
    static const char *const prefixes[] = {"grad_norm",    "gradient_norm", "grad_norms",
                                           "gradients",    "gradient",      "grad_2.0_norm",
                                           "l2_norm/grad", "grads",         "grad"};
    static const char *const suffixes[] = {"/grad_norm", ".grad_norm", "_grad_norm",
                                           "/gradient_norm"};
    *gradient = true;
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
        size_t n = strlen(prefixes[i]);
        if (g_str_has_prefix(name, prefixes[i]) && (name[n] == '/' || name[n] == '.'))
            return path_of(g_strdup(name + n + 1));
    }
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++)
        if (g_str_has_suffix(name, suffixes[i]))
            return path_of(g_strndup(name, strlen(name) - strlen(suffixes[i])));
    if (g_str_has_prefix(name, "grad_")) {
        g_autofree char *key = g_strdelimit(g_strdup(name), "_", '-');
        int found = ns_choices_find(ns_quantity_choice, key);
        if (found >= 0 && found < NS_PARAMETER_COUNT) return g_strdup(name + strlen("grad_"));
    }
    *gradient = false;
    return g_strdup(name);
}

/* ---- A name ---- */

/* The group of a quantity by layer, or of a single number. */
static NsOutsideGroup *group_of(NsOutsideNames *names, const char *key, bool gradient)
{
    g_autofree char *own = g_strconcat(gradient ? "∇" : "", key, NULL);
    NsOutsideGroup *group = g_hash_table_lookup(names->groups, own);
    if (group) return group;
    group = g_new0(NsOutsideGroup, 1);
    group->number = g_hash_table_size(names->groups);
    group->key = g_strdup(key);
    group->gradient = gradient;
    unsigned found = find_quantity(key);
    if (found && (found <= NS_PARAMETER_COUNT) == gradient) group->registered = found;
    g_hash_table_insert(names->groups, g_steal_pointer(&own), group);
    return group;
}

static void group_free(gpointer data)
{
    g_free(((NsOutsideGroup *)data)->key);
    g_free(((NsOutsideGroup *)data)->path);
    g_free(data);
}

static void name_free(gpointer data)
{
    g_free(((NsOutsideName *)data)->raw);
    g_free(((NsOutsideName *)data)->whole);
    g_free(((NsOutsideName *)data)->use);
    g_free(data);
}

/* Skips “lane2/” and “seed3/”, which this program writes. */
static const char *skip_own(const char *text, NsOutsideName *name)
{
    char *end;
    if (strncmp(text, "lane", 4) == 0 && text[4] >= '1' && text[4] <= '0' + NS_LANES_MAX &&
        text[5] == '/') {
        name->lane = (size_t)(text[4] - '0');
        text += 6;
    }
    if (strncmp(text, "seed", 4) != 0 || !g_ascii_isdigit(text[4])) return text;
    name->seed = (double)g_ascii_strtoull(text + 4, &end, 10);
    name->has_seed = *end == '/';
    return name->has_seed ? end + 1 : text;
}

size_t ns_outside_names_run(NsOutsideNames *names, const char *run)
{
    size_t lane = GPOINTER_TO_SIZE(g_hash_table_lookup(names->lanes, run));
    if (lane) return lane;
    char *own = g_strdup(run);
    g_ptr_array_add(names->runs, own);
    g_hash_table_insert(names->lanes, own, GSIZE_TO_POINTER(names->runs->len));
    return names->runs->len;
}

/* The columns that the user has named come first. */
static bool read_mapped(NsOutsideNames *names, NsOutsideName *name)
{
    const char *raw = name->raw;
    for (guint i = 0; i < names->mapped->len; i++) {
        const Mapping *mapping = names->mapped->pdata[i];
        size_t layer = 0;
        if (!fits(mapping->column, raw, &layer) && !fits(mapping->column, name->whole, &layer))
            continue;
        name->kind = mapping->kind;
        name->chosen = true;
        if (!mapping->layer) return true;
        size_t at = (size_t)(strstr(mapping->column, "{l}") - mapping->column);
        Word words[MOST_WORDS];
        size_t n = split(raw, words);
        g_autofree char *rest = take_layer(raw, words, n, name);
        const size_t behind = strlen(mapping->column + at + strlen("{l}"));
        if (!rest || name->behind != behind) {
            g_free(rest);
            rest = without(mapping->column, at, at + strlen("{l}"));
        }
        name->layered = true;
        name->layer = layer;
        name->behind = behind;
        name->group = group_of(names, rest, false);
        return true;
    }
    return false;
}

/* A name that is mapped elsewhere is not taken as the same quantity by its words. */
static bool is_mapped(const NsOutsideNames *names, NsOutsideKind kind)
{
    for (guint i = 0; i < names->mapped->len && kind < NS_OUTSIDE_SCALARS; i++)
        if (((const Mapping *)names->mapped->pdata[i])->kind == kind) return true;
    return false;
}

static void read_name(NsOutsideNames *names, const char *prefix, NsOutsideName *name)
{
    const char *text = skip_own(name->raw, name), *dash = g_strrstr(text, " - ");
    g_autofree char *run = dash ? g_strndup(text, (gsize)(dash - text)) : g_strdup("");
    g_autofree char *lower = g_ascii_strdown(run, -1);
    /* “amber-sun-7 - train/loss”, a column of a table of several runs, but neither “train - loss”
     * nor “loss - train” */
    g_autofree char *last = dash ? g_ascii_strdown(dash + strlen(" - "), -1) : g_strdup("");
    if (*run && !is_one(lower, train_words) && !is_one(lower, validation_words) &&
        !is_one(last, train_words) && !is_one(last, validation_words)) {
        name->lane = ns_outside_names_run(names, run);
        name->by_run = true;
        text = dash + strlen(" - ");
    }
    g_autofree char *whole = prefix ? g_strconcat(prefix, "/", text, NULL) : g_strdup(text);
    g_autofree char *meant = without_unit(whole);
    Word all[MOST_WORDS], *words = all;
    size_t n = split(meant, all);
    /* Objects of JSON that contain all numbers of a line add nothing to a name. */
    if (n > 1 && all[0].path &&
        is_one(all[0].text, "data metrics logs fields record payload learning")) {
        words++;
        n--;
    }
    name->kind = NS_OUTSIDE_VALUE;
    bool training = prefix && is_one(prefix, train_words);
    g_autofree char *plain = g_strdelimit(g_strdup(training ? text : whole), "- ", '_');
    /* “train/” adds nothing to what is drawn under its own name. */
    Word own[MOST_WORDS];
    size_t n_own = split(plain, own);
    const char *value =
        n_own > 1 && own[0].path && is_one(own[0].text, train_words) ? plain + own[1].at : plain;
    if (g_str_has_suffix(whole, "__MIN") || g_str_has_suffix(whole, "__MAX") ||
        g_str_has_suffix(whole, "_timestamp")) {
        name->kind = NS_OUTSIDE_IGNORED;
        name->lane = 0;
    } else if (!read_mapped(names, name) && n && !find_quantity(value)) {
        static bool (*const readers[])(const Word *, size_t, NsOutsideName *) = {
            read_plain, read_loss, read_rate, read_gradient_norm};
        NsOutsideName found = *name;
        size_t i = 0;
        while (i < G_N_ELEMENTS(readers) && !readers[i](words, n, &found)) {
            name->part = found.part;
            name->perplexity = found.perplexity;
            name->split = found.split;
            found = *name;
            i++;
        }
        if (!is_mapped(names, found.kind)) *name = found;
        if (name->part && is_mapped(names, name->part)) name->part = 0;
        if (name->part) name->rank = RANK_OF_PART + name->perplexity + 2 * (unsigned)name->split;
    }
    if (name->group) return;
    n_own = split(value, own);
    bool gradient = false;
    g_autofree char *rest = take_layer(value, own, n_own, name);
    name->layered = rest && name->kind == NS_OUTSIDE_VALUE && !name->chosen;
    g_autofree char *key = take_gradient(name->layered ? rest : value, &gradient);
    /* The gradient of a whole layer has a name of its own. */
    bool of_layer = name->layered && !gradient &&
                    (g_str_equal(key, "grad_norm") || g_str_equal(key, "gradient_norm"));
    const char *role = gradient ? role_of(key) : NULL;
    name->group = group_of(names, of_layer ? "grad_layer" : role ? role : key, gradient);
    /* Of several stacks the first has the role. */
    if (role && !name->group->path)
        name->group->path = g_strdup(key);
    else if (role && !g_str_equal(name->group->path, key))
        name->group = group_of(names, key, gradient);
    if (name->layered && name->layer == 0) name->group->from_zero = true;
}

const NsOutsideName *ns_outside_names_find(NsOutsideNames *names, const char *prefix,
                                           const char *raw)
{
    g_autofree char *key = prefix ? g_strconcat(prefix, "\n", raw, NULL) : NULL;
    NsOutsideName *name = g_hash_table_lookup(names->names, prefix ? key : raw);
    if (name || g_hash_table_size(names->names) >= MOST_NAMES) return name;
    name = g_new0(NsOutsideName, 1);
    name->raw = g_strdup(raw);
    name->whole = prefix ? g_strconcat(prefix, "/", raw, NULL) : g_strdup(raw);
    name->use = g_new0(NsOutsideUse, 1);
    g_autofree char *lower = g_ascii_strdown(raw, -1);
    name->of_names =
        is_one(lower, "metric metric.name metricname metric_name name tag key variable");
    name->of_values = is_one(lower, "value metricvalue metric_value");
    name->of_run = is_one(lower, "run run_id run_uuid run_name run.id run.name runid experiment "
                                 "experiment_name experiment_key experimentkey");
    read_name(names, prefix, name);
    g_ptr_array_add(names->list, name);
    g_hash_table_insert(names->names, prefix ? g_steal_pointer(&key) : g_strdup(raw), name);
    return name;
}

NsOutsideNames *ns_outside_names_new(void)
{
    NsOutsideNames *names = g_new0(NsOutsideNames, 1);
    names->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, name_free);
    names->groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, group_free);
    names->runs = g_ptr_array_new_with_free_func(g_free);
    names->lanes = g_hash_table_new(g_str_hash, g_str_equal);
    names->list = g_ptr_array_new();
    names->mapped = g_ptr_array_new_with_free_func(mapping_free);
    return names;
}

void ns_outside_names_free(NsOutsideNames *names)
{
    g_hash_table_unref(names->names);
    g_hash_table_unref(names->groups);
    g_hash_table_unref(names->lanes);
    g_ptr_array_unref(names->runs);
    g_ptr_array_unref(names->list);
    g_ptr_array_unref(names->mapped);
    g_free(names);
}

const char *ns_outside_names_missing(const NsOutsideNames *names)
{
    for (guint i = 0; i < names->mapped->len; i++) {
        const char *column = ((const Mapping *)names->mapped->pdata[i])->column;
        bool has = false;
        size_t layer;
        for (guint k = 0; k < names->list->len && !has; k++) {
            const NsOutsideName *name = names->list->pdata[k];
            has = name->use->listed &&
                  (fits(column, name->raw, &layer) || fits(column, name->whole, &layer));
        }
        if (!has) return column;
    }
    return NULL;
}

bool ns_outside_has_split(const char *text, bool validation)
{
    Word words[MOST_WORDS];
    size_t n = split(text, words);
    for (size_t i = 0; i < n; i++)
        if (is_one(words[i].text, validation ? validation_words : train_words)) return true;
    return false;
}

bool ns_outside_is_of_validation(const char *name, const char *text)
{
    if (!g_ascii_isalpha(*text) && *text != '{') return false;
    g_autofree char *key = g_ascii_strdown(name, -1), *word = g_ascii_strdown(text, -1);
    const char *point = strrchr(key, '.'), *last = point ? point + 1 : key;
    if (is_one(last, "context runcontext")) /* “{"subset": "val"}” */
        return ns_outside_has_split(g_strdelimit(word, "{}\"',=", ' '), true);
    return is_one(last, "split mode phase stage subset event type kind") &&
           is_one(word, validation_words);
}
