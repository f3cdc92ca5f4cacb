"""The same as `../instrumented.py`, for frameworks whose packages only the full tests install."""

import os
import sys

PROVIDER_URL = os.environ["PROVIDER_URL"]
BEDROCK_URL = os.environ["BEDROCK_URL"]
OTLP_URL = os.environ["OTLP_URL"]
PROJECT = os.environ["PROJECT"]

HEADERS = {"x-api-key": "any", "Langsmith-Project": PROJECT}
WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ASKED = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Say hello"}]
TOOL_ASKED = [{"role": "user", "content": "Use a tool please"}]


def new_provider():
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=OTLP_URL, headers=HEADERS)))
    return provider


def attributes():
    from openinference.instrumentation import using_attributes

    return using_attributes(session_id="thread-1", user_id="ada", metadata={"plan": "pro"}, tags=["one"])


def weather(city: str) -> str:
    """The weather of a city."""
    return f"grey in {city}"


def bedrock():
    import boto3
    from botocore.exceptions import ClientError
    from openinference.instrumentation.bedrock import BedrockInstrumentor

    provider = new_provider()
    BedrockInstrumentor().instrument(tracer_provider=provider)
    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=BEDROCK_URL,
        region_name="us-east-1",
        aws_access_key_id="none",
        aws_secret_access_key="none",
    )
    call = {
        "modelId": "anthropic.fake-model",
        "system": [{"text": "Be short."}],
        "messages": [{"role": "user", "content": [{"text": "Say hello"}]}],
        "inferenceConfig": {"temperature": 0.5, "maxTokens": 64},
    }
    tool = {"toolSpec": {"name": "weather", "description": "The weather of a city", "inputSchema": {"json": WEATHER}}}
    with attributes():
        client.converse(**call)
        for _ in client.converse_stream(**call)["stream"]:
            pass
        asked = [{"role": "user", "content": [{"text": "Use a tool please"}]}]
        client.converse(**{**call, "messages": asked}, toolConfig={"tools": [tool]})
        try:
            client.converse(**{**call, "modelId": "anthropic.fake-forbidden"})
        except ClientError:
            pass
    provider.shutdown()


def litellm():
    # Otherwise it loads its prices from the network.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm
    from openinference.instrumentation.litellm import LiteLLMInstrumentor

    provider = new_provider()
    LiteLLMInstrumentor().instrument(tracer_provider=provider)
    call = {"model": "openai/fake-model", "api_base": PROVIDER_URL, "api_key": "none", "messages": ASKED}
    tool = {"name": "weather", "description": "The weather of a city", "parameters": WEATHER}
    with attributes():
        litellm.completion(**call, temperature=0.5)
        for _ in litellm.completion(**call, stream=True, stream_options={"include_usage": True}):
            pass
        litellm.completion(**{**call, "messages": TOOL_ASKED}, tools=[{"type": "function", "function": tool}])
        try:
            litellm.completion(**{**call, "model": "openai/fake-forbidden"}, max_retries=0)
        except Exception:
            pass
    provider.shutdown()


def call_haystack():
    from haystack import Pipeline
    from haystack.components.agents import Agent
    from haystack.components.builders import ChatPromptBuilder
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage
    from haystack.tools import tool
    from haystack.utils import Secret

    def generator(model, **more):
        return OpenAIChatGenerator(
            model=model, api_key=Secret.from_token("none"), api_base_url=PROVIDER_URL, max_retries=0, **more
        )

    template = [ChatMessage.from_system("Be short."), ChatMessage.from_user("Say {{word}}")]
    pipeline = Pipeline()
    pipeline.add_component("prompt", ChatPromptBuilder(template=template, required_variables=["word"]))
    pipeline.add_component("llm", generator("fake-model", generation_kwargs={"temperature": 0.5}))
    pipeline.connect("prompt.prompt", "llm.messages")
    pipeline.run({"prompt": {"word": "hello"}})
    agent = Agent(chat_generator=generator("fake-model"), tools=[tool(weather)], system_prompt="Be short.")
    agents = Pipeline()
    agents.add_component("agent", agent)
    agents.run({"agent": {"messages": [ChatMessage.from_user("Use a tool please")]}})
    failing = Pipeline()
    failing.add_component("llm", generator("fake-forbidden"))
    try:
        failing.run({"llm": {"messages": [ChatMessage.from_user("Say hello")]}})
    except Exception:
        pass


def haystack_openinference():
    from openinference.instrumentation.haystack import HaystackInstrumentor

    provider = new_provider()
    HaystackInstrumentor().instrument(tracer_provider=provider)
    with attributes():
        call_haystack()
    provider.shutdown()


def haystack():
    os.environ["HAYSTACK_CONTENT_TRACING_ENABLED"] = "true"
    from haystack import tracing
    from haystack_integrations.tracing.opentelemetry import OpenTelemetryTracer
    from opentelemetry import trace

    provider = new_provider()
    trace.set_tracer_provider(provider)
    tracing.tracer.is_content_tracing_enabled = True
    tracing.enable_tracing(OpenTelemetryTracer(provider.get_tracer("haystack")))
    call_haystack()
    provider.shutdown()


def ag2_openinference():
    from autogen import ConversableAgent, LLMConfig
    from openinference.instrumentation.ag2 import AG2Instrumentor
    from openinference.instrumentation.openai import OpenAIInstrumentor

    provider = new_provider()
    AG2Instrumentor().instrument(tracer_provider=provider)
    # It has no spans of the calls of models.
    OpenAIInstrumentor().instrument(tracer_provider=provider)
    config = LLMConfig({"model": "fake-model", "api_key": "none", "base_url": PROVIDER_URL, "temperature": 0.5})
    assistant = ConversableAgent("forecaster", system_message="Be short.", llm_config=config, human_input_mode="NEVER")
    executor = ConversableAgent("executor", human_input_mode="NEVER", llm_config=False)
    assistant.register_for_llm(name="weather", description="The weather of a city")(weather)
    executor.register_for_execution(name="weather")(weather)
    with attributes():
        executor.initiate_chat(assistant, message="Use a tool please", max_turns=2)
    provider.shutdown()


def ag2():
    import asyncio

    from ag2 import Agent
    from ag2.config import OpenAIConfig
    from ag2.middleware import TelemetryMiddleware

    provider = new_provider()

    def agent(model, streaming=False):
        config = OpenAIConfig(
            model=model, api_key="none", base_url=PROVIDER_URL, temperature=0.5, streaming=streaming, max_retries=0
        )
        telemetry = TelemetryMiddleware(tracer_provider=provider, agent_name="forecaster")
        return Agent("forecaster", prompt="Be short.", config=config, tools=[weather], middleware=[telemetry])

    async def run():
        await agent("fake-model").ask("Say hello")
        await agent("fake-model", streaming=True).ask("Say hello")
        await agent("fake-model").ask("Use a tool please")
        try:
            await agent("fake-forbidden").ask("Say hello")
        except Exception:
            pass

    asyncio.run(run())
    provider.shutdown()


globals()[sys.argv[1]]()
