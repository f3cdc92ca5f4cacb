import { describe, expect, it } from 'vitest'
import { layOutGraph } from './layout-graph.ts'

const box = () => ({ width: 100, height: 40 })

describe('laying out a graph', () => {
  it('puts callers left of the nodes that they call, without overlaps', () => {
    const { nodes, edges, width } = layOutGraph({
      nodes: Array.from({ length: 4 }, box),
      edges: [
        { from: 0, to: 1 },
        { from: 0, to: 2 },
        { from: 2, to: 3 },
      ],
    })

    expect(nodes[0]!.x).toBeLessThan(nodes[1]!.x)
    expect(nodes[2]!.x).toBeLessThan(nodes[3]!.x)
    expect(Math.abs(nodes[1]!.y - nodes[2]!.y)).toBeGreaterThanOrEqual(40)
    expect(edges.every((points) => points.length >= 2)).toBe(true)
    expect(width).toBeGreaterThan(300)
  })

  it('accepts cycles and self-calls', () => {
    const { nodes, edges } = layOutGraph({
      nodes: Array.from({ length: 2 }, box),
      edges: [
        { from: 0, to: 1 },
        { from: 1, to: 0 },
        { from: 0, to: 0 },
      ],
    })

    expect(nodes.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true)
    expect(edges.every((points) => points.length >= 2)).toBe(true)
  })

  it('places 400 nodes around one caller', () => {
    const others = Array.from({ length: 399 }, (_, i) => i + 1)
    const { nodes } = layOutGraph({
      nodes: Array.from({ length: 400 }, box),
      edges: others.map((to) => ({ from: 0, to })),
    })

    expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(400)
  })
})
