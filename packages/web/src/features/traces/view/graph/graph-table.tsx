import { cx } from '#lib/browser.ts'
import { formatCost, formatCount, formatLatency, formatTokens, pluralize } from '#lib/format.ts'
import { RunTypeIcon } from '#ui/run-icons.tsx'
import type { CallGraph, CallNode } from '../../model/call-graph.ts'
import { formatPicodollars, type Trace } from '../../model/trace.ts'

export interface GraphTableProps {
  trace: Trace
  graph: CallGraph
  selected: number | undefined
  onSelect: (row: number) => void
}

/** The nodes of the graph as rows, with the nodes that each one calls. */
export function GraphTable({ trace, graph, selected, onSelect }: GraphTableProps) {
  const names = new Map(graph.nodes.map(({ id, name }) => [id, name]))
  const followedBy = new Map<string, string[]>()
  for (const { from, to, count } of graph.edges) {
    followedBy.set(from, [...(followedBy.get(from) ?? []), `${names.get(to)} ×${formatCount(count)}`])
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label="Graph as a table" tabIndex={0} className="min-h-0 flex-1 overflow-auto outline-offset-[-2px]">
      <table className="w-full min-w-[640px] whitespace-nowrap text-row tabular-nums">
        <thead className="sticky top-0 bg-bg text-left text-meta text-fg-subtle">
          <tr>
            {['Name', 'Runs', 'Errors', 'Total', 'Mean', 'Max', 'Tokens', 'Cost', 'Followed by'].map((title, i) => (
              <th key={title} scope="col" className={cx('px-2 py-1 font-normal', i > 0 && i < 8 && 'text-right')}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {graph.nodes.map((node) => (
            <tr key={node.id} className={cx('border-t border-border', isAt(node, selected) && 'bg-selected')}>
              <th scope="row" className="max-w-60 px-2 py-1 text-left font-normal">
                <button
                  type="button"
                  onClick={() => onSelect(node.rows[0] ?? 0)}
                  className="flex max-w-full items-center gap-1.5 hover:underline"
                >
                  <RunTypeIcon type={node.type} size={13} />
                  <span dir="auto" className="truncate">
                    {node.name}
                  </span>
                </button>
              </th>
              <td className="px-2 text-right">{formatCount(node.rows.length)}</td>
              <td className={cx('px-2 text-right', node.errors > 0 && 'text-err')}>{formatCount(node.errors)}</td>
              <td className="px-2 text-right">{formatLatency(node.sum / 1000)}</td>
              <td className="px-2 text-right">{formatLatency(node.sum / node.rows.length / 1000)}</td>
              <td className="px-2 text-right">{formatLatency(node.max / 1000)}</td>
              <td className="px-2 text-right">{node.tokens > 0 ? formatTokens(node.tokens) : ''}</td>
              <td className="px-2 text-right">{node.cost > 0n ? formatCost(formatPicodollars(node.cost)) : ''}</td>
              <td className="max-w-60 truncate px-2 text-fg-muted" title={followedBy.get(node.id)?.join(', ')}>
                {followedBy.get(node.id)?.join(', ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="sr-only">Of a trace of {pluralize(trace.size, 'run')}.</p>
    </section>
  )
}

/** Whether the node contains the selected run. */
export function isAt(node: CallNode, selected: number | undefined): boolean {
  return selected !== undefined && node.rows.includes(selected)
}
