import type { Run } from '@touchstone/contract'
import { filterOfValue } from '#lib/json/path-filter.ts'
import { FilterChipLink } from './filter-chip-link.tsx'

/** More than this are read in the JSON below. */
const MAX_CHIPS = 24
const MAX_CHIP_LENGTH = 80

/** Short values of the metadata, each leading to the runs that have it too. */
export function MetadataChips({ run }: { run: Run }) {
  const chips = toMetadataChips(run.extra?.metadata ?? {})
  const shown = chips.slice(0, MAX_CHIPS)
  return (
    <ul className="flex min-w-0 flex-wrap gap-1">
      {shown.map(({ key, text, filter }) => (
        <li
          key={key}
          className="inline-flex h-6 min-w-0 max-w-full items-center rounded-control bg-sunken px-1.5 text-meta coarse:h-10"
        >
          <FilterChipLink run={run} filter={filter} title={`Runs with ${key} = ${text}`}>
            <span className="text-fg-muted">{key}</span> {text}
          </FilterChipLink>
        </li>
      ))}
      {chips.length > shown.length && (
        <li className="px-1 text-meta text-fg-muted">and {chips.length - shown.length} more below</li>
      )}
    </ul>
  )
}

/** Whether there is anything to show. */
export function hasMetadataChips(run: Run): boolean {
  return toMetadataChips(run.extra?.metadata ?? {}).length > 0
}

function toMetadataChips(metadata: object) {
  return Object.entries(metadata).flatMap(([key, value]) => {
    const kind = typeof value
    if (kind !== 'string' && kind !== 'number' && kind !== 'boolean') return []
    const text = String(value)
    // A long whole number has lost digits on the way here.
    if (text === '' || text.length > MAX_CHIP_LENGTH || (Number.isInteger(value) && !Number.isSafeInteger(value))) return []
    const filter = filterOfValue(['extra', 'metadata', key], kind, text)
    return filter ? [{ key, text, filter }] : []
  })
}
