"""Feedback from its creation to its end, on runs, on a project, in the background, and through tokens."""

from datetime import timedelta
from uuid import uuid4

from harness import TASK, answer, plain
from langsmith import Client
from langsmith.utils import LangSmithError, LangSmithNotFoundError

client = Client()
project = client.create_project(TASK["project"])
run_id = uuid4()
client.create_run("judged", {"q": 1}, "chain", id=run_id, project_name=project.name, trace_id=run_id,
                  dotted_order=TASK["dotted_order"] + str(run_id))
client.flush()


def raised(error, call):
    try:
        call()
    except error:
        return True
    return False


created = client.create_feedback(
    run_id,
    "correctness",
    score=True,
    value={"verdict": "good"},
    comment="ok",
    correction={"answer": 42},
    source_info={"by": "hand"},
    source_run_id=run_id,
    feedback_source_type="model",
    feedback_group_id=uuid4(),
    extra={"weight": 2},
)
read = client.read_feedback(created.id)
client.update_feedback(created.id, score=0.25, comment="less so")
updated = client.read_feedback(created.id)

unknown_run = uuid4()
early = client.create_feedback(unknown_run, "early", score=1)

background = client.create_feedback(run_id, "background", score=0.5, trace_id=run_id)
client.flush()

on_project = client.create_feedback(key="overall", score=0.75, project_id=project.id)

token = client.create_presigned_feedback_token(run_id, "vote", expiration=timedelta(hours=1))
client.create_feedback_from_token(token.url, score=1, value="up", comment="thanks", metadata={"page": "home"})
tokens = client.create_presigned_feedback_tokens(run_id, ["a", "b"])
listed_tokens = list(client.list_presigned_feedback_tokens(run_id))

tone = {"type": "categorical", "categories": [{"value": 1, "label": "polite"}, {"value": 0, "label": "rude"}]}
key = TASK["project"] + "-tone"
config = client.create_feedback_config(key, feedback_config=tone, is_lower_score_better=True)
same = client.create_feedback_config(key, feedback_config=tone, is_lower_score_better=True)
conflict = raised(LangSmithError, lambda: client.create_feedback_config(key, feedback_config={"type": "freeform"}))
polite = client.create_feedback(run_id, key, score=1)
changed = client.update_feedback_config(key, is_lower_score_better=False)
configs = list(client.list_feedback_configs(feedback_key=[key]))
client.delete_feedback_config(key)

listed = list(client.list_feedback(run_ids=[run_id]))
by_key = list(client.list_feedback(run_ids=[run_id], feedback_key=["vote", "background"]))
by_source = list(client.list_feedback(run_ids=[run_id], feedback_source_type=[updated.feedback_source.type]))
stats = client.read_run(run_id).feedback_stats
client.delete_feedback(created.id)

many = [client.create_feedback(unknown_run, "many", score=at, trace_id=unknown_run) for at in range(150)]
client.flush()

answer(
    {
        "read": plain(read),
        "updated": plain(updated),
        "early": plain(client.read_feedback(early.id)),
        "background": plain(client.read_feedback(background.id)),
        "on_project": plain(client.read_feedback(on_project.id)),
        "project_stats": client.read_project(project_id=project.id, include_stats=True).session_feedback_stats,
        "vote": plain([one for one in listed if one.key == "vote"][0]),
        "votes": len([one for one in listed if one.key == "vote"]),
        "tokens": sorted(str(one.id) for one in listed_tokens)
        == sorted(str(one.id) for one in [token, *tokens]),
        "config": plain(config),
        "same": same == config,
        "conflict": conflict,
        "changed": changed.is_lower_score_better,
        "configs": len(configs),
        "configs_after": len(list(client.list_feedback_configs(feedback_key=[key]))),
        "polite": client.read_feedback(polite.id).value,
        "listed": sorted(one.key for one in listed),
        "by_key": sorted(one.key for one in by_key),
        "by_source": [one.key for one in by_source],
        "stats": stats,
        "gone": raised(LangSmithNotFoundError, lambda: client.read_feedback(created.id)),
        "many": len({one.id for one in client.list_feedback(run_ids=[unknown_run], feedback_key=["many"])}),
    }
)
