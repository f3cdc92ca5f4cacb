import { bigintAt, floatAt, intAt } from '#lib/columns.ts'
import type { GraphLayout, GraphToLayOut } from './layout-graph.ts'
import { ERROR, nameAt, shownEndAt, type Trace } from './trace.ts'
import { drawnTypeAt } from './visible-rows.ts'

/** All runs of one name and type as one node. */
export interface CallNode {
  id: string
  name: string
  type: string
  /** The runs of the node, in drawing order. */
  rows: number[]
  errors: number
  /** Total duration in microseconds. */
  sum: number
  max: number
  tokens: number
  /** Picodollars. */
  cost: bigint
}

export interface CallEdge {
  from: string
  to: string
  count: number
}

export interface CallGraph {
  /** Ordered by total duration, the longest first. */
  nodes: CallNode[]
  edges: CallEdge[]
  /** Number of nodes that were left out because of the limit. */
  hiddenNodes: number
  /** Whether names that differ only in numbers share a node. */
  isNumbered: boolean
}

/** Maximum number of nodes. More are unreadable and take minutes to lay out. */
export const MAX_NODES = 400

/**
 * Builds the call graph: runs of one name and type are one node, and an edge counts the calls between two nodes. If
 * that makes too many nodes, names that differ only in numbers (`step 1`, `step 2`) share a node.
 *
 * @param accepts  which runs to include; the children of an excluded run belong to its caller
 */
export function buildCallGraph(trace: Trace, accepts: (row: number) => boolean = () => true): CallGraph {
  const graph = graphByName(trace, accepts, (name) => name)
  return graph.hiddenNodes === 0 ? graph : { ...graphByName(trace, accepts, withoutNumbers), isNumbered: true }
}

function withoutNumbers(name: string): string {
  return name.replace(/\d+/g, '#')
}

function graphByName(trace: Trace, accepts: (row: number) => boolean, groupOf: (name: string) => string): CallGraph {
  const nodes = new Map<string, CallNode>()
  const edges = new Map<string, CallEdge>()
  const nodeOf: (string | undefined)[] = new Array(trace.size)
  for (let row = 0; row < trace.size; row++) {
    const above = intAt(trace.parent, row)
    const caller = above === -1 ? undefined : nodeOf[above]
    if (!accepts(row)) {
      nodeOf[row] = caller
      continue
    }
    const name = groupOf(nameAt(trace, row))
    const id = `${drawnTypeAt(trace, row)}:${name}`
    nodeOf[row] = id
    count(nodes, id, trace, row, name)
    if (caller !== undefined) addEdge(edges, caller, id)
  }
  return withinLimit(nodes, edges)
}

/** A run that a state graph executed as one of its nodes, and its step. */
export interface GraphStep {
  row: number
  node: string
  step: number
}

/**
 * The graph that a state-graph framework executed: its own nodes, and an edge for each time the nodes of one step were
 * followed by the nodes of the next step. A graph inside a node is entered from that node.
 */
export function buildStepGraph(trace: Trace, steps: readonly GraphStep[]): CallGraph {
  const nodes = new Map<string, CallNode>()
  const edges = new Map<string, CallEdge>()
  const atStep = new Map<string, Set<string>>()
  const graphs = new Map<number, number[]>()
  const idOf = new Map<number, string>()
  for (const { row, node, step } of steps) {
    const graph = intAt(trace.parent, row)
    const id = `${drawnTypeAt(trace, row)}:${node}`
    count(nodes, id, trace, row, node)
    idOf.set(row, id)
    const key = `${graph} ${step}`
    atStep.set(key, (atStep.get(key) ?? new Set()).add(id))
    graphs.set(graph, [...(graphs.get(graph) ?? []), step])
  }
  for (const [graph, taken] of graphs) {
    const inOrder = [...new Set(taken)].sort((a, b) => a - b)
    const outer = findNodeAround(trace, graph, idOf)
    if (outer !== undefined) for (const to of atStep.get(`${graph} ${inOrder[0]}`) ?? []) addEdge(edges, outer, to)
    for (let i = 1; i < inOrder.length; i++) {
      for (const from of atStep.get(`${graph} ${inOrder[i - 1]}`) ?? []) {
        for (const to of atStep.get(`${graph} ${inOrder[i]}`) ?? []) addEdge(edges, from, to)
      }
    }
  }
  return withinLimit(nodes, edges)
}

/** The node that a graph ran in; undefined for a graph at the top. */
function findNodeAround(trace: Trace, graph: number, idOf: ReadonlyMap<number, string>): string | undefined {
  for (let row = graph; row !== -1; row = intAt(trace.parent, row)) {
    const id = idOf.get(row)
    if (id !== undefined) return id
  }
  return undefined
}

function count(nodes: Map<string, CallNode>, id: string, trace: Trace, row: number, name: string): void {
  let node = nodes.get(id)
  if (!node) {
    const type = drawnTypeAt(trace, row)
    node = { id, name, type, rows: [], errors: 0, sum: 0, max: 0, tokens: 0, cost: 0n }
    nodes.set(id, node)
  }
  const took = shownEndAt(trace, row) - floatAt(trace.start, row)
  node.rows.push(row)
  node.sum += took
  node.max = Math.max(node.max, took)
  if (trace.status[row] === ERROR) node.errors++
  node.tokens += floatAt(trace.subtreePromptTokens, row) + floatAt(trace.subtreeCompletionTokens, row)
  node.cost += bigintAt(trace.subtreeCost, row)
}

function addEdge(edges: Map<string, CallEdge>, from: string, to: string): void {
  const key = `${from}\n${to}`
  const edge = edges.get(key)
  if (edge) edge.count++
  else edges.set(key, { from, to, count: 1 })
}

function withinLimit(nodes: Map<string, CallNode>, edges: Map<string, CallEdge>): CallGraph {
  const inOrder = [...nodes.values()].sort((a, b) => b.sum - a.sum)
  const kept = inOrder.slice(0, MAX_NODES)
  const ids = new Set(kept.map(({ id }) => id))
  return {
    nodes: kept,
    edges: [...edges.values()].filter(({ from, to }) => ids.has(from) && ids.has(to)),
    hiddenNodes: inOrder.length - kept.length,
    isNumbered: false,
  }
}

/** Lays out a graph in a new worker, which is terminated after the result or when the request is aborted. */
export function askLayout(graph: GraphToLayOut, signal: AbortSignal): Promise<GraphLayout> {
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module', name: 'graph' })
  return new Promise<GraphLayout>((resolve, reject) => {
    signal.addEventListener('abort', () => {
      worker.terminate()
      reject(signal.reason)
    })
    worker.onmessage = ({ data }: MessageEvent<GraphLayout>) => {
      worker.terminate()
      resolve(data)
    }
    worker.onerror = (event) => {
      worker.terminate()
      reject(new Error(event.message || 'The graph could not be laid out.'))
    }
    worker.postMessage(graph)
  })
}
