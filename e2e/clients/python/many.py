from concurrent.futures import ThreadPoolExecutor

from harness import TASK, answer
from langsmith import Client, traceable, tracing_context

client = Client()


@traceable(run_type="tool")
def child(at: int) -> dict:
    return {"square": at * at}


@traceable
def root(at: int) -> dict:
    return child(at)


def one(at: int):
    with tracing_context(enabled=True, project_name=TASK["project"], client=client):
        return root(at)


with ThreadPoolExecutor(16) as pool:
    list(pool.map(one, range(TASK["count"])))
client.flush()

runs = list(client.list_runs(project_name=TASK["project"]))
first = list(client.list_runs(project_name=TASK["project"], is_root=True, limit=TASK["limit"]))
by_id = {str(run.id): run for run in runs}
pairs = [
    (by_id[str(run.parent_run_id)].inputs["at"], run.inputs["at"], run.outputs["square"], run.status)
    for run in runs
    if run.parent_run_id
]
answer({"runs": len(runs), "distinct": len(by_id), "first": len(first), "pairs": sorted(pairs)})
