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

/** Where to draw a graph, in pixels from its top left corner. */
export interface GraphLayout {
  width: number
  height: number
  /** Centre of each node, in the order given. */
  nodes: Point[]
  /** Bends of each edge, ends included, in the order given. */
  edges: Point[][]
}

/** Places nodes in columns from left to right so that edges mostly point the same way. Rings and loops are fine. */
export function layOutGraph({ nodes, edges }: GraphToLayOut): GraphLayout {
  const graph = new Graph()
  // The finest ranking of hundreds of nodes takes many seconds, and nobody sees the difference.
  const ranker = nodes.length + edges.length > 300 ? 'tight-tree' : 'network-simplex'
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 56, marginx: 16, marginy: 16, ranker })
  graph.setDefaultEdgeLabel(() => ({}))
  // Numbered, because the layout keeps names as keys of plain objects, and `__proto__` is a name a run may have.
  nodes.forEach(({ width, height }, index) => {
    graph.setNode(String(index), { width, height })
  })
  for (const { from, to } of edges) graph.setEdge(String(from), String(to), {})
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return {
    width,
    height,
    nodes: nodes.map((_, index) => pointOf(graph.node(String(index)) as Point)),
    edges: edges.map(({ from, to }) =>
      ((graph.edge(String(from), String(to)) as { points?: Point[] }).points ?? []).map(pointOf),
    ),
  }
}

function pointOf({ x, y }: Point): Point {
  return { x, y }
}
