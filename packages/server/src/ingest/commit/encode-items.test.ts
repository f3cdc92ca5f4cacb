import { describe, expect, it } from 'vitest'
import type { IngestItem } from '../ingest-item.ts'
import { RawPayload } from '../run-write.ts'
import { decodeItems, encodeItems, type JournaledItem } from './encode-items.ts'

const TENANT = '11111111-1111-4111-8111-111111111111'

/** What is stored of an item: payloads as texts. */
function plain(item: IngestItem): unknown {
  if (item.kind !== 'run') return item
  const entries = Object.entries(item.write).filter(([, value]) => value !== undefined)
  const texts = entries.map(([name, value]) => [name, value instanceof RawPayload ? value.text : value])
  return { ...item, write: Object.fromEntries(texts) }
}

const run = (write: object): JournaledItem => ({
  kind: 'run',
  tenantId: TENANT,
  write: { kind: 'post', id: '22222222-2222-4222-8222-222222222222', bytes: 10, ...write },
})

describe('items in a journal record', () => {
  it('come back with every field, and payloads byte for byte', () => {
    const items = [
      run({
        name: 'größe "x"\u0000\ud83d\ude00',
        parentRunId: null,
        tags: ['a', ''],
        interrupted: true,
        span: { otelTraceId: 'ab', spanId: 'cd', isRoot: true },
        inputs: RawPayload.trusted('{"big": 12345678901234567890.10, "é": "\\u0000"}'),
        outputs: RawPayload.of('{"b":1,"a":2}', { b: 1, a: 2 }),
        events: RawPayload.trusted('[]'),
      }),
      { kind: 'row', tenantId: TENANT, table: 'run_attachments', json: '{"name":"é"}' } as const,
      run({ kind: 'patch', error: 'failed', serialized: RawPayload.trusted('{}') }),
    ]
    expect(decodeItems(encodeItems(items)).map(plain)).toEqual(items.map(plain))
  })

  it('have the fields that a run did not set absent, not null', () => {
    const [item] = decodeItems(encodeItems([run({ name: undefined, inputs: undefined })]))
    expect(item?.kind === 'run' && Object.keys(item.write).sort()).toEqual(['bytes', 'id', 'kind'])
  })

  it('are refused when a newer version wrote them', () => {
    const body = encodeItems([run({})])
    body[0] = 2
    expect(() => decodeItems(body)).toThrow(/newer version/)
  })
})
