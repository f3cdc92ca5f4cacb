"""Prompts and chains through LangChain's own hub, pulled ready to run."""

from harness import TASK, answer
from langchain_classic import hub
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda, RunnableSequence
from langsmith import Client

name, chained = TASK["name"], f"{TASK['name']}-chain"
reach = {"api_url": TASK["api_url"], "api_key": "any"}
values = {"manner": "brief", "question": "Gold?"}


def a_prompt(manner="You are {manner}."):
    return ChatPromptTemplate.from_messages(
        [("system", manner), MessagesPlaceholder("history", optional=True), ("user", "{question}")]
    )


def raised(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return None


url = hub.push(name, a_prompt(), new_repo_description="Answers", tags=["gold"], **reach)
hub.push(name, a_prompt("You are very {manner}."), **reach)
first = list(Client().list_prompt_commits(name))[-1].commit_hash
newest = hub.pull(name, **reach)
oldest = hub.pull(f"{name}:{first[:8]}", **reach)

hub.push(chained, a_prompt() | StrOutputParser(), **reach)
chain = hub.pull(chained, include_model=True, **reach)
longer = newest | RunnableLambda(lambda said: said.to_messages()[0].content.upper())

answer({
    "url": url,
    "newest": newest.invoke(values).to_messages()[0].content,
    "oldest": oldest.invoke(values) == a_prompt().invoke(values),
    "notes": [newest.metadata["lc_hub_owner"], newest.metadata["lc_hub_repo"]],
    "again": raised(lambda: hub.push(name, newest, **reach)),
    "prompt": hub.pull(chained, **reach).invoke(values).to_messages() == a_prompt().invoke(values).to_messages(),
    "chain": [isinstance(chain, RunnableSequence), [type(step).__name__ for step in chain.steps]],
    "piped": longer.invoke(values),
    "stranger": raised(lambda: hub.pull("other/prompt", **reach)),
})
