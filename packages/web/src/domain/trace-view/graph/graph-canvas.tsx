import { Maximize, Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { formatCount, formatLatency } from '#lib/format/format.ts'
import { askLayout } from '#lib/graph/ask-layout.ts'
import type { GraphLayout, Point } from '#lib/graph/layout-graph.ts'
import type { CallGraph, CallNode } from '#lib/trace-model/call-graph.ts'
import { colourAt, type RunColours } from '#lib/trace-model/run-colors.ts'
import { ErrorState } from '#ui/error-state.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { useDelayedFlag } from '#ui/use-delayed-flag.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'
import { isAt } from './graph-table.tsx'
import { usePanZoom } from './use-pan-zoom.ts'

const WIDTH = 190
const HEIGHT = 44

export interface GraphCanvasProps {
  graph: CallGraph
  selected: number | undefined
  onSelect: (row: number) => void
  colours: RunColours
}

/** The graph as a drawing that one moves about in. Arrows go to the nearest node that way, Enter to its next run. */
export function GraphCanvas({ graph, selected, onSelect, colours }: GraphCanvasProps) {
  const frame = useRef<HTMLDivElement>(null)
  const { placement, setPlacement, zoomBy, hasMoved, handlers } = usePanZoom(frame)
  const [laidOut, setLaidOut] = useState<{ graph: CallGraph; layout: GraphLayout }>()
  const [problem, setProblem] = useState<unknown>()
  useEffect(() => {
    const asked = new AbortController()
    const index = new Map(graph.nodes.map(({ id }, at) => [id, at]))
    askLayout(
      {
        nodes: graph.nodes.map(() => ({ width: WIDTH, height: HEIGHT })),
        edges: graph.edges.map(({ from, to }) => ({ from: index.get(from)!, to: index.get(to)! })),
      },
      asked.signal,
    ).then(
      (layout) => setLaidOut({ graph, layout }),
      (cause) => !asked.signal.aborted && setProblem(cause),
    )
    return () => asked.abort()
  }, [graph])

  const shown = laidOut?.graph
  const layout = laidOut?.layout
  const fit = useMemo(
    () => () => {
      const box = frame.current
      if (!box || !layout) return
      const scale = Math.min(box.clientWidth / layout.width, box.clientHeight / layout.height, 1)
      // A drawing of hundreds of nodes would shrink to dust, so it starts readable at its callers instead.
      const readable = Math.max(scale, 0.5)
      const y = readable > scale && shown ? box.clientHeight / 2 - layout.nodes[firstOf(shown)]!.y * readable : 0
      setPlacement({
        scale: readable,
        x: Math.max((box.clientWidth - layout.width * readable) / 2, 0),
        y: readable > scale ? y : Math.max((box.clientHeight - layout.height * readable) / 2, 0),
      })
    },
    [layout, shown, setPlacement],
  )
  useEffect(() => fit(), [fit])

  const [focused, setFocused] = useState<string>()
  const current = Math.max(
    shown?.nodes.findIndex((node) => (focused === undefined ? isAt(node, selected) : node.id === focused)) ?? 0,
    0,
  )
  const pick = (node: CallNode) => {
    setFocused(node.id)
    const at = selected === undefined ? -1 : node.rows.indexOf(selected)
    onSelect(node.rows[(at + 1) % node.rows.length]!)
  }
  const walk = (x: number, y: number) => {
    const next = layout && nearest(layout.nodes, current, x, y)
    if (next === undefined || !shown) return
    pick(shown.nodes[next]!)
    bringIntoView(layout!.nodes[next]!)
  }
  const bringIntoView = ({ x, y }: Point) => {
    const box = frame.current!
    const [left, top] = [x * placement.scale + placement.x, y * placement.scale + placement.y]
    const isIn = left > 60 && top > 30 && left < box.clientWidth - 60 && top < box.clientHeight - 30
    if (isIn) return
    setPlacement({
      ...placement,
      x: box.clientWidth / 2 - x * placement.scale,
      y: box.clientHeight / 2 - y * placement.scale,
    })
  }
  useShortcuts(
    'Run / trace',
    [
      { keys: 'arrowright', label: 'Node to the right', run: () => walk(1, 0) },
      { keys: 'arrowleft', label: 'Node to the left', run: () => walk(-1, 0) },
      { keys: 'arrowdown', label: 'Node below', run: () => walk(0, 1) },
      { keys: 'arrowup', label: 'Node above', run: () => walk(0, -1) },
      { keys: 'enter', label: 'Next run of the node', run: () => shown && pick(shown.nodes[current]!) },
      { keys: ['w', '+'], label: 'Zoom in', run: () => zoomBy(1.3) },
      { keys: ['s', '-'], label: 'Zoom out', run: () => zoomBy(1 / 1.3) },
      { keys: '0', label: 'Show the whole graph', run: fit },
    ],
    frame,
  )

  if (problem) return <ErrorState title="The graph could not be laid out" error={problem} />
  return (
    <div className="relative flex min-h-0 flex-1">
      <div
        ref={frame}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: one walks in this picture by arrow keys
        tabIndex={0}
        data-pane="tree"
        aria-label={`Graph of ${graph.nodes.length} nodes and ${graph.edges.length} edges`}
        aria-describedby="graph-summary"
        className="min-h-0 flex-1 cursor-grab touch-none overflow-hidden outline-offset-[-2px] active:cursor-grabbing"
        {...handlers}
      >
        {shown !== graph && <LayingOut nodes={graph.nodes.length} />}
        {layout && shown && (
          <svg className="block size-full select-none" aria-hidden>
            <defs>
              <marker
                id="arrow"
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerUnits="userSpaceOnUse"
                markerWidth="9"
                markerHeight="9"
                orient="auto"
              >
                <path d="M0 1 L7 4 L0 7 z" fill="var(--border-strong)" />
              </marker>
            </defs>
            <g transform={`translate(${placement.x} ${placement.y}) scale(${placement.scale})`}>
              {shown.edges.map(({ from, to, count }, index) => (
                <Edge key={`${from}\n${to}`} points={layout.edges[index]!} count={count} />
              ))}
              {shown.nodes.map((node, index) => (
                <Node
                  key={node.id}
                  node={node}
                  at={layout.nodes[index]!}
                  colour={colourAt(colours, node.rows[0]!)}
                  isSelected={isAt(node, selected)}
                  onPick={() => !hasMoved() && pick(node)}
                />
              ))}
            </g>
          </svg>
        )}
      </div>
      <p id="graph-summary" className="sr-only">
        Arrow keys go from node to node, Enter to the next run of a node. "View as table" lists the nodes as text.
      </p>
      <p role="status" className="sr-only">
        {shown?.nodes[current] && describe(shown.nodes[current])}
      </p>
      <div className="absolute bottom-2 right-2 flex rounded-control border border-border bg-surface">
        <IconButton icon={Plus} label="Zoom in" onClick={() => zoomBy(1.3)} />
        <IconButton icon={Minus} label="Zoom out" onClick={() => zoomBy(1 / 1.3)} />
        <IconButton icon={Maximize} label="Show the whole graph" onClick={fit} />
      </div>
    </div>
  )
}

function LayingOut({ nodes }: { nodes: number }) {
  return useDelayedFlag(true, 150) ? (
    <p role="status" className="absolute left-3 top-2 text-meta text-fg-muted">
      Laying out {formatCount(nodes)} nodes …
    </p>
  ) : null
}

interface NodeProps {
  node: CallNode
  at: Point
  colour: { solid: string; tint: string }
  isSelected: boolean
  onPick: (event: KeyboardEvent | React.MouseEvent) => void
}

function Node({ node, at, colour, isSelected, onPick }: NodeProps) {
  const [left, top] = [at.x - WIDTH / 2, at.y - HEIGHT / 2]
  const facts = [`×${formatCount(node.rows.length)}`, formatLatency(node.sum / 1000)]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a pointer's way to what the arrow keys do
    <g onClick={onPick} className="cursor-pointer">
      <title>{describe(node)}</title>
      <rect
        x={left}
        y={top}
        width={WIDTH}
        height={HEIGHT}
        rx={4}
        fill={node.errors > 0 ? 'var(--del-bg)' : colour.tint}
        stroke={isSelected ? 'var(--accent)' : 'var(--border)'}
        strokeWidth={isSelected ? 2 : 1}
      />
      <rect x={left} y={top} width={3} height={HEIGHT} fill={node.errors > 0 ? 'var(--err)' : colour.solid} />
      <text x={left + 12} y={top + 18} fontSize={12} fontWeight={500} fill="var(--fg)">
        {shortened(node.name, 26)}
      </text>
      <text x={left + 12} y={top + 34} fontSize={11} fill="var(--fg-muted)">
        {facts.join(' · ')}
        {node.errors > 0 && (
          <tspan fill="var(--err)">
            {' '}
            · {formatCount(node.errors)} {node.errors === 1 ? 'error' : 'errors'}
          </tspan>
        )}
      </text>
    </g>
  )
}

function Edge({ points, count }: { points: readonly Point[]; count: number }) {
  const middle = points[Math.floor(points.length / 2)]!
  const width = Math.min(1 + Math.log10(count), 4)
  return (
    <g>
      <path
        d={curveThrough(points)}
        fill="none"
        stroke="var(--border-strong)"
        strokeWidth={width}
        strokeLinejoin="round"
        markerEnd="url(#arrow)"
      />
      {count > 1 && (
        <text
          x={middle.x}
          y={middle.y - 4 - width}
          fontSize={11}
          textAnchor="middle"
          fill="var(--fg-muted)"
          stroke="var(--bg)"
          strokeWidth={3}
          paintOrder="stroke"
        >
          ×{formatCount(count)}
        </text>
      )}
    </g>
  )
}

/** A path that bends at the points instead of breaking there. */
function curveThrough(points: readonly Point[]): string {
  const print = ({ x, y }: Point) => `${x.toFixed(1)} ${y.toFixed(1)}`
  const bends = points.slice(1, -1).map((point, i) => {
    const next = points[i + 2]!
    const isLast = i === points.length - 3
    return `Q${print(point)} ${print(isLast ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}`
  })
  return `M${print(points[0]!)}${bends.join('')}${bends.length === 0 ? `L${print(points.at(-1)!)}` : ''}`
}

/** The node that most others are reached from: nothing leads to it, and it took longest. */
function firstOf({ nodes, edges }: CallGraph): number {
  const reached = new Set(edges.filter(({ from, to }) => from !== to).map(({ to }) => to))
  return Math.max(
    nodes.findIndex(({ id }) => !reached.has(id)),
    0,
  )
}

/** The nearest node in a direction; what lies off to the side counts as farther away. */
function nearest(nodes: readonly Point[], from: number, x: number, y: number): number | undefined {
  const here = nodes[from]!
  let best: number | undefined
  let least = Number.POSITIVE_INFINITY
  nodes.forEach((node, index) => {
    const [dx, dy] = [node.x - here.x, node.y - here.y]
    const ahead = dx * x + dy * y
    if (index === from || ahead <= 1) return
    const distance = ahead + 2 * Math.abs(dx * y + dy * x)
    if (distance >= least) return
    least = distance
    best = index
  })
  return best
}

function describe(node: CallNode): string {
  const errors = node.errors > 0 ? `, ${formatCount(node.errors)} failed` : ''
  return `${node.name}, ${node.type}, ${formatCount(node.rows.length)} runs, ${formatLatency(node.sum / 1000)} together${errors}`
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
