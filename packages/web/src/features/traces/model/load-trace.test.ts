import { encodeTraceRuns } from '@touchstone/contract/trace-columns'
import { describe, expect, it } from 'vitest'
import { buildTrace, type RunTree } from './build-trace.ts'
import { parseTrace } from './load-trace.ts'
import { aTraceTree } from './testing.ts'

const ROOT = '01981234-5678-7abc-8def-0123456789ab'
const CALL = '01981234-5679-4abc-8def-0123456789ab'

function toBytes(tree: RunTree): ArrayBuffer {
  const { buffer } = new TextEncoder().encode(JSON.stringify({ ...tree, runs: encodeTraceRuns(tree.runs) }))
  return buffer
}

describe('the bytes of a run tree', () => {
  const tree = aTraceTree([
    { id: ROOT, name: 'agent', at: [0, 9], tags: ['nightly'] },
    {
      ...{ id: CALL, parent: ROOT, run_type: 'llm', at: [2], firstToken: 5, model: 'gpt-4.1', error_preview: 'Boom' },
      ...{ prompt_tokens: 20, completion_tokens: 5, total_tokens: 25, total_cost: '0.0012' },
    },
    { id: '01981234-5680-4abc-8def-0123456789ab', parent: '01981234-5681-4abc-8def-0123456789ab', at: [1, 2] },
  ])

  it('become the trace that was encoded', () => {
    expect(parseTrace({ bytes: toBytes(tree), knownVersion: undefined })).toEqual(buildTrace(tree))
  })

  it('are not read when the version is the one that is shown', () => {
    expect(parseTrace({ bytes: toBytes(tree), knownVersion: tree.version })).toBeUndefined()
    expect(parseTrace({ bytes: toBytes({ ...tree, version: '2' }), knownVersion: tree.version })?.version).toBe('2')
  })
})
