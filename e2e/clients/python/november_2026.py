"""What the clients of November 2026 do in other ways than those before: streams, splits, nulls and experiments read again."""

import asyncio
import contextlib
import io
from datetime import datetime, timedelta, timezone

from harness import TASK, answer
from langsmith import Client, evaluate, traceable, tracing_context

client = Client()


@traceable(metadata={"thread_id": TASK["project"]})
def turn(at: int) -> dict:
    return {"at": at, "text": "✓" * at}


with tracing_context(enabled=True, project_name=TASK["project"], client=client):
    for at in range(5):
        turn(at)
client.flush()
project = client.read_project(project_name=TASK["project"])
now = datetime.now(timezone.utc)
window = {"min_start_time": now - timedelta(hours=1), "max_start_time": now + timedelta(minutes=1), "page_size": 2}


async def collect(items):
    return [item.model_dump(mode="json", exclude_unset=True) async for item in items]


async def streamed(items):
    """Some of the generated methods give the stream itself, others a coroutine of it."""
    found = await items if asyncio.iscoroutine(items) else items
    return [item if isinstance(item, dict) else item.model_dump(mode="json", exclude_unset=True) async for item in found]


async def queries():
    runs = {**window, "project_ids": [str(project.id)], "selects": ["ID", "NAME", "INPUTS", "OUTPUTS"]}
    one = {**window, "project_id": str(project.id)}
    return {
        "json": [
            await collect(client.runs.query_v2(**runs)),
            await collect(client.traces.query(**one)),
            await collect(client.threads.query(**one)),
        ],
        "stream": [
            await streamed(client.runs.streaming.query_v2_items(**runs)),
            await streamed(client.traces.streaming.query_items(**one)),
            await streamed(client.threads.streaming.query_items(**one)),
        ],
    }


def splits():
    dataset = client.create_dataset(f"{TASK['project']}-splits")
    made = client.create_examples(
        dataset_id=dataset.id, examples=[{"inputs": {"n": n}, "metadata": {"kept": n}} for n in range(3)]
    )
    ids = made["example_ids"][:2]
    client.update_dataset_splits(dataset_id=dataset.id, split_name="test", example_ids=ids)
    client.update_dataset_splits(dataset_id=dataset.id, split_name="test", example_ids=ids[:1], remove=True)
    left = list(client.list_examples(dataset_id=dataset.id, splits=["test"]))
    return {"wanted": [ids[1]], "left": [str(one.id) for one in left], "metadata": [one.metadata for one in left]}


def cleared():
    run = next(client.list_runs(project_name=TASK["project"]))
    given = client.create_feedback(run.id, key="tone", score=0.5, comment="too long", session_id=project.id)
    client.update_feedback(given.id, comment=None)
    read = client.read_feedback(given.id)
    return {"score": read.score, "comment": read.comment}


def experiments():
    """An experiment whose examples and runs hold files, judged a second time and read as a table."""
    dataset = client.create_dataset(f"{TASK['project']}-files")
    client.create_examples(
        dataset_id=dataset.id,
        examples=[
            {"inputs": {"n": n}, "outputs": {"n": n}, "attachments": {"note": ("text/plain", f"note {n}".encode())}}
            for n in range(3)
        ],
    )

    def target(inputs: dict, attachments: dict) -> dict:
        return {"n": inputs["n"], "said": attachments["note"]["reader"].read().decode()}

    def correct(outputs: dict, reference_outputs: dict) -> bool:
        return outputs["n"] == reference_outputs["n"]

    def has_note(outputs: dict, attachments: dict) -> bool:
        return attachments["note"]["reader"].read().decode() == outputs["said"]

    with contextlib.redirect_stdout(io.StringIO()):
        first = evaluate(target, data=dataset.name, evaluators=[correct, has_note], client=client)
        first.wait()
        client.flush()
        again = evaluate(first.experiment_name, evaluators=[lambda run, example: {"key": "later", "score": 1}], client=client)
        later = [one.key for row in again for one in row["evaluation_results"]["results"]]
    client.flush()
    table = client.get_test_results(project_name=first.experiment_name)
    return {
        "later": later,
        "table": [
            {
                "n": row["input.n"],
                "said": row["outputs.said"],
                "scores": [row["feedback.correct"], row["feedback.has_note"], row["feedback.later"]],
            }
            for row in table.to_dict("records")
        ],
    }


answer({**asyncio.run(queries()), "splits": splits(), "cleared": cleared(), "experiments": experiments()})
