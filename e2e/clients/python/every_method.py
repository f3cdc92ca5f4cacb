"""One call per public method of the client, with what each of them raised, warned of or logged."""

import asyncio
import contextlib
import inspect
import io
import logging
import re
import warnings
from datetime import datetime, timezone
from uuid import uuid4

import pandas
from harness import TASK, answer
from langsmith import Client, schemas, traceable, tracing_context, uuid7
from langsmith.evaluation import run_evaluator

client = Client()
name = TASK["name"]


@traceable(run_type="llm", metadata={"thread_id": name})
def step(at: int) -> dict:
    return {"at": at}


with tracing_context(enabled=True, project_name=name, client=client):
    for at in range(3):
        step(at)
client.flush()
project = client.read_project(project_name=name)
runs = list(client.list_runs(project_id=project.id))
run = runs[0]
dataset = client.create_dataset(f"{name}-dataset")
made = client.create_examples(dataset_id=dataset.id, examples=[{"inputs": {"n": n}, "outputs": {"n": n}} for n in range(3)])
examples = made["example_ids"]
first_version = client.read_dataset_version(dataset_id=dataset.id, tag="latest").as_of
client.update_example(examples[0], inputs={"n": 7})
CONFIG = {
    "type": "categorical",
    "categories": [{"value": value, "label": label} for value, label in enumerate(["rude", "plain", "polite"])],
}
FILES = {"AGENTS.md": schemas.FileEntry(content="# Assay")}
MANIFEST = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "prompts", "prompt", "PromptTemplate"],
    "kwargs": {"template": "Is {metal} gold?", "input_variables": ["metal"], "template_format": "f-string"},
}


def a_name():
    return f"{name}-{uuid4().hex[:8]}"


def a_key():
    key = a_name()
    client.create_feedback_config(key, feedback_config=CONFIG)
    return key


def a_dataset():
    return client.create_dataset(a_name())


def a_prompt():
    prompt = a_name()
    client.create_prompt(prompt)
    return prompt


def run_key(one):
    return {"run_id": one.id, "session_id": project.id, "start_time": one.start_time, "trace_id": one.trace_id}


def a_queue():
    queue = client.create_annotation_queue(name=a_name())
    client.add_runs_to_annotation_queue(queue.id, runs=[run_key(one) for one in runs])
    return queue


def a_feedback():
    return client.create_feedback(run.id, key="rating", score=1, session_id=project.id)


def a_run():
    return {
        "id": uuid7(),
        "name": "by hand",
        "run_type": "chain",
        "inputs": {},
        "start_time": datetime.now(timezone.utc),
        "session_name": name,
    }


def with_trace():
    one = a_run()
    stamp = one["start_time"].strftime("%Y%m%dT%H%M%S%fZ")
    return {**one, "trace_id": one["id"], "dotted_order": f"{stamp}{one['id']}"}


def long(run, example=None):
    return {"key": "long", "score": 1}


def target(inputs: dict) -> dict:
    return {"n": inputs.get("n")}


def experiment():
    results = client.evaluate(target, data=dataset.name, evaluators=[long])
    results.wait()
    client.flush()
    return results.experiment_name


async def experiment_later():
    async def later(inputs: dict) -> dict:
        return target(inputs)

    return [row async for row in await client.aevaluate(later, data=dataset.name, evaluators=[long])]


def categories(config):
    return {one["label"] for one in config.feedback_config["categories"]}


def must(holds):
    if not holds:
        raise AssertionError("the server ignored what it was asked for")


def pushed(kind):
    identifier = a_name()
    getattr(client, f"push_{kind}")(identifier, files=FILES)
    return identifier


def shared_dataset():
    return client.share_dataset(dataset_id=dataset.id)["share_token"]


def shared_run():
    return client.share_run(run.id).rstrip("/").split("/")[-2]


prompt = a_name()
client.push_prompt(prompt, object=MANIFEST)
queue = a_queue()
spare = {"dataset_id": dataset.id}


CALLS = {
    "create_run": lambda: client.create_run(project_name=name, **{k: v for k, v in a_run().items() if k != "session_name"}),
    "batch_ingest_runs": lambda: client.batch_ingest_runs(create=[with_trace()]),
    "multipart_ingest": lambda: client.multipart_ingest(create=[with_trace()]),
    "update_run": lambda: client.update_run(
        run.id, outputs={"at": 9}, trace_id=run.trace_id, dotted_order=run.dotted_order, end_time=datetime.now(timezone.utc)
    ),
    "flush": client.flush,
    "flush_compressed_traces": client.flush_compressed_traces,
    "read_run": lambda: client.read_run(run.id, load_child_runs=True),
    "list_runs": lambda: list(client.list_runs(project_id=project.id, limit=2)),
    "get_run_stats": lambda: client.get_run_stats(project_ids=[project.id]),
    "get_run_url": lambda: client.get_run_url(run=run),
    "list_threads": lambda: client.list_threads(project_id=project.id),
    "read_thread": lambda: list(client.read_thread(thread_id=name, project_id=project.id)),
    "share_run": lambda: client.share_run(run.id),
    "read_run_shared_link": lambda: client.read_run_shared_link(run.id),
    "run_is_shared": lambda: client.run_is_shared(run.id),
    "list_shared_runs": lambda: list(client.list_shared_runs(shared_run())),
    "read_shared_run": lambda: client.read_shared_run(shared_run()),
    "unshare_run": lambda: client.unshare_run(run.id),
    "create_project": lambda: client.create_project(a_name()),
    "read_project": lambda: client.read_project(project_id=project.id, include_stats=True),
    "aread_project": lambda: client.aread_project(project_id=str(project.id)),
    "has_project": lambda: client.has_project(name),
    "list_projects": lambda: list(client.list_projects(name=name)),
    "update_project": lambda: client.update_project(project.id, description="changed"),
    "delete_project": lambda: client.delete_project(project_id=client.create_project(a_name()).id),
    "create_dataset": a_dataset,
    "has_dataset": lambda: client.has_dataset(dataset_id=dataset.id),
    "read_dataset": lambda: client.read_dataset(**spare),
    "list_datasets": lambda: list(client.list_datasets(dataset_name=dataset.name)),
    "delete_dataset": lambda: client.delete_dataset(dataset_id=a_dataset().id),
    "upload_csv": lambda: client.upload_csv(
        ("made.csv", io.BytesIO(b"n,m\n1,2\n")), input_keys=["n"], output_keys=["m"], name=a_name()
    ),
    "upload_dataframe": lambda: client.upload_dataframe(
        pandas.DataFrame({"n": [1], "m": [2]}), name=a_name(), input_keys=["n"], output_keys=["m"]
    ),
    "list_dataset_versions": lambda: list(client.list_dataset_versions(**spare)),
    "read_dataset_version": lambda: client.read_dataset_version(**spare, tag="latest"),
    "diff_dataset_versions": lambda: client.diff_dataset_versions(dataset.id, from_version=first_version, to_version="latest"),
    "update_dataset_tag": lambda: client.update_dataset_tag(**spare, as_of=first_version, tag="first"),
    "list_dataset_splits": lambda: client.list_dataset_splits(**spare),
    "update_dataset_splits": lambda: client.update_dataset_splits(**spare, split_name="test", example_ids=examples[:1]),
    "share_dataset": lambda: client.share_dataset(**spare),
    "read_dataset_shared_schema": lambda: client.read_dataset_shared_schema(dataset.id),
    "read_shared_dataset": lambda: client.read_shared_dataset(shared_dataset()),
    "list_shared_examples": lambda: list(client.list_shared_examples(shared_dataset())),
    "list_shared_projects": lambda: list(client.list_shared_projects(dataset_share_token=shared_dataset())),
    "clone_public_dataset": lambda: client.clone_public_dataset(shared_dataset(), dataset_name=a_name()),
    "unshare_dataset": lambda: client.unshare_dataset(dataset.id),
    "create_example": lambda: client.create_example(inputs={"n": 8}, **spare),
    "create_examples": lambda: client.create_examples(examples=[{"inputs": {"n": 9}}], **spare),
    "create_llm_example": lambda: client.create_llm_example("1?", "1!", **spare),
    "create_chat_example": lambda: client.create_chat_example([{"type": "human", "data": {"content": "Hi"}}], **spare),
    "create_example_from_run": lambda: client.create_example_from_run(run, **spare),
    "upload_examples_multipart": lambda: client.upload_examples_multipart(**spare, uploads=[schemas.ExampleCreate(inputs={"n": 10})]),
    "update_examples_multipart": lambda: client.update_examples_multipart(
        **spare, updates=[schemas.ExampleUpdate(id=examples[1], inputs={"n": 11})]
    ),
    "read_example": lambda: client.read_example(examples[0]),
    "list_examples": lambda: list(client.list_examples(**spare)),
    "update_example": lambda: client.update_example(examples[1], inputs={"n": 12}),
    "update_examples": lambda: client.update_examples(**spare, updates=[{"id": examples[1], "inputs": {"n": 13}}]),
    "delete_example": lambda: client.delete_example(client.create_example(inputs={}, **spare).id),
    "delete_examples": lambda: client.delete_examples([client.create_example(inputs={}, **spare).id], hard_delete=True),
    "create_feedback": a_feedback,
    "read_feedback": lambda: client.read_feedback(a_feedback().id),
    "update_feedback": lambda: client.update_feedback(a_feedback().id, comment="changed"),
    "list_feedback": lambda: list(client.list_feedback(run_ids=[run.id])),
    "delete_feedback": lambda: client.delete_feedback(a_feedback().id),
    "create_presigned_feedback_token": lambda: client.create_presigned_feedback_token(run.id, "vote"),
    "create_presigned_feedback_tokens": lambda: client.create_presigned_feedback_tokens(run.id, ["vote", "tone"]),
    "list_presigned_feedback_tokens": lambda: list(client.list_presigned_feedback_tokens(run.id)),
    "create_feedback_from_token": lambda: client.create_feedback_from_token(
        client.create_presigned_feedback_token(run.id, "vote").url, score=1
    ),
    "create_feedback_config": a_key,
    "list_feedback_configs": lambda: list(client.list_feedback_configs(feedback_key=[a_key()])),
    "update_feedback_config": lambda: client.update_feedback_config(a_key(), is_lower_score_better=True),
    "add_feedback_categories": lambda: must(
        "warm" in categories(client.add_feedback_categories(a_key(), [{"value": 7, "label": "warm"}]))
    ),
    "remove_feedback_categories": lambda: must("rude" not in categories(client.remove_feedback_categories(a_key(), [0]))),
    "delete_feedback_config": lambda: client.delete_feedback_config(a_key()),
    "evaluate_run": lambda: client.evaluate_run(run, run_evaluator(long)),
    "aevaluate_run": lambda: client.aevaluate_run(run, run_evaluator(long)),
    "evaluate": experiment,
    "aevaluate": experiment_later,
    "get_experiment_results": lambda: client.get_experiment_results(name=experiment()),
    "get_test_results": lambda: client.get_test_results(project_name=experiment()),
    "create_comparative_experiment": lambda: client.create_comparative_experiment(
        a_name(), [client.read_project(project_name=experiment()).id for _ in range(2)], reference_dataset=dataset.id
    ),
    "create_annotation_queue": a_queue,
    "list_annotation_queues": lambda: list(client.list_annotation_queues(name=queue.name)),
    "read_annotation_queue": lambda: client.read_annotation_queue(queue.id),
    "update_annotation_queue": lambda: client.update_annotation_queue(queue.id, name=queue.name, description="changed"),
    "delete_annotation_queue": lambda: client.delete_annotation_queue(a_queue().id),
    "add_runs_to_annotation_queue": a_queue,
    "get_run_from_annotation_queue": lambda: client.get_run_from_annotation_queue(queue.id, index=0),
    "list_runs_from_annotation_queue": lambda: list(client.list_runs_from_annotation_queue(queue.id)),
    "delete_run_from_annotation_queue": lambda: client.delete_run_from_annotation_queue(a_queue().id, run_id=run.id),
    "create_prompt": a_prompt,
    "create_commit": lambda: client.create_commit(a_prompt(), MANIFEST),
    "get_prompt": lambda: client.get_prompt(prompt),
    "list_prompts": lambda: client.list_prompts(query=prompt),
    "list_prompt_commits": lambda: list(client.list_prompt_commits(prompt)),
    "like_prompt": lambda: client.like_prompt(prompt),
    "unlike_prompt": lambda: client.unlike_prompt(prompt),
    "update_prompt": lambda: client.update_prompt(prompt, description="changed"),
    "pull_prompt": lambda: client.pull_prompt(prompt),
    "pull_prompt_commit": lambda: client.pull_prompt_commit(prompt),
    "push_prompt": lambda: client.push_prompt(prompt, tags=["changed"]),
    "delete_prompt": lambda: client.delete_prompt(a_prompt()),
    **{
        key: call
        for kind in ("agent", "skill")
        for key, call in {
            f"push_{kind}": lambda kind=kind: pushed(kind),
            f"pull_{kind}": lambda kind=kind: getattr(client, f"pull_{kind}")(pushed(kind)),
            f"{kind}_exists": lambda kind=kind: getattr(client, f"{kind}_exists")(pushed(kind)),
            f"list_{kind}s": lambda kind=kind: list(getattr(client, f"list_{kind}s")()),
            f"delete_{kind}": lambda kind=kind: getattr(client, f"delete_{kind}")(pushed(kind)),
        }.items()
    },
    "request_with_retries": lambda: client.request_with_retries("GET", "/info"),
    "read_dataset_openai_finetuning": lambda: client.read_dataset_openai_finetuning(dataset_id=chats()),
    # The last ones end the client.
    "cleanup": client.cleanup,
    "close": client.close,
}
CLOUD = "asks a model of a cloud"
FORMULA = "raises in every call: the client has given formulas up"
NOT_CALLED = {
    "create_feedback_formula": FORMULA,
    "get_feedback_formula_by_id": FORMULA,
    "list_feedback_formulas": FORMULA,
    "update_feedback_formula": FORMULA,
    "delete_feedback_formula": FORMULA,
    "generate_insights": CLOUD,
    "poll_insights": CLOUD,
    "get_insights_report": CLOUD,
    "list_project_issues": CLOUD,
    "upsert_examples_multipart": "deprecated, and its route is gone",
}


def chats():
    one = client.create_dataset(a_name(), data_type=schemas.DataType.chat)
    client.create_chat_example(
        [{"type": "human", "data": {"content": "Hi"}}], {"type": "ai", "data": {"content": "Ho"}}, dataset_id=one.id
    )
    return one.id


OF_THE_CLIENT = re.compile("deprecat|is in beta", re.IGNORECASE)


class Heard(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage()[:500])


def outcome(call):
    """Warnings and errors of a method; empty on success. Warnings about the client's own methods are ignored."""
    heard = Heard()
    logging.getLogger().addHandler(heard)
    try:
        with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("always")
            result = call()
            if inspect.isawaitable(result):

                async def wait():
                    return await result

                asyncio.run(wait())
        own = [str(one.message) for one in warned if not issubclass(one.category, (DeprecationWarning, ResourceWarning))]
        return [line for line in own + heard.lines if not OF_THE_CLIENT.search(line)]
    except Exception as error:
        return [f"{type(error).__name__}: {error}"[:500]]
    finally:
        logging.getLogger().removeHandler(heard)


methods = [key for key, value in inspect.getmembers(Client, inspect.isfunction) if not key.startswith("_")]
outcomes = {key: outcome(call) for key, call in CALLS.items()}
answer(
    {
        "methods": sorted(methods),
        "known": sorted([*CALLS, *NOT_CALLED]),
        "problems": {key: lines for key, lines in outcomes.items() if lines},
    }
)
