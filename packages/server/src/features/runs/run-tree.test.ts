import { contract, decodeTraceRuns, microsOf, type TraceRunArrays, timeOfMicros, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toPathSegment } from '../../ingest/run-path.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const START = '2026-02-03T04:05:06.000007Z'

interface Sent {
  readonly id: string
  readonly trace_id: string
  readonly dotted_order: string
}

/** A run that starts a number of microseconds after `START`, as the SDKs send it. */
function aRun(micros: number, above?: Sent, fields: Record<string, unknown> = {}): Sent {
  const id = uuid7()
  const start_time = timeOfMicros(microsOf(START) + BigInt(micros))
  const segment = toPathSegment(start_time, id)
  return {
    id,
    trace_id: above?.trace_id ?? id,
    dotted_order: above === undefined ? segment : `${above.dotted_order}.${segment}`,
    ...(above && { parent_run_id: above.id }),
    ...{ name: 'step', run_type: 'chain', session_name: 'columns', start_time, inputs: { a: 1 } },
    ...fields,
  }
}

const send = (post: readonly object[]) => app.call(contract.runs.batch, { body: { post } })
const params = (trace_id: string) => ({ params: { trace_id } })

/** The fields of each run, as the list of rows has them. */
function toRows(runs: TraceRunArrays) {
  const timeOf = (offset: number | undefined) =>
    offset === undefined || Number.isNaN(offset) ? null : timeOfMicros(runs.startMicros + BigInt(offset))
  const countOf = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value)
  return runs.ids.map((id, row) => {
    const parent = runs.parents[row] ?? -1
    return {
      id,
      parent_run_id: (parent < 0 ? runs.missingParentIds[-2 - parent] : runs.ids[parent]) ?? null,
      name: runs.names.words[runs.names.codes[row] ?? -1],
      run_type: runs.runTypes.words[runs.runTypes.codes[row] ?? -1],
      status: runs.statuses.words[runs.statuses.codes[row] ?? -1],
      start_time: timeOf(runs.starts[row]),
      end_time: timeOf(runs.ends[row]),
      first_token_time: timeOf(runs.firstTokens[row]),
      error_preview: runs.errorPreviews.get(row) ?? null,
      model: runs.models.words[runs.models.codes[row] ?? -1] || null,
      tags: runs.tags.get(row) ?? [],
      prompt_tokens: countOf(runs.promptTokens[row]),
      completion_tokens: countOf(runs.completionTokens[row]),
      total_tokens: countOf(runs.totalTokens[row]),
      total_cost: runs.totalCosts.get(row) ?? null,
      reported_cost: runs.reportedCosts.has(row) ? (runs.totalCosts.get(row) ?? null) : null,
      unpriced_fees: runs.unpricedFees.has(row) ? 1 : null,
      inputs_bytes: runs.inputsBytes[row],
      outputs_bytes: runs.outputsBytes[row],
    }
  })
}

describe('the runs of a trace in columns', () => {
  it('have the order and the values of the rows', async () => {
    const root = aRun(0, undefined, { name: 'agent', tags: ['a', 'b'] })
    const model = aRun(5, root, {
      run_type: 'llm',
      name: 'call "model" ü',
      end_time: '2026-02-03T04:05:07.000001Z',
      events: [{ name: 'new_token', time: '2026-02-03T04:05:06.500000Z' }],
      outputs: { usage_metadata: { input_tokens: 20, output_tokens: 10, total_tokens: 30, total_cost: 0.00001234 } },
      extra: { metadata: { ls_model_name: 'gpt-4.1', ls_provider: 'openai' } },
    })
    const early = aRun(-3, root, { name: 'with another clock', end_time: START })
    const failed = aRun(9, model, { run_type: 'tool', error: 'Boom\nbelow', end_time: START })
    const unsent = aRun(11, root)
    const lost = aRun(12, unsent, { name: 'lost' })
    expect((await send([failed, lost, model, early, root])).status).toBe(202)

    const { body: tree } = await app.call(contract.traces.runs, params(root.id))
    const { body: columns } = await app.call(contract.traces.runColumns, params(root.id))

    const { runs: rows, ...head } = tree
    const { runs, ...headOfColumns } = columns
    expect(headOfColumns).toEqual(head)
    expect(rows).toHaveLength(5)
    expect(rows.find(({ id }) => id === lost.id)?.parent_run_id).toBe(unsent.id)
    expect(rows.find(({ id }) => id === model.id)).toMatchObject({ total_cost: '0.00001234', model: 'gpt-4.1' })
    const expected = rows.map(({ dotted_order: _path, session_id: _project, ...row }) => row)
    expect(toRows(decodeTraceRuns(runs))).toEqual(expected)
  })

  it('have a new version after a change, and end with a running run', async () => {
    const root = aRun(0)
    await send([root])
    const read = async () => (await app.call(contract.traces.runColumns, params(root.id))).body
    const before = await read()
    expect(decodeTraceRuns(before.runs).ends).toEqual(Float64Array.of(Number.NaN))
    const body = { end_time: timeOfMicros(microsOf(START) + 7n) }
    await app.call(contract.runs.update, { params: { run_id: root.id }, body })
    const after = await read()
    expect(after.version).not.toBe(before.version)
    expect(decodeTraceRuns(after.runs).ends).toEqual(Float64Array.of(7))
  })

  it('are siblings by start, then by end, then by arrival, and never by their random ids', async () => {
    const root = aRun(0)
    // Ids in the order against which everything else speaks; JavaScript's clock has milliseconds.
    const siblings = ['e', 'd', 'c', 'b', 'a'].map((name, at) => {
      const end_time = [2000, 1000, 1000, undefined, undefined].map((micros) =>
        micros === undefined ? undefined : timeOfMicros(microsOf(START) + 10n + BigInt(micros)),
      )[at]
      const run = aRun(10, root, { name, end_time })
      const id = `${'edcba'[at]}0000000-0000-7000-8000-${run.id.slice(-12)}`
      return { ...run, id, dotted_order: run.dotted_order.replace(run.id, id) }
    })
    const inner = aRun(20, siblings[1]!, { name: 'inner' })
    expect((await send([inner, root, ...siblings])).status).toBe(202)
    const expected = ['step', 'd', 'inner', 'c', 'e', 'b', 'a']

    const rows = (await app.call(contract.traces.runs, params(root.id))).body.runs
    expect(rows.map(({ name }) => name)).toEqual(expected)
    expect(rows.find(({ name }) => name === 'e')?.dotted_order).toBe(siblings[0]!.dotted_order)
    const { runs } = (await app.call(contract.traces.runColumns, params(root.id))).body
    expect(toRows(decodeTraceRuns(runs)).map(({ name }) => name)).toEqual(expected)

    const list = async (query: object) => {
      const body = { select: ['name'], ...query }
      return (await app.call(contract.runs.query, { body })).body.runs.map(({ name }) => name)
    }
    const flat = ['d', 'c', 'e', 'b', 'a']
    expect(await list({ trace: root.id, order: 'asc' })).toEqual(['step', ...flat, 'inner'])
    expect(await list({ trace: root.id })).toEqual(['inner', ...flat.toReversed(), 'step'])
    expect(await list({ parent_run: root.id, order: 'asc' })).toEqual(flat)
    expect(await list({ parent_run: root.id })).toEqual(flat.toReversed())
    const session = [rows[0]!.session_id]
    const filter = `eq(trace_id, "${root.id}")`
    expect(await list({ session, filter, order: 'asc' })).toEqual(['step', ...flat, 'inner'])
    const { child_run_ids, direct_child_run_ids } = (
      await app.call(contract.runs.query, {
        body: { id: [root.id], select: ['child_run_ids', 'direct_child_run_ids'] },
      })
    ).body.runs[0]!
    const nameOf = new Map(rows.map(({ id, name }) => [id, name]))
    expect(child_run_ids?.map((id) => nameOf.get(id))).toEqual(expected.slice(1))
    expect(direct_child_run_ids?.map((id) => nameOf.get(id))).toEqual(flat)
  })

  it('keep their arrival when one of them is written again', async () => {
    const root = aRun(0)
    const end_time = timeOfMicros(microsOf(START) + 20n)
    const siblings = ['c', 'b', 'a'].map((name) => aRun(10, root, { name, end_time }))
    expect((await send([root, ...siblings])).status).toBe(202)
    const read = async () => {
      const body = { trace: root.id, select: ['name'], order: 'asc' }
      const [tree, list] = await Promise.all([
        app.call(contract.traces.runs, params(root.id)),
        app.call(contract.runs.query, { body }),
      ])
      return [tree, list].map((answer) => answer.body.runs.map(({ name }) => name))
    }
    const expected = ['step', 'c', 'b', 'a']
    expect(await read()).toEqual([expected, expected])
    await app.call(contract.runs.update, { params: { run_id: siblings[0]!.id }, body: { tags: ['seen'] } })
    expect(await read()).toEqual([expected, expected])
  })

  it('of which many start at once are on one page of a list each', async () => {
    const root = aRun(0)
    const siblings = Array.from({ length: 23 }, (_, at) =>
      aRun(10, root, { end_time: timeOfMicros(microsOf(START) + BigInt(10 + ((at * 7) % 5))) }),
    )
    await send([root, ...siblings])
    for (const order of ['asc', 'desc'] as const) {
      const ids: string[] = []
      let cursor: string | null | undefined
      do {
        const query = { parent_run: root.id, select: ['id'], limit: 4, order, ...(cursor && { cursor }) }
        const { body } = await app.call(contract.runs.query, { body: query })
        ids.push(...body.runs.map(({ id }) => id))
        cursor = body.cursors.next
      } while (cursor)
      expect(ids).toHaveLength(23)
      expect(ids.toSorted()).toEqual(siblings.map(({ id }) => id).toSorted())
    }
  })

  it('are not found before a run of the trace has arrived', async () => {
    expect((await app.call(contract.traces.runColumns, params(uuid7()))).status).toBe(404)
  })
})
