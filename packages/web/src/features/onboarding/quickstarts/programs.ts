/**
 * Programs of the quickstarts, complete as printed: each makes one trace. `e2e/quickstarts` runs them as the page shows
 * them, with the published packages and a local provider.
 */

/** What a Python program needs to send spans, by the environment variables of OpenTelemetry. */
const PYTHON_PROVIDER_IMPORTS = `from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor`

const PYTHON_PROVIDER = `provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))`

const PYTHON_PACKAGES = 'opentelemetry-sdk opentelemetry-exporter-otlp-proto-http'

const NODE_PROVIDER = `const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] })`

export const OPENTELEMETRY_PYTHON = `# pip install ${PYTHON_PACKAGES}
import json
${PYTHON_PROVIDER_IMPORTS}

${PYTHON_PROVIDER}
tracer = provider.get_tracer("app")

with tracer.start_as_current_span("chat") as span:
    span.set_attributes({
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4.1-mini",
        "gen_ai.conversation.id": "conversation-1",
        "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Say hello"}]}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "Hello!"}]}]),
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 2,
    })`

export const OPENTELEMETRY_TYPESCRIPT = `// npm install @opentelemetry/sdk-trace-base @opentelemetry/exporter-trace-otlp-proto
// Save as chat.mts and run: npx tsx chat.mts
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'

${NODE_PROVIDER}

const message = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }])
const span = provider.getTracer('app').startSpan('chat')
span.setAttributes({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4.1-mini',
  'gen_ai.conversation.id': 'conversation-1',
  'gen_ai.input.messages': message('user', 'Say hello'),
  'gen_ai.output.messages': message('assistant', 'Hello!'),
  'gen_ai.usage.input_tokens': 9,
  'gen_ai.usage.output_tokens': 2,
})
span.end()
await provider.shutdown()`

export const OPENINFERENCE_PYTHON = `# pip install openinference-instrumentation-openai openai ${PYTHON_PACKAGES}
# Needs OPENAI_API_KEY.
from openai import OpenAI
from openinference.instrumentation import using_session
from openinference.instrumentation.openai import OpenAIInstrumentor
${PYTHON_PROVIDER_IMPORTS}

${PYTHON_PROVIDER}
OpenAIInstrumentor().instrument(tracer_provider=provider)

with using_session("conversation-1"):
    answer = OpenAI().chat.completions.create(
        model="gpt-4.1-mini",
        messages=[{"role": "user", "content": "Say hello"}],
    )
print(answer.choices[0].message.content)`

export const OPENLLMETRY_PYTHON = `# pip install opentelemetry-instrumentation-anthropic anthropic ${PYTHON_PACKAGES}
# Needs ANTHROPIC_API_KEY.
from anthropic import Anthropic
from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor
${PYTHON_PROVIDER_IMPORTS}

${PYTHON_PROVIDER}
AnthropicInstrumentor().instrument(tracer_provider=provider)

answer = Anthropic().messages.create(
    model="claude-sonnet-5",
    max_tokens=100,
    messages=[{"role": "user", "content": "Say hello"}],
)
print(answer.content[0].text)`

/** @param project  as the value of a header */
export const printLangfuseProgram = (project: string) => `# pip install langfuse
from langfuse import Langfuse, observe, propagate_attributes

langfuse = Langfuse(additional_headers={"Langsmith-Project": ${JSON.stringify(project)}})

@observe()
def greet(name: str) -> str:
    return f"Hello, {name}!"

with propagate_attributes(session_id="conversation-1"):
    print(greet("Touchstone"))
langfuse.flush()`

export const LANGCHAIN_PYTHON = `# pip install langchain-openai
# Needs OPENAI_API_KEY.
from langchain_openai import ChatOpenAI

model = ChatOpenAI(model="gpt-4.1-mini")
answer = model.invoke("Say hello", config={"metadata": {"thread_id": "conversation-1"}})
print(answer.content)`

export const LANGCHAIN_TYPESCRIPT = `// npm install @langchain/openai @langchain/core
// Needs OPENAI_API_KEY. Save as chat.mts and run: npx tsx chat.mts
import { ChatOpenAI } from '@langchain/openai'

const model = new ChatOpenAI({ model: 'gpt-4.1-mini' })
const answer = await model.invoke('Say hello', { metadata: { thread_id: 'conversation-1' } })
console.log(answer.content)`

export const LLAMAINDEX_PYTHON = `# pip install llama-index-llms-openai openinference-instrumentation-llama-index ${PYTHON_PACKAGES}
# Needs OPENAI_API_KEY.
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai import OpenAI
from openinference.instrumentation import using_session
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
${PYTHON_PROVIDER_IMPORTS}

${PYTHON_PROVIDER}
LlamaIndexInstrumentor().instrument(tracer_provider=provider)

with using_session("conversation-1"):
    print(OpenAI(model="gpt-4.1-mini").chat([ChatMessage("Say hello")]))`

export const CREWAI_PYTHON = `# pip install crewai openinference-instrumentation-crewai openinference-instrumentation-openai ${PYTHON_PACKAGES}
# Needs OPENAI_API_KEY. The second instrumentation traces the calls of the model: use that of your provider.
from crewai import Agent, Crew, Task
from openinference.instrumentation import using_session
from openinference.instrumentation.crewai import CrewAIInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor
${PYTHON_PROVIDER_IMPORTS}

${PYTHON_PROVIDER}
CrewAIInstrumentor().instrument(tracer_provider=provider)
OpenAIInstrumentor().instrument(tracer_provider=provider)

greeter = Agent(role="Greeter", goal="Greet people", backstory="You are friendly.", llm="gpt-4.1-mini")
task = Task(description="Say hello", expected_output="A greeting", agent=greeter)
with using_session("conversation-1"):
    print(Crew(agents=[greeter], tasks=[task]).kickoff())`

export const PYDANTIC_AI_PYTHON = `# pip install "pydantic-ai-slim[openai]" ${PYTHON_PACKAGES}
# Needs OPENAI_API_KEY.
${PYTHON_PROVIDER_IMPORTS}
from pydantic_ai import Agent, InstrumentationSettings

${PYTHON_PROVIDER}
Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))

agent = Agent("openai:gpt-4.1-mini", name="greeter", instructions="Be short.")
print(agent.run_sync("Say hello", conversation_id="conversation-1").output)`

export const AI_SDK_TYPESCRIPT = `// npm install ai @ai-sdk/openai @ai-sdk/otel @opentelemetry/sdk-trace-base @opentelemetry/exporter-trace-otlp-proto
// Needs OPENAI_API_KEY. Save as chat.mts and run: npx tsx chat.mts
import { openai } from '@ai-sdk/openai'
import { OpenTelemetry } from '@ai-sdk/otel'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { generateText, registerTelemetry } from 'ai'

${NODE_PROVIDER}
registerTelemetry(new OpenTelemetry({ tracer: provider.getTracer('gen_ai'), usage: true, runtimeContext: true }))

const { text } = await generateText({
  model: openai('gpt-4.1-mini'),
  prompt: 'Say hello',
  runtimeContext: { sessionId: 'conversation-1' },
  telemetry: { functionId: 'greet', includeRuntimeContext: { sessionId: true } },
})
console.log(text)
await provider.shutdown()`

/** The configuration of an OpenTelemetry Collector that receives spans of programs and sends them on. */
export const printCollectorConfig = (origin: string, headers: Readonly<Record<string, string>>) => `receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:4318
processors:
  batch: {}
exporters:
  otlphttp/touchstone:
    endpoint: ${origin}/otel
    headers:
${Object.entries(headers)
  .map(([name, value]) => `      ${name}: ${JSON.stringify(value.replaceAll('$', '$$$$'))}`)
  .join('\n')}
service:
  pipelines:
    traces:
      receivers: [otlp]
      processors: [batch]
      exporters: [otlphttp/touchstone]`
