/* SPDX-License-Identifier: MIT */
#include "ui/session/lanes.h"

#include "core/base/words.h"
#include "ui/figures/settings_caption.h"
#include "ui/session/digits.h"

#define NO_LANE SIZE_MAX

static size_t index_of(const NsParam *param)
{
    return (size_t)(param - ns_param(0));
}

static void copy_value(NsSettings *to, const NsSettings *from, const NsParam *param)
{
    if (ns_settings_same(to, from, param)) return;
    g_autofree char *value = ns_settings_get(from, param);
    ns_settings_set(to, param->key, value, NULL); /* it was read from settings: never refused */
}

static void copy_linked(NsSettings *to, const NsSettings *from, const NsLanes *lanes)
{
    for (size_t i = 0; ns_param(i); i++)
        if (!lanes->split[i]) copy_value(to, from, ns_param(i));
}

/* A lane with a mixture of its own has no placement in common with the others, which would clear
 * it. */
static void split_placement(NsLanes *lanes)
{
    if (lanes->split[index_of(ns_param_find("mixture"))])
        lanes->split[index_of(ns_param_find("placement"))] = true;
}

/* ---- Life ---- */

void ns_lanes_init(NsLanes *lanes, const NsSettings *const *settings, size_t n)
{
    *lanes = (NsLanes){.n = n};
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        ns_settings_copy(&lanes->settings[lane], settings[MIN(lane, n - 1)]);
    for (size_t i = 0; ns_param(i); i++)
        lanes->split[i] = ns_lanes_can_split(ns_param(i)) && ns_lanes_differ(lanes, ns_param(i));
    split_placement(lanes);
    for (size_t lane = 1; lane < n; lane++)
        copy_linked(&lanes->settings[lane], &lanes->settings[0], lanes);
    ns_lanes_settle(lanes, n);
}

void ns_lanes_copy(NsLanes *to, const NsLanes *from)
{
    *to = *from;
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        ns_settings_copy(&to->settings[lane], &from->settings[lane]);
}

void ns_lanes_clear(NsLanes *lanes)
{
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) ns_settings_clear(&lanes->settings[lane]);
}

void ns_lanes_assign(NsLanes *to, const NsLanes *from)
{
    NsLanes copy;
    ns_lanes_copy(&copy, from);
    ns_lanes_clear(to);
    *to = copy;
}

bool ns_lanes_equal(const NsLanes *a, const NsLanes *b)
{
    if (a->n != b->n || memcmp(a->split, b->split, sizeof a->split) != 0) return false;
    for (size_t lane = 0; lane < a->n; lane++) {
        if (a->from[lane] != b->from[lane]) return false;
        for (size_t i = 0; ns_param(i); i++)
            if (!ns_settings_same(&a->settings[lane], &b->settings[lane], ns_param(i)))
                return false;
    }
    return true;
}

void ns_lanes_settle(NsLanes *lanes, size_t n)
{
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        lanes->from[lane] = lane < n ? lane : lane < lanes->n ? n - 1 : NO_LANE;
}

bool ns_lanes_is_new(const NsLanes *lanes, size_t lane)
{
    for (size_t i = 0; i < lane; i++)
        if (lanes->from[i] == lanes->from[lane]) return true;
    return false;
}

bool ns_lanes_is_gone(const NsLanes *lanes, size_t lane_of_run)
{
    for (size_t i = 0; i < lanes->n; i++)
        if (lanes->from[i] == lane_of_run) return false;
    return true;
}

void ns_lanes_take_back(NsLanes *lanes, const NsLanes *run)
{
    for (size_t lane = 0; lane < run->n; lane++) {
        ns_settings_clear(&lanes->settings[lane]);
        ns_settings_copy(&lanes->settings[lane], &run->settings[lane]);
    }
    for (size_t lane = run->n; lane < lanes->n; lane++) lanes->kept[lane] = true;
    lanes->n = run->n;
    ns_lanes_settle(lanes, run->n);
}

/* ---- Links ---- */

bool ns_lanes_can_split(const NsParam *param)
{
    return !param->shared;
}

bool ns_lanes_is_linked(const NsLanes *lanes, const NsParam *param)
{
    return !lanes->split[index_of(param)];
}

void ns_lanes_set_linked(NsLanes *lanes, size_t lane, const NsParam *param, bool linked)
{
    if (!linked && !ns_lanes_can_split(param)) return;
    lanes->split[index_of(param)] = !linked;
    split_placement(lanes);
    for (size_t i = 0; linked && i < lanes->n; i++)
        copy_value(&lanes->settings[i], &lanes->settings[lane], param);
}

bool ns_lanes_differ(const NsLanes *lanes, const NsParam *param)
{
    for (size_t lane = 1; lane < lanes->n; lane++)
        if (!ns_settings_same(&lanes->settings[lane], &lanes->settings[0], param)) return true;
    return false;
}

bool ns_lanes_set(NsLanes *lanes, size_t lane, const char *key, const char *value, GError **error)
{
    if (!ns_settings_set(&lanes->settings[lane], key, value, error)) return false;
    const NsParam *param = ns_param_find(key);
    for (size_t i = 0; ns_lanes_is_linked(lanes, param) && i < lanes->n; i++)
        if (i != lane) ns_settings_set(&lanes->settings[i], key, value, NULL);
    return true;
}

/* ---- Lanes ---- */

/* A lane that was taken out of the present run can be put back as long as no other is in its place.
 */
static bool can_return(const NsLanes *lanes, size_t lane)
{
    return lanes->kept[lane] && lanes->from[lane] != NO_LANE && !ns_lanes_is_new(lanes, lane);
}

static void add(NsLanes *lanes, size_t model)
{
    size_t lane = lanes->n++;
    NsSettings *own = &lanes->settings[lane];
    if (!can_return(lanes, lane)) lanes->from[lane] = lanes->from[model];
    if (lanes->kept[lane]) {
        copy_linked(own, &lanes->settings[model], lanes);
        return;
    }
    NsSettings copy;
    ns_settings_copy(&copy, &lanes->settings[model]);
    ns_settings_clear(own);
    *own = copy;
    lanes->split[index_of(ns_param_find("placement"))] = true;
}

void ns_lanes_resize(NsLanes *lanes, size_t n, size_t model)
{
    n = CLAMP(n, 1, NS_LANES_MAX);
    while (lanes->n < n) add(lanes, model);
    while (lanes->n > n) lanes->kept[--lanes->n] = true;
}

void ns_lanes_remove(NsLanes *lanes, size_t lane)
{
    if (lanes->n < 2 || lane >= lanes->n) return;
    NsSettings removed = lanes->settings[lane];
    size_t from = lanes->from[lane];
    for (; lane + 1 < lanes->n; lane++) {
        lanes->settings[lane] = lanes->settings[lane + 1];
        lanes->from[lane] = lanes->from[lane + 1];
    }
    lanes->settings[lane] = removed;
    lanes->from[lane] = from;
    lanes->kept[lane] = true;
    lanes->n--;
}

/* ---- Words ---- */

char *ns_lanes_value(const NsSettings *settings, const NsParam *param)
{
    if (g_str_equal(param->key, "placement")) return ns_settings_placement_words(settings);
    if (param->type == NS_PARAM_CHOICE)
        return g_strdup(_(param->choices((size_t)ns_settings_get_number(settings, param))->label));
    g_autofree char *value = ns_settings_get(settings, param);
    if (*value && g_str_equal(param->key, "text")) return g_path_get_basename(value);
    return g_steal_pointer(&value);
}

/* The lanes in which a setting is not the same. */
static char *lanes_of(const NsLanes *from, const NsLanes *to, const NsParam *param)
{
    g_autoptr(GString) names = g_string_new(NULL);
    for (size_t lane = 0; lane < to->n; lane++)
        if (!ns_settings_same(&from->settings[lane], &to->settings[lane], param))
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", ns_lane_letter(lane));
    return g_string_free(g_steal_pointer(&names), FALSE);
}

static char *change_of(const NsLanes *from, const NsLanes *to, const NsParam *param)
{
    g_autofree char *names = lanes_of(from, to, param);
    size_t lane = 0;
    while (!g_str_has_prefix(names, ns_lane_letter(lane))) lane++;
    g_autofree char *before = ns_lanes_value(&from->settings[lane], param);
    g_autofree char *after = ns_lanes_value(&to->settings[lane], param);
    if (ns_lanes_is_linked(to, param) || to->n == 1)
        return g_strdup_printf(_("%s %s → %s"), _(param->label), before, after);
    return g_strdup_printf(_("%s of %s %s → %s"), _(param->label), names, before, after);
}

static char *links_of(const NsLanes *from, const NsLanes *to)
{
    for (size_t i = 0; ns_param(i); i++) {
        if (from->split[i] == to->split[i]) continue;
        return g_strdup_printf(to->split[i] ? _("%s split") : _("%s linked"),
                               _(ns_param(i)->label));
    }
    return g_strdup(_("lanes"));
}

char *ns_lanes_change(const NsLanes *from, const NsLanes *to)
{
    if (to->n > from->n) return g_strdup_printf(_("lane %s added"), ns_lane_letter(to->n - 1));
    if (to->n < from->n) return g_strdup(_("lane taken out"));
    const NsParam *changed = NULL;
    size_t n = 0;
    for (size_t i = 0; ns_param(i); i++) {
        g_autofree char *names = lanes_of(from, to, ns_param(i));
        if (!*names) continue;
        if (!changed) changed = ns_param(i);
        n++;
    }
    if (n == 0) return links_of(from, to);
    if (n > 1) return g_strdup_printf(ns_plural("%zu setting", "%zu settings", n), n);
    return change_of(from, to, changed);
}

/* ---- What they are about ---- */

static char *depth_of(const NsSettings *s)
{
    g_autofree char *layers = ns_group_digits(s->layers);
    if (s->arch != NS_ARCH_ENCODER_DECODER)
        return g_strdup_printf(ns_plural("%s layer", "%s layers", s->layers), layers);
    g_autofree char *decoder = ns_group_digits(ns_settings_decoder_layers(s));
    return g_strdup_printf(_("%s + %s layers"), layers, decoder);
}

/* "Post-LN vs Pre-LN": what each lane has. */
static char *versus(const NsLanes *lanes, char *(*words)(const NsSettings *))
{
    GString *text = g_string_new(NULL);
    for (size_t lane = 0; lane < lanes->n; lane++) {
        g_autofree char *own = words(&lanes->settings[lane]);
        if (lane) g_string_append(text, C_("between lanes", " vs "));
        g_string_append(text, own);
    }
    return g_string_free(text, FALSE);
}

static bool differs(const NsLanes *lanes, const char *key)
{
    return ns_lanes_differ(lanes, ns_param_find(key));
}

size_t ns_lanes_differences(const NsLanes *lanes)
{
    size_t n = 0;
    for (size_t i = 0; ns_param(i); i++) n += ns_lanes_differ(lanes, ns_param(i));
    return n;
}

char *ns_lanes_title(const NsLanes *lanes)
{
    size_t n = ns_lanes_differences(lanes);
    bool placement = differs(lanes, "placement") || differs(lanes, "mixture");
    bool depth = differs(lanes, "layers") || differs(lanes, "decoder-layers");
    g_autofree char *left = placement ? versus(lanes, ns_settings_placement_words)
                                      : ns_settings_placement_words(&lanes->settings[0]);
    g_autofree char *right = depth ? versus(lanes, depth_of) : depth_of(&lanes->settings[0]);
    if (n == 0 || placement || depth) return g_strdup_printf(_("%s, %s"), left, right);
    const NsParam *param = ns_param(0);
    while (!ns_lanes_differ(lanes, param)) param++;
    if (n > 1)
        return g_strdup_printf(
            ns_plural("%s, %s; %zu setting differs", "%s, %s; %zu settings differ", n), left, right,
            n);
    return g_strdup_printf(_("%s, %s; %s differs"), left, right, _(param->label));
}
