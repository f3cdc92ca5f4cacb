import { randomBytes } from 'node:crypto'
import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { padSpanId } from '../../storage/analytics/run-aliases.ts'
import { openEmptyAnalytics } from '../../testing/analytics-engine.ts'
import { aRequest, nano, type SpanJson, toAttributes } from '../../testing/otlp-request.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { toTraceUuid } from './tree/span-ids.ts'

const newSpan = () => randomBytes(8).toString('hex')

describe('a trace of many requests', () => {
  let app: StartedApp
  /** Rows that came back from the tables in which spans are placed, and the values that were sent to them. */
  let read = 0
  let sent = 0
  beforeAll(async () => {
    const analytics = await openEmptyAnalytics()
    app = await startApp({
      analytics: {
        ...analytics,
        async query(statement, row) {
          const rows = await analytics.query(statement, row)
          if (/trace_runs|run_links|run_aliases|run_keys/.test(statement.text)) {
            read += rows.length
            sent += Object.values(statement.params).flat().length
          }
          return rows
        },
      },
    })
  })
  afterAll(() => app.close())

  async function send(spans: readonly SpanJson[]): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const answer = await app.fetch('/otel/v1/traces', {
      method: 'POST',
      headers,
      body: JSON.stringify(aRequest(spans)),
    })
    expect(answer.status).toBe(200)
    // Stored before the next block.
    const body = { id: [padSpanId(spans.at(-1)!.spanId)], select: ['id' as const] }
    await app.call(contract.runs.query, { body })
  }

  it.each(['first', 'last'])('reads as much for its last spans as for others, when its root comes %s', async (when) => {
    const [trace, root] = [randomBytes(16).toString('hex'), newSpan()]
    const attributes = toAttributes({ 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 7 })
    const aSpanAt = (second: number, parentSpanId: string | undefined, name: string, more: Partial<SpanJson> = {}) => {
      const times = { startTimeUnixNano: nano(second * 1_000), endTimeUnixNano: nano(second * 1_000 + 900) }
      return { traceId: trace, spanId: newSpan(), ...(parentSpanId && { parentSpanId }), name, ...times, ...more }
    }
    const theRoot = aSpanAt(0, undefined, 'agent', { spanId: root, endTimeUnixNano: nano(99_000) })
    if (when === 'first') await send([theRoot])
    const reads: number[][] = []
    let step = newSpan()
    for (let number = 1; number <= 6; number++) {
      ;[read, sent] = [0, 0]
      // The calls of a step come before it.
      const next = newSpan()
      const calls = [1, 2, 3].map((after) => aSpanAt(number * 10 + after, next, 'call', { attributes }))
      await send([...calls, aSpanAt(number * 10 - 10, root, 'step', { spanId: step })])
      reads.push([read, sent])
      step = next
    }
    // The first spans of a trace find nothing.
    expect(reads.slice(3)).toEqual([reads[2], reads[2], reads[2]])
    if (when === 'last') await send([theRoot])
    const body = { trace: toTraceUuid(trace), select: ['name' as const, 'dotted_order' as const], limit: 100 }
    const { runs } = (await app.call(contract.runs.query, { body })).body
    const depths = runs.map(({ name, dotted_order }) => `${name} ${dotted_order?.split('.').length}`)
    // Those of the last step wait for it.
    expect([...new Set(depths)].toSorted()).toEqual(['agent 1', 'call 3', 'step 2'])
  })
})
