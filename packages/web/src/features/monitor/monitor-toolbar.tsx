import { useQuery } from '@tanstack/react-query'
import { Group, History } from 'lucide-react'
import type { MonitorSearch } from '#lib/page-search.ts'
import { Button } from '#ui/button.tsx'
import { Menu, MenuLabel, MenuLine, MenuRadio } from '#ui/menu.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { TimeRangeMenu } from '#ui/time-range-menu.tsx'
import { toGroupSearch } from './monitor-controller.ts'
import { type ChartRange, type ChartRuns, monitorQuery } from './queries.ts'

export type MonitorMenu = 'time' | 'group' | undefined

export interface MonitorToolbarProps {
  runs: ChartRuns
  range: ChartRange
  search: MonitorSearch
  onChange: (part: Partial<MonitorSearch>) => void
  menu: MonitorMenu
  onMenu: (menu: MonitorMenu) => void
}

/** Scope, time range, grouping and comparison of the charts. All of them are kept in the URL. */
export function MonitorToolbar({ runs, range, search, onChange, menu, onMenu }: MonitorToolbarProps) {
  const keys = useQuery({ ...monitorQuery.metadataKeys(runs, range.bounds), enabled: menu === 'group' })
  const metadata = [...new Set([...(keys.data ?? []).map((key) => `metadata.${key}`), ...selectedKey(search.group)])]
  return (
    <>
      {/* Each chart of a dashboard has its own scope. */}
      {search.board === undefined && (
        <Segmented
          label="Scope"
          value={search.scope}
          onChange={(scope) => onChange({ scope })}
          options={[
            { value: 'traces', label: 'Traces', hint: 'Root runs only' },
            { value: 'runs', label: 'Runs', hint: 'Every step of every trace' },
          ]}
        />
      )}
      <TimeRangeMenu
        value={search.t}
        onChange={(t) => onChange({ t })}
        open={menu === 'time'}
        onOpenChange={(open) => onMenu(open ? 'time' : undefined)}
      />
      <Menu
        open={menu === 'group'}
        onOpenChange={(open) => onMenu(open ? 'group' : undefined)}
        trigger={
          <Button>
            <Group size={13} aria-hidden />
            {search.group === undefined ? 'Group by' : `By ${getGroupLabel(search.group)}`}
          </Button>
        }
      >
        <MenuRadio
          value={search.group ?? 'none'}
          onChange={(value) => onChange(toGroupSearch(value))}
          options={[
            { value: 'none', label: 'No groups' },
            ...FIELDS.map((value) => ({ value, label: capitalize(getGroupLabel(value)) })),
          ]}
        />
        {metadata.length > 0 && (
          <>
            <MenuLine />
            <MenuLabel>Metadata</MenuLabel>
            <MenuRadio
              value={search.group ?? 'none'}
              onChange={(value) => onChange({ group: value })}
              options={metadata.map((value) => ({ value, label: value.slice('metadata.'.length) }))}
            />
          </>
        )}
      </Menu>
      <Button
        aria-pressed={search.prev === '1'}
        disabled={search.group !== undefined}
        title={search.group === undefined ? 'Shows the previous period as dashed lines' : 'Not available with groups'}
        onClick={() => onChange({ prev: search.prev === '1' ? undefined : '1' })}
        className="aria-pressed:border-accent aria-pressed:bg-selected"
      >
        <History size={13} aria-hidden />
        <span className="hidden sm:inline">Compare to previous period</span>
        <span className="sm:hidden">Previous</span>
      </Button>
    </>
  )
}

const FIELDS = ['model', 'name', 'tag', 'run_type'] as const
const LABELS: Record<string, string> = { run_type: 'type' }

const getGroupLabel = (group: string) => LABELS[group] ?? group.replace('metadata.', '')
const capitalize = (label: string) => label.charAt(0).toUpperCase() + label.slice(1)
const selectedKey = (group: string | undefined) => (group?.startsWith('metadata.') ? [group] : [])
