import { Digits } from '@touchstone/formats/exact-json'
import { describe, expect, it } from 'vitest'
import type { OtlpEncoding } from '../../../http/otlp-answers.ts'
import { createRandom } from '../../../testing/invent-runs.ts'
import {
  aRequest,
  nano,
  printProtobuf,
  type RequestJson,
  type SpanJson,
  toAttributes,
} from '../../../testing/otlp-request.ts'
import type { OtlpSpan } from '../span.ts'
import { readLogs, readSpans } from './read-request.ts'
import { OtlpProblem } from './wire-reader.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const aSpan = (more: Partial<SpanJson> = {}): SpanJson => ({
  traceId: TRACE,
  spanId: 'b7ad6b7169203331',
  name: 'step',
  startTimeUnixNano: nano(0),
  endTimeUnixNano: nano(5),
  ...more,
})

const print = (request: RequestJson, encoding: OtlpEncoding) =>
  encoding === 'json' ? Buffer.from(JSON.stringify(request)) : printProtobuf(request)

async function read(body: Buffer, encoding: OtlpEncoding) {
  const spans: OtlpSpan[] = []
  const problems: string[] = []
  for await (const span of readSpans(body, encoding)) {
    if ('ok' in span) spans.push(span.ok)
    else problems.push(span.problem)
  }
  return { spans, problems }
}

const readRequest = (request: RequestJson, encoding: OtlpEncoding) => read(print(request, encoding), encoding)

/** Every field and every kind of value. */
const FULL = aSpan({
  parentSpanId: '00f067aa0ba902b7',
  kind: 3,
  attributes: [
    ...toAttributes({ text: 'Grüße 😀', yes: true, no: false, small: -5, half: 0.5 }),
    { key: 'large', value: { intValue: '9223372036854775807' } },
    { key: 'lowest', value: { intValue: '-9223372036854775808' } },
    { key: 'bytes', value: { bytesValue: 'AP8=' } },
    { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, { arrayValue: { values: [] } }] } } },
    { key: 'map', value: { kvlistValue: { values: toAttributes({ inner: 'b' }) } } },
  ],
  events: [{ name: 'gen_ai.choice', timeUnixNano: nano(3), attributes: toAttributes({ index: 0 }) }],
  links: [{ traceId: '1'.repeat(32), spanId: '2'.repeat(16), attributes: toAttributes({ why: 'retry' }) }],
  status: { code: 2, message: 'failed' },
  droppedAttributesCount: 7,
})

describe('a request', () => {
  it('gives the same spans in protobuf and in JSON', async () => {
    const request = aRequest([FULL, aSpan({ spanId: 'b7ad6b7169203332' })])
    const fromProtobuf = await readRequest(request, 'protobuf')
    expect(fromProtobuf.problems).toEqual([])
    expect(fromProtobuf).toEqual(await readRequest(request, 'json'))
    expect(fromProtobuf.spans[0]).toMatchObject({
      traceId: TRACE,
      kind: 3,
      startNano: BigInt(nano(0)),
      status: { code: 2, message: 'failed' },
      droppedAttributes: 7,
      scope: { name: 'test', version: '1.0.0' },
    })
    expect({ ...fromProtobuf.spans[0]?.attributes }).toEqual({
      text: 'Grüße 😀',
      yes: true,
      no: false,
      small: -5,
      half: 0.5,
      large: expect.any(Digits),
      lowest: expect.any(Digits),
      bytes: 'AP8=',
      list: ['a', []],
      map: { inner: 'b' },
    })
    const { large, lowest } = fromProtobuf.spans[0]?.attributes ?? {}
    expect([large, lowest].map(String)).toEqual(['9223372036854775807', '-9223372036854775808'])
  })

  it.each([['protobuf'], ['json']] as const)('refuses only the span with a bad id, in %s', async (encoding) => {
    const bad = [
      aSpan({ spanId: 'b7ad' }),
      aSpan({ traceId: 'ab' }),
      aSpan({ spanId: '0'.repeat(16) }),
      aSpan({ parentSpanId: 'abcd' }),
    ]
    const { spans, problems } = await readRequest(aRequest([aSpan(), ...bad, aSpan()]), encoding)
    expect(spans).toHaveLength(2)
    expect(problems).toHaveLength(4)
    expect(problems[0]).toContain('span id')
  })

  it('reads ids in base64, names of enums and numbers as texts, as protobuf prints its own JSON', async () => {
    const span = {
      ...aSpan(),
      traceId: Buffer.from(TRACE, 'hex').toString('base64'),
      spanId: Buffer.from('b7ad6b7169203331', 'hex').toString('base64'),
      kind: 'SPAN_KIND_CLIENT',
      status: { code: 'STATUS_CODE_ERROR' },
      attributes: [{ key: 'nan', value: { doubleValue: 'NaN' } }],
    } as unknown as SpanJson
    const { spans } = await readRequest(aRequest([span]), 'json')
    expect(spans[0]).toMatchObject({ traceId: TRACE, spanId: 'b7ad6b7169203331', kind: 3, status: { code: 2 } })
    expect(spans[0]?.attributes.nan).toBe('NaN')
  })

  it('keeps all digits of times that JSON sends as numbers', async () => {
    const text = JSON.stringify(aRequest([aSpan()])).replace(`"${nano(0)}"`, '1793534400123456789')
    const { spans } = await read(Buffer.from(text), 'json')
    expect(spans[0]?.startNano).toBe(1_793_534_400_123_456_789n)
  })

  it.each([['protobuf'], ['json']] as const)('keeps hostile keys as ordinary attributes, in %s', async (encoding) => {
    const attributes = [
      ...toAttributes({ __proto__x: 1, constructor: 'c', toString: 't' }),
      { key: '__proto__', value: { kvlistValue: { values: toAttributes({ polluted: true }) } } },
    ]
    const { spans } = await readRequest(aRequest([aSpan({ attributes })]), encoding)
    expect(Object.keys(spans[0]?.attributes ?? {})).toContain('__proto__')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it.each([['protobuf'], ['json']] as const)(
    'explains that log records belong to another path, in %s',
    async (encoding) => {
      const logs = { resourceSpans: aRequest([]).resourceSpans.map((one) => ({ ...one, scopeSpans: [] })) }
      if (encoding === 'json') {
        const body = Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [] }] }))
        await expect(read(body, 'json')).rejects.toThrow(OtlpProblem)
      } else {
        const [resource] = logs.resourceSpans
        const record = { name: 'a log', traceId: '', spanId: '' } as SpanJson
        const request = { resourceSpans: [{ ...resource!, scopeSpans: [{ scope: { name: 's' }, spans: [record] }] }] }
        await expect(read(printProtobuf(request), 'protobuf')).rejects.toThrow('/otel/v1/logs')
      }
    },
  )

  it.each([['protobuf'], ['json']] as const)('bounds the depth and the number of values, in %s', async (encoding) => {
    let value: SpanJson['attributes'] = toAttributes({ end: 1 })
    for (let depth = 0; depth < 150; depth++) value = [{ key: 'k', value: { kvlistValue: { values: value } } }]
    const many = Array.from({ length: 210_000 }, () => ({ boolValue: true }))
    const large = [{ key: 'many', value: { arrayValue: { values: many } } }]
    const request = aRequest([aSpan({ attributes: value }), aSpan({ attributes: large }), aSpan()])
    const { spans, problems } = await readRequest(request, encoding)
    expect(spans).toHaveLength(2)
    expect(JSON.stringify(spans[0]?.attributes)).toContain('[nested too deeply]')
    expect(problems).toEqual(['it has more than 200000 values'])
  })

  it.each([['protobuf'], ['json']] as const)(
    'bounds the attributes of a span before it reads them, in %s',
    async (encoding) => {
      const list = (count: number) =>
        Array.from({ length: count }, (_, at) => ({ key: `key ${at}`, value: { boolValue: true } }))
      const events = [{ name: 'event', timeUnixNano: nano(3), attributes: list(10_001) }]
      const request = aRequest([
        aSpan({ attributes: list(20_000) }),
        aSpan({ attributes: list(20_001) }),
        aSpan({ attributes: list(10_000), events }),
        aSpan(),
      ])
      const { spans, problems } = await readRequest(request, encoding)
      expect(spans).toHaveLength(2)
      expect(problems).toEqual(Array(2).fill('it has more than 20000 attributes'))
    },
  )

  it('has the attributes of a large resource and a large scope, in JSON and in protobuf', async () => {
    const text = 'x'.repeat(300_000)
    const [{ scopeSpans } = { scopeSpans: [] }] = aRequest([aSpan()], { name: text, version: '1' }).resourceSpans
    const attributes = [...toAttributes({ text, last: true }), { key: 'id', value: { intValue: '107505301260286111' } }]
    const request = { resourceSpans: [{ resource: { attributes }, scopeSpans }] }
    const fromJson = await readRequest(request, 'json')
    const [span] = fromJson.spans
    expect([span?.resource.attributes.text, span?.resource.attributes.last]).toEqual([text, true])
    expect([String(span?.resource.attributes.id), span?.scope.name]).toEqual(['107505301260286111', text])
    expect(fromJson).toEqual(await readRequest(request, 'protobuf'))
  })

  it('refuses JSON that is too complex, and names the signal of a large request', async () => {
    const fields = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`field ${at}`, at]))
    const { spans, problems } = await readRequest(aRequest([{ ...aSpan(), ...fields }, aSpan()]), 'json')
    expect([spans.length, problems]).toEqual([1, [expect.stringContaining('10000 fields')]])
    const metrics = JSON.stringify({ resourceSpans: [], resourceMetrics: ['x'.repeat(300_000)] })
    await expect(read(Buffer.from(metrics), 'json')).rejects.toThrow('/otel/v1/metrics')
  })

  it('refuses a large span of JSON by its number of keys', async () => {
    const attributes = Array.from({ length: 200_001 }, () => ({ key: '', value: { boolValue: true } }))
    const { problems } = await readRequest(aRequest([aSpan({ attributes }), aSpan()]), 'json')
    expect(problems).toEqual(['it has more than 200000 values'])
  })

  it.each([['protobuf'], ['json']] as const)(
    'bounds the spans of one trace, and not those of others, in %s',
    async (encoding) => {
      const many = Array.from({ length: 10_050 }, (_, at) => aSpan({ spanId: String(at + 1).padStart(16, '0') }))
      const other = aSpan({ traceId: '1'.repeat(32) })
      const { spans, problems } = await readRequest(aRequest([...many, other]), encoding)
      expect(spans).toHaveLength(10_001)
      expect(new Set(problems)).toEqual(
        new Set(['its request has more than 10000 spans of one trace; send smaller batches (maxExportBatchSize)']),
      )
      expect(problems).toHaveLength(50)
    },
  )

  it('ends with a problem for a body that is neither protobuf nor JSON', async () => {
    for (const encoding of ['protobuf', 'json'] as const) {
      await expect(read(Buffer.from('<html>no</html>'), encoding)).rejects.toThrow(OtlpProblem)
      await expect(read(Buffer.from([0xff, 0xff, 0xff]), encoding)).rejects.toThrow(OtlpProblem)
    }
    expect(await read(Buffer.alloc(0), 'protobuf')).toEqual({ spans: [], problems: [] })
    expect(await read(Buffer.from('{}'), 'json')).toEqual({ spans: [], problems: [] })
  })
})

describe('10,000 mutated bodies', () => {
  it.each([['protobuf'], ['json']] as const)('are read or refused, and never crash, in %s', async (encoding) => {
    const neighbor = aSpan({ spanId: 'aaaaaaaaaaaaaaaa', name: 'the neighbor' })
    const whole = print(aRequest([neighbor, FULL]), encoding)
    const after = whole.indexOf('the neighbor') + 60
    const random = below(1)
    let refused = 0
    for (let round = 0; round < 5_000; round++) {
      const body = mutate(whole, random, after)
      try {
        const { spans } = await read(body, encoding)
        for (const span of spans) expect(span.traceId).toMatch(/^[0-9a-f]{32}$/)
      } catch (error) {
        expect(error).toBeInstanceOf(OtlpProblem)
        refused++
      }
    }
    expect(refused).toBeGreaterThan(0)
    expect(refused).toBeLessThan(5_000)
  })

  it('keep the neighbor in front of damage in the second span', async () => {
    const neighbor = aSpan({ spanId: 'aaaaaaaaaaaaaaaa', name: 'the neighbor' })
    const alone = printProtobuf(aRequest([neighbor]))
    const whole = printProtobuf(aRequest([neighbor, FULL]))
    // The contents of the second span; the lengths before it stay.
    const from = whole.length - (whole.length - alone.length) + 8
    const random = below(2)
    for (let round = 0; round < 2_000; round++) {
      const body = Buffer.from(whole)
      body[from + random(whole.length - from)] = random(256)
      const kept: string[] = []
      try {
        for await (const span of readSpans(body, 'protobuf')) if ('ok' in span) kept.push(span.ok.name)
      } catch (error) {
        expect(error).toBeInstanceOf(OtlpProblem)
      }
      expect(kept).toContain('the neighbor')
    }
  })
})

/** Pseudo-random integers below a bound. */
function below(seed: number): (bound: number) => number {
  const random = createRandom(seed)
  return (bound) => Math.floor(random() * bound)
}

/** One to four changed, removed, repeated or inserted bytes, most of them after `from`. */
function mutate(whole: Buffer, random: (below: number) => number, from: number): Buffer {
  let body = Buffer.from(whole)
  for (let count = 1 + random(4); count > 0; count--) {
    const at = random(4) === 0 ? random(body.length) : from + random(Math.max(1, body.length - from))
    const kind = random(4)
    if (kind === 0) body[at] = random(256)
    else if (kind === 1) body = Buffer.concat([body.subarray(0, at), body.subarray(at + 1 + random(8))])
    else if (kind === 2) body = Buffer.concat([body.subarray(0, at), Buffer.from([random(256)]), body.subarray(at)])
    else body = body.subarray(0, at)
  }
  return body
}

describe('log records', () => {
  it('are read from JSON with their ids, their body and their name', async () => {
    const record = {
      timeUnixNano: nano(1),
      eventName: 'gen_ai.choice',
      traceId: TRACE,
      spanId: 'b7ad6b7169203331',
      body: { kvlistValue: { values: toAttributes({ finish_reason: 'stop' }) } },
    }
    const body = { resourceLogs: [{ scopeLogs: [{ scope: { name: 's' }, logRecords: [record, { body: null }] }] }] }
    const found = []
    for await (const one of readLogs(Buffer.from(JSON.stringify(body)), 'json')) found.push(one)
    expect(found).toMatchObject([
      { ok: { name: 'gen_ai.choice', traceId: TRACE, body: { finish_reason: 'stop' } } },
      { ok: { name: '' } },
    ])
  })
})
