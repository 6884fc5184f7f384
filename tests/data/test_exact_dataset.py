"""Tables for boosting with exact thresholds."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from spinney._team import Team
from spinney.data.dataset import Dataset, ExactDataset
from spinney.data.presort import ROW
from spinney.data.sparse import SparseTable
from spinney.data.tables import Panel, Table

VALUES = np.array([[3.0, 0.0], [1.0, 2.0], [np.nan, 1.0], [2.0, 2.0]])
TABLE = Table(4, 2, (Panel(VALUES, (0, 1)),))
IS_CATEGORICAL = np.array([False, True])


def test_a_table_keeps_its_values_and_is_sorted_once():
    with Team(1) as team:
        dataset = TABLE.open_dataset(IS_CATEGORICAL, None, None, team)
        assert isinstance(dataset, ExactDataset)
        assert (dataset.n_rows, dataset.n_columns, dataset.bins) == (4, 2, None)
        assert [len(one) for one in dataset.category_codes] == [0, 3]
        lists = dataset.presorted(team).lists
        assert dataset.presorted(team).lists is lists
        np.testing.assert_array_equal(lists[0] & ROW, [1, 3, 0, 2])
        part = dataset.take(np.array([3, 0]))
        np.testing.assert_array_equal(part.presorted(team).lists[0] & ROW, [0, 1])
        np.testing.assert_array_equal(part.values.panels[0].values, VALUES[[3, 0]])


def test_with_bins_it_is_encoded():
    with Team(1) as team:
        assert isinstance(TABLE.open_dataset(IS_CATEGORICAL, None, 255, team), Dataset)


def test_rare_categories_share_a_code():
    many = np.arange(600.0) % 300
    with Team(1) as team:
        table = Table(600, 1, (Panel(many[:, None], (0,)),))
        codes = table.open_dataset(np.array([True]), None, None, team).category_codes[0]
    assert len(codes) == 300
    assert codes.max() == 254
    assert (codes == 254).sum() == 46


def test_sparse_tables_are_refused():
    with Team(1) as team, pytest.raises(ValueError, match=r"X is sparse. Set max_bins=255"):
        SparseTable(csr_matrix(np.eye(3)), None).open_dataset(np.zeros(3, bool), None, None, team)
