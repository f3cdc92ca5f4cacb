import { describe, expect, it } from 'vitest'
import { seeded } from '../filter/testing.ts'
import { collectTraceRuns, decodeTraceRuns, encodeTraceRuns, NO_PARENT, type TraceRunRow } from './columns.ts'
import { TraceRunColumns } from './traces.ts'

const ZERO = 1_767_323_045_000_007n
const random = seeded(11)
const below = (end: number) => Math.floor(random() * end)
const oneOf = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value
const sometimes = <Value>(share: number, value: () => Value) => (random() < share ? value() : null)

function randomId(): string {
  const digits = Array.from({ length: 32 }, () => below(16).toString(16)).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Runs with any parent: none, before or after, itself, one that is missing; times and figures of any size. */
function randomRows(size: number): TraceRunRow[] {
  const ids = Array.from({ length: size }, randomId)
  const strangers = [randomId(), randomId()]
  return ids.map((id) => {
    const cost = sometimes(0.3, () => `0.${below(2 ** 40)}`)
    const start = below(3) * 1e6 + below(2 ** 40)
    return {
      id: random() < 0.02 ? oneOf(ids) : id,
      parent_run_id: sometimes(0.9, () => oneOf(random() < 0.1 ? strangers : ids)),
      name: oneOf(['agent', 'call model', '', 'ünï "quoted"\n', `step ${below(1000)}`]),
      run_type: oneOf(['chain', 'llm', 'tool', 'parser']),
      status: oneOf(['success', 'error', 'pending', 'interrupted']),
      start,
      end: sometimes(0.9, () => start + below(2 ** 36) - 1000),
      first_token: sometimes(0.3, () => start + below(2 ** 20)),
      error_preview: sometimes(0.1, () => oneOf(['Boom', 'Traceback', `${below(100)}`])),
      model: sometimes(0.3, () => oneOf(['gpt-4.1', 'claude'])),
      tags: random() < 0.1 ? oneOf([['a'], ['a', 'b'], ['']]) : [],
      prompt_tokens: sometimes(0.3, () => below(100_000)),
      completion_tokens: sometimes(0.3, () => below(1000)),
      total_tokens: sometimes(0.3, () => below(100_000)),
      total_cost: cost,
      // All of the cost of one run or nothing.
      reported_cost: random() < 0.5 ? cost : null,
      unpriced_fees: random() < 0.3 ? 1 : null,
      inputs_bytes: below(2 ** 32),
      outputs_bytes: below(10),
    }
  })
}

describe('the runs of a trace as columns', () => {
  it('are read as they were collected, for random runs', () => {
    for (const size of [0, 1, 2, 3, 17, 300, 9_000]) {
      const runs = collectTraceRuns(randomRows(size), ZERO)
      const sent = TraceRunColumns.parse(JSON.parse(JSON.stringify(encodeTraceRuns(runs))))
      expect(decodeTraceRuns(sent)).toEqual(runs)
    }
  })

  it('have the values of their rows', () => {
    const rows = randomRows(500)
    const runs = decodeTraceRuns(encodeTraceRuns(collectTraceRuns(rows, ZERO)))
    const time = (offset: number) => (Number.isNaN(offset) ? null : Number(runs.startMicros - ZERO) + offset)
    const known = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value)
    const parentOf = (row: number) => {
      const parent = runs.parents[row] ?? NO_PARENT
      return parent >= 0 ? runs.ids[parent] : (runs.missingParentIds[NO_PARENT - 1 - parent] ?? null)
    }
    const wordAt = ({ words, codes }: { words: string[]; codes: Uint32Array }, row: number) => words[codes[row] ?? -1]
    const read = rows.map((_, row) => ({
      id: runs.ids[row],
      parent_run_id: parentOf(row),
      name: wordAt(runs.names, row),
      run_type: wordAt(runs.runTypes, row),
      status: wordAt(runs.statuses, row),
      start: time(runs.starts[row] ?? 0),
      end: time(runs.ends[row] ?? 0),
      first_token: time(runs.firstTokens[row] ?? 0),
      error_preview: runs.errorPreviews.get(row) ?? null,
      model: wordAt(runs.models, row) || null,
      tags: runs.tags.get(row) ?? [],
      prompt_tokens: known(runs.promptTokens[row]),
      completion_tokens: known(runs.completionTokens[row]),
      total_tokens: known(runs.totalTokens[row]),
      total_cost: runs.totalCosts.get(row) ?? null,
      reported_cost: runs.reportedCosts.has(row) ? (runs.totalCosts.get(row) ?? null) : null,
      unpriced_fees: runs.unpricedFees.has(row) ? 1 : null,
      inputs_bytes: runs.inputsBytes[row],
      outputs_bytes: runs.outputsBytes[row],
    }))
    expect(read).toEqual(rows)
  })

  it('name the last of two runs with one id as the parent', () => {
    const id = randomId()
    const parents = [null, null, id]
    const rows = randomRows(3).map((row, at) => ({
      ...row,
      id: at < 2 ? id : randomId(),
      parent_run_id: parents[at] ?? null,
    }))
    expect([...collectTraceRuns(rows, ZERO).parents]).toEqual([NO_PARENT, NO_PARENT, 1])
  })

  it('keep microseconds over centuries', () => {
    const zero = 4_102_444_800_000_000n // the year 2100
    const start = -6_311_347_200_000_001 // 1900
    const rows = randomRows(1).map((row) => ({ ...row, start, end: start + 2, first_token: null }))
    const runs = decodeTraceRuns(encodeTraceRuns(collectTraceRuns(rows, zero)))
    expect(runs.startMicros).toBe(zero + BigInt(start))
    expect(runs.ends[0]).toBe(2)
  })
})
