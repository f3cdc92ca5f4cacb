"""Pushes prompts and answers the addresses that the client returns."""

from harness import TASK, answer
from langchain_core.prompts import ChatPromptTemplate
from langsmith import Client

client = Client()
name = TASK["name"]
first = client.push_prompt(name, object=ChatPromptTemplate([("system", "You are {tone}."), ("human", "{question}")]))
second = client.push_prompt(
    name,
    object=ChatPromptTemplate([("system", "You are very {tone}."), ("human", "{question}")]),
    commit_tags=["production-of-python"],
    commit_description="very",
)
answer({"addresses": [first, second, client.push_prompt(name, description="from Python")]})
