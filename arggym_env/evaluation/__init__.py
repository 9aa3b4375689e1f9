"""Evaluation: ask a model every row of a suite, record what it answers, and report what that comes to.

Nothing here is imported by ``import arggym_env``; the commands ``arggym eval``, ``rescore`` and ``report`` are built on
it. The modules, in the order of their use: ``suites`` (what is asked), ``settings`` (how), ``folder`` and ``record``
(where it is kept), ``harness`` with the backends ``chat``, ``offline`` and ``agents``, then ``statistics``, ``tables``
and ``report``.
"""
