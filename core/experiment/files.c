/* SPDX-License-Identifier: MIT */
#include "core/experiment/files.h"

static const size_t files[] = {offsetof(NsSettings, text), offsetof(NsSettings, source),
                               offsetof(NsSettings, target), offsetof(NsSettings, valid_source),
                               offsetof(NsSettings, valid_target)};

char **ns_settings_file(NsSettings *settings, size_t i)
{
    return i < G_N_ELEMENTS(files) ? (void *)((char *)settings + files[i]) : NULL;
}

bool ns_param_is_file(const NsParam *param)
{
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        if (param->offset == files[i]) return true;
    return false;
}
