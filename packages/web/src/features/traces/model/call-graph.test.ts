import { describe, expect, it } from 'vitest'
import { buildTrace } from './build-trace.ts'
import { buildCallGraph, buildStepGraph, MAX_NODES } from './call-graph.ts'
import { aTraceTree } from './testing.ts'

describe('the graph of calls', () => {
  it('makes one node of all runs of a name and type, and counts calls', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root', at: [0, 10] },
        { id: 'a1', parent: 'root', name: 'search', run_type: 'tool', at: [1, 3], status: 'error' },
        { id: 'a2', parent: 'root', name: 'search', run_type: 'tool', at: [3, 4] },
        { id: 'b', parent: 'a1', name: 'root', at: [1, 2] },
        { id: 'c', parent: 'root', name: 'search', run_type: 'retriever', at: [5, 6] },
      ]),
    )
    const { nodes, edges, hiddenNodes: left } = buildCallGraph(trace)

    expect(nodes.map(({ id, rows, errors }) => [id, rows.length, errors])).toEqual([
      ['chain:root', 2, 0],
      ['tool:search', 2, 1],
      ['retriever:search', 1, 0],
    ])
    expect(edges).toEqual([
      { from: 'chain:root', to: 'tool:search', count: 2 },
      { from: 'tool:search', to: 'chain:root', count: 1 },
      { from: 'chain:root', to: 'retriever:search', count: 1 },
    ])
    expect(nodes[1]).toMatchObject({ sum: 3_000, max: 2_000 })
    expect(left).toBe(0)
  })

  it('assigns the children of excluded runs to their caller', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root', at: [0, 10] },
        { id: 'between', parent: 'root', at: [0, 9] },
        { id: 'leaf', parent: 'between', at: [1, 2] },
      ]),
    )

    expect(buildCallGraph(trace, (row) => row !== 1).edges).toEqual([
      { from: 'chain:root', to: 'chain:leaf', count: 1 },
    ])
  })

  it('groups names that differ only in numbers when there are too many', () => {
    const { nodes, hiddenNodes: left, isNumbered } = buildCallGraph(buildTrace(aTraceTree(many((i) => `step ${i}`))))

    expect(nodes.map(({ name, rows }) => [name, rows.length])).toEqual([['step #', MAX_NODES + 50]])
    expect([left, isNumbered]).toEqual([0, true])
  })

  it('counts the nodes that it leaves out', () => {
    const word = (i: number) => String.fromCodePoint(0x4e00 + i)
    const { nodes, hiddenNodes: left } = buildCallGraph(buildTrace(aTraceTree(many(word))))

    expect(nodes).toHaveLength(MAX_NODES)
    expect(left).toBe(50)
  })
})

const many = (nameOf: (i: number) => string) =>
  Array.from({ length: MAX_NODES + 50 }, (_, i) => ({
    id: `r${i}`,
    name: nameOf(i),
    ...(i > 0 ? { parent: 'r0' } : {}),
    at: [0, 1000 - i] as [number, number],
  }))

describe('the graph of steps', () => {
  it('follows the nodes from step to step, parallel ones too', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'graph', at: [0, 10] },
        { id: 'act', parent: 'graph', at: [0, 1] },
        { id: 'tools', parent: 'graph', at: [1, 2] },
        { id: 'again', parent: 'graph', name: 'act', at: [2, 3] },
        { id: 'left', parent: 'graph', at: [3, 4] },
        { id: 'right', parent: 'graph', at: [3, 4] },
      ]),
    )
    const steps = ['act', 'tools', 'act', 'left', 'right'].map((node, i) => ({
      row: i + 1,
      node,
      step: Math.min(i + 1, 4),
    }))
    const { nodes, edges } = buildStepGraph(trace, steps)

    expect(nodes.find(({ name }) => name === 'act')!.rows).toEqual([1, 3])
    expect(edges.map(({ from, to }) => `${from} > ${to}`)).toEqual([
      'chain:act > chain:tools',
      'chain:tools > chain:act',
      'chain:act > chain:left',
      'chain:act > chain:right',
    ])
  })

  it('enters a graph inside a node from that node, also when it has a single node', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'LangGraph', at: [0, 10] },
        { id: 'supervisor', parent: 'LangGraph', at: [0, 2] },
        { id: 'refund_agent', parent: 'LangGraph', at: [2, 9] },
        { id: 'inner', parent: 'refund_agent', at: [2, 9] },
        { id: 'tools', parent: 'inner', at: [3, 8] },
      ]),
    )
    const steps = [
      { row: 1, node: 'supervisor', step: 1 },
      { row: 2, node: 'refund_agent', step: 2 },
      { row: 4, node: 'tools', step: 1 },
    ]
    expect(buildStepGraph(trace, steps).edges.map(({ from, to }) => `${from} > ${to}`)).toEqual([
      'chain:supervisor > agent:refund_agent',
      'agent:refund_agent > chain:tools',
    ])
  })
})
