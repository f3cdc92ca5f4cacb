import type { ExamplesSearch } from '#lib/datasets/search.ts'
import { formatCount, zoneLabel } from '#lib/format.ts'
import type { Examples } from './-use-examples.ts'

/** The status bar of the list: how many examples it has, and how many are selected. */
export function ExamplesStatus(props: { examples: Examples; selected: number; search: ExamplesSearch }) {
  const { count } = props.examples
  if (count === undefined) return null
  const { q, filter, split } = props.search
  const isNarrowed = q !== undefined || filter !== undefined || split !== undefined
  return (
    <>
      <span role="status">
        {formatCount(count)} {isNarrowed ? 'matching ' : ''}
        {count === 1 ? 'example' : 'examples'}
        {props.selected > 0 && `, ${formatCount(props.selected)} selected`}
      </span>
      <span className="ml-auto hidden sm:inline">{zoneLabel('local')}</span>
    </>
  )
}
