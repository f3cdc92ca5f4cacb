import { describe, expect, it } from 'vitest'
import { buildTrace } from './build-trace.ts'
import { aLargeTraceTree, aTraceTree, type GivenRun } from './testing.ts'
import { findToolRows } from './tool-runs.ts'
import { findRow, nameAt } from './trace.ts'

function around(id: string, runs: GivenRun[]) {
  const trace = buildTrace(aTraceTree(runs))
  const { after, before } = findToolRows(trace, findRow(trace, id)!)
  return { after: after.map((row) => nameAt(trace, row)), before: before.map((row) => nameAt(trace, row)) }
}

const llm = (id: string, parent: string, at: [number, number]): GivenRun => ({ id, parent, at, run_type: 'llm' })
const tool = (id: string, parent: string, at: [number, number]): GivenRun => ({ id, parent, at, run_type: 'tool' })

describe('the tool runs around a model call', () => {
  const loop: GivenRun[] = [
    { id: 'root', at: [0, 100] },
    { id: 'agent node', parent: 'root', at: [0, 20] },
    llm('first', 'agent node', [1, 19]),
    { id: 'tools node', parent: 'root', at: [20, 40] },
    tool('search', 'tools node', [21, 30]),
    tool('lookup', 'tools node', [21, 39]),
    llm('second', 'root', [40, 60]),
    tool('save', 'root', [61, 70]),
  ]

  it('are those that started before the next model call, in any node', () => {
    expect(around('first', loop)).toEqual({ after: ['search', 'lookup'], before: [] })
    expect(around('second', loop)).toEqual({ after: ['save'], before: ['lookup', 'search'] })
  })

  it('are those of its own branch when agents run in parallel', () => {
    const runs: GivenRun[] = [
      { id: 'root', at: [0, 100] },
      { id: 'one', parent: 'root', at: [0, 50] },
      llm('model of one', 'one', [0, 10]),
      tool('tool of one', 'one', [30, 40]),
      { id: 'two', parent: 'root', at: [0, 50] },
      llm('model of two', 'two', [0, 20]),
      tool('tool of two', 'two', [21, 25]),
    ]
    expect(around('model of one', runs).after).toEqual(['tool of one'])
    expect(around('model of two', runs).after).toEqual(['tool of two'])
  })

  it('do not include runs inside another tool', () => {
    const runs: GivenRun[] = [
      { id: 'root', at: [0, 100] },
      llm('planner', 'root', [0, 10]),
      tool('sub-agent', 'root', [11, 50]),
      llm('inner', 'sub-agent', [12, 20]),
      tool('inner tool', 'sub-agent', [21, 30]),
      tool('second tool', 'root', [51, 60]),
    ]
    expect(around('planner', runs).after).toEqual(['sub-agent', 'second tool'])
    expect(around('inner', runs).after).toEqual(['inner tool'])
    expect(around('sub-agent', runs).after).toEqual(['inner tool'])
    expect(around('root', runs).after).toEqual(['sub-agent', 'second tool'])
  })

  it('are the same for a model call and for the one that wraps it', () => {
    const runs: GivenRun[] = [
      { id: 'root', at: [0, 100] },
      llm('outer', 'root', [0, 20]),
      llm('inner', 'outer', [1, 19]),
      tool('search', 'root', [21, 30]),
    ]
    expect(around('outer', runs).after).toEqual(['search'])
    expect(around('inner', runs).after).toEqual(['search'])
  })

  it('are found in a trace of 50,000 runs', () => {
    const trace = buildTrace(aLargeTraceTree(50_000))
    const before = process.cpuUsage()
    findToolRows(trace, findRow(trace, 'run-24')!)
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
  })
})
