import asyncio
from datetime import datetime, timedelta, timezone
from io import BytesIO
from uuid import uuid4

import pandas as pd
from harness import TASK, answer
from langsmith import AsyncClient, Client
from langsmith.schemas import AttachmentsOperations, DataType, ExampleUpdate, ExampleUpsertWithAttachments
from langsmith.utils import LangSmithConflictError, LangSmithNotFoundError

client = Client()
name = TASK["name"]
INPUTS = TASK["inputs"]
report = {}


def raised(call, *kinds):
    try:
        call()
    except kinds or Exception as error:
        return str(error)
    return None


def plain_dataset(dataset):
    return dataset.model_dump(exclude={"inputs_schema", "outputs_schema"}) | {
        "inputs_schema": dataset.inputs_schema,
        "outputs_schema": dataset.outputs_schema,
    }


def plain_example(example):
    files = example.attachments or {}
    return {
        **example.model_dump(exclude={"attachments"}),
        "attachments": {
            file: {"text": info["reader"].read().decode("latin-1"), "mime_type": info["mime_type"]}
            for file, info in files.items()
        },
    }


def by_q(examples):
    return {example.inputs["q"]: example.outputs for example in examples}


def life_cycle():
    created = client.create_dataset(
        name,
        description="Country to capital",
        inputs_schema=TASK["schema"],
        outputs_schema={"type": "object"},
        metadata={"owner": "qa", "level": 2},
    )
    key = {"dataset_id": created.id}
    read = client.read_dataset(**key)
    report["created"] = plain_dataset(created)
    report["read"] = plain_dataset(read)
    report["by_name"] = str(client.read_dataset(dataset_name=name).id)
    report["has"] = [client.has_dataset(dataset_name=name), client.has_dataset(dataset_name=f"{name} not")]
    report["listed"] = [
        [str(one.id) for one in found] == [str(created.id)]
        for found in (
            client.list_datasets(dataset_name=name),
            client.list_datasets(dataset_ids=[created.id]),
            client.list_datasets(dataset_name_contains=name[2:].upper()),
            client.list_datasets(dataset_name=name, metadata={"level": 2}, data_type="kv"),
        )
    ]
    report["url"] = created.url
    report["conflict"] = raised(lambda: client.create_dataset(name), LangSmithConflictError)
    client.delete_dataset(**key)
    report["gone"] = raised(lambda: client.read_dataset(**key), LangSmithNotFoundError)


def files():
    csv = BytesIO(b'question,the answer,notes\nWhat is 1+1?,2,x\n"a, ""b""\nc",,y\n')
    dataset = client.upload_csv(
        ("sums.csv", csv), ["question"], ["the answer"], name=f"{name}-csv", description="from a file"
    )
    report["csv"] = {
        "id": str(dataset.id),
        "description": client.read_dataset(dataset_name=f"{name}-csv").description,
        "rows": sorted(
            ([example.inputs, example.outputs] for example in client.list_examples(dataset_id=dataset.id)), key=str
        ),
    }
    frame = pd.DataFrame({"q": ["one", "two", "thrée"], "n": [1, 2, 3], "a": [0.5, 1.5, None]})
    dataset = client.upload_dataframe(frame, f"{name}-frame", ["q", "n"], ["a"], description="from a frame")
    report["frame"] = sorted(
        ([example.inputs, example.outputs] for example in client.list_examples(dataset_id=dataset.id)), key=str
    )


def examples():
    dataset = client.create_dataset(f"{name}-examples")
    key = {"dataset_id": dataset.id}
    example_id, source = uuid4(), uuid4()
    created = client.create_example(
        inputs=INPUTS,
        outputs={"a": "é"},
        metadata={"level": 1, "nested": {"list": [1, "two"]}},
        split="train",
        example_id=example_id,
        source_run_id=source,
        created_at=datetime(2024, 5, 6, 7, 8, 9, 123000, tzinfo=timezone.utc),
        attachments={
            "photo.png": ("image/png", bytes(range(256)) * 100),
            "a note": ("text/plain", "é\r\n--boundary\r\n\0".encode()),
        },
        **key,
    )
    report["ids"] = {"dataset": str(dataset.id), "example": str(example_id), "source": str(source)}
    report["example"] = plain_example(client.read_example(example_id))
    report["same"] = created.inputs == INPUTS and created.id == example_id
    report["with_files"] = [plain_example(one) for one in client.list_examples(include_attachments=True, **key)]
    report["twice"] = raised(
        lambda: client.create_example(inputs={}, example_id=example_id, **key), LangSmithConflictError
    )

    rows = [
        {
            "id": uuid4(),
            "inputs": {"q": at},
            "outputs": {"half": at / 2} if at % 3 == 0 else None,
            "metadata": {"parity": "even" if at % 2 == 0 else "odd"},
        }
        for at in range(250)
    ]
    made = client.create_examples(examples=rows, max_concurrency=3, **key)
    report["made"] = {
        "count": made["count"],
        "in_order": made["example_ids"] == [str(row["id"]) for row in rows],
        "as_of": made["as_of"],
    }
    stored = {one.id: one for one in client.list_examples(**key)}
    report["equal"] = len(stored) == 251 and all(
        stored[row["id"]].inputs == row["inputs"]
        and stored[row["id"]].outputs == row["outputs"]
        and stored[row["id"]].metadata == {**row["metadata"], "dataset_split": ["base"]}
        for row in rows
    )
    report["limited"] = [
        len(list(client.list_examples(limit=limit, **key))) for limit in (1, 100, 150)
    ] + [len(list(client.list_examples(offset=200, **key)))]
    report["even"] = len(list(client.list_examples(metadata={"parity": "even"}, **key)))
    report["odd"] = len(list(client.list_examples(filter='neq(metadata.parity, "even")', **key)))
    report["train"] = [str(one.id) for one in client.list_examples(splits=["train"], **key)]
    report["by_id"] = sorted(str(one.id) for one in client.list_examples(example_ids=[rows[9]["id"], rows[3]["id"]]))
    report["by_id_wanted"] = sorted(str(row["id"]) for row in (rows[9], rows[3]))

    client.update_example(rows[0]["id"], inputs={"q": "zero"}, metadata={"new": True})
    client.update_examples(
        updates=[
            ExampleUpdate(id=rows[1]["id"], outputs={"b": 1}, split=["x", "y"]),
            ExampleUpdate(id=rows[2]["id"], metadata={"parity": "none"}),
        ],
        **key,
    )
    report["updated"] = [
        {"inputs": one.inputs, "outputs": one.outputs, "metadata": one.metadata}
        for one in (client.read_example(row["id"]) for row in rows[:3])
    ]
    client.update_example(
        example_id,
        dataset_id=dataset.id,
        attachments_operations=AttachmentsOperations(rename={"a note": "renamed"}, retain=[]),
        attachments={"new": ("text/plain", b"new")},
    )
    report["files"] = plain_example(client.read_example(example_id))["attachments"]
    client.delete_example(rows[0]["id"])
    client.delete_examples([rows[1]["id"], rows[2]["id"]])
    client.delete_examples([rows[3]["id"]], hard_delete=True)
    report["left"] = client.read_dataset(**key).example_count
    report["deleted"] = raised(lambda: client.read_example(rows[0]["id"]), LangSmithNotFoundError)
    older = {str(one.id) for one in client.list_examples(as_of=made["as_of"], **key)}
    report["older"] = [str(row["id"]) in older for row in rows[:5]]
    upserted = client.upsert_examples_multipart(
        upserts=[
            ExampleUpsertWithAttachments(id=rows[4]["id"], dataset_id=dataset.id, inputs={"q": "replaced"}),
            ExampleUpsertWithAttachments(
                id=uuid4(), dataset_id=dataset.id, inputs={"q": "fresh"}, attachments={"f": ("text/plain", b"f")}
            ),
        ]
    )
    report["upserted"] = [upserted["count"], client.read_example(rows[4]["id"]).inputs]
    report["completion"] = client.create_llm_example("Hello", "Hi", dataset_id=dataset.id).outputs
    report["chat"] = client.create_chat_example(
        [{"type": "human", "data": {"content": "Hello"}}], {"type": "ai", "data": {"content": "Hi"}}, **key
    ).inputs


def versions():
    dataset = client.create_dataset(f"{name}-versions")
    key = {"dataset_id": dataset.id}
    report["no_version"] = raised(lambda: client.read_dataset_version(tag="latest", **key), LangSmithNotFoundError)
    kept = client.create_example(inputs={"q": "kept"}, outputs={"a": 1}, **key)
    gone = client.create_example(inputs={"q": "gone"}, **key)
    first = client.read_dataset_version(tag="latest", **key)
    client.update_dataset_tag(as_of=first.as_of, tag="prod", **key)
    client.update_example(kept.id, outputs={"a": 2})
    client.delete_example(gone.id)
    added = client.create_example(inputs={"q": "added"}, **key)
    at = lambda as_of: by_q(client.list_examples(as_of=as_of, **key))  # noqa: E731
    report["at"] = {
        "prod": at("prod"),
        "first": at(first.as_of),
        "latest": at("latest"),
        "before": at(kept.modified_at - timedelta(milliseconds=1)),
    }
    listed = list(client.list_dataset_versions(**key))
    report["versions"] = [version.tags for version in listed]
    report["falling"] = all(one.as_of > other.as_of for one, other in zip(listed, listed[1:]))
    report["searched"] = [version.tags for version in client.list_dataset_versions(search="pro", **key)]
    report["as_of"] = client.read_dataset_version(as_of=first.as_of, **key).as_of == first.as_of
    diff = client.diff_dataset_versions(from_version=first.as_of, to_version="latest", **key)
    report["diff"] = [
        diff.examples_modified == [kept.id],
        diff.examples_added == [added.id],
        diff.examples_removed == [gone.id],
    ]
    report["old"] = client.read_example(kept.id, as_of=first.as_of).outputs

    client.update_dataset_splits(split_name="train", example_ids=[kept.id], **key)
    report["splits"] = client.list_dataset_splits(**key)
    report["old_splits"] = client.list_dataset_splits(as_of=first.as_of, **key)
    report["in_train"] = by_q(client.list_examples(splits=["train"], **key))
    client.update_dataset_splits(split_name="train", example_ids=[kept.id], remove=True, **key)
    report["splits_after"] = client.list_dataset_splits(**key)

    chats = client.create_dataset(f"{name}-chats", data_type=DataType.chat)
    client.create_chat_example(
        [{"type": "human", "data": {"content": "Capital of France?"}}],
        {"type": "ai", "data": {"content": "Paris"}},
        dataset_id=chats.id,
    )
    report["fine_tuning"] = client.read_dataset_openai_finetuning(chats.id)


def sharing():
    there = Client(api_url=TASK["elsewhere"], api_key="another key")
    dataset = there.create_dataset(f"{name}-far", description="far away", inputs_schema={"type": "object"})
    rows = [{"inputs": {"at": at, "inputs": INPUTS}, "outputs": {"at": at}} for at in range(150)]
    there.create_examples(examples=rows, dataset_id=dataset.id)
    share = there.share_dataset(dataset.id)
    report["shared"] = {
        "same": there.share_dataset(dataset_name=f"{name}-far") == share,
        "schema": there.read_dataset_shared_schema(dataset.id) == share,
        "url": share["url"],
        "token": share["share_token"],
    }
    stranger = Client(api_url=TASK["elsewhere"], api_key="a placeholder")
    public = stranger.read_shared_dataset(share["share_token"])
    report["public"] = [str(public.id) == str(dataset.id), public.name == f"{name}-far", public.example_count]
    report["public_examples"] = len(list(stranger.list_shared_examples(share["share_token"])))
    copy = client.clone_public_dataset(
        share["url"], source_api_url=TASK["elsewhere"], dataset_name=f"{name}-copy"
    )
    report["copy"] = [copy.description, copy.inputs_schema, client.read_dataset(dataset_id=copy.id).example_count]
    cloned = sorted(
        ({"inputs": one.inputs, "outputs": one.outputs} for one in client.list_examples(dataset_id=copy.id)),
        key=lambda one: one["inputs"]["at"],
    )
    report["cloned"] = cloned == rows
    again = client.clone_public_dataset(
        share["url"], source_api_url=TASK["elsewhere"], dataset_name=f"{name}-copy"
    )
    report["skipped"] = again.id == copy.id
    there.unshare_dataset(dataset.id)
    report["closed"] = raised(lambda: stranger.read_shared_dataset(share["share_token"]), LangSmithNotFoundError)


def comparing():
    dataset = client.create_dataset(f"{name}-exam")
    projects = [client.create_project(f"{name}-{side}", reference_dataset_id=dataset.id) for side in "ab"]
    comparison = client.create_comparative_experiment(
        "A vs. B", [project.id for project in projects], description="which?", metadata={"m": 1}
    )
    report["comparison"] = {
        "dataset": comparison.reference_dataset_id == dataset.id,
        "name": comparison.name,
        "description": comparison.description,
        "metadata": comparison.metadata,
    }
    report["experiments"] = sorted(one.name for one in client.list_projects(reference_dataset_id=dataset.id))


async def asynchronously():
    async with AsyncClient() as waiting:
        dataset = await waiting.create_dataset(f"{name}-async", description="awaited")
        key = {"dataset_id": dataset.id}
        report["async_read"] = [
            (await waiting.read_dataset(dataset_name=f"{name}-async")).id == dataset.id,
            (await waiting.read_dataset(**key)).description,
        ]
        for at in range(3):
            await waiting.create_example({"q": at}, {"a": at}, split="train", metadata={"at": at}, **key)
        client.create_examples(examples=[{"inputs": {"q": at}} for at in range(3, 230)], **key)
        found = [example async for example in waiting.list_examples(**key)]
        report["async_listed"] = sorted(example.inputs["q"] for example in found) == list(range(230))
        train = [example async for example in waiting.list_examples(splits=["train"], **key)]
        read = await waiting.read_example(train[0].id)
        report["async_example"] = [read == train[0], read.inputs["q"] == read.outputs["a"], read.metadata["dataset_split"]]
        report["async_found"] = [one.name async for one in waiting.list_datasets(name=f"{name}-async")]
        await waiting.delete_dataset(dataset.id)
        report["async_gone"] = not client.has_dataset(**key)


for part in (life_cycle, files, examples, versions, sharing, comparing):
    part()
asyncio.run(asynchronously())
answer(report)
