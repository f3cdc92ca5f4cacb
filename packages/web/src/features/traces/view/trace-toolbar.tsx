import { Filter, FoldHorizontal, Search, SlidersHorizontal, X } from 'lucide-react'
import { type RefObject, useMemo } from 'react'
import { formatCount } from '#lib/format.ts'
import type { ColorBy } from '#lib/page-search.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Menu, MenuCheck, MenuLabel, MenuLine, MenuRadio } from '#ui/menu.tsx'
import { RunTypeIcon } from '#ui/run-icons.tsx'
import type { RunColors } from '../model/run-colors.ts'
import type { Trace } from '../model/trace.ts'
import { countTypes } from '../model/visible-rows.ts'
import type { PayloadSearch, TraceFilter } from './use-trace-filter.ts'
import type { Squeezing } from './use-trace-plot.ts'
import type { OnTraceSearch, TraceSearch } from './visualization.ts'

export interface TraceToolbarProps {
  trace: Trace
  searchBox: RefObject<HTMLInputElement | null>
  filter: TraceFilter
  /** Number of matches, or undefined when nothing is filtered. */
  matched: number | undefined
  search: TraceSearch
  onSearch: OnTraceSearch
  /** Whether similar siblings are folded; undefined in views without folding. */
  folding: boolean | undefined
  onFolding: (isOn: boolean) => void
  squeezing: Squeezing
  onNextMatch: (direction: 1 | -1) => void
}

/** Search, filters and display options of a trace, and the number of matches. */
export function TraceToolbar(props: TraceToolbarProps) {
  const { trace, matched, filter, squeezing } = props
  const { payloads } = filter
  return (
    <div role="toolbar" aria-label="Runs" className="flex h-9 shrink-0 items-center gap-1 border-b border-border px-2">
      <SearchBox {...props} />
      <FilterMenu {...props} />
      {squeezing !== undefined && (
        <IconButton
          icon={FoldHorizontal}
          label={squeezing.isOn ? 'Idle time is squeezed' : 'Squeeze idle time, which is most of the trace'}
          pressed={squeezing.isOn}
          onClick={() => squeezing.set(!squeezing.isOn)}
        />
      )}
      <DisplayMenu {...props} />
      <span
        className="whitespace-nowrap text-meta tabular-nums text-fg-muted"
        role="status"
        title={describePayloadSearch(payloads)}
      >
        {matched !== undefined && `${formatCount(matched)} of ${formatCount(trace.size)}`}
        {payloads.isSearching && ' …'}
        {payloads.hasFailed && <span className="text-warn"> names only</span>}
      </span>
    </div>
  )
}

function SearchBox({ searchBox, filter, onNextMatch }: TraceToolbarProps) {
  return (
    <div className="relative min-w-24 flex-1">
      <Search size={13} aria-hidden className="absolute left-2 top-1/2 -translate-y-1/2 text-fg-subtle" />
      <input
        ref={searchBox}
        type="search"
        aria-label="Search runs by name or text"
        placeholder="Search names and payloads"
        value={filter.text}
        onChange={(event) => filter.setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onNextMatch(event.shiftKey ? -1 : 1)
          if (event.key === 'Escape') {
            filter.setText('')
            event.currentTarget.blur()
          }
        }}
        className="h-7 w-full rounded-control border border-border bg-surface pl-7 pr-6 text-row placeholder:text-fg-subtle coarse:h-10 [&::-webkit-search-cancel-button]:hidden"
      />
      {filter.text !== '' && (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => filter.setText('')}
          className="absolute right-0 top-1/2 flex size-6 -translate-y-1/2 items-center justify-center text-fg-subtle hover:text-fg"
        >
          <X size={13} aria-hidden />
        </button>
      )}
    </div>
  )
}

function describePayloadSearch({ rows, isSearching, hasFailed }: PayloadSearch): string | undefined {
  if (isSearching) return 'Searching payloads'
  if (hasFailed) return 'Could not search payloads'
  return rows && `${formatCount(rows.size)} in payloads`
}

function FilterMenu({ trace, filter: { types }, search, onSearch }: TraceToolbarProps) {
  const hideShort = search.short ?? false
  const onTypes = (chosen: readonly string[]) => onSearch({ types: chosen.join(',') || undefined }, 'push')
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
      <MenuCheck checked={hideShort} onChange={(isOn) => onSearch({ short: isOn || undefined }, 'push')}>
        Hide runs under 1 % of the trace
      </MenuCheck>
    </Menu>
  )
}

function DisplayMenu({ folding, onFolding, search, onSearch }: TraceToolbarProps) {
  const color = search.colour ?? 'type'
  const critical = search.critical ?? false
  return (
    <Menu
      align="end"
      trigger={<IconButton icon={SlidersHorizontal} label="Display" pressed={critical || color !== 'type'} />}
    >
      <MenuLabel>Color by</MenuLabel>
      <MenuRadio
        value={color}
        onChange={(by) => onSearch({ colour: by === 'type' ? undefined : by }, 'push')}
        options={COLORS}
      />
      <MenuLine />
      <MenuCheck checked={critical} onChange={(isOn) => onSearch({ critical: isOn || undefined }, 'push')}>
        Show the critical path
      </MenuCheck>
      {folding !== undefined && (
        <MenuCheck checked={folding} onChange={onFolding}>
          Fold similar siblings
        </MenuCheck>
      )}
    </Menu>
  )
}

const COLORS: readonly { value: ColorBy; label: string }[] = [
  { value: 'type', label: 'Type' },
  { value: 'latency', label: 'Latency' },
  { value: 'cost', label: 'Cost' },
  { value: 'model', label: 'Model' },
]

const LEGENDS = { latency: 'Share of the time', cost: 'Share of the cost', model: 'Model' }

/** The legend of the colors. Run types have icons and need no legend. */
export function ColorLegend({ colors }: { colors: RunColors }) {
  if (colors.by === 'type') return null
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-border px-2 py-1 text-meta text-fg-muted">
      <span className="text-fg-subtle">{LEGENDS[colors.by]}</span>
      <ul className="contents">
        {colors.classes.map(({ label, solid }) => (
          <li key={label} className="flex min-w-0 items-center gap-1.5">
            <span
              aria-hidden
              className="size-2.5 shrink-0 rounded-[2px] forced-color-adjust-none"
              style={{ background: solid }}
            />
            <span className="truncate">{label}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
