/* SPDX-License-Identifier: MIT */
#include "core/train/live.h"

#include "core/experiment/param.h"

#include <math.h>

/* A pointer to a field of NsSettings. */
typedef union {
    int64_t *integer;
    double *real;
    unsigned *choice;
} Field;

static void copy(NsSettings *to, double value, const NsParam *param)
{
    Field field = {.integer = (void *)((char *)to + param->offset)};
    switch (param->type) {
    case NS_PARAM_INT:
        *field.integer = (int64_t)CLAMP(value, param->least, param->most);
        return;
    case NS_PARAM_REAL:
        if (!isnan(value)) *field.real = CLAMP(value, param->least, param->most);
        return;
    case NS_PARAM_CHOICE:
        if (param->choices((size_t)value)) *field.choice = (unsigned)value;
        return;
    case NS_PARAM_TEXT:
        return;
    }
}

bool ns_live_differs(const NsSettings *a, const NsSettings *b)
{
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        if (param->effect != NS_EFFECT_LIVE || param->type == NS_PARAM_TEXT) continue;
        if (ns_settings_get_number(a, param) != ns_settings_get_number(b, param)) return true;
    }
    return false;
}

bool ns_live_copy(NsSettings *to, const NsSettings *from)
{
    bool changed = false;
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        if (param->effect != NS_EFFECT_LIVE || param->type == NS_PARAM_TEXT) continue;
        double before = ns_settings_get_number(to, param);
        copy(to, ns_settings_get_number(from, param), param);
        changed |= ns_settings_get_number(to, param) != before;
    }
    return changed;
}

bool ns_live_only(const NsSettings *a, const NsSettings *b)
{
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        bool how_long = param->group == NS_GROUP_RUN && param->effect == NS_EFFECT_FORK;
        if (param->effect == NS_EFFECT_LIVE || how_long) continue;
        if (!ns_settings_same(a, b, param)) return false;
    }
    return true;
}
