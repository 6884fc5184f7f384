"""The bytes of a model file: what is not as it should be is found before anything is made of it."""

import functools
import tracemalloc
import zlib

import numpy as np
import pytest

import spinney
from spinney.io import layout
from tests.io.forging import Parts, saved


@functools.cache
def content():
    """The file of a small tree."""
    return saved(spinney.DecisionTreeClassifier(max_depth=2).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]], [0, 1, 1]))


def replaced(place, part):
    """That file with these bytes at a place, which is counted from its end if negative."""
    place %= len(content())
    return content()[:place] + part + content()[place + len(part) :]


def raises(content, problem, place):
    with pytest.raises(spinney.ModelFormatError, match=problem) as caught:
        spinney.load(content)
    assert caught.value.place == place
    assert str(caught.value).endswith(f"(in {place}).")
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("damaged", "problem", "place"),
    [
        (lambda: b"", "This is not a Spinney model file", "the first bytes"),
        (lambda: b"\x80\x04K\x01.", "This is not a Spinney model file", "the first bytes"),  # a pickle
        (lambda: content()[:50], "The file ends after 50 bytes, before its header", "the first bytes"),
        (
            lambda: replaced(8, b"\x02"),
            "version 2 of the format, but this release reads version 1: install a newer",
            "the first bytes",
        ),
        (lambda: content()[:-1], "The file has {:,} bytes but should have {:,}", "the first bytes"),
        (lambda: content() + b"\0", "The file has {:,} bytes", "the first bytes"),
        (lambda: replaced(16, b"\xff" * 6), "A header of .* bytes does not fit into the file", "the first bytes"),
        (lambda: replaced(16, b"\0\0"), "The checksum is wrong: the file is damaged", "the header"),
        (lambda: replaced(100, b"!"), "The checksum is wrong: the file is damaged", "the header"),
        (lambda: replaced(40, b"!"), "The checksum is wrong: the file is damaged", "the header"),
        (lambda: replaced(70, b"!!!"), "The checksum is wrong: the file is damaged", "the header"),
        (lambda: replaced(-100, b"!!!"), "The checksum is wrong: the file is damaged", "the arrays"),
    ],
)
def test_damaged_files(damaged, problem, place):
    raises(damaged(), problem.format(len(damaged()), len(content())), place)


def test_every_byte_counts():
    """No bit can be turned without being noticed."""
    for place in range(0, len(content()), 3):
        with pytest.raises(spinney.ModelFormatError):
            spinney.load(replaced(place, bytes([content()[place] ^ (1 << place % 8)])))


def with_text(text):
    """A file whose header is this text."""
    first = layout.MAGIC + (1).to_bytes(8, "little") + len(text).to_bytes(8, "little")
    end = -(-(96 + len(text)) // 64) * 64
    first += end.to_bytes(8, "little")
    digest = layout._digest([bytes(end - 96 - len(text))])
    return first + layout._digest([first, digest, text]) + digest + text + bytes(end - 96 - len(text))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"no json",
        b"[1,2]",
        b'{"a": 1}',
        b'{"a":1,"a":1}',
        b'{"a":NaN}',
        b'{"a":1e5}',
        b'{"a":"\xff"}',
        b"[" * 100_000,
    ]
    + [b'{"a":' + b"9" * 5000 + b"}", b"\xef\xbb\xbf{}"],
)
def test_headers_that_are_not_ours(text):
    raises(with_text(text), "This is not the JSON that Spinney writes", "the header")


@pytest.mark.parametrize(
    ("changes", "problem", "place"),
    [
        ({"more": 1}, r"The header must have \['library'", "the header"),
        ({"library": 3}, "3 is not valid", "the header's library"),
        ({"records": {}}, "{} is not valid", "the header's records"),
        ({"records": []}, "The last record must be the 'DecisionTreeClassifier'", "the header"),
        ({"class": "KMeans"}, "The last record must be the 'KMeans'", "the header"),
        ({"fingerprint": "00"}, "The model's fingerprint is [0-9a-f]{32}, but the file has '00'", "the fingerprint"),
        ({"fingerprint": None}, "but the file has None", "the fingerprint"),
        ({"arrays": []}, "must be the length of the stream and a list", "the list of arrays"),
        ({"arrays": [-1, []]}, "must be the length of the stream and a list", "the list of arrays"),
        ({"arrays": [2**61, []]}, r"The arrays end at byte [\d,]+ of a file of", "the list of arrays"),
        ({"arrays": [0, [["<f8", [2**40], "large"]]]}, "The arrays end at byte", "the list of arrays"),
        ({"arrays": [0, ["<f8"]]}, r"An array is \[dtype, shape\]", "array 0"),
        ({"arrays": [0, [["<f8", [1], "huge"]]]}, r"An array is \[dtype, shape\]", "array 0"),
        ({"arrays": [0, [["|O", [1]]]]}, r"Arrays of dtype '\|O' are not known", "array 0"),
        ({"arrays": [0, [[["<f8"], [1]]]]}, "are not known", "array 0"),
        ({"arrays": [0, [["<f8", [-1]]]]}, r"\[-1\] is not a shape", "array 0"),
        ({"arrays": [0, [["<f8", [1] * 5]]]}, "is not a shape", "array 0"),
        ({"arrays": [0, [["<f8", [True]]]]}, "is not a shape", "array 0"),
        ({"arrays": [0, [["<f8", [0, 2**61]]]]}, "is not a shape", "array 0"),
        ({"arrays": [0, [["<f8", [1.0]]]]}, "is not a shape", "array 0"),
    ],
)
def test_forged_headers(changes, problem, place):
    raises(Parts(content()).content(**changes), problem, place)


def file_of(entries, stream, n_stream=None):
    """A file with this list of arrays and this stream."""
    padded = stream + bytes(-len(stream) % 64)
    header = {**Parts(content()).header, "arrays": [len(stream) if n_stream is None else n_stream, entries]}
    return b"".join(layout.file_parts(header, [padded]))


def test_streams():
    place = "the stream of small arrays"
    raises(file_of([["|u1", [3]]], b"no zlib"), "The stream cannot be unpacked", place)
    for n, stream in ((4, zlib.compress(b"abc")), (2, zlib.compress(b"abc")), (3, zlib.compress(b"abc") + b"x")):
        raises(file_of([["|u1", [n]]], stream), f"does not hold the {n} bytes", place)
    raises(file_of([["|u1", [3]]], zlib.compress(b"abc")[:-2]), "does not hold the 3 bytes", place)
    raises(file_of([["|b1", [3]]], zlib.compress(b"\0\1\2")), "A Boolean is 0 or 1", "array 0")
    raises(file_of([["|u1", [2**24 + 1]]], zlib.compress(b"")), "more than 16,777,216", "the list of arrays")


def test_bombs_take_no_memory():
    bomb = file_of([["|u1", [8]]], zlib.compress(bytes(2**28)))
    spinney.load(content())
    tracemalloc.start()
    raises(bomb, "does not hold the 8 bytes", "the stream of small arrays")
    raises(Parts(content()).content(arrays=[0, [["<f8", [2**50], "large"]]]), "The arrays end", "the list of arrays")
    assert tracemalloc.get_traced_memory()[1] < 8 * len(bomb) < 2**22
    tracemalloc.stop()


def test_padding_is_zero():
    parts = Parts(content())
    entries, body = layout.pack_arrays(parts.arrays)
    body = [body[0], b"x" + bytes(body[1])[1:]]
    raises(
        b"".join(layout.file_parts({**parts.header, "arrays": entries}, body)), "The padding after byte", "the arrays"
    )


def test_arrays_come_back():
    arrays = [
        np.arange(6, dtype="<i8").reshape(2, 3),
        np.empty((0, 4), "<f4"),
        np.array(3.5),
        np.arange(70_000, dtype="<u4"),
    ]
    arrays += [
        np.array([True, False]),
        np.array(["2020-01-02"], "<M8[D]"),
        np.asfortranarray(np.ones((2, 3))),
        np.arange(4)[::2],
    ]
    arrays += [np.arange(3, dtype=">f8")]
    entries, body = layout.pack_arrays(arrays)
    content = b"".join(layout.file_parts({"arrays": entries}, body))
    prefix = layout.read_prefix(content[:96], len(content))
    n_stream, found = layout.read_entries(entries, prefix)
    assert [one.is_large for one in found] == [False] * 3 + [True] + [False] * 5
    for one, again in zip(arrays, layout.unpack_arrays(np.frombuffer(content, np.uint8), prefix, n_stream, found)):
        np.testing.assert_array_equal(one, again)
        assert one.shape == again.shape
        assert again.dtype == one.dtype.newbyteorder("<")
    starts = [one.ctypes.data % 64 for one in layout.unpack_arrays(aligned(content), prefix, n_stream, found)]
    assert starts[3] == 0


def aligned(content):
    from spinney.io.model_file import _buffer_of

    return _buffer_of(content, False)
