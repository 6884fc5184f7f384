"""Members in threads: an interrupted fit has ended them, or waits for them before the process ends."""

import os

import pytest

from tests.forked import run

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks of POSIX systems")


@pytest.mark.slow
@posix
def test_a_process_may_end_right_after_an_interrupted_fit():
    """Compiled code of other libraries runs in the threads: left to themselves they abort the process at its exit."""
    code, lines, errors = run(
        """
        from sklearn.linear_model import LogisticRegression
        from spinney import BaggingClassifier, DecisionTreeClassifier, StackingClassifier, VotingClassifier, prune

        wide = rng.randn(4000, 60)
        classes = rng.randint(0, 4, 4000)
        member = LogisticRegression(max_iter=30, tol=0.0)
        warnings.simplefilter("ignore")
        models = [
            lambda: BaggingClassifier(member, n_estimators=200, n_jobs=2).fit(wide, classes),
            lambda: VotingClassifier([(str(k), member) for k in range(100)], n_jobs=2).fit(wide, classes),
            lambda: StackingClassifier([(str(k), member) for k in range(50)], n_jobs=2).fit(wide, classes),
        ]

        def work(fit, delay):
            interrupted(fit, delay)
            # threads that the exit would not wait for
            assert not [thread for thread in threading.enumerate() if thread.daemon and thread.name != "sender"]

        for k, delay in enumerate(np.random.RandomState(1).uniform(0.1, 0.6, 6)):
            print(in_child(lambda: work(models[k % 3], delay)), flush=True)
        """
    )
    assert (code, lines, errors) == (0, ["0"] * 6, "")


@pytest.mark.slow
def test_members_that_do_not_hear_are_waited_for_at_the_exit():
    """A call that does not come back within the patience: the interrupt is passed on, the process ends in order."""
    code, lines, errors = run(
        """
        from spinney import _interruptible_threads as _side_by_side
        _side_by_side._PATIENCE = 0.05
        begun = threading.Event()

        def work(job):
            begun.set()
            time.sleep(0.7)  # no line of Python meanwhile
            return job

        jobs = _side_by_side.side_by_side(lambda k: k if k == 0 else work(k), range(3), 2)
        print(next(jobs))
        begun.wait()
        jobs.close()
        print([thread.daemon for thread in threading.enumerate() if thread.name.startswith("spinney_job")])
        """
    )
    assert (code, errors) == (0, "")
    assert lines[0] == "0"
    assert "True" not in lines[1]
