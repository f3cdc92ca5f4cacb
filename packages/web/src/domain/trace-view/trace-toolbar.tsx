import { Filter, FoldHorizontal, Search, SlidersHorizontal, X } from 'lucide-react'
import { type RefObject, useMemo } from 'react'
import { RunTypeIcon } from '#domain/run-type-icon.tsx'
import { formatCount } from '#lib/format/format.ts'
import { countTypes } from '#lib/trace-model/filter-runs.ts'
import type { Trace } from '#lib/trace-model/trace.ts'
import type { ColorBy } from '#lib/url/trace-search.ts'
import { Button } from '#ui/button.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { Menu, MenuCheck, MenuLabel, MenuLine, MenuRadio } from '#ui/menu.tsx'
import type { PayloadSearch } from './use-payload-search.ts'

export interface TraceToolbarProps {
  trace: Trace
  text: string
  onText: (text: string) => void
  searchBox: RefObject<HTMLInputElement | null>
  /** Matches of the filter, or undefined when nothing is filtered. */
  matched: number | undefined
  payloads: PayloadSearch
  types: readonly string[]
  onTypes: (types: readonly string[]) => void
  hideShort: boolean
  onHideShort: (on: boolean) => void
  /** Whether alike siblings are folded; undefined where nothing folds. */
  folding: boolean | undefined
  onFolding: (on: boolean) => void
  colour: ColorBy
  onColour: (by: ColorBy) => void
  critical: boolean
  onCritical: (on: boolean) => void
  /** Whether idle stretches are squeezed; undefined where there are none worth it. */
  squeezing: boolean | undefined
  onSqueezing: (on: boolean) => void
  onNextMatch: (direction: 1 | -1) => void
}

/** What of the trace is listed: search, types, short runs, folding, and how many of how many. */
export function TraceToolbar(props: TraceToolbarProps) {
  const { trace, text, onText, searchBox, matched, payloads, squeezing, onSqueezing, onNextMatch } = props
  return (
    <div role="toolbar" aria-label="Runs" className="flex h-9 shrink-0 items-center gap-1 border-b border-border px-2">
      <div className="relative min-w-24 flex-1">
        <Search size={13} aria-hidden className="absolute left-2 top-1/2 -translate-y-1/2 text-fg-subtle" />
        <input
          ref={searchBox}
          type="search"
          aria-label="Search runs by name or text"
          placeholder="Search names and payloads"
          value={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onNextMatch(event.shiftKey ? -1 : 1)
            if (event.key === 'Escape') {
              onText('')
              event.currentTarget.blur()
            }
          }}
          className="h-7 w-full rounded-control border border-border bg-surface pl-7 pr-6 text-row placeholder:text-fg-subtle coarse:h-10 [&::-webkit-search-cancel-button]:hidden"
        />
        {text !== '' && (
          <button
            type="button"
            aria-label="Clear the search"
            onClick={() => onText('')}
            className="absolute right-0 top-1/2 flex size-6 -translate-y-1/2 items-center justify-center text-fg-subtle hover:text-fg"
          >
            <X size={13} aria-hidden />
          </button>
        )}
      </div>
      <FilterMenu {...props} />
      {squeezing !== undefined && (
        <IconButton
          icon={FoldHorizontal}
          label={squeezing ? 'Idle time is squeezed' : 'Squeeze gaps: most of the time nothing works'}
          pressed={squeezing}
          onClick={() => onSqueezing(!squeezing)}
        />
      )}
      <DisplayMenu {...props} />
      <span
        className="whitespace-nowrap text-meta tabular-nums text-fg-muted"
        role="status"
        title={payloadNote(payloads)}
      >
        {matched !== undefined && `${formatCount(matched)} of ${formatCount(trace.size)}`}
        {payloads.isSearching && ' …'}
        {payloads.hasFailed && <span className="text-warn"> names only</span>}
      </span>
    </div>
  )
}

function payloadNote({ rows, isSearching, hasFailed }: PayloadSearch): string | undefined {
  if (isSearching) return 'Looking into the payloads'
  if (hasFailed) return 'The payloads could not be searched'
  return rows && `${formatCount(rows.size)} in payloads`
}

function FilterMenu({ trace, types, onTypes, hideShort, onHideShort }: TraceToolbarProps) {
  const counts = useMemo(() => countTypes(trace), [trace])
  const active = types.length + (hideShort ? 1 : 0)
  return (
    <Menu
      align="end"
      trigger={
        <Button look="quiet" aria-label={active > 0 ? `Filter, ${active} active` : 'Filter'}>
          <Filter size={13} aria-hidden />
          {active > 0 && (
            <span className="rounded-full bg-accent px-1.5 text-meta leading-4 text-on-accent">{active}</span>
          )}
        </Button>
      }
    >
      {counts.map(([type, count]) => (
        <MenuCheck
          key={type}
          checked={types.includes(type)}
          onChange={(on) => onTypes(on ? [...types, type] : types.filter((one) => one !== type))}
        >
          <span className="flex items-center gap-2">
            <RunTypeIcon type={type} />
            {type}
            <span className="ml-auto pl-4 tabular-nums text-fg-muted">{formatCount(count)}</span>
          </span>
        </MenuCheck>
      ))}
      <MenuLine />
      <MenuCheck checked={hideShort} onChange={onHideShort}>
        Hide runs under 1 % of the trace
      </MenuCheck>
    </Menu>
  )
}

function DisplayMenu(props: TraceToolbarProps) {
  const { folding, onFolding, colour, onColour, critical, onCritical } = props
  return (
    <Menu
      align="end"
      trigger={<IconButton icon={SlidersHorizontal} label="Display" pressed={critical || colour !== 'type'} />}
    >
      <MenuLabel>Colour by</MenuLabel>
      <MenuRadio value={colour} onChange={onColour} options={COLOURS} />
      <MenuLine />
      <MenuCheck checked={critical} onChange={onCritical}>
        Mark the critical path
      </MenuCheck>
      {folding !== undefined && (
        <MenuCheck checked={folding} onChange={onFolding}>
          Fold alike siblings
        </MenuCheck>
      )}
    </Menu>
  )
}

const COLOURS: readonly { value: ColorBy; label: string }[] = [
  { value: 'type', label: 'Type' },
  { value: 'latency', label: 'Latency' },
  { value: 'cost', label: 'Cost' },
  { value: 'model', label: 'Model' },
]
