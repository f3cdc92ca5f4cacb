// Exports the spans of `exporters.test.ts` with a published exporter: `node export-spans.mjs json|protobuf|grpc`, with OTLP_URL,
// PROJECT, TRACE_ID and COMPRESSION set. Ids and times are given, so that every exporter sends the same.
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

const [, , encoding = ''] = process.argv
const { OTLP_URL = '', PROJECT = '', TRACE_ID = '', COMPRESSION = 'none' } = process.env
const headers = { 'x-api-key': 'any', 'langsmith-project': PROJECT }

async function newExporter() {
  if (encoding === 'grpc') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-grpc')
    const { Metadata } = await import('@grpc/grpc-js')
    const metadata = new Metadata()
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
    return new OTLPTraceExporter({ url: OTLP_URL, metadata, compression: COMPRESSION })
  }
  const kind = encoding === 'json' ? 'http' : 'proto'
  const { OTLPTraceExporter } = await import(`@opentelemetry/exporter-trace-otlp-${kind}`)
  return new OTLPTraceExporter({ url: OTLP_URL, headers, compression: COMPRESSION })
}

let spans = 0
const idGenerator = {
  generateTraceId: () => TRACE_ID,
  generateSpanId: () => `${TRACE_ID.slice(0, 14)}0${++spans}`,
}
const failures = []
const exporter = await newExporter()
const send = exporter.export.bind(exporter)
exporter.export = (batch, done) =>
  send(batch, (result) => {
    if (result.error !== undefined) failures.push(result.error)
    done(result)
  })
const provider = new BasicTracerProvider({
  idGenerator,
  resource: resourceFromAttributes({ 'service.name': 'shop', 'deployment.environment.name': 'test' }),
  spanProcessors: [new SimpleSpanProcessor(exporter)],
})
const tracer = provider.getTracer('test', '1.2.3')
const at = (afterMs) => [1_793_534_400, afterMs * 1_000_000]

const root = tracer.startSpan('answer', { startTime: at(0), attributes: { 'input.value': 'Grüße 😀' } })
const parent = trace.setSpan((await import('@opentelemetry/api')).ROOT_CONTEXT, root)
const messages = (role, content) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }])
const chat = tracer.startSpan(
  'chat fake-model',
  {
    kind: SpanKind.CLIENT,
    startTime: at(100),
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'fake-model',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.stop_sequences': ['END', 'STOP'],
      'gen_ai.input.messages': messages('user', 'Hi'),
      'gen_ai.output.messages': messages('assistant', 'Hello'),
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 3,
      streamed: true,
      large: 9007199254740991,
    },
  },
  parent,
)
chat.addEvent('first', { index: 1, text: 'a' }, at(200))
chat.end(at(300))
const tool = tracer.startSpan(
  'execute_tool',
  {
    startTime: at(400),
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather' },
    links: [
      {
        context: { traceId: TRACE_ID, spanId: chat.spanContext().spanId, traceFlags: 1 },
        attributes: { why: 'asked' },
      },
    ],
  },
  parent,
)
tool.setStatus({ code: SpanStatusCode.ERROR, message: 'no weather' })
tool.end(at(500))
root.end(at(900))
await provider.shutdown()
if (failures.length > 0) throw failures[0]
