from harness import TASK, answer
from langsmith import Client, traceable, tracing_context

client = Client()
SENT = {"n": 2**53 + 1, "least": -(2**63), "most": 2**64 - 1, "nested": [{"n": 2**53 + 1}]}


@traceable
def echo(numbers: dict) -> dict:
    return numbers


with tracing_context(enabled=True, project_name=TASK["project"], client=client):
    echo(SENT)
client.flush()

(listed,) = client.list_runs(project_name=TASK["project"])
read = client.read_run(listed.id)
# Compared here: the program that asks would round them.
answer({where: [run.inputs == {"numbers": SENT}, run.outputs == SENT] for where, run in {"listed": listed, "read": read}.items()})
