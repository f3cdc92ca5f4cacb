import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { LangSmithOTLPSpanProcessor } from '@touchstone/sdk/otel'
import { traceable } from '@touchstone/sdk/traceable'

const provider = new BasicTracerProvider({ spanProcessors: [new LangSmithOTLPSpanProcessor()] })
const tracer = provider.getTracer('example')

const answer = traceable(
  async (question: string) => {
    const span = tracer.startSpan('search', { attributes: { 'gen_ai.operation.name': 'retrieval' } })
    span.end()
    return question.length
  },
  { name: 'answer' },
)
console.log(await answer('What is the weather?'))
