/* Settings as text in a caption.  SPDX-License-Identifier: MIT */
#include "ui/figures/settings_caption.h"

#include "core/base/digits.h"
#include "core/base/words.h"
#include "core/experiment/param.h"
#include "core/model/wiring.h"
#include "ui/plot/text.h"

#include <string.h>

/* A brief name lists at most this many differences, and then an ellipsis. */
#define DIFFERENCES 3

/* Significant digits of numbers. */
#define DIGITS 6

/* The kind of norm in the last layer, whether chosen or given by the placement; NULL if it has
 * none. */
static const NsNorm *norm_of(const NsSettings *settings)
{
    int64_t M = ns_settings_decoder_layers(settings);
    unsigned L = (unsigned)(M ? M : ns_settings_encoder_layers(settings));
    return ns_norm_kind(settings, ns_placement_at(settings, L - 1, L));
}

char *ns_settings_placement_words(const NsSettings *settings)
{
    if (ns_settings_are_mixed(settings)) return g_strdup_printf(_("mixture %s"), settings->mixture);
    return g_strdup(_(ns_placement_at(settings, 0, 1)->choice.label));
}

static bool is_placement(const NsParam *param)
{
    return g_str_equal(param->key, "placement");
}

/* The digits of a seed are not grouped, since it is an identifier and not a count. */
static char *value_words(const NsParam *param, const NsSettings *settings)
{
    g_autofree char *value = ns_settings_get(settings, param);
    const char *word = ns_param_word(param, value);
    if (word) return g_strdup(word);
    if (param->type == NS_PARAM_REAL)
        return ns_text_input(ns_settings_get_number(settings, param), DIGITS);
    bool count = param->type == NS_PARAM_INT && !g_str_has_suffix(param->key, "seed");
    return count ? ns_group_plain(value) : g_steal_pointer(&value);
}

void ns_settings_append_words(GString *words, const NsParam *param, const NsSettings *settings)
{
    g_autofree char *value = value_words(param, settings);
    if (words->len) g_string_append(words, ", ");
    if (param->type == NS_PARAM_TEXT && !*value)
        g_string_append(words, _("generated text"));
    else if (is_placement(param)) {
        g_autofree char *placement = ns_settings_placement_words(settings);
        g_string_append(words, placement);
    } else if (g_str_equal(param->key, "norm") && norm_of(settings))
        g_string_append(words, _(norm_of(settings)->choice.label));
    else if (g_str_equal(param->key, "final-norm")) {
        NsStackWiring stacks[NS_STACKS_MAX];
        size_t n = ns_stacks_wiring(settings, NULL, stacks);
        g_string_append(words, stacks[n - 1].final_norm ? _("final norm") : _("no final norm"));
    } else if (g_str_equal(param->key, "layers"))
        g_string_append_printf(words, ns_plural("%s layer", "%s layers", settings->layers), value);
    else if (g_str_equal(param->key, "warmup") && settings->warmup <= 1)
        g_string_append(words, _("no warm-up"));
    else if (g_str_equal(param->key, "warmup"))
        g_string_append_printf(words, _("warm-up %s"), value);
    else if (g_str_equal(param->key, "text")) {
        g_autofree char *name = g_path_get_basename(value);
        g_string_append(words, name);
    } else if (param->type == NS_PARAM_TEXT && strchr(value, '/')) {
        g_autofree char *name = g_path_get_basename(value);
        g_string_append_printf(words, "%s %s", param->key, name);
    } else if (param->type == NS_PARAM_CHOICE) {
        const char *label = param->choices((size_t)ns_settings_get_number(settings, param))->label;
        if (!g_str_equal(param->key, "optimizer"))
            g_string_append_printf(words, "%s: ", _(param->label));
        g_string_append(words, _(label));
    } else
        g_string_append_printf(words, "%s %s", param->key, value);
}

/* Whether the kind of norm matters: the model has a norm in the first two sub-layers, at the end or
 * after the embedding. */
static bool has_norms(const NsSettings *settings)
{
    const NsPlacement *placement = ns_placement(settings->placement);
    if (*settings->mixture || placement->final_norm || placement->embedding_norm) return true;
    unsigned N = (unsigned)ns_settings_encoder_layers(settings);
    unsigned M = (unsigned)ns_settings_decoder_layers(settings), own = N ? N : M;
    for (unsigned i = 0; i < 2; i++) {
        const NsPosition position = {.kind = i ? NS_FFN : NS_SELF_ATTENTION,
                                     .decoder = N == 0,
                                     .N = N,
                                     .M = M,
                                     .layers = own,
                                     .sublayer = i,
                                     .sublayers = 2 * own,
                                     .depth_ratio = 1};
        NsWiring wiring = ns_placement_wiring(placement, &position);
        if (wiring.in || wiring.branch || wiring.out || wiring.mid || wiring.v) return true;
    }
    return false;
}

/* The items of a caption, in their order. */
enum { ABOUT_WIRING, ABOUT_ARCH, ABOUT_NORM, ABOUT_DEPTH, ABOUT_RATE, ABOUT_WARMUP, ABOUT };

static char *words_about(const NsSettings *settings, int what)
{
    const NsParam *norm = ns_param_find("norm");
    GString *words = g_string_new(NULL);
    switch (what) {
    case ABOUT_WIRING:
        ns_settings_append_words(words, ns_param_find("placement"), settings);
        break;
    case ABOUT_ARCH:
        if (settings->arch != NS_ARCH_DECODER)
            g_string_append(words, ns_arch_choice(settings->arch)->key);
        break;
    case ABOUT_NORM:
        if (has_norms(settings) && norm_of(settings) != ns_norm(NS_NORM_LAYERNORM))
            ns_settings_append_words(words, norm, settings);
        break;
    case ABOUT_DEPTH:
        /* "6 layers", "6 + 4 layers". */
        if (settings->arch != NS_ARCH_ENCODER_DECODER)
            ns_settings_append_words(words, ns_param_find("layers"), settings);
        else {
            g_autofree char *encoder = ns_group_digits(ns_settings_encoder_layers(settings));
            g_autofree char *decoder = ns_group_digits(ns_settings_decoder_layers(settings));
            g_string_append_printf(words, _("%s + %s layers"), encoder, decoder);
        }
        break;
    default:
        ns_settings_append_words(words, ns_param_find(what == ABOUT_RATE ? "lr" : "warmup"),
                                 settings);
    }
    return g_string_free(words, FALSE);
}

static bool tells_runs_apart(const NsParam *param)
{
    /* The length of a run and its validation do not characterize it, and the text implies the
     * task. */
    static const char *const other[] = {"task",           "steps",   "eval-every", "eval-batches",
                                        "bleu-sentences", "threads", NULL};
    return !g_strv_contains(other, param->key);
}

/* Whether a setting, or what the caption shows in its place, is the same in both.  Norms are the
 * same if their kind is, whether it was chosen or given by the placement. */
static bool is_same(const NsSettings *a, const NsSettings *b, const NsParam *param)
{
    /* A mixture is written in place of the placement. */
    if (g_str_equal(param->key, "mixture")) return true;
    if (g_str_equal(param->key, "norm")) return norm_of(a) == norm_of(b);
    return ns_settings_same(a, b, param) &&
           (!is_placement(param) || ns_settings_same(a, b, ns_param_find("mixture")));
}

static bool all_equal(const NsSettings *const *settings, size_t n, const NsParam *param)
{
    for (size_t i = 1; i < n; i++)
        if (!is_same(settings[0], settings[i], param)) return false;
    return true;
}

/* Whether one of several settings has the same value as the majority. */
static bool is_of_most(const NsSettings *const *settings, size_t n, size_t which,
                       const NsParam *param)
{
    size_t same = 0;
    for (size_t i = 0; i < n; i++) same += is_same(settings[which], settings[i], param);
    return 2 * same > n;
}

/* Whether the names of runs list all settings that differ; otherwise they omit those of the
 * majority that a caption of one run does not have either. */
static bool lists_all(const NsSettings *const *settings, size_t n)
{
    size_t differences = 0;
    for (size_t i = 0; ns_param(i); i++)
        differences += tells_runs_apart(ns_param(i)) && !all_equal(settings, n, ns_param(i));
    return differences <= DIFFERENCES;
}

char *ns_settings_common_words(const NsSettings *const *settings, size_t n)
{
    GString *words = g_string_new(NULL);
    for (int what = 0; what < ABOUT; what++) {
        g_autofree char *own = words_about(settings[0], what);
        bool same = *own != '\0';
        for (size_t k = 1; k < n; k++) {
            g_autofree char *other = words_about(settings[k], what);
            same &= g_str_equal(own, other);
        }
        if (same) g_string_append_printf(words, "%s%s", words->len ? ", " : "", own);
    }
    return g_string_free(words, FALSE);
}

char *ns_settings_words(const NsSettings *settings)
{
    return ns_settings_common_words(&settings, 1);
}

char *ns_settings_special_words(const NsSettings *const *settings, size_t n, size_t which)
{
    static const char *const usual[] = {"placement", "arch",           "norm",   "layers",
                                        "lr",        "decoder-layers", "warmup", NULL};
    GString *words = g_string_new(NULL);
    size_t listed = 0;
    const NsParam *param;
    bool full = lists_all(settings, n);
    for (size_t i = 0; (param = ns_param(i)); i++) {
        if (!tells_runs_apart(param) || all_equal(settings, n, param)) continue;
        /* Post-LN and Pre-LN are named after LayerNorm, which needs no mention beside them. */
        bool layernorm = words->len && norm_of(settings[which]) == ns_norm(NS_NORM_LAYERNORM);
        if (g_str_equal(param->key, "norm") && (layernorm || !has_norms(settings[which]))) continue;
        if (!full && !g_strv_contains(usual, param->key) && is_of_most(settings, n, which, param))
            continue;
        if (!full && ++listed > DIFFERENCES) {
            g_string_append(words, ", …");
            break;
        }
        ns_settings_append_words(words, param, settings[which]);
    }
    return g_string_free(words, FALSE);
}

char *ns_settings_difference(const NsSettings *other, const NsSettings *settings)
{
    g_autofree char *words =
        ns_settings_special_words((const NsSettings *[]){other, settings}, 2, 0);
    return g_strdup(*words ? words : _("same settings"));
}
