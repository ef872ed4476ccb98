/* Weights that a command begins with.  SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/store/gpt2.h"

GOptionEntry ns_checkpoint_entry(char **folder)
{
    return (GOptionEntry){
        "checkpoint",
        0,
        0,
        G_OPTION_ARG_FILENAME,
        folder,
        "Start from the weights in a folder in GPT-2's published layout: config.json, "
        "model.safetensors and, for texts, vocab.json and merges.txt",
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

bool ns_checkpoint_open(const char *folder, NsExperiment *experiment, NsNamed *named,
                        NsCheckpoint **checkpoint, GError **error)
{
    if (!folder) return true;
    g_autofree char *words = ns_gpt2_settings(folder, error);
    if (!words || !ns_settings_name_all(&experiment->lane[0], named, words, error)) return false;
    *checkpoint = ns_gpt2_read(folder, experiment, error);
    return *checkpoint != NULL;
}
