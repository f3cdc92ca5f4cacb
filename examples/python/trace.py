"""LANGSMITH_TRACING=true LANGSMITH_ENDPOINT=http://localhost:3000/api/v1 LANGSMITH_PROJECT=examples python trace.py"""

from langsmith import Client, traceable

client = Client()


@traceable(run_type="tool")
def weigh(coin: str) -> dict:
    return {"coin": coin, "grams": 7.32}


@traceable(client=client)
def assay(coins: list[str]) -> list[dict]:
    return [weigh(coin) for coin in coins]


print(assay(["ducat", "florin", "guinea"]))
client.flush()
