"""Traces against a server whose answers get lost after it has stored them."""

from harness import TASK, answer
from langsmith import Client, traceable, tracing_context

client = Client()


@traceable
def echo(question: str) -> dict:
    return {"answer": question}


with tracing_context(enabled=True, project_name=TASK["project"], client=client):
    for question in TASK["questions"]:
        echo(question)
client.flush()
answer({})
