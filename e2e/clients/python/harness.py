"""What every script here shares: a task on standard input, an answer on standard output."""

import json
import sys
from datetime import date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

TASK = json.load(sys.stdin)


def plain(value):
    """Values as JSON sees them; times to the microsecond, durations in seconds."""
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, (UUID, Decimal)):
        return str(value)
    if hasattr(value, "model_dump"):
        return value.model_dump()
    raise TypeError(f"{type(value)} has no JSON")


def answer(result):
    json.dump(result, sys.stdout, default=plain)


def fields(run):
    """A run as the client's model holds it, without what only the client adds."""
    return run.model_dump(exclude={"child_runs", "attachments"})


def tree(run):
    return {"name": run.name, "children": [tree(child) for child in run.child_runs or []]}
