"""A graph that asks a model, calls the tool the model names, and asks again; then the same as a stream and as a coroutine."""

import asyncio
from typing import Annotated, TypedDict

import langchain_core
from harness import TASK, answer, fields
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.tools import tool
from langchain_core.tracers import LangChainTracer
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langsmith import Client

client = Client()
tracer = LangChainTracer(project_name=TASK["project"], client=client)


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


@tool
def weigh(metal: str) -> str:
    """Weighs a metal."""
    return f"{metal}: 19.3 g/cm³ ✓"


def replies():
    while True:
        yield AIMessage("", tool_calls=[{"name": "weigh", "args": {"metal": "gold"}, "id": "call-1"}])
        yield AIMessage("It is gold.", usage_metadata={"input_tokens": 20, "output_tokens": 10, "total_tokens": 30})


model = GenericFakeChatModel(messages=replies())


def ask(state: State):
    return {"messages": [model.invoke(state["messages"])]}


graph = StateGraph(State)
graph.add_node("ask", ask)
graph.add_node("tools", ToolNode([weigh]))
graph.add_edge(START, "ask")
graph.add_conditional_edges("ask", lambda state: "tools" if state["messages"][-1].tool_calls else END, ["tools", END])
graph.add_edge("tools", "ask")
agent = graph.compile(checkpointer=InMemorySaver(), name="agent")


def config(name):
    return {
        "callbacks": [tracer],
        "run_name": name,
        "tags": ["assay"],
        "metadata": {"ls_provider": "openai", "ls_model_name": "gpt-4.1-mini"},
        "configurable": {"thread_id": f"{TASK['project']}-{name}"},
    }


question = {"messages": [HumanMessage("Is it gold?")]}
said = agent.invoke(question, config("invoke"))["messages"][-1].content
steps = [step for part in agent.stream(question, config("stream"), stream_mode="updates") for step in part]
later = asyncio.run(agent.ainvoke(question, config("later")))["messages"][-1].content
client.flush()

runs = sorted(client.list_runs(project_name=TASK["project"]), key=lambda run: run.dotted_order)
threads = client.list_threads(project_name=TASK["project"])
answer(
    {
        "version": langchain_core.__version__,
        "said": said,
        "steps": steps,
        "later": later,
        "runs": [fields(run) for run in runs],
        "threads": sorted(thread["thread_id"] for thread in threads),
    }
)
