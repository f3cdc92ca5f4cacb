"""Prompts from the first push to their deletion, into LangChain and back."""

from concurrent.futures import ThreadPoolExecutor

from harness import TASK, answer, plain
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.prompts.structured import StructuredPrompt
from langsmith import Client
from langsmith.utils import LangSmithError, LangSmithConflictError, LangSmithNotFoundError

client = Client()
name = TASK["name"]


def a_prompt(system):
    return ChatPromptTemplate.from_messages(
        [("system", system), MessagesPlaceholder("history", optional=True), ("human", "About {topic} in {{braces}}.")]
    )


def raised(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return None


def names(**query):
    return [repo.repo_handle for repo in client.list_prompts(query=name, **query).repos]


missing = client.get_prompt(name)
first_url = client.push_prompt(
    name, object=a_prompt("You are {mood}."), description="Tells jokes", readme="# Jokes", tags=["fun"], commit_tags=["v1"]
)
created = client.get_prompt(name)
likes = [client.like_prompt(name)["likes"], client.like_prompt(name)["likes"], client.unlike_prompt(name)["likes"]]
second_url = client.create_commit(name, a_prompt("You are very {mood}."), tags="production", description="second")
commits = list(client.list_prompt_commits(name))
newest, oldest = [commit.commit_hash for commit in commits]
pulled = client.pull_prompt_commit(name)

values = {"mood": "kind", "topic": "cats", "history": [HumanMessage("hi"), AIMessage("hello")]}
alive = client.pull_prompt(f"{name}:v1")
same = alive.invoke(values).to_messages() == a_prompt("You are {mood}.").invoke(values).to_messages()
again = raised(lambda: client.push_prompt(name, object=client.pull_prompt(name, skip_cache=True)))

text = f"{name}-text"
client.push_prompt(text, object=PromptTemplate.from_template("Say {word}"))
mustache = f"{name}-mustache"
client.push_prompt(
    mustache, object=ChatPromptTemplate.from_messages([("human", "{{#list}}{{v}},{{/list}}")], template_format="mustache")
)
structured = f"{name}-structured"
schema = {"title": "Joke", "description": "a joke", "type": "object", "properties": {"setup": {"type": "string"}}}
client.push_prompt(structured, object=StructuredPrompt([("human", "Joke about {topic}")], schema))

with_model = f"{name}-model"
model = {"lc": 1, "type": "constructor", "id": ["langchain", "chat_models", "openai", "ChatOpenAI"], "kwargs": {"model": "m"}}
first = {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", "prompt", "PromptTemplate"],
         "kwargs": {"template": "Hi", "input_variables": [], "template_format": "f-string"}}
sequence = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "runnable", "RunnableSequence"],
            "kwargs": {"first": first, "last": model}}
client.push_prompt(with_model, object=sequence)

client.create_prompt(f"{name}-race")
client.create_commit(f"{name}-race", a_prompt("start"))
parent = next(client.list_prompt_commits(f"{name}-race")).commit_hash
with ThreadPoolExecutor() as pool:
    writers = [
        pool.submit(raised, lambda text=text: client.create_commit(f"{name}-race", a_prompt(text), parent_commit_hash=parent))
        for text in ("one", "other")
    ]
race = [writer.result() for writer in writers]

errors = {
    "again": again,
    "same": raised(lambda: client.push_prompt(name, object=a_prompt("You are very {mood}."))),
    "no prompt": raised(lambda: client.create_commit(f"{name}-gone", a_prompt("x"))),
    "taken": raised(lambda: client.create_prompt(name)),
    "no id": raised(lambda: client.create_commit(name, {"kwargs": {}})),
    "evil": raised(lambda: client.create_commit(name, {"id": ["os", "system"]})),
    "no commit": raised(lambda: client.pull_prompt_commit(f"{name}:00000000")),
    "stranger": raised(lambda: client.create_prompt("strangers/prompt")),
    "public": raised(lambda: client.create_prompt(f"{name}-public", is_public=True)),
    "identifier": raised(lambda: client.get_prompt("a/b/c")),
    "gone": raised(lambda: client.delete_prompt(f"{name}-gone")),
}

listed = names()
client.update_prompt(name, description="No more", tags=[], is_archived=True)
updated = client.get_prompt(name)
archived = [name in names(), name in names(is_archived=True)]
paged = client.list_prompts(query=name, limit=2, offset=1)
answer({
    "missing": missing is None,
    "urls": [first_url, second_url],
    "created": created.model_dump(),
    "likes": likes,
    "commits": [commit.model_dump() for commit in commits],
    "pulled": pulled.model_dump(),
    "by_tag": client.pull_prompt_commit(f"{name}:production").commit_hash == newest,
    "by_prefix": client.pull_prompt_commit(f"{name}:{oldest[:8]}").commit_hash == oldest,
    "same": same,
    "text": client.pull_prompt(text).format(word="hi"),
    "mustache": client.pull_prompt(mustache).invoke({"list": [{"v": 1}, {"v": 2}]}).to_messages()[0].content,
    "structured": [type(client.pull_prompt(structured)).__name__, client.pull_prompt(structured).schema_ == schema],
    "model": [
        client.pull_prompt_commit(with_model).manifest == first,
        client.pull_prompt_commit(with_model, include_model=True).manifest == sequence,
    ],
    "race": race,
    "errors": errors,
    "listed": listed,
    "updated": updated.model_dump(),
    "archived": archived,
    "paged": [len(paged.repos), paged.total],
    "deleted": [client.delete_prompt(name) is not None, client.get_prompt(name) is None],
})
