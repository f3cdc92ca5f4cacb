import { describe, expect, it } from 'vitest'
import { buildTrace } from '#lib/trace-model/build-trace.ts'
import { aTraceTree } from '#lib/trace-model/testing.ts'
import { findRow, nameAt } from '#lib/trace-model/trace.ts'
import { subAgentsOf } from './new-messages.ts'

describe('the agents that a run works for', () => {
  const trace = buildTrace(
    aTraceTree([
      { id: 'main agent' },
      { id: 'call', parent: 'main agent', run_type: 'llm' },
      { id: 'delegate', parent: 'main agent', run_type: 'tool' },
      { id: 'research agent', parent: 'delegate' },
      { id: 'step', parent: 'research agent' },
      { id: 'search agent', parent: 'step' },
      { id: 'deep call', parent: 'search agent', run_type: 'llm' },
    ]),
  )
  const of = (id: string) => subAgentsOf(trace, findRow(trace, id)!).map((row) => nameAt(trace, row))

  it('are named from the nearest on, without the one that the trace is about', () => {
    expect(of('call')).toEqual([])
    expect(of('step')).toEqual(['research agent'])
    expect(of('deep call')).toEqual(['search agent', 'research agent'])
  })
})
