import { Columns3, ListChecks, PanelLeft, Radio, Rows3 } from 'lucide-react'
import type { RunsView } from '#data/runs.ts'
import { DENSITIES, type Density } from '#lib/preferences/preferences.ts'
import type { RunsSearch } from '#lib/url/runs-search.ts'
import { Button } from '#ui/button.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { Menu, MenuRadio } from '#ui/menu.tsx'
import { Popover } from '#ui/popover.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { TimeRangeMenu } from '#ui/time-range-menu.tsx'
import { NARROW, useMedia } from '#ui/use-media.tsx'
import { ColumnMenu } from './-column-menu.tsx'
import { columnsOf } from './-runs-columns.tsx'
import { ViewMenu } from './-view-menu.tsx'

export type ToolbarMenu = 'time' | 'columns' | 'views' | undefined

export interface RunsToolbarProps {
  view: RunsView
  search: RunsSearch
  onChange: (part: Partial<RunsSearch>, how?: 'push' | 'replace') => void
  menu: ToolbarMenu
  onMenu: (menu: ToolbarMenu) => void
  density: Density
  onDensity: (density: Density) => void
  /** Whether a press on a card selects it; offered where rows are cards. */
  isSelecting: boolean
  onSelecting: (isSelecting: boolean) => void
}

/** Everything that decides which runs are listed and how they look; all but the density lives in the address. */
export function RunsToolbar({
  view,
  search,
  onChange,
  menu,
  onMenu,
  density,
  onDensity,
  isSelecting,
  onSelecting,
}: RunsToolbarProps) {
  const isNarrow = useMedia(NARROW)
  return (
    <>
      <Segmented
        label="Scope"
        value={search.scope}
        onChange={(scope) => onChange({ scope })}
        options={[
          { value: 'traces', label: 'Traces', hint: 'Root runs only' },
          { value: 'runs', label: 'Runs', hint: 'Every step of every trace' },
        ]}
      />
      <TimeRangeMenu
        value={search.t}
        onChange={(t) => onChange({ t })}
        open={menu === 'time'}
        onOpenChange={(open) => onMenu(open ? 'time' : undefined)}
      />
      <ViewMenu
        projectId={view.projectId}
        search={search}
        onChange={onChange}
        open={menu === 'views'}
        onOpenChange={(open) => onMenu(open ? 'views' : undefined)}
      />
      <div className="ml-auto flex items-center gap-1">
        {isNarrow && (
          <IconButton
            icon={ListChecks}
            label="Select several"
            pressed={isSelecting}
            onClick={() => onSelecting(!isSelecting)}
          />
        )}
        <Button
          aria-pressed={search.live === 'on'}
          onClick={() => onChange({ live: search.live === 'on' ? 'off' : 'on' }, 'replace')}
          className="aria-pressed:border-accent aria-pressed:bg-selected"
        >
          <Radio size={13} aria-hidden />
          Live
        </Button>
        <Button
          aria-pressed={search.facets ?? false}
          onClick={() => onChange({ facets: search.facets ? undefined : true }, 'replace')}
          className="aria-pressed:border-accent aria-pressed:bg-selected"
        >
          <PanelLeft size={13} aria-hidden />
          Facets
        </Button>
        <Popover
          label="Columns"
          align="end"
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
          <ColumnMenu
            view={view}
            columns={columnsOf(search.cols)}
            onChange={(cols) => onChange({ cols: cols?.join(',') }, 'replace')}
          />
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

const LABELS: Record<Density, string> = { compact: 'Compact', comfortable: 'Comfortable', preview: 'Preview' }
