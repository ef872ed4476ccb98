/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/instructions.h"
#include "core/data/task.h"
#include "core/experiment/param.h"
#include "core/model/init.h"
#include "core/model/wiring.h"
#include "core/ops/activation.h"
#include "core/ops/norm.h"
#include "core/optim/optimizer.h"
#include "core/optim/schedule.h"
#include "core/probe/quantity.h"
#include "core/probe/similarity.h"
#include "core/store/bundled.h"
#include "core/store/json.h"
#include "core/study/paper.h"
#include "ui/figures/figures.h"
#include "ui/plot/style.h"

#include <stdio.h>
#include <string.h>

#define INDENT "    "

typedef struct {
    NsChoice choice;
    NsChoices rows; /* NULL for settings, which are not choices */
} List;

static const List lists[] = {
    {{.key = "architectures", .purpose = "parts of the Transformer"}, ns_arch_choice},
    {{.key = "placements", .purpose = "placements of the norms"}, ns_placement_choice},
    {{.key = "norms", .purpose = "kinds of norm"}, ns_norm_choice},
    {{.key = "activations", .purpose = "nonlinearities of the feed-forward network"},
     ns_activation_choice},
    {{.key = "attentions", .purpose = "kinds of attention weights"}, ns_attention_choice},
    {{.key = "vocabularies", .purpose = "vocabularies of source and target"},
     ns_vocabularies_choice},
    {{.key = "positions", .purpose = "position encodings"}, ns_positions_choice},
    {{.key = "initializations", .purpose = "distributions of the initial weights"}, ns_init_choice},
    {{.key = "optimizers", .purpose = "rules that turn gradients into updates"},
     ns_optimizer_choice},
    {{.key = "tasks", .purpose = "tasks to learn"}, ns_task_choice},
    {{.key = "figures", .purpose = "figures to draw"}, ns_figure_choice},
    {{.key = "settings", .purpose = "keys of --set"}, NULL},
    {{.key = "schedules", .purpose = "decays of the learning rate"}, ns_schedule_choice},
    {{.key = "quantities", .purpose = "measured quantities"}, ns_quantity_choice},
    {{.key = "similarities", .purpose = "measures of similarity between hidden states"},
     ns_similarity_choice},
    {{.key = "presets", .purpose = "ready-made experiments"}, ns_preset_choice},
    {{.key = "lectures", .purpose = "scenes to show one after another"}, ns_lecture_choice},
    {{.key = "studies", .purpose = "studies of the paper's figures"}, ns_paper_choice},
    {{.key = "instructions", .purpose = "instruction sets of the processor"},
     ns_instructions_choice},
    {{.key = "styles", .purpose = "styles of charts"}, ns_style_choice},
};

static const NsChoice *list_choice(size_t i)
{
    return i < G_N_ELEMENTS(lists) ? &lists[i].choice : NULL;
}

static const char *const type_words[] = {[NS_PARAM_INT] = "integer",
                                         [NS_PARAM_REAL] = "real",
                                         [NS_PARAM_CHOICE] = "choice",
                                         [NS_PARAM_TEXT] = "text"};
static const char *const group_words[] = {
    [NS_GROUP_ARCH] = "architecture",       [NS_GROUP_NORM] = "norm",
    [NS_GROUP_REGULARIZER] = "regularizer", [NS_GROUP_OPTIMIZER] = "optimizer",
    [NS_GROUP_SCHEDULE] = "schedule",       [NS_GROUP_DATA] = "data",
    [NS_GROUP_MEASURE] = "measurement",     [NS_GROUP_RUN] = "run"};
static const char *const scale_words[] = {[NS_SLIDER_LINEAR] = "linear", [NS_SLIDER_LOG] = "log"};
static const char *const effect_words[] = {
    [NS_EFFECT_LIVE] = "live", [NS_EFFECT_FORK] = "fork", [NS_EFFECT_RESTART] = "restart"};
static const char *const effect_notes[] = {[NS_EFFECT_LIVE] = "; acts on a running model",
                                           [NS_EFFECT_FORK] = "; a fork keeps every tensor",
                                           [NS_EFFECT_RESTART] = ""};
static const char *const domain_words[] = {[NS_DOMAIN_STEP] = "step",
                                           [NS_DOMAIN_LAYER] = "layer",
                                           [NS_DOMAIN_HIDDEN] = "hidden",
                                           [NS_DOMAIN_HEAD] = "head"};

static void show_more(const char *text)
{
    if (text) printf(INDENT "%s\n", text);
}

/* The norm that norm=auto selects at a placement. */
static const NsChoice *own_norm(size_t placement)
{
    NsSettings settings = {.norm = NS_NORM_AUTO};
    return &ns_norm_kind(&settings, ns_placement(placement))->choice;
}

static void show_choices(const List *list)
{
    const NsChoice *row;
    int width = 0;
    for (size_t i = 0; (row = list->rows(i)); i++)
        width = MAX(width, (int)g_utf8_strlen(row->key, -1));
    for (size_t i = 0; (row = list->rows(i)); i++) {
        g_autoptr(GString) line = g_string_new(NULL);
        ns_row_add(line, -(width + 2), "%s", row->key);
        g_string_append(line, row->label);
        if (list->rows == ns_quantity_choice) {
            /* Without the braces that only charts need. */
            const char *symbol = ns_quantity((NsQuantity)i)->symbol;
            g_string_append(line, "  ");
            for (; *symbol; symbol++)
                if (!strchr("{}", *symbol)) g_string_append_c(line, *symbol);
        }
        if (list->rows == ns_instructions_choice) {
            bool there = ns_instructions_there((NsInstructions)i);
            if (i == (size_t)ns_instructions()) g_string_append(line, " (in use)");
            if (!there) g_string_append(line, " (not on this processor)");
        }
        puts(line->str);
        show_more(row->formula);
        if (list->rows == ns_placement_choice && ns_placement(i)->norm)
            printf(INDENT "N is %s with norm=auto.\n", own_norm(i)->label);
        show_more(row->purpose);
        show_more(row->reference);
        show_more(row->differs);
    }
}

static char *range_words(const NsParam *param)
{
    if (param->type == NS_PARAM_CHOICE) return ns_choices_keys(param->choices);
    if (!ns_param_is_number(param)) return g_strdup("text");
    char least[G_ASCII_DTOSTR_BUF_SIZE], most[G_ASCII_DTOSTR_BUF_SIZE];
    return g_strdup_printf("%s to %s%s%s",
                           g_ascii_formatd(least, sizeof least, "%.10g", param->least),
                           g_ascii_formatd(most, sizeof most, "%.10g", param->most),
                           param->unit ? " " : "", param->unit ? param->unit : "");
}

static void write_choice(NsJson *json, const List *list, size_t i)
{
    const NsChoice *row = list->rows(i);
    ns_json_open(json, NULL, '{');
    ns_json_string(json, "key", row->key);
    ns_json_string(json, "label", row->label);
    ns_json_string(json, "formula", row->formula);
    ns_json_string(json, "reference", row->reference);
    ns_json_string(json, "purpose", row->purpose);
    ns_json_string(json, "differs", row->differs);
    if (list->rows == ns_placement_choice) ns_json_string(json, "norm", own_norm(i)->key);
    if (list->rows == ns_quantity_choice) {
        const NsQuantityInfo *info = ns_quantity((NsQuantity)i);
        ns_json_string(json, "symbol", info->symbol);
        ns_json_string(json, "domain", domain_words[info->domain]);
        ns_json_bool(json, "expensive", info->expensive);
        ns_json_string(json, "every", info->every);
    }
    if (list->rows == ns_instructions_choice) {
        ns_json_bool(json, "there", ns_instructions_there((NsInstructions)i));
        ns_json_bool(json, "in_use", i == (size_t)ns_instructions());
    }
    ns_json_close(json, '}');
}

static void write_setting(NsJson *json, const NsParam *param)
{
    ns_json_open(json, NULL, '{');
    ns_json_string(json, "key", param->key);
    ns_json_string(json, "label", param->label);
    ns_json_string(json, "group", group_words[param->group]);
    ns_json_string(json, "type", type_words[param->type]);
    ns_json_string(json, "unit", param->unit);
    if (ns_param_is_number(param)) {
        ns_json_double(json, "min", param->least);
        ns_json_double(json, "max", param->most);
        ns_json_double(json, "default", g_ascii_strtod(param->default_text, NULL));
        ns_json_string(json, "scale", scale_words[param->scale]);
    } else
        ns_json_string(json, "default", param->default_text);
    if (param->type == NS_PARAM_CHOICE) {
        ns_json_open(json, "choices", '[');
        const NsChoice *row;
        for (size_t i = 0; (row = param->choices(i)); i++) ns_json_string(json, NULL, row->key);
        ns_json_close(json, ']');
    }
    ns_json_string(json, "effect", effect_words[param->effect]);
    ns_json_bool(json, "shared", param->shared);
    ns_json_string(json, "help", param->help);
    ns_json_string(json, "source", param->source);
    ns_json_close(json, '}');
}

static void show_json(const List *list)
{
    NsJson json = {.text = g_string_new(NULL)};
    ns_json_open(&json, NULL, '[');
    if (list->rows)
        for (size_t i = 0; list->rows(i); i++) write_choice(&json, list, i);
    else
        for (size_t i = 0; ns_param(i); i++) write_setting(&json, ns_param(i));
    ns_json_close(&json, ']');
    puts(json.text->str);
    g_string_free(json.text, TRUE);
}

static int run(NsArguments *a, GError **error)
{
    g_autofree char *keys = ns_choices_keys(list_choice);
    if (a->n_files != 1) return ns_usage(error, "Name one list: %s.", keys);
    int i = ns_choices_require("list", a->files[0], list_choice, error);
    if (i < 0) return NS_EXIT_USAGE;
    if (a->json)
        show_json(&lists[i]);
    else if (lists[i].rows)
        show_choices(&lists[i]);
    else {
        const NsParam *param;
        for (size_t k = 0; (param = ns_param(k)); k++) {
            g_autofree char *range = range_words(param);
            const char *initial = *param->default_text ? param->default_text : "none";
            printf("%-24s%s: %s (default %s%s%s)\n", param->key, param->label, range, initial,
                   effect_notes[param->effect], param->shared ? "; the same in all lanes" : "");
            show_more(param->help);
            show_more(param->source);
        }
    }
    return NS_EXIT_OK;
}

const NsCommand ns_cli_list = {
    .choice = {.key = "list", .purpose = "List placements, settings, figures and other registries"},
    .words = "WHAT",
    .summary = "Lists the entries of a registry:",
    .lists = list_choice,
    .examples = NS_CLI " list settings\n" NS_CLI " list placements --json",
    .run = run,
};
