"""A program whose environment names an agent: traces, feedback and links that name no project."""

import asyncio

from harness import TASK, answer, fields
from langsmith import Client, get_current_run_tree, traceable, tracing_context
from langsmith.address import agent_address

client = Client()
address = agent_address(TASK["agent"], "production")


@traceable
def inner(question: str) -> str:
    return question


@traceable
def outer(question: str) -> dict:
    return {"answer": inner(question), "run": str(get_current_run_tree().id)}


with tracing_context(enabled=True, client=client):
    run_id = outer("Is it gold?")["run"]
client.flush()


async def resolve():
    return await client.sessions.resolve(**address)


project_id = str(asyncio.run(resolve()).session_id)
given = client.create_feedback(run_id, key="tone", score=1, address=address)
client.flush()
runs = list(client.list_runs(project_id=project_id))
root = next(run for run in runs if run.parent_run_id is None)
answer(
    {
        "project": project_id,
        "run": run_id,
        "runs": [fields(run) for run in runs],
        "feedback": client.read_feedback(given.id).model_dump(),
        "url": client.get_run_url(run=root, address=address),
        "elsewhere": len(list(client.list_runs(project_name="default"))),
    }
)
