import time

from harness import TASK, answer, fields, tree
from langsmith import Client, trace, traceable, tracing_context

client = Client()


@traceable(run_type="retriever", metadata={"index": "grün"})
def search(query: str) -> list:
    return [f"{query} {at}" for at in range(2)]


@traceable(run_type="llm", reduce_fn=lambda words: {"text": " ".join(words)})
def write(topic: str):
    for word in ["An", "ode", "to", topic]:
        time.sleep(0.002)
        yield word


@traceable(run_type="tool")
def fail():
    raise ValueError("the assay failed")


@traceable(name="answer", tags=["a", "b"])
def reply(question: str) -> dict:
    found = search(question)
    ode = list(write("gold"))
    try:
        fail()
    except ValueError:
        pass
    with trace("by hand", run_type="parser", inputs={"found": found}) as step:
        step.end(outputs={"n": len(found)})
    return {"found": found, "ode": ode}


with tracing_context(enabled=True, project_name=TASK["project"], client=client):
    # Three turns of one conversation.
    for turn in range(3):
        reply(f"question {turn}", langsmith_extra={"metadata": {"session_id": "thread-9", "turn": turn}})
client.flush()

runs = list(client.list_runs(project_name=TASK["project"]))
roots = [run for run in runs if run.parent_run_id is None]
answer(
    {
        "runs": [{**fields(run), "latency": run.latency} for run in runs],
        "trees": [tree(client.read_run(root.id, load_child_runs=True)) for root in roots],
        "urls": [client.get_run_url(run=root, project_name=TASK["project"]) for root in roots],
    }
)
