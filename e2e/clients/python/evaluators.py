"""The pager of evaluators, which stops only at an empty page."""

import asyncio

from harness import TASK, answer
from langsmith import Client

client = Client()


async def names():
    return [one.name async for one in client.evaluators.list(limit=TASK["limit"])]


answer(asyncio.run(names()))
