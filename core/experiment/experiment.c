/* An experiment as set up by a user.  SPDX-License-Identifier: MIT */
#include "core/experiment/experiment.h"

#include "core/base/error.h"

#include <string.h>

#define NO_LANE SIZE_MAX

struct NsSharedExperiment {
    gatomicrefcount refs;
    NsExperiment experiment;
};

static size_t index_of(const NsParam *param)
{
    return (size_t)(param - ns_param(0));
}

static void copy_value(NsSettings *to, const NsSettings *from, const NsParam *param)
{
    if (ns_settings_same(to, from, param)) return;
    g_autofree char *value = ns_settings_get(from, param);
    ns_settings_set(to, param->key, value, NULL); /* valid, because it is the value of a setting */
}

/* `from` may be the settings of the lane itself. */
static void replace_lane(NsExperiment *experiment, size_t lane, const NsSettings *from)
{
    NsSettings copy;
    ns_settings_copy(&copy, from);
    ns_settings_clear(&experiment->lane[lane]);
    experiment->lane[lane] = copy;
}

/* ---- Life cycle ---- */

void ns_experiment_init(NsExperiment *experiment)
{
    g_auto(NsSettings) settings;
    ns_settings_init(&settings);
    *experiment = (NsExperiment){0};
    ns_experiment_set_lanes(experiment, (const NsSettings *[]){&settings}, 1);
}

void ns_experiment_copy(NsExperiment *to, const NsExperiment *from)
{
    *to = *from;
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        ns_settings_copy(&to->lane[lane], &from->lane[lane]);
    to->title = g_strdup(from->title);
    to->hide = g_strdupv(from->hide);
    to->shared = NULL;
}

NsExperiment *ns_experiment_new_shared(const NsExperiment *from)
{
    NsSharedExperiment *shared = g_new(NsSharedExperiment, 1);
    g_atomic_ref_count_init(&shared->refs);
    ns_experiment_copy(&shared->experiment, from);
    shared->experiment.shared = shared;
    return &shared->experiment;
}

const NsExperiment *ns_experiment_ref(const NsExperiment *experiment)
{
    if (!experiment->shared) return ns_experiment_new_shared(experiment);
    g_atomic_ref_count_inc(&experiment->shared->refs);
    return experiment;
}

void ns_experiment_unref(const NsExperiment *experiment)
{
    if (!experiment || !g_atomic_ref_count_dec(&experiment->shared->refs)) return;
    NsSharedExperiment *shared = experiment->shared;
    ns_experiment_clear(&shared->experiment);
    g_free(shared);
}

void ns_experiment_clear(NsExperiment *experiment)
{
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) ns_settings_clear(&experiment->lane[lane]);
    g_clear_pointer(&experiment->title, g_free);
    g_clear_pointer(&experiment->hide, g_strfreev);
    experiment->n = 0;
}

void ns_experiment_assign(NsExperiment *to, const NsExperiment *from)
{
    NsExperiment copy;
    ns_experiment_copy(&copy, from);
    ns_experiment_clear(to);
    *to = copy;
}

void ns_experiment_set_lanes(NsExperiment *experiment, const NsSettings *const *settings, size_t n)
{
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        replace_lane(experiment, lane, settings[MIN(lane, n - 1)]);
    experiment->n = n;
    memset(experiment->retained, 0, sizeof experiment->retained);
    ns_experiment_link(experiment);
    ns_experiment_settle(experiment, n);
}

bool ns_experiment_check(const NsExperiment *experiment, size_t *lane, GError **error)
{
    for (size_t i = 0; i < experiment->n; i++) {
        if (ns_settings_check(&experiment->lane[i], error)) continue;
        if (lane) *lane = i;
        return false;
    }
    return true;
}

bool ns_experiment_equal(const NsExperiment *a, const NsExperiment *b)
{
    if (a->n != b->n || memcmp(a->split, b->split, sizeof a->split) != 0) return false;
    for (size_t lane = 0; lane < a->n; lane++) {
        if (a->from[lane] != b->from[lane]) return false;
        for (size_t i = 0; ns_param(i); i++)
            if (!ns_settings_same(&a->lane[lane], &b->lane[lane], ns_param(i))) return false;
    }
    return true;
}

/* ---- Settings ---- */

bool ns_experiment_differs(const NsExperiment *experiment, const NsParam *param)
{
    for (size_t lane = 1; lane < experiment->n; lane++)
        if (!ns_settings_same(&experiment->lane[lane], &experiment->lane[0], param)) return true;
    return false;
}

bool ns_experiment_is_linked(const NsExperiment *experiment, const NsParam *param)
{
    return !experiment->split[index_of(param)];
}

/* If mixture is split, placement has to be split, too, because setting it clears the mixture. */
static void split_placement(NsExperiment *experiment)
{
    if (experiment->split[index_of(ns_param_find("mixture"))])
        experiment->split[index_of(ns_param_find("placement"))] = true;
}

void ns_experiment_link(NsExperiment *experiment)
{
    for (size_t i = 0; ns_param(i); i++)
        experiment->split[i] = ns_experiment_differs(experiment, ns_param(i));
    split_placement(experiment);
}

void ns_experiment_set_linked(NsExperiment *experiment, size_t lane, const NsParam *param,
                              bool linked)
{
    if (!linked && param->shared) return;
    experiment->split[index_of(param)] = !linked;
    split_placement(experiment);
    for (size_t i = 0; linked && i < experiment->n; i++)
        copy_value(&experiment->lane[i], &experiment->lane[lane], param);
}

void ns_experiment_share(NsExperiment *experiment)
{
    for (size_t i = 0; ns_param(i); i++)
        for (size_t lane = 1; ns_param(i)->shared && lane < experiment->n; lane++)
            copy_value(&experiment->lane[lane], &experiment->lane[0], ns_param(i));
    ns_experiment_link(experiment);
}

bool ns_experiment_set(NsExperiment *experiment, size_t lane, const char *key, const char *value,
                       GError **error)
{
    if (!ns_settings_set(&experiment->lane[lane], key, value, error)) return false;
    bool linked = ns_experiment_is_linked(experiment, ns_param_find(key));
    if (!linked) experiment->split[index_of(ns_param_of(key, value))] = true;
    for (size_t i = 0; linked && i < experiment->n; i++)
        if (i != lane) ns_settings_set(&experiment->lane[i], key, value, NULL);
    return true;
}

/* ---- Lanes ---- */

static void add(NsExperiment *experiment, size_t model)
{
    size_t lane = experiment->n++;
    /* A removed lane is restored to its place in the current run if no other lane has taken it. */
    if (!experiment->retained[lane] || experiment->from[lane] == NO_LANE ||
        ns_experiment_is_new(experiment, lane))
        experiment->from[lane] = experiment->from[model];
    if (experiment->retained[lane]) {
        for (size_t i = 0; ns_param(i); i++)
            if (!experiment->split[i])
                copy_value(&experiment->lane[lane], &experiment->lane[model], ns_param(i));
        return;
    }
    replace_lane(experiment, lane, &experiment->lane[model]);
    experiment->split[index_of(ns_param_find("placement"))] = true;
}

void ns_experiment_resize(NsExperiment *experiment, size_t n, size_t model)
{
    n = CLAMP(n, 1, NS_LANES_MAX);
    while (experiment->n < n) add(experiment, model);
    while (experiment->n > n) experiment->retained[--experiment->n] = true;
}

void ns_experiment_remove(NsExperiment *experiment, size_t lane)
{
    if (experiment->n < 2 || lane >= experiment->n) return;
    NsSettings removed = experiment->lane[lane];
    size_t from = experiment->from[lane];
    for (; lane + 1 < experiment->n; lane++) {
        experiment->lane[lane] = experiment->lane[lane + 1];
        experiment->from[lane] = experiment->from[lane + 1];
    }
    experiment->lane[lane] = removed;
    experiment->from[lane] = from;
    experiment->retained[lane] = true;
    experiment->n--;
}

void ns_experiment_settle(NsExperiment *experiment, size_t n)
{
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        experiment->from[lane] = lane < n ? lane : lane < experiment->n ? n - 1 : NO_LANE;
}

bool ns_experiment_is_new(const NsExperiment *experiment, size_t lane)
{
    for (size_t i = 0; i < lane; i++)
        if (experiment->from[i] == experiment->from[lane]) return true;
    return false;
}

bool ns_experiment_is_gone(const NsExperiment *experiment, size_t lane_of_run)
{
    for (size_t i = 0; i < experiment->n; i++)
        if (experiment->from[i] == lane_of_run) return false;
    return true;
}

void ns_experiment_take_back(NsExperiment *experiment, const NsExperiment *run)
{
    for (size_t lane = 0; lane < run->n; lane++) replace_lane(experiment, lane, &run->lane[lane]);
    for (size_t lane = run->n; lane < experiment->n; lane++) experiment->retained[lane] = true;
    experiment->n = run->n;
    ns_experiment_settle(experiment, run->n);
}

/* ---- Lanes as text ---- */

bool ns_experiment_names(const NsExperiment *experiment, size_t lane, const NsParam *param)
{
    bool mixed = *experiment->lane[lane].mixture;
    const NsParam *mixture = ns_param_find("mixture");
    if (param == mixture) return mixed && ns_experiment_differs(experiment, param);
    if (param != ns_param_find("placement")) return ns_experiment_differs(experiment, param);
    return !mixed &&
           (ns_experiment_differs(experiment, param) || ns_experiment_differs(experiment, mixture));
}

char *ns_experiment_lane_words(const NsExperiment *experiment, size_t lane)
{
    GString *words = g_string_new(NULL);
    for (size_t i = 0; ns_param(i); i++)
        if (ns_experiment_names(experiment, lane, ns_param(i)))
            ns_settings_append(words, &experiment->lane[lane], ns_param(i));
    return g_string_free(words, FALSE);
}

bool ns_experiment_read_lanes(NsExperiment *experiment, const char *const *words, size_t n,
                              const NsNamed *named, GError **error)
{
    if (n > NS_LANES_MAX)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "There are %zu lanes; an experiment has at most %d, so omit some.", n,
                         NS_LANES_MAX);
    for (size_t lane = 1; lane < n; lane++) replace_lane(experiment, lane, &experiment->lane[0]);
    experiment->n = n;
    for (size_t lane = 0; lane < n; lane++) {
        NsNamed below = named ? ns_named_below(named) : (NsNamed){0};
        if (!ns_settings_name_all(&experiment->lane[lane], named ? &below : NULL, words[lane],
                                  error))
            return false;
    }
    ns_experiment_link(experiment);
    ns_experiment_settle(experiment, n);
    return true;
}
