"""The generated half of the client, which is asynchronous."""

import asyncio
from uuid import uuid4

from harness import TASK, answer
from langsmith import Client, RunTree

client = Client()
thread = f"thread {uuid4()}"
USAGE = {"input_tokens": 20, "output_tokens": 10, "total_tokens": 30, "total_cost": 0.75}


def turn(at):
    metadata = {"thread_id": thread}
    root = RunTree(
        name=f"turn {at}",
        inputs={"question": at},
        ls_client=client,
        project_name=TASK["project"],
        extra={"metadata": metadata},
    )
    root.post()
    llm = root.create_child(name="model", run_type="llm", inputs={"n": at})
    llm.post()
    llm.end(outputs={"usage_metadata": USAGE})
    llm.patch()
    root.end(outputs={"answer": at})
    root.patch()
    return root, llm


turns = [turn(at) for at in range(3)]
client.flush()
project = str(client.read_project(project_name=TASK["project"]).id)


def report(item):
    return item.model_dump(mode="json", exclude_unset=True)


async def collect(pages):
    return [report(item) async for item in pages]


async def main():
    root, llm = turns[0]
    ids = {"project_id": project, "start_time": llm.start_time}
    place = {"session_id": project, "trace_id": str(root.id)}
    shared = await client.runs.share.create(str(llm.id), **place)
    token = shared.share_token
    public = await client.public.runs.query(token, selects=["ID", "NAME"])
    result = {
        "turns": [[str(root.id), str(llm.id)] for root, llm in turns],
        "thread": thread,
        "runs": await collect(
            client.runs.query(
                project_ids=[project],
                page_size=2,
                is_root=True,
                selects=["ID", "NAME", "STATUS", "INPUTS", "TOTAL_TOKENS", "TOTAL_COST"],
            )
        ),
        "run": report(await client.runs.retrieve(str(llm.id), **ids, selects=["ID", "RUN_TYPE", "PARENT_RUN_IDS"])),
        "url": (await client.runs.get_url(str(llm.id), **ids, trace_id=str(root.id))).url,
        "public": [report(item) for item in public.items],
        "public_run": report(
            await client.public.runs.retrieve(
                str(llm.id), share_token=token, selects=["ID", "OUTPUTS"], start_time=llm.start_time
            )
        ),
        "traces": await collect(
            client.traces.query(project_id=project, page_size=2, selects=["ID", "TOTAL_TOKENS", "TOTAL_COST"])
        ),
        "trace": [
            report(item) for item in (await client.traces.list_runs(str(root.id), project_id=project, selects=["ID"])).items
        ],
        "threads": await collect(client.threads.query(project_id=project)),
        "thread_traces": await collect(
            client.threads.list_traces(thread, project_id=project, page_size=2, selects=["NAME", "OP"])
        ),
        "stats": report(
            await client.threads.stats(thread, session_id=project, selects=["TURNS", "TOTAL_TOKENS", "TOTAL_COST"])
        ),
    }
    await client.runs.share.delete(str(root.id), session_id=project)
    try:
        await client.public.runs.query(token, selects=["ID"])
    except Exception as error:
        result["closed"] = getattr(error, "status_code", str(error))
    answer(result)


asyncio.run(main())
