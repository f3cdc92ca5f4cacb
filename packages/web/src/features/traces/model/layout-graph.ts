import { Graph, layout } from '@dagrejs/dagre'

export interface GraphToLayOut {
  nodes: readonly { width: number; height: number }[]
  /** Indices of nodes; each pair once. */
  edges: readonly { from: number; to: number }[]
}

export interface Point {
  x: number
  y: number
}

/** Positions of a graph's nodes and edges, in pixels from the top left corner. */
export interface GraphLayout {
  width: number
  height: number
  /** Center of each node, in the given order. */
  nodes: Point[]
  /** Points of each edge including its ends, in the given order. */
  edges: Point[][]
}

/** Places nodes in columns from left to right so that most edges point in the same direction. Cycles are allowed. */
export function layOutGraph({ nodes, edges }: GraphToLayOut): GraphLayout {
  const graph = new Graph()
  // The best ranking of hundreds of nodes takes many seconds without a visible difference.
  const ranker = nodes.length + edges.length > 300 ? 'tight-tree' : 'network-simplex'
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 56, marginx: 16, marginy: 16, ranker })
  graph.setDefaultEdgeLabel(() => ({}))
  // Numbers instead of names, because the layout uses names as keys of plain objects and a run may be named
  // `__proto__`.
  nodes.forEach(({ width, height }, index) => {
    graph.setNode(String(index), { width, height })
  })
  for (const { from, to } of edges) graph.setEdge(String(from), String(to), {})
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return {
    width,
    height,
    nodes: nodes.map((_, index) => toPoint(graph.node(String(index)) as Point)),
    edges: edges.map(({ from, to }) =>
      ((graph.edge(String(from), String(to)) as { points?: Point[] }).points ?? []).map(toPoint),
    ),
  }
}

function toPoint({ x, y }: Point): Point {
  return { x, y }
}
