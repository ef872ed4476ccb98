/* Weights from which a command starts.  SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/experiment/param.h"
#include "core/store/dump.h"
#include "core/store/gpt2.h"

#include <stdio.h>

GOptionEntry ns_checkpoint_entry(char **folder)
{
    return (GOptionEntry){
        "checkpoint",
        0,
        0,
        G_OPTION_ARG_FILENAME,
        folder,
        "Start from the weights in a folder that “dump” wrote (params.safetensors may have been "
        "trained further by another program), or in one in GPT-2's published layout: config.json, "
        "model.safetensors or its parts with an index and, for texts, vocab.json and merges.txt or "
        "tokenizer.json",
        "FOLDER"};
}

GOptionEntry ns_dump_entry(char **folder)
{
    return (GOptionEntry){
        "checkpoint",
        0,
        0,
        G_OPTION_ARG_FILENAME,
        folder,
        "Instead of --run: a folder that “dump” wrote, whose params.safetensors may have been "
        "trained further by another program",
        "FOLDER"};
}

/* Copies the settings that were not named on the command line. */
static bool take_settings(NsSettings *settings, const NsNamed *named, const NsSettings *from,
                          GError **error)
{
    for (size_t i = 0; i < NS_PARAM_COUNT; i++) {
        const NsParam *param = ns_param(i);
        g_autofree char *value = ns_settings_get(from, param);
        if (!ns_named_has(named, param->key) &&
            !ns_settings_set(settings, param->key, value, error))
            return false;
    }
    return true;
}

bool ns_checkpoint_open(const char *folder, NsExperiment *experiment, NsNamed *named,
                        NsCheckpoint **checkpoint, GError **error)
{
    if (!folder) return true;
    if (ns_dump_is(folder)) {
        *checkpoint = ns_dump_read(folder, error);
        return *checkpoint &&
               take_settings(&experiment->lane[0], named, &(*checkpoint)->settings, error);
    }
    g_autofree char *words = ns_gpt2_settings(folder, error);
    if (!words || !ns_settings_name_all(&experiment->lane[0], named, words, error)) return false;
    g_autofree char *note = NULL;
    *checkpoint = ns_gpt2_read(folder, experiment, &note, error);
    if (note) fprintf(stderr, NS_CLI ": %s\n", note);
    return *checkpoint != NULL;
}
