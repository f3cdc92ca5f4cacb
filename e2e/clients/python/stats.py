from datetime import datetime, timedelta, timezone

from harness import TASK, answer, plain
from langsmith import Client, uuid7

client = Client()
name = TASK["project"]
start = datetime.now(timezone.utc) - timedelta(hours=1)
turns = []

for turn in range(6):
    begun = start + timedelta(minutes=turn)
    root, llm = uuid7(), uuid7()
    order = f"{begun.strftime('%Y%m%dT%H%M%S%fZ')}{root}"
    common = {"project_name": name, "trace_id": root, "start_time": begun}
    client.create_run(
        "ask",
        {"question": f"question {turn}"},
        "chain",
        id=root,
        dotted_order=order,
        end_time=begun + timedelta(seconds=turn + 1),
        outputs={"text": f"answer {turn}"},
        error="third" if turn % 3 == 0 else None,
        tags=["early" if turn < 2 else "late"],
        extra={"metadata": {"thread_id": "even" if turn % 2 == 0 else "odd"}},
        **common,
    )
    usage = {"input_tokens": 10, "output_tokens": turn, "total_tokens": 10 + turn}
    client.create_run(
        "model",
        {},
        "llm",
        id=llm,
        parent_run_id=root,
        dotted_order=f"{order}.{begun.strftime('%Y%m%dT%H%M%S%fZ')}{llm}",
        end_time=begun,
        outputs={"usage_metadata": usage},
        **common,
    )
    turns.append(str(root))
client.flush()

threads = client.list_threads(project_name=name)
early = client.list_runs(project_name=name, filter='has(tags, "early")')
answer(
    {
        "turns": turns,
        "all": client.get_run_stats(project_names=[name]),
        "roots": client.get_run_stats(project_names=[name], is_root=True),
        "early": client.get_run_stats(project_names=[name], filter='has(tags, "early")'),
        "project": plain(client.read_project(project_name=name, include_stats=True)),
        "listed": [plain(project) for project in client.list_projects(name=name, include_stats=True)],
        "threads": [[thread["thread_id"], thread["count"]] for thread in threads],
        "even": [str(run.id) for run in client.read_thread(project_name=name, thread_id="even")],
        "filtered": sorted(str(run.id) for run in early),
    }
)
