"""Model files taken apart and put together again with other contents and right checksums."""

import io
import json

import numpy as np

import spinney
from spinney.io import layout


def saved(model):
    file = io.BytesIO()
    spinney.save(model, file)
    return file.getvalue()


class Parts:
    """A file's header and arrays, to be changed."""

    def __init__(self, content):
        prefix = layout.read_prefix(content[: layout.PREFIX], len(content))
        self.header = json.loads(content[layout.PREFIX : layout.PREFIX + prefix.header_length])
        n_stream, entries = layout.read_entries(self.header["arrays"], prefix)
        buffer = np.frombuffer(content, np.uint8)
        self.arrays = [one.copy() for one in layout.unpack_arrays(buffer, prefix, n_stream, entries)]

    def record(self, name):
        """The last record of this kind."""
        return next(one for one in reversed(self.header["records"]) if one["is"] == name)

    def number(self, name, field):
        """The number of the array in a field."""
        return self.record(name)["fields"][field]["array"]

    def array(self, name, field):
        return self.arrays[self.number(name, field)]

    def content(self, **header):
        """The file, forged."""
        entries, body = layout.pack_arrays(self.arrays)
        return b"".join(layout.file_parts({**self.header, "arrays": entries, **header}, body))
