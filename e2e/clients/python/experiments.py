"""evaluate, aevaluate, evaluate_existing and evaluate_comparative over one dataset; results in the client and on the server."""

import asyncio
import contextlib
import io

from harness import TASK, answer
from langsmith import Client
from langsmith.evaluation import aevaluate, evaluate, evaluate_comparative, evaluate_existing

client = Client()
dataset = client.create_dataset(TASK["dataset"], description="capitals")
client.create_examples(
    dataset_id=dataset.id,
    examples=[
        {"inputs": {"country": country}, "outputs": {"capital": capital}, "split": split}
        for country, capital, split in TASK["rows"]
    ],
)
KNOWN = TASK["known"]


def look_up(inputs: dict) -> dict:
    if inputs["country"] == "Atlantis":
        raise ValueError("no such country")
    return {"capital": KNOWN.get(inputs["country"], "unknown")}


async def look_up_later(inputs: dict) -> dict:
    await asyncio.sleep(0)
    return look_up(inputs)


def correct(outputs: dict, reference_outputs: dict) -> bool:
    return (outputs or {}).get("capital") == reference_outputs["capital"]


def length(run, example):
    return {"key": "length", "score": len((run.outputs or {}).get("capital", "")) / 3, "comment": "a third"}


def several(outputs: dict):
    return {"results": [{"key": "a", "score": 0.5}, {"key": "b", "value": "label"}]}


def accuracy(outputs: list, reference_outputs: list) -> dict:
    hits = [o and o.get("capital") == r["capital"] for o, r in zip(outputs, reference_outputs)]
    return {"key": "accuracy", "score": sum(map(bool, hits)) / len(hits)}


SETTINGS = dict(
    data=TASK["dataset"],
    evaluators=[correct, length, several],
    summary_evaluators=[accuracy],
    metadata={"model": "m1"},
    client=client,
)


def local(results):
    """Scores by example and key, as the client computed them."""
    return [
        {
            "example": str(row["example"].id),
            "run": str(row["run"].id),
            "outputs": row["run"].outputs,
            "error": row["run"].error,
            "scores": {one.key: one.score for one in row["evaluation_results"]["results"]},
        }
        for row in results
    ]


def remote(name):
    """The same, as the server has it."""
    found = client.get_experiment_results(name=name)
    rows = [
        {
            "example": str(example.id),
            "run": str(run.id),
            "outputs": run.outputs,
            "error": run.error,
            "scores": {key: stat["avg"] for key, stat in (run.feedback_stats or {}).items()},
        }
        for example in found["examples_with_runs"]
        for run in example.runs
    ]
    project = client.read_project(project_name=name, include_stats=True)
    return {
        "rows": rows,
        "feedback": found["feedback_stats"],
        "run_stats": found["run_stats"],
        "metadata": project.metadata,
        "description": project.description,
        "reference_dataset_id": project.reference_dataset_id,
    }


def with_print(call):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        result = call()
    return result, said.getvalue()


first, first_said = with_print(
    lambda: evaluate(look_up, experiment_prefix="plain", num_repetitions=2, description="the first", max_concurrency=2, **SETTINGS)
)
second, second_said = with_print(
    lambda: asyncio.run(aevaluate(look_up_later, experiment_prefix="async", max_concurrency=2, **SETTINGS))
)


async def rows_of(results):
    return [row async for row in results]


second_rows = asyncio.run(rows_of(second))
client.flush()
added, _ = with_print(
    lambda: list(
        evaluate_existing(
            second.experiment_name,
            evaluators=[lambda run, example: {"key": "later", "score": 1}],
            client=client,
        )
    )
)


def prefer(inputs: dict, outputs: list, reference_outputs: dict) -> list:
    return [int((o or {}).get("capital") == reference_outputs["capital"]) for o in outputs]


pair, pair_said = with_print(
    lambda: evaluate_comparative(
        [first.experiment_name, second.experiment_name], evaluators=[prefer], client=client, experiment_prefix="pair"
    )
)
client.flush()
projects = list(client.list_projects(reference_dataset_id=dataset.id, include_stats=True))
table = client.get_test_results(project_name=first.experiment_name)
answer(
    {
        "dataset": dataset.id,
        "tenant": client.read_project(project_name=first.experiment_name).tenant_id,
        "first": {
            "name": first.experiment_name,
            "said": first_said,
            "local": local(first),
            "remote": remote(first.experiment_name),
        },
        "second": {
            "name": second.experiment_name,
            "said": second_said,
            "local": local(second_rows),
            "remote": remote(second.experiment_name),
        },
        "table": [
            {
                "country": row["input.country"],
                "capital": row.get("outputs.capital") if row.get("outputs.capital") == row.get("outputs.capital") else None,
                "correct": row["feedback.correct"],
                "length": row["feedback.length"],
            }
            for row in table.to_dict("records")
        ],
        "experiments": {project.name: {"id": project.id, "run_count": project.run_count} for project in projects},
        "added": len(added),
        "pair_said": pair_said,
        "pair": [
            {
                str(run): score
                for key, result in row["evaluation_results"].items()
                if key != "runs"
                for run, score in result.scores.items()
            }
            for row in pair
        ],
        "judged": [run.name for run in client.list_runs(project_name="evaluators", is_root=True)],
    }
)
