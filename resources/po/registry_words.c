/* Prints the words of every registry as marked strings, which xgettext reads along with the
 * sources: tables are written once, without a mark at every label.  SPDX-License-Identifier: MIT */
#include "core/data/task.h"
#include "core/experiment/param.h"
#include "core/model/init.h"
#include "core/model/placement.h"
#include "core/ops/activation.h"
#include "core/ops/norm.h"
#include "core/optim/optimizer.h"
#include "core/optim/schedule.h"
#include "core/probe/quantity.h"
#include "core/probe/similarity.h"
#include "core/train/trainer.h"
#include "ui/figures/figures.h"
#include "ui/plot/export_choices.h"
#include "ui/plot/style.h"

#include <glib.h>
#include <stdio.h>

/* As the inside of a string in C; what is not ASCII stays as it is. */
static char *escape(const char *word)
{
    GString *text = g_string_new(NULL);
    for (const char *at = word; *at; at++) {
        if (*at == '"' || *at == '\\') g_string_append_c(text, '\\');
        if (*at == '\n')
            g_string_append(text, "\\n");
        else
            g_string_append_c(text, *at);
    }
    return g_string_free(text, FALSE);
}

static void print_word(const char *registry, const char *key, const char *word)
{
    if (!word || !*word) return;
    g_autofree char *escaped = escape(word);
    printf("/* %s: %s */\nN_(\"%s\");\n", registry, key, escaped);
}

/* Names of functions and symbols stand by themselves: "norms on queries and keys" do not. */
static bool has_words(const char *formula)
{
    return formula && g_regex_match_simple("\\b([a-z]{2,} [a-z]{2,}|of|times)\\b", formula, 0, 0);
}

static void print_choices(const char *registry, NsChoices choices)
{
    const NsChoice *row;
    for (size_t i = 0; (row = choices(i)); i++) {
        print_word(registry, row->key, row->label);
        print_word(registry, row->key, row->purpose);
        print_word(registry, row->key, row->differs);
        if (has_words(row->formula)) print_word(registry, row->key, row->formula);
    }
}

static void print_settings(void)
{
    const NsParam *param;
    for (size_t i = 0; (param = ns_param(i)); i++) {
        print_word("setting", param->key, param->label);
        print_word("unit of", param->key, param->unit);
        print_word("setting", param->key, param->help);
    }
}

static void print_states(void)
{
#define PRINT_STATE(ID, word) print_word("state", #ID, word);
    NS_TRAINER_STATES(PRINT_STATE)
#undef PRINT_STATE
}

int main(void)
{
    static const struct {
        const char *name;
        NsChoices rows;
    } registries[] = {
        {"architecture", ns_arch_choice},
        {"placement", ns_placement_choice},
        {"norm", ns_norm_choice},
        {"switch", ns_switch_choice},
        {"qk-norm", ns_qk_norm_choice},
        {"decay-scope", ns_decay_scope_choice},
        {"toggle", ns_toggle_choice},
        {"vocabularies", ns_vocabularies_choice},
        {"activation", ns_activation_choice},
        {"attention", ns_attention_choice},
        {"positions", ns_positions_choice},
        {"initialization", ns_init_choice},
        {"optimizer", ns_optimizer_choice},
        {"schedule", ns_schedule_choice},
        {"task", ns_task_choice},
        {"quantity", ns_quantity_choice},
        {"similarity", ns_similarity_choice},
        {"figure", ns_figure_choice},
        {"style", ns_style_choice},
        {"page size", ns_page_choice},
        {"export", ns_export_choice},
    };
    print_settings();
    print_states();
    for (size_t i = 0; i < G_N_ELEMENTS(registries); i++)
        print_choices(registries[i].name, registries[i].rows);
    return 0;
}
