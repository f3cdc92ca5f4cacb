"""Calls models of a local provider under a real instrumentation, and exports the spans.

`python instrumented.py NAME`, with PROVIDER_URL, SERVER_URL, OTLP_URL and PROJECT set.
"""

import asyncio
import os
import sys

PROVIDER_URL = os.environ["PROVIDER_URL"]
OTLP_URL = os.environ["OTLP_URL"]
SERVER_URL = os.environ["SERVER_URL"]
PROJECT = os.environ["PROJECT"]

HEADERS = {"x-api-key": "any", "Langsmith-Project": PROJECT}
WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ASKED = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Say hello"}]
TOOL_ASKED = [{"role": "user", "content": "Use a tool please"}]


def new_provider():
    """Not the global one: the client of Anthropic would send spans of its own to that."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=OTLP_URL, headers=HEADERS)))
    return provider


def call_openai():
    """One call that is whole, one that is streamed, one that calls a tool, and one that fails."""
    import openai

    client = openai.OpenAI(api_key="none", base_url=PROVIDER_URL, max_retries=0)
    create = client.chat.completions.create
    create(model="fake-model", messages=ASKED, temperature=0.5)
    for _ in create(model="fake-model", messages=ASKED, stream=True, stream_options={"include_usage": True}):
        pass
    tool = {"name": "weather", "description": "The weather of a city", "parameters": WEATHER}
    create(model="fake-model", messages=TOOL_ASKED, tools=[{"type": "function", "function": tool}])
    try:
        create(model="fake-forbidden", messages=ASKED)
    except openai.APIError:
        pass


def openinference_openai():
    from openinference.instrumentation.openai import OpenAIInstrumentor

    provider = new_provider()
    OpenAIInstrumentor().instrument(tracer_provider=provider)
    call_openai()
    provider.shutdown()


def traceloop_openai():
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    provider = new_provider()
    OpenAIInstrumentor().instrument(tracer_provider=provider)
    call_openai()
    provider.shutdown()


def traceloop_anthropic():
    import anthropic
    from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor

    provider = new_provider()
    AnthropicInstrumentor().instrument(tracer_provider=provider)
    client = anthropic.Anthropic(api_key="none", base_url=PROVIDER_URL.removesuffix("/v1"), max_retries=0)
    call = {"model": "fake-model", "max_tokens": 64, "system": "Be short.", "messages": ASKED[1:]}
    client.messages.create(**call)
    for _ in client.messages.create(**call, stream=True):
        pass
    tool = {"name": "weather", "description": "The weather of a city", "input_schema": WEATHER}
    client.messages.create(**{**call, "messages": TOOL_ASKED}, tools=[tool])
    try:
        client.messages.create(**{**call, "model": "fake-forbidden"})
    except anthropic.APIError:
        pass
    provider.shutdown()


def pydantic_ai():
    from pydantic_ai import Agent, InstrumentationSettings
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = new_provider()
    Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))
    model = OpenAIChatModel("fake-model", provider=OpenAIProvider(base_url=PROVIDER_URL, api_key="none"))
    agent = Agent(model, name="Weather", instructions="Be short.")

    @agent.tool_plain
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"grey in {city}"

    async def run():
        async with agent.run_stream("Use a tool please", conversation_id="thread-1") as answer:
            async for _ in answer.stream_text():
                pass

    asyncio.run(run())
    provider.shutdown()


def langfuse():
    from langfuse import Langfuse, propagate_attributes

    # A user of Langfuse changes the host and the keys, and nothing else.
    client = Langfuse(public_key="any", secret_key="any", base_url=SERVER_URL)
    with propagate_attributes(session_id="thread-1", user_id="ada", tags=["one"], metadata={"plan": "pro"}):
        with client.start_as_current_observation(name="answer", as_type="span", input={"question": "Say hello"}) as outer:
            with client.start_as_current_observation(
                name="call", as_type="generation", model="fake-model", input=ASKED, model_parameters={"temperature": 0.5}
            ) as generation:
                generation.update(
                    output={"role": "assistant", "content": "Hello"},
                    usage_details={"input": 15, "input_cached_tokens": 5, "output": 10},
                    cost_details={"total": 0.25},
                )
            outer.update(output={"answer": "Hello"})
    client.shutdown()


def langsmith():
    os.environ["LANGSMITH_OTEL_ENABLED"] = "true"
    os.environ["LANGSMITH_OTEL_ONLY"] = "true"
    os.environ["LANGSMITH_TRACING"] = "true"
    os.environ["LANGSMITH_PROJECT"] = PROJECT
    os.environ["LANGSMITH_API_KEY"] = "any"
    provider = new_provider()
    from opentelemetry import trace

    trace.set_tracer_provider(provider)
    from langsmith import traceable
    from langsmith.wrappers import wrap_openai

    import openai

    client = wrap_openai(openai.OpenAI(api_key="none", base_url=PROVIDER_URL, max_retries=0))

    @traceable(name="answer", metadata={"thread_id": "thread-1"}, tags=["one"])
    def answer(question):
        return client.chat.completions.create(model="fake-model", messages=ASKED, temperature=0.5)

    answer("Say hello")
    from langsmith.run_trees import get_cached_client

    get_cached_client().flush()
    provider.force_flush()
    provider.shutdown()


def llamaindex():
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.llms.openai import OpenAI
    from openinference.instrumentation import using_session
    from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

    provider = new_provider()
    LlamaIndexInstrumentor().instrument(tracer_provider=provider)

    def weather(city: str) -> str:
        """The weather of a city."""
        return f"grey in {city}"

    # LlamaIndex refuses models that it does not know.
    llm = OpenAI(model="gpt-4.1-mini", api_key="none", api_base=PROVIDER_URL, max_retries=0)
    agent = FunctionAgent(tools=[weather], llm=llm, system_prompt="Be short.", streaming=False)

    async def run():
        with using_session("thread-1"):
            await agent.run("Use a tool please")

    asyncio.run(run())
    provider.shutdown()


def crewai():
    os.environ["OPENAI_API_KEY"] = "none"
    os.environ["OPENAI_BASE_URL"] = PROVIDER_URL
    os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
    from crewai import Agent, Crew, Task
    from crewai.tools import tool
    from openinference.instrumentation import using_session
    from openinference.instrumentation.crewai import CrewAIInstrumentor
    from openinference.instrumentation.openai import OpenAIInstrumentor

    provider = new_provider()
    CrewAIInstrumentor().instrument(tracer_provider=provider)
    OpenAIInstrumentor().instrument(tracer_provider=provider)

    @tool("weather")
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"grey in {city}"

    agent = Agent(role="Forecaster", goal="Tell the weather", backstory="You are short.", llm="gpt-4.1-mini", tools=[weather])
    task = Task(description="Use a tool please", expected_output="The weather", agent=agent)
    with using_session("thread-1"):
        Crew(agents=[agent], tasks=[task]).kickoff()
    provider.shutdown()


globals()[sys.argv[1]]()
