"""What the tables of a report make of records beyond counting them: guesses, and ids that mean two questions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arggym_env.errors import RunError
from arggym_env.evaluation.tables import by_task, tables_of
from tests.evaluation.runs import letters, score_letter


def test_the_corrected_score_of_guesses_is_that_of_their_mean() -> None:
    run = letters("guesses", 40)
    lucky = replace(
        run,
        records=tuple(
            replace(record, score=score_letter("A" if record.level % 4 == 0 else "B")) for record in run.records
        ),
    )
    (row,) = by_task([lucky]).rows
    assert (row[4], row[5]) == (0.25, 0.0)


def test_one_id_for_two_questions_is_refused() -> None:
    first, second = letters("a"), letters("b")
    tables_of([first, second])
    changed = tuple(replace(record, reference="C") for record in second.records)
    with pytest.raises(RunError, match="asked different questions as 'q0'"):
        tables_of([first, replace(second, records=changed)])
