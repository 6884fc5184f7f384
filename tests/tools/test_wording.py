"""tools/wording.py: finds the phrases of its list in what users read, and nothing else."""

from pathlib import Path

import pytest

from tools import wording

EXAMPLES = [
    "so many rows are read",
    "of equals the first is taken",
    "of equally good columns the first",
    "predict and its kin",
    "predict and its like",
    "Whoever reads it",
    "arrays of CuPy's and tensors",
    "one row a fold.",
    "any will do",
    "the lectures write it so",
    "a tree of one's own",
    "tables of yours",
    "a loss of your own",
    "our own trees",
    "this is no number",
    "best leaf first",
    "trees grow level by level",
    "whole numbers",
    "a whole weight",
    "None is taken for missing",
    "that of the table laid out",
    "the price of a leaf",
    "what the rows hold",
    "drawn anew",
    "values as they come",
    "strings go in as they are",
    "nine in ten",
    "sparse tables are for the CPU",
    "is refused in words",
    "than the fit before",
    "what turns the answer",
    "the least change",
    "which flatters it",
    "the first centres",
    "takes off the impurity",
    "splits are taken back",
    "and says so",
    "what the model says of a row",
    "beside the peers",
    "everything but for one",
    "rows are kept aside",
    "It ends. Of many trees the first",
    "a question is about a column",
    "X : table, optional\n    The rows.",
]
RIGHT = [
    "so many rows that memory is short",
    "of one cluster only, so many clusters are found",
    "used in place of scikit-learn's, and that of scikit-learn's",
    "for the GPU as they are for the CPU",
    "an instance taken back by its owner",
    "the predictions of scikit-learn's classifier",
    "there is no number",
    "if there is no model",
    "the time taken for a fit",
    "as it is, and a model of your data",
    "a row per fold; a column of one row",
    "Of the rows, half are held out.",
    "questions are welcome; an optional argument",
    "The numbers as a whole, numbers of weights",
]


def phrases(text):
    return [phrase for _, phrase, _ in wording.findings(text)]


@pytest.mark.parametrize("text", EXAMPLES)
def test_phrases_are_found(text):
    assert len(phrases(text)) == 1


def test_every_phrase_has_an_example():
    assert {next(wording.findings(text))[2] for text in EXAMPLES} == set(wording.PHRASES.values())


@pytest.mark.parametrize("text", RIGHT)
def test_right_words_are_not_found(text):
    assert phrases(text) == []


def test_phrases_across_lines():
    assert list(wording.findings("a\nb so\n    many rows")) == [
        (1, "so many", wording.PHRASES[next(iter(wording.PHRASES))])
    ]


def test_code_in_markdown_is_left_out():
    text = "whole numbers\n```python\nwhole numbers\n```\nand `anew` here\nanew\n"
    assert [(line, phrase) for line, phrase, _ in wording.findings(wording.without_code(text))] == [
        (0, "whole numbers"),
        (5, "anew"),
    ]


SOURCE = '''"""Private: anew."""

class Public:
    """Public: anew."""

    def method(self):
        """Public: anew."""
        raise ValueError(f"message: {self} anew")  # a comment: anew

    def _hidden(self):
        """Private: anew."""


def _hidden():
    """Private: anew."""
    print("a message: anew")
'''


def test_public_docstrings_and_messages_are_checked():
    def found(place):
        return sorted(line for line, text in wording.strings(SOURCE, Path(place)) if phrases(text))

    assert found("spinney/estimators/new.py") == [4, 7, 8, 16]
    assert found("spinney/explain/new.py") == [8, 16]  # no public name
    assert found("spinney/grow/new.py") == [8, 16]
    assert found("spinney/_new.py") == [8, 16]


def test_docstrings_of_public_names_are_checked():
    source = 'def partial_dependence():\n    """Public: anew."""\n\ndef walk():\n    """Private: anew."""\n'
    found = [line for line, text in wording.strings(source, Path("spinney/explain/new.py")) if phrases(text)]
    assert found == [2]


def test_methods_of_private_base_classes_of_estimators_are_checked():
    """Estimators inherit their docstrings."""
    source = 'class _Base:\n    def fit(self):\n        """Public: anew."""\n'
    found = [line for line, text in wording.strings(source, Path("spinney/estimators/new.py")) if phrases(text)]
    assert found == [3]


def test_what_is_printed(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("# One\n\nTwo\nanew\n")
    assert wording.main([str(page)]) == 1
    assert capsys.readouterr().out == f"{page}:4: 'anew'; write: again; re-\n"
    page.write_text("# One\n")
    assert wording.main([str(page)]) == 0
    assert capsys.readouterr().out == "No phrase to replace.\n"


def test_public_texts():
    found = {str(path.relative_to(wording.ROOT)) for path in wording.public_texts()}
    assert {"README.md", "CONTRIBUTING.md", "docs/index.md", "spinney/estimators/boosting/params.py"} <= found
    assert not {"docs/architecture.md", "tools/wording.py"} & found
