import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readSpans } from '../decode/read-request.ts'
import { findAggregates, mapSpan, readRunTokens, toAggregate } from '../map/index.ts'
import type { OtlpSpan } from '../span.ts'
import { drawTree, judgeRuns, type SeenRun } from './judge.ts'
import { columnsOf, INSTRUMENTATIONS, toExpected } from './table.ts'

/** Requests of the exporters of real programs, as OTLP JSON; `e2e/clients/otel` runs these programs. */
const folder = new URL('recorded/', import.meta.url)

async function readRuns(name: string): Promise<SeenRun[]> {
  const spans: OtlpSpan[] = []
  for await (const item of readSpans(readFileSync(new URL(`${name}.json`, folder)), 'json')) {
    if ('ok' in item) spans.push(item.ok)
    else throw new Error(item.problem)
  }
  spans.sort((a, b) => (a.startNano < b.startNano ? -1 : 1))
  return withoutRepeats(spans, spans.map(toRun))
}

/** Takes the usage from runs that repeat it, as the server does for each trace. */
function withoutRepeats(spans: readonly OtlpSpan[], runs: readonly SeenRun[]): SeenRun[] {
  const known = runs.map(({ id, parentId, name, runType, metadata }, at) => {
    const { scope, startNano, endNano } = spans[at]!
    const extra = JSON.stringify({ metadata, otel: { scope } })
    return { id, parentId, name, runType, start: `${startNano}`, end: `${endNano}`, ...readRunTokens(extra) }
  })
  const repeats = new Map(
    [...new Set(runs.map(({ traceId }) => traceId))].flatMap((trace) => [
      ...findAggregates(known.filter((_, at) => runs[at]?.traceId === trace)),
    ]),
  )
  return runs.map((run) => {
    const repeat = repeats.get(run.id)
    if (repeat === undefined) return run
    const extra = JSON.parse(toAggregate(JSON.stringify({ metadata: run.metadata }), repeat)) as { metadata: unknown }
    return { ...run, metadata: extra.metadata }
  })
}

function toRun(span: OtlpSpan): SeenRun {
  const { name, runType, inputs, outputs, error, events, extra } = mapSpan(span)
  const { spanId, parentSpanId, traceId } = span
  const own = { name, runType, inputs, outputs, error, metadata: extra.metadata, invocation: extra.invocation_params }
  const firstToken = events.find((event) => event.name === 'new_token')?.time
  return {
    id: `${traceId}${spanId}`,
    parentId: parentSpanId && `${traceId}${parentSpanId}`,
    traceId,
    ...own,
    firstToken,
  }
}

const RECORDED = INSTRUMENTATIONS.filter(({ recorded }) => recorded !== undefined)

describe.each(RECORDED)('what $name sends', ({ recorded = '', trees, cells }) => {
  it('becomes the runs and the fields of the table', async () => {
    const runs = await readRuns(recorded)
    expect(drawTree(runs)).toEqual(trees)
    // Prices belong to a workspace; the tests of `e2e/clients/otel` compare the cost.
    const { cost: _, ...known } = cells
    expect(judgeRuns(runs, columnsOf(known))).toEqual(toExpected(known))
  })
})

it('each recording has a row of the table', () => {
  const files = readdirSync(folder).map((file) => file.replace(/\.json$/, ''))
  expect(files.sort()).toEqual(RECORDED.map(({ recorded }) => recorded).sort())
})
