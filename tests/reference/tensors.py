# SPDX-License-Identifier: MIT
"""The safetensors format, as far as the reference needs it."""

import json
import struct

import numpy as np

DTYPES = {"F32": "<f4", "F64": "<f8", "I64": "<i8"}


def read_safetensors(path):
    """(tensors as numpy arrays by name, metadata)."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        array = np.frombuffer(data[start:end], DTYPES[entry["dtype"]])
        tensors[name] = array.reshape(entry["shape"]).copy()
    return tensors, metadata


def write_safetensors(path, tensors, metadata):
    """Writes numpy arrays in the order given; the same input gives the same bytes."""
    names = {np.dtype(code): name for name, code in DTYPES.items()}
    header, blobs, offset = {"__metadata__": metadata}, [], 0
    for name, array in tensors.items():
        blob = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": names[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(blob)],
        }
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))
