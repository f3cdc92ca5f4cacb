import { Maximize, Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { formatCount, formatLatency, pluralize } from '#lib/format.ts'
import { IconButton } from '#ui/button.tsx'
import { useDelayedFlag } from '#ui/hooks.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { ErrorState } from '#ui/states.tsx'
import { askLayout, type CallGraph, type CallNode } from '../../model/call-graph.ts'
import type { GraphLayout, Point } from '../../model/layout-graph.ts'
import { colorAt, type RunColors } from '../../model/run-colors.ts'
import { isAt } from './graph-table.tsx'
import { type Placement, usePanZoom } from './use-pan-zoom.ts'

const WIDTH = 190
const HEIGHT = 44

export interface GraphCanvasProps {
  graph: CallGraph
  selected: number | undefined
  onSelect: (row: number) => void
  colors: RunColors
}

/** The graph as a drawing that can be moved and zoomed. Arrow keys go to the nearest node, Enter to its next run. */
export function GraphCanvas(props: GraphCanvasProps) {
  const { graph, selected, onSelect } = props
  const frame = useRef<HTMLDivElement>(null)
  const panZoom = usePanZoom(frame)
  const { zoomBy, handlers } = panZoom
  const { shown, problem } = useGraphLayout(graph)
  const fit = useFit(frame, shown, panZoom.setPlacement)
  const [focusedId, setFocusedId] = useState<string>()
  const current = findCurrent(shown?.graph, focusedId, selected)
  const pick = (node: CallNode | undefined) => {
    const next = node && findNextRun(node, selected)
    if (node === undefined || next === undefined) return
    setFocusedId(node.id)
    onSelect(next)
  }
  useGraphKeys({ frame, shown, current, panZoom, fit, onPick: pick })

  if (problem) return <ErrorState title="Could not lay out the graph" error={problem} />
  const currentNode = shown?.graph.nodes[current]
  return (
    <div className="relative flex min-h-0 flex-1">
      <div
        ref={frame}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys navigate this drawing
        tabIndex={0}
        data-pane="tree"
        aria-label={`Graph of ${pluralize(graph.nodes.length, 'node')} and ${pluralize(graph.edges.length, 'edge')}`}
        aria-describedby="graph-summary"
        className="min-h-0 flex-1 cursor-grab touch-none overflow-hidden outline-offset-[-2px] active:cursor-grabbing"
        {...handlers}
      >
        {shown?.graph !== graph && <LayingOut nodes={graph.nodes.length} />}
        {shown && <Drawing {...props} shown={shown} panZoom={panZoom} onPick={pick} />}
      </div>
      <p id="graph-summary" className="sr-only">
        Arrow keys go from node to node, Enter to the next run of a node. "View as table" lists the nodes as text.
      </p>
      <p role="status" className="sr-only">
        {currentNode && describe(currentNode)}
      </p>
      <div className="absolute bottom-2 right-2 flex rounded-control border border-border bg-surface">
        <IconButton icon={Plus} label="Zoom in" onClick={() => zoomBy(1.3)} />
        <IconButton icon={Minus} label="Zoom out" onClick={() => zoomBy(1 / 1.3)} />
        <IconButton icon={Maximize} label="Show the whole graph" onClick={fit} />
      </div>
    </div>
  )
}

/** A graph with the layout computed for it. */
interface LaidOutGraph {
  graph: CallGraph
  layout: GraphLayout
}

type PanZoom = ReturnType<typeof usePanZoom>

/** Lays out the graph in a worker. Until the result arrives, the previous graph stays. */
function useGraphLayout(graph: CallGraph) {
  const [shown, setShown] = useState<LaidOutGraph>()
  const [problem, setProblem] = useState<unknown>()
  useEffect(() => {
    const request = new AbortController()
    askLayout(toLayoutRequest(graph), request.signal).then(
      (layout) => setShown({ graph, layout }),
      (cause) => !request.signal.aborted && setProblem(cause),
    )
    return () => request.abort()
  }, [graph])
  return { shown, problem }
}

function toLayoutRequest(graph: CallGraph) {
  const indexById = new Map(graph.nodes.map(({ id }, index) => [id, index]))
  return {
    nodes: graph.nodes.map(() => ({ width: WIDTH, height: HEIGHT })),
    edges: graph.edges.map(({ from, to }) => ({ from: indexById.get(from) ?? -1, to: indexById.get(to) ?? -1 })),
  }
}

/** Returns a callback that fits the drawing into its frame, and calls it after each layout. */
function useFit(
  frame: RefObject<HTMLElement | null>,
  shown: LaidOutGraph | undefined,
  setPlacement: PanZoom['setPlacement'],
) {
  const fit = useCallback(() => {
    const box = frame.current
    if (!box || !shown) return
    const { graph, layout } = shown
    const scale = Math.min(box.clientWidth / layout.width, box.clientHeight / layout.height, 1)
    // A drawing of hundreds of nodes would be too small, so it starts readable at its first caller instead.
    const readable = Math.max(scale, 0.5)
    const firstNode = readable > scale ? layout.nodes[findFirst(graph)] : undefined
    setPlacement({
      scale: readable,
      x: Math.max((box.clientWidth - layout.width * readable) / 2, 0),
      y: firstNode
        ? box.clientHeight / 2 - firstNode.y * readable
        : Math.max((box.clientHeight - layout.height * readable) / 2, 0),
    })
  }, [frame, shown, setPlacement])
  useEffect(fit, [fit])
  return fit
}

/** Index of the focused node, else of the node of the selected run. */
function findCurrent(
  graph: CallGraph | undefined,
  focusedId: string | undefined,
  selected: number | undefined,
): number {
  const isCurrent = (node: CallNode) => (focusedId === undefined ? isAt(node, selected) : node.id === focusedId)
  return Math.max(graph?.nodes.findIndex(isCurrent) ?? 0, 0)
}

/** The run of a node after the selected one, starting over after the last. */
function findNextRun({ rows }: CallNode, selected: number | undefined): number | undefined {
  const index = selected === undefined ? -1 : rows.indexOf(selected)
  return rows[(index + 1) % rows.length]
}

interface GraphKeysOptions {
  frame: RefObject<HTMLElement | null>
  shown: LaidOutGraph | undefined
  current: number
  panZoom: PanZoom
  fit: () => void
  onPick: (node: CallNode | undefined) => void
}

function useGraphKeys({ frame, shown, current, panZoom, fit, onPick }: GraphKeysOptions) {
  const { placement, setPlacement, zoomBy } = panZoom
  const move = (x: number, y: number) => {
    const next = shown && findNearest(shown.layout.nodes, current, x, y)
    if (next === undefined) return
    onPick(shown?.graph.nodes[next])
    const node = shown?.layout.nodes[next]
    if (frame.current && node) setPlacement(bringIntoView(frame.current, placement, node))
  }
  useShortcuts(
    'Run / trace',
    [
      { keys: 'arrowright', label: 'Node to the right', run: () => move(1, 0) },
      { keys: 'arrowleft', label: 'Node to the left', run: () => move(-1, 0) },
      { keys: 'arrowdown', label: 'Node below', run: () => move(0, 1) },
      { keys: 'arrowup', label: 'Node above', run: () => move(0, -1) },
      { keys: 'enter', label: 'Next run of the node', run: () => onPick(shown?.graph.nodes[current]) },
      { keys: ['w', '+'], label: 'Zoom in', run: () => zoomBy(1.3) },
      { keys: ['s', '-'], label: 'Zoom out', run: () => zoomBy(1 / 1.3) },
      { keys: '0', label: 'Show the whole graph', run: fit },
    ],
    frame,
  )
}

/** Centers the drawing on a point, unless the point is already well inside the frame. */
function bringIntoView(frame: HTMLElement, placement: Placement, { x, y }: Point): Placement {
  const { scale } = placement
  const [left, top] = [x * scale + placement.x, y * scale + placement.y]
  const isInside = left > 60 && top > 30 && left < frame.clientWidth - 60 && top < frame.clientHeight - 30
  if (isInside) return placement
  return { scale, x: frame.clientWidth / 2 - x * scale, y: frame.clientHeight / 2 - y * scale }
}

interface DrawingProps extends GraphCanvasProps {
  shown: LaidOutGraph
  panZoom: PanZoom
  onPick: (node: CallNode) => void
}

function Drawing({ shown: { graph, layout }, panZoom, colors, selected, onPick }: DrawingProps) {
  const { placement, hasMoved } = panZoom
  return (
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
        {graph.edges.map(({ from, to, count }, index) => (
          <Edge key={`${from}\n${to}`} points={layout.edges[index] ?? []} count={count} />
        ))}
        {graph.nodes.map((node, index) => {
          const center = layout.nodes[index]
          if (center === undefined) return null
          return (
            <Node
              key={node.id}
              node={node}
              center={center}
              color={colorAt(colors, node.rows[0] ?? 0)}
              isSelected={isAt(node, selected)}
              onPick={() => !hasMoved() && onPick(node)}
            />
          )
        })}
      </g>
    </svg>
  )
}

function LayingOut({ nodes }: { nodes: number }) {
  return useDelayedFlag(true, 150) ? (
    <p role="status" className="absolute left-3 top-2 text-meta text-fg-muted">
      Laying out {pluralize(nodes, 'node')}…
    </p>
  ) : null
}

interface NodeProps {
  node: CallNode
  center: Point
  color: { solid: string; tint: string }
  isSelected: boolean
  onPick: (event: KeyboardEvent | React.MouseEvent) => void
}

function Node({ node, center, color, isSelected, onPick }: NodeProps) {
  const [left, top] = [center.x - WIDTH / 2, center.y - HEIGHT / 2]
  const facts = [`×${formatCount(node.rows.length)}`, formatLatency(node.sum / 1000)]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys do the same
    <g onClick={onPick} className="cursor-pointer">
      <title>{describe(node)}</title>
      <rect
        x={left}
        y={top}
        width={WIDTH}
        height={HEIGHT}
        rx={4}
        fill={node.errors > 0 ? 'var(--del-bg)' : color.tint}
        stroke={isSelected ? 'var(--accent)' : 'var(--border)'}
        strokeWidth={isSelected ? 2 : 1}
      />
      <rect x={left} y={top} width={3} height={HEIGHT} fill={node.errors > 0 ? 'var(--err)' : color.solid} />
      <text x={left + 12} y={top + 18} fontSize={12} fontWeight={500} fill="var(--fg)">
        {truncate(node.name, 26)}
      </text>
      <text x={left + 12} y={top + 34} fontSize={11} fill="var(--fg-muted)">
        {facts.join(' · ')}
        {node.errors > 0 && <tspan fill="var(--err)"> · {pluralize(node.errors, 'error')}</tspan>}
      </text>
    </g>
  )
}

function Edge({ points, count }: { points: readonly Point[]; count: number }) {
  const middle = points[Math.floor(points.length / 2)]
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
      {count > 1 && middle && (
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

/** A path that curves at the points. */
function curveThrough(points: readonly Point[]): string {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return ''
  const bends = points.slice(1, -1).map((point, index, inner) => {
    const next = inner[index + 1]
    const target = next === undefined ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 }
    return `Q${printPoint(point)} ${printPoint(target)}`
  })
  return `M${printPoint(first)}${bends.length > 0 ? bends.join('') : `L${printPoint(last)}`}`
}

function printPoint({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`
}

/** The longest node that no other node calls. */
function findFirst({ nodes, edges }: CallGraph): number {
  const reached = new Set(edges.filter(({ from, to }) => from !== to).map(({ to }) => to))
  return Math.max(
    nodes.findIndex(({ id }) => !reached.has(id)),
    0,
  )
}

/** The nearest node in a direction. Distance to the side counts twice. */
function findNearest(nodes: readonly Point[], from: number, x: number, y: number): number | undefined {
  const start = nodes[from]
  if (start === undefined) return undefined
  let best: number | undefined
  let least = Number.POSITIVE_INFINITY
  nodes.forEach((node, index) => {
    const [dx, dy] = [node.x - start.x, node.y - start.y]
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
  return `${node.name}, ${node.type}, ${pluralize(node.rows.length, 'run')}, ${formatLatency(node.sum / 1000)} together${errors}`
}

function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
