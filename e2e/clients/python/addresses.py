"""What the client prints and returns as addresses: a dataset, an example, experiments, a pair of experiments, a share, prompts."""

import contextlib
import io

from harness import TASK, answer
from langchain_core.prompts import PromptTemplate
from langsmith import Client
from langsmith.evaluation import evaluate, evaluate_comparative

client = Client()
dataset = client.create_dataset(TASK["dataset"])
created = client.create_examples(
    dataset_id=dataset.id,
    examples=[{"inputs": {"country": country}, "outputs": {"capital": capital}} for country, capital in TASK["rows"]],
)
example = client.read_example(next(iter(client.list_examples(dataset_id=dataset.id))).id)


def look_up(inputs: dict) -> dict:
    return {"capital": dict(TASK["rows"])[inputs["country"]]}


def correct(outputs: dict, reference_outputs: dict) -> bool:
    return outputs["capital"] == reference_outputs["capital"]


def prefer_second(outputs: list) -> list:
    return [0, 1]


printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    experiments = [
        evaluate(look_up, data=dataset.name, evaluators=[correct], experiment_prefix=prefix, client=client)
        for prefix in ["first", "second"]
    ]
    evaluate_comparative(
        [one.experiment_name for one in experiments], evaluators=[prefer_second], client=client, experiment_prefix="pair"
    )
prompt = f"{dataset.name}-prompt"
prompts = [
    client.push_prompt(prompt, object=PromptTemplate.from_template("Say {what}")),
    client.push_prompt(prompt, object=PromptTemplate.from_template("Sing {what}")),
    client.push_prompt(prompt, description="without a commit"),
]
client.flush()
answer(
    {
        "printed": printed.getvalue(),
        "dataset": dataset.url,
        "example": example.url,
        "project": client.read_project(project_name=experiments[0].experiment_name).url,
        "shared": client.share_dataset(dataset.id)["url"],
        "token": client.read_dataset_shared_schema(dataset.id)["share_token"],
        "prompt": prompt,
        "prompts": prompts,
        "names": [one.experiment_name for one in experiments],
    }
)
