import type { UsageFigures } from '@touchstone/sdk'
import { formatBytes, formatCost, formatCount, formatTokens } from '#lib/format/format.ts'

/** Heads of the cells below. */
const FIGURE_HEADS = ['Traces', 'Runs', 'Bytes', 'Tokens', 'Cost'] as const

/** The five figures of a row; on a phone traces are left to the wider screen. */
export function FigureCells({ figures }: { figures: UsageFigures }) {
  return (
    <>
      <td className="num whitespace-nowrap px-3 max-sm:hidden">{formatCount(figures.trace_count)}</td>
      <td className="num whitespace-nowrap px-3 max-sm:px-2">{formatCount(figures.run_count)}</td>
      <td className="num whitespace-nowrap px-3 max-sm:px-2">{formatBytes(figures.payload_bytes)}</td>
      <td className="num whitespace-nowrap px-3 max-sm:hidden">{formatTokens(figures.total_tokens)}</td>
      <td
        className="num whitespace-nowrap px-3 max-sm:px-2"
        title={figures.total_cost ? `$${figures.total_cost}` : 'No priced model was used'}
      >
        {formatCost(figures.total_cost)}
      </td>
    </>
  )
}

export function FigureHeads() {
  return FIGURE_HEADS.map((title) => (
    <th
      key={title}
      scope="col"
      className={`num px-3 font-normal max-sm:px-2 ${title === 'Traces' || title === 'Tokens' ? 'max-sm:hidden' : ''}`}
    >
      {title}
    </th>
  ))
}
