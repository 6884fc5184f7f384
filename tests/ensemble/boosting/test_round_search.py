"""Rounds, rates and tree sizes that follow from a table."""

import pytest

from spinney.ensemble.boosting.round_search import (
    CLASSIC_RATE,
    MOST_ROUNDS,
    Chosen,
    choose,
    classic_size,
    in_time,
    plan_search,
    tree_size,
)


def test_trees_grow_with_the_table_and_leaves_are_smaller_than_the_rarest_class():
    sizes = [tree_size(n, 20, n) for n in (20, 200, 2_000, 20_000, 2_000_000)]
    assert [one.max_leaves for one in sizes] == [12, 12, 12, 48, 48]
    assert [one.min_samples for one in sizes] == [1, 4, 5, 5, 5]
    assert tree_size(20_000, 20, 6).min_samples == 1
    assert [tree_size(20_000, n, 9).column_share for n in (1, 4, 5, 8, 100)] == [1.0, 1.0, 0.8, 0.5, 0.5]


def test_a_given_number_of_rounds_keeps_the_usual_sizes_unless_the_table_is_too_small():
    assert classic_size(200) == classic_size(10**6) == (31, 20, 20, 1.0)
    assert classic_size(14).min_samples == 1


@pytest.mark.parametrize(("n", "folds"), [(99, 0), (100, 5), (1_999, 5), (2_000, 3), (5_000, 1), (10**6, 1)])
def test_folds_where_rows_are_few(n, folds):
    plan = plan_search(n, None)
    assert (0 if plan is None else plan.n_folds) == folds
    many = plan_search(n, None, 10)
    assert (0 if many is None else many.n_folds) == (min(folds, 3) if n < 1_000 else 1)


def test_large_tables_are_searched_on_a_part_of_the_rows_and_fitted_in_bounded_time():
    plan = plan_search(10**6, None)
    assert plan.kept_share * 10**6 == pytest.approx(100_000)
    assert plan.held_share * 10**6 == pytest.approx(20_000)
    assert plan.n_rounds == 350
    assert choose(350, plan, 10**6, None, 1) == Chosen(350, CLASSIC_RATE)
    few = choose(60, plan, 10**6, None, 1)
    assert few.n_rounds == 350
    assert few.learning_rate * 350 == pytest.approx(60 * 1.1 * 8.5**0.25 * CLASSIC_RATE, rel=1e-3)
    assert choose(20, plan, 10**6, None, 1).n_rounds > choose(20, plan_search(10**5, None), 10**5, None, 1).n_rounds


def test_smaller_steps_come_with_more_rounds_in_proportion():
    plan = plan_search(20_000, None)
    for best in (1, 10, 200, 900, MOST_ROUNDS):
        chosen = choose(best, plan, 20_000, None, 1)
        assert chosen.n_rounds * chosen.learning_rate == pytest.approx(
            1.1 * best * CLASSIC_RATE, rel=0.1
        )  # whole rounds
        assert 0.02 <= chosen.learning_rate <= CLASSIC_RATE
    assert choose(300, plan, 20_000, None, 7).n_rounds < choose(300, plan, 20_000, None, 1).n_rounds


def test_two_classes_are_fitted_with_larger_steps_than_numbers():
    plan = plan_search(20_000, None)
    numbers, classes = (choose(400, plan, 20_000, None, 1, is_classes=some) for some in (False, True))
    assert (numbers.n_rounds, classes.n_rounds) == (1_100, 550)
    assert classes.learning_rate == pytest.approx(2 * numbers.learning_rate)
    assert choose(60, plan, 20_000, None, 1, is_classes=True) == choose(60, plan, 20_000, None, 1)
    assert choose(400, plan, 20_000, None, 3, is_classes=True) == choose(400, plan, 20_000, None, 3)


def test_several_classes_are_searched_with_larger_steps_for_the_same_fit():
    one, many = plan_search(20_000, None, 1), plan_search(20_000, None, 3)
    assert many.learning_rate == pytest.approx(3 * one.learning_rate)
    assert many.n_rounds == -(-one.n_rounds // 3)
    for best in (1, 30, 200):
        chosen, as_slow = choose(best, many, 20_000, None, 3), choose(3 * best, one, 20_000, None, 3)
        assert chosen.n_rounds == as_slow.n_rounds
        assert chosen.learning_rate == pytest.approx(as_slow.learning_rate)
    assert plan_search(20_000, 0.1, 3).learning_rate == 0.1


def test_a_given_rate_is_kept():
    plan = plan_search(20_000, 0.3)
    assert plan.learning_rate == 0.3
    assert choose(100, plan, 20_000, 0.3, 1) == Chosen(110, 0.3)
    assert plan_search(20_000, 0.01).n_rounds == 10 * MOST_ROUNDS


def test_less_time_means_fewer_and_larger_steps():
    assert in_time(Chosen(1_000, 0.02), 2_000, None) == Chosen(1_000, 0.02)
    assert in_time(Chosen(1_000, 0.02), 500, None) == Chosen(500, 0.04)
    assert in_time(Chosen(1_000, 0.02), 10, None) == Chosen(10, 0.2)
    assert in_time(Chosen(1_000, 0.02), 500, 0.02) == Chosen(500, 0.02)
    assert in_time(Chosen(1_000, 0.02), -3, None).n_rounds == 1
