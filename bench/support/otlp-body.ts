import { randomBytes } from 'node:crypto'
import { PbfWriter } from 'pbf'
import { prose } from './make-runs.ts'

/** A body of `ExportTraceServiceRequest`, and where its ids stand, so that each request can get new ones. */
export interface OtlpBody {
  readonly bytes: Buffer
  /** Positions of each trace id (16 bytes). */
  readonly traceIds: readonly (readonly number[])[]
  /** Positions of each span id (8 bytes). */
  readonly spanIds: readonly (readonly number[])[]
}

interface Span {
  readonly traceId: Buffer
  readonly spanId: Buffer
  readonly parentSpanId?: Buffer | undefined
  readonly name: string
  readonly kind: number
  readonly startNano: bigint
  readonly attributes: Readonly<Record<string, string | number>>
}

/** Finished spans with about 2 kB of text by the GenAI conventions: traces of ten spans, a root with model and tool steps. */
export function makeOtlpBody(count: number): OtlpBody {
  const spans: Span[] = []
  let root: Span | undefined
  for (let at = 0; at < count; at++) {
    if (at % 10 === 0) root = undefined
    const isChat = root !== undefined && at % 2 === 1
    const span: Span = {
      traceId: root?.traceId ?? randomBytes(16),
      spanId: randomBytes(8),
      parentSpanId: root?.spanId,
      name: root === undefined ? 'answer' : isChat ? 'chat gpt-4.1' : 'execute_tool search',
      kind: isChat ? 3 : 1,
      startNano: BigInt(Date.now() + (at % 10)) * 1_000_000n,
      attributes: isChat ? chatAttributes(at) : stepAttributes(root === undefined ? 'invoke_agent' : 'execute_tool'),
    }
    root ??= span
    spans.push(span)
  }
  const bytes = Buffer.from(printRequest(spans))
  const places = (ids: readonly Buffer[]) => [...new Set(ids)].map((id) => findAll(bytes, id))
  return { bytes, traceIds: places(spans.map((one) => one.traceId)), spanIds: places(spans.map((one) => one.spanId)) }
}

/** A copy of the body with new ids, so that no id is sent twice. */
export function renewIds({ bytes, traceIds, spanIds }: OtlpBody): Buffer {
  const renewed = Buffer.from(bytes)
  for (const [ids, length] of [
    [traceIds, 16],
    [spanIds, 8],
  ] as const) {
    for (const places of ids) {
      const fresh = randomBytes(length)
      for (const place of places) fresh.copy(renewed, place)
    }
  }
  return renewed
}

function chatAttributes(at: number): Span['attributes'] {
  const message = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }])
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4.1',
    'gen_ai.conversation.id': `thread-${at % 97}`,
    'gen_ai.input.messages': message('user', prose(850)),
    'gen_ai.output.messages': message('assistant', prose(750)),
    'gen_ai.usage.input_tokens': 200,
    'gen_ai.usage.output_tokens': 90,
  }
}

function stepAttributes(operation: string): Span['attributes'] {
  return { 'gen_ai.operation.name': operation, 'input.value': prose(850), 'output.value': prose(850) }
}

function printRequest(spans: readonly Span[]): Uint8Array {
  const pbf = new PbfWriter()
  pbf.writeMessage(1, printResourceSpans, spans)
  return pbf.finish()
}

function printResourceSpans(spans: readonly Span[], pbf: PbfWriter): void {
  pbf.writeMessage(1, (_, resource) => resource.writeMessage(1, printAttribute, ['service.name', 'bench']), undefined)
  pbf.writeMessage(
    2,
    (all: readonly Span[], scope) => {
      scope.writeMessage(1, (_, name) => name.writeStringField(1, 'bench'), undefined)
      for (const span of all) scope.writeMessage(2, printSpan, span)
    },
    spans,
  )
}

function printSpan(span: Span, pbf: PbfWriter): void {
  pbf.writeBytesField(1, span.traceId)
  pbf.writeBytesField(2, span.spanId)
  if (span.parentSpanId !== undefined) pbf.writeBytesField(4, span.parentSpanId)
  pbf.writeStringField(5, span.name)
  pbf.writeVarintField(6, span.kind)
  writeTime(pbf, 7, span.startNano)
  writeTime(pbf, 8, span.startNano + 900_000_000n)
  for (const attribute of Object.entries(span.attributes)) pbf.writeMessage(9, printAttribute, attribute)
}

function writeTime(pbf: PbfWriter, field: number, nano: bigint): void {
  pbf.writeTag(field, 1)
  pbf.writeFixed32(Number(nano & 0xffffffffn))
  pbf.writeFixed32(Number(nano >> 32n))
}

function printAttribute([key, value]: readonly [string, string | number], pbf: PbfWriter): void {
  pbf.writeStringField(1, key)
  pbf.writeMessage(
    2,
    (_, any) => (typeof value === 'string' ? any.writeStringField(1, value) : any.writeVarintField(3, value)),
    undefined,
  )
}

function findAll(bytes: Buffer, id: Buffer): number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(id); at !== -1; at = bytes.indexOf(id, at + id.length)) places.push(at)
  return places
}
