import type { Run } from '@touchstone/sdk'
import { Columns3, ListChecks, type LucideIcon, PanelLeft, Radio, Rows3 } from 'lucide-react'
import { Suspense } from 'react'
import type { RunsSearch } from '#lib/page-search.ts'
import { DENSITIES, type Density } from '#lib/preferences.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { NARROW, useMedia } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { Menu, MenuRadio } from '#ui/menu.tsx'
import { Popover } from '#ui/popover.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { TimeRangeMenu } from '#ui/time-range-menu.tsx'
import type { RunsView } from '../queries.ts'
import type { RunActions } from './runs-actions.ts'
import { toColumnIds } from './runs-columns.tsx'
import type { LiveRuns } from './use-runs.tsx'
import { ViewMenu } from './views/view-menu.tsx'

const ColumnMenu = lazyExtra(() => import('./columns/column-menu.tsx').then((module) => module.ColumnMenu))

export type ToolbarMenu = 'time' | 'columns' | 'views' | undefined

export interface RunsToolbarProps {
  view: RunsView
  search: RunsSearch
  /** Rows of the list; some columns are shown only if a row has a value. */
  rows: readonly Run[]
  live: LiveRuns
  actions: RunActions
  menu: ToolbarMenu
  onMenu: (menu: ToolbarMenu) => void
  density: Density
  onDensity: (density: Density) => void
}

/** Which runs are listed and how they look. Everything except the density is in the URL. */
export function RunsToolbar(props: RunsToolbarProps) {
  const { view, search, rows, live, actions, menu, onMenu, density, onDensity } = props
  const { change } = actions
  const isNarrow = useMedia(NARROW)
  return (
    <>
      <Segmented
        label="Scope"
        value={search.scope}
        onChange={(scope) => change({ scope })}
        options={[
          { value: 'traces', label: 'Traces', hint: 'Root runs only' },
          { value: 'runs', label: 'Runs', hint: 'Every run of every trace' },
        ]}
      />
      <TimeRangeMenu
        value={search.t}
        onChange={(t) => change({ t })}
        open={menu === 'time'}
        onOpenChange={(open) => onMenu(open ? 'time' : undefined)}
      />
      <ViewMenu
        projectId={view.projectId}
        search={search}
        onChange={change}
        open={menu === 'views'}
        onOpenChange={(open) => onMenu(open ? 'views' : undefined)}
      />
      <div className="ml-auto flex items-center gap-1">
        {isNarrow && (
          <IconButton
            icon={ListChecks}
            label="Select several"
            pressed={actions.isSelecting}
            onClick={() => actions.setSelecting(!actions.isSelecting)}
          />
        )}
        <ToggleButton
          icon={Radio}
          label="Live"
          isOn={live.isOn}
          refusal={live.isPossible ? undefined : 'Only a list that ends now, newest first, can be live.'}
          onToggle={(isOn) => change({ live: isOn ? 'on' : 'off' }, 'replace')}
        />
        <ToggleButton
          icon={PanelLeft}
          label="Facets"
          isOn={search.facets ?? false}
          onToggle={(isOn) => change({ facets: isOn ? true : undefined }, 'replace')}
        />
        <Popover
          label="Columns"
          align="end"
          preload={ColumnMenu.preload}
          className="w-72"
          open={menu === 'columns'}
          onOpenChange={(open) => onMenu(open ? 'columns' : undefined)}
          trigger={
            <Button aria-label="Columns">
              <Columns3 size={13} aria-hidden />
              <span className="hidden lg:inline">Columns</span>
            </Button>
          }
        >
          <Suspense>
            <ColumnMenu
              view={view}
              columns={toColumnIds(search.cols, rows)}
              defaults={toColumnIds(undefined, rows)}
              onChange={(cols) => change({ cols: cols?.join(',') }, 'replace')}
            />
          </Suspense>
        </Popover>
        <Menu align="end" trigger={<IconButton icon={Rows3} label="Density" />}>
          <MenuRadio
            value={density}
            onChange={onDensity}
            options={DENSITIES.map((value) => ({ value, label: LABELS[value] }))}
          />
        </Menu>
      </div>
    </>
  )
}

interface ToggleButtonProps {
  icon: LucideIcon
  label: string
  isOn: boolean
  onToggle: (isOn: boolean) => void
  /** Why it is disabled. */
  refusal?: string | undefined
}

function ToggleButton({ icon: Icon, label, isOn, onToggle, refusal }: ToggleButtonProps) {
  return (
    <Button
      aria-pressed={isOn}
      disabled={refusal !== undefined}
      title={refusal}
      onClick={() => onToggle(!isOn)}
      className="aria-pressed:border-accent aria-pressed:bg-selected"
    >
      <Icon size={13} aria-hidden />
      {label}
    </Button>
  )
}

const LABELS: Record<Density, string> = { compact: 'Compact', comfortable: 'Comfortable', preview: 'Preview' }
