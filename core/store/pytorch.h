/* A lane as a program in PyTorch.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/train/checkpoint.h"

/* The number of batches in the file. */
#define NS_PYTORCH_BATCHES 10

/* Writes a model, its optimizer and its schedule as one file of Python, FILE.py, and its weights,
 * moments and next batches beside it, FILE.safetensors.  The file needs NumPy and PyTorch alone;
 * when run, it trains on from the step of the checkpoint and shows the losses of this program, up
 * to the rounding of single precision.  A checkpoint from a file, which has no data, needs the
 * texts that its settings name.
 *
 * Its text is resources/python/model.py.in, of which a model has the parts that it uses; the
 * equation of the sub-layers comes from the wiring of the placement.
 *
 * NS_ERROR_SETTING if this cannot be done for these settings (the noise of dropout and of
 * stochastic depth cannot be repeated in PyTorch); NS_ERROR_FILE; NS_ERROR_USAGE if the path does
 * not end in “.py”, or if only the file of weights exists: it is another one, and stays. */
bool ns_pytorch_write(const NsCheckpoint *checkpoint, const char *path, GError **error);

/* Whether the path is one for ns_pytorch_write; NS_ERROR_USAGE as there. */
bool ns_pytorch_check(const char *path, GError **error);
