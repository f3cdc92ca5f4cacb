import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Command } from 'cmdk'
import {
  Clock,
  CornerDownLeft,
  Database,
  FlaskConical,
  FolderKanban,
  ListChecks,
  MessageSquareCode,
  MessagesSquare,
  Monitor,
  Moon,
  Play,
  Rows3,
  Sun,
  Zap,
} from 'lucide-react'
import { Children, type ReactNode } from 'react'
import { searchProjectsQuery } from '#features/projects/queries.ts'
import type { findLoadedRuns } from '#features/runs/queries.ts'
import { AREAS, getAreaPath } from '#lib/areas.ts'
import { formatRelativeTime } from '#lib/format.ts'
import { listOtherRecents, rankMatch } from '#lib/palette.ts'
import { densityPreference, type Recent, recentsPreference, zonePreference } from '#lib/preferences.ts'
import type { Shortcut, ShortcutGroup } from '#lib/shortcuts.ts'
import { usePreference } from '#ui/hooks.tsx'
import { Kbd } from '#ui/shortcuts.tsx'
import { SETTINGS_SECTIONS } from './frame/settings-sections.ts'
import { themePreference } from './frame/theme.ts'
import { AREA_ICONS } from './sidebar.tsx'

/** Wraps an action so that it closes the palette first. */
export type Go = (act: () => unknown) => () => void

interface Named {
  id: string
  name: string
}

export interface PageActionItemsProps {
  actions: readonly Shortcut[]
  go: Go
  onReload: () => void
}

export function PageActionItems({ actions, go, onReload }: PageActionItemsProps) {
  return (
    <PaletteGroup heading="This page">
      {actions.map((action) => (
        <PaletteItem
          key={action.label}
          value={`action ${action.label}`}
          icon={<Zap size={14} />}
          keys={getFirstKey(action)}
          onSelect={go(() => action.run(new KeyboardEvent('keydown')))}
        >
          {action.label}
        </PaletteItem>
      ))}
      <PaletteItem icon={<CornerDownLeft size={14} />} onSelect={onReload}>
        Refresh data
      </PaletteItem>
    </PaletteGroup>
  )
}

const RECENT_ICONS: Readonly<Record<Recent['kind'], ReactNode>> = {
  project: <FolderKanban size={14} />,
  thread: <MessagesSquare size={14} />,
  dataset: <Database size={14} />,
  experiment: <FlaskConical size={14} />,
  queue: <ListChecks size={14} />,
  prompt: <MessageSquareCode size={14} />,
}

/** Pages of the workspace that were opened last, without the one that is open. */
export function RecentItems({ tenant, go }: { tenant: string; go: Go }) {
  const router = useRouter()
  const [recents] = usePreference(recentsPreference)
  const listed = listOtherRecents(recents, tenant, location.pathname)
  if (listed.length === 0) return null
  return (
    <PaletteGroup heading="Recent">
      {listed.map(({ kind, label, href }) => (
        <PaletteItem
          key={href}
          value={`recent ${href}`}
          icon={RECENT_ICONS[kind]}
          onSelect={go(() => router.navigate({ href }))}
        >
          {label}
        </PaletteItem>
      ))}
    </PaletteGroup>
  )
}

export interface ProjectItemsProps {
  projects: readonly Named[]
  openProject: (projectId: string) => () => void
}

export function ProjectItems({ projects, openProject }: ProjectItemsProps) {
  return (
    <PaletteGroup heading="Projects">
      {projects.map(({ id, name }) => (
        <PaletteItem key={id} value={`${name} ${id}`} icon={<FolderKanban size={14} />} onSelect={openProject(id)}>
          {name}
        </PaletteItem>
      ))}
    </PaletteGroup>
  )
}

const PROJECT_PAGES = [
  { label: 'Runs', to: '/o/$tenant/projects/p/$projectId' },
  { label: 'Threads', to: '/o/$tenant/projects/p/$projectId/threads' },
  { label: 'Monitor', to: '/o/$tenant/projects/p/$projectId/monitor' },
  { label: 'Settings', to: '/o/$tenant/projects/p/$projectId/settings' },
] as const

export interface ProjectPageItemsProps {
  tenant: string
  projectId: string
  name: string | undefined
  go: Go
}

/** The pages of the open project. */
export function ProjectPageItems({ tenant, projectId, name, go }: ProjectPageItemsProps) {
  const router = useRouter()
  return (
    <PaletteGroup heading={name ?? 'This project'}>
      {PROJECT_PAGES.map(({ label, to }) => (
        <PaletteItem
          key={to}
          value={`this project ${label}`}
          icon={<FolderKanban size={14} />}
          onSelect={go(() => router.navigate({ to, params: { tenant, projectId } }))}
        >
          {label}
        </PaletteItem>
      ))}
    </PaletteGroup>
  )
}

export function DestinationItems({ tenant, go }: { tenant: string; go: Go }) {
  const router = useRouter()
  return (
    <PaletteGroup heading="Go to">
      {AREAS.slice(0, -1).map(([area, label, key]) => {
        const Icon = AREA_ICONS[area]
        return (
          <PaletteItem
            key={area}
            icon={<Icon size={14} />}
            keys={`g ${key}`}
            onSelect={go(() => router.navigate({ to: getAreaPath(area), params: { tenant } }))}
          >
            {label}
          </PaletteItem>
        )
      })}
      {SETTINGS_SECTIONS.flatMap(({ sections }) => sections).map(({ to, label, icon: Icon }) => (
        <PaletteItem
          key={to}
          value={`settings ${label}`}
          icon={<Icon size={14} />}
          note="settings"
          onSelect={go(() => router.navigate({ to, params: { tenant } }))}
        >
          {label}
        </PaletteItem>
      ))}
    </PaletteGroup>
  )
}

export interface RunItemsProps {
  tenant: string
  runs: ReturnType<typeof findLoadedRuns>
  go: Go
}

/** Runs that were loaded since the page was opened. */
export function RunItems({ tenant, runs, go }: RunItemsProps) {
  const router = useRouter()
  return (
    <PaletteGroup heading="Recent runs">
      {runs.map((run) => (
        <PaletteItem
          key={run.id}
          value={`${run.name} ${run.inputs_preview ?? ''} ${run.id}`}
          icon={<Play size={14} />}
          note={formatRelativeTime(String(run.start_time)).replace(/\.\d{3}$/, '')}
          onSelect={go(() =>
            run.session_id
              ? router.navigate({
                  to: '/o/$tenant/projects/p/$projectId/r/$runId',
                  params: { tenant, projectId: run.session_id, runId: run.id },
                })
              : router.navigate({ to: '/go/$id', params: { id: run.id } }),
          )}
        >
          {run.name}
          {run.inputs_preview && <span className="text-fg-muted"> {run.inputs_preview}</span>}
        </PaletteItem>
      ))}
    </PaletteGroup>
  )
}

/** Preferences that users change often. */
export function PreferenceItems({ onSelect }: { onSelect: () => void }) {
  const preferences: { label: string; icon: ReactNode; write: () => void }[] = [
    { label: 'Theme: system', icon: <Monitor size={14} />, write: () => themePreference.write('system') },
    { label: 'Theme: light', icon: <Sun size={14} />, write: () => themePreference.write('light') },
    { label: 'Theme: dark', icon: <Moon size={14} />, write: () => themePreference.write('dark') },
    { label: 'Density: compact', icon: <Rows3 size={14} />, write: () => densityPreference.write('compact') },
    { label: 'Density: comfortable', icon: <Rows3 size={14} />, write: () => densityPreference.write('comfortable') },
    { label: 'Times: local', icon: <Clock size={14} />, write: () => zonePreference.write('local') },
    { label: 'Times: UTC', icon: <Clock size={14} />, write: () => zonePreference.write('UTC') },
  ]
  return (
    <PaletteGroup heading="Preferences">
      {preferences.map(({ label, icon, write }) => (
        <PaletteItem
          key={label}
          icon={icon}
          onSelect={() => {
            write()
            onSelect()
          }}
        >
          {label}
        </PaletteItem>
      ))}
    </PaletteGroup>
  )
}

/** Prefix of results that arrive later. They stay below all others, so that no item moves under the cursor. */
export const LATE_PREFIX = '\u200b'
const LAST_RANK = 0.001

/** Ranks like `rankMatch`, with results from the server last. */
export function rankLoadedFirst(value: string, typed: string): number {
  return value.startsWith(LATE_PREFIX) ? LAST_RANK : rankMatch(value, typed)
}

export interface FoundProjectsProps {
  typed: string
  loadedIds: ReadonlySet<string>
  openProject: (projectId: string) => () => void
}

/** Projects that the server finds by name and that are not loaded yet. */
export function FoundProjects({ typed, loadedIds, openProject }: FoundProjectsProps) {
  const found = useQuery(searchProjectsQuery(typed.trim()))
  const more = found.data?.filter(({ id }) => !loadedIds.has(id)) ?? []
  if (more.length === 0) return null
  return (
    <PaletteGroup heading="More projects">
      {more.map(({ id, name }) => (
        <PaletteItem
          key={id}
          value={`${LATE_PREFIX}${name} ${id}`}
          icon={<FolderKanban size={14} />}
          onSelect={openProject(id)}
        >
          {name}
        </PaletteItem>
      ))}
    </PaletteGroup>
  )
}

/** Shortcuts that move a cursor have no use in the palette. */
const CURSOR_MOVES =
  /^(next|previous|first|last) (loaded )?(row|run|item|pane|node|trace|step|turn|example|experiment|question|pair|repetition)\b|^page (up|down)|^(move|walk)\b/i

/**
 * Actions of the open page, each once. Global actions have items of their own, and the keys of a pane need its focus, which
 * the palette has taken.
 */
export function listPageActions(groups: readonly ShortcutGroup[]): Shortcut[] {
  const actions = groups.flatMap(({ scope, pane, shortcuts }) =>
    scope === 'Global' || pane !== undefined ? [] : shortcuts,
  )
  const listed = actions.filter(({ label }) => !CURSOR_MOVES.test(label))
  return [...new Map(listed.map((action) => [action.label, action])).values()]
}

/** The first key of a shortcut that has several. */
export function getFirstKey({ keys }: Shortcut): string | undefined {
  return typeof keys === 'string' ? keys : keys[0]
}

/** Items under a heading; nothing while there are none. */
export function PaletteGroup({ heading, children }: { heading: string; children: ReactNode }) {
  if (Children.count(children) === 0) return null
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-meta [&_[cmdk-group-heading]]:text-fg-subtle"
    >
      {children}
    </Command.Group>
  )
}

interface PaletteItemProps {
  icon: ReactNode
  children: ReactNode
  onSelect: () => void
  /** Keyboard shortcut of the same action. */
  keys?: string | undefined
  /** Text to search, unique among the items. @default the visible text */
  value?: string
  /** At the right, in place of a shortcut. */
  note?: ReactNode
}

export function PaletteItem({ icon, children, onSelect, keys, value, note }: PaletteItemProps) {
  return (
    <Command.Item
      onSelect={onSelect}
      {...(value === undefined ? {} : { value })}
      className="flex h-8 cursor-default items-center gap-2 rounded-control px-2 text-base data-[selected=true]:bg-selected coarse:h-10"
    >
      <span aria-hidden className="text-fg-subtle">
        {icon}
      </span>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {note !== undefined && <span className="max-w-48 shrink-0 truncate text-row text-fg-muted">{note}</span>}
      {keys !== undefined && <Kbd keys={keys} />}
    </Command.Item>
  )
}
