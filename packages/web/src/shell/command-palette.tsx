import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { Bot, CornerDownLeft, FolderKanban, Hash, House, Play, Zap } from 'lucide-react'
import { useState } from 'react'
import { projectQuery } from '#data/projects.ts'
import { findLoadedRuns } from '#data/runs.ts'
import { formatRelativeTime } from '#lib/format/format.ts'
import { readReference } from '#lib/palette/read-reference.ts'
import { useShortcutRegistry } from '#ui/use-shortcuts.tsx'
import { firstKey, pageActions } from './palette-actions.ts'
import { FoundProjects, rankEarlyFirst } from './palette-found.tsx'
import { PaletteGroup, PaletteItem } from './palette-parts.tsx'
import { PreferenceItems } from './palette-preferences.tsx'
import { SETTINGS_SECTIONS } from './settings-sections.ts'

const PROJECT_PAGES = [
  { label: 'Runs', to: '/o/$tenant/projects/p/$projectId' },
  { label: 'Threads', to: '/o/$tenant/projects/p/$projectId/threads' },
  { label: 'Monitor', to: '/o/$tenant/projects/p/$projectId/monitor' },
  { label: 'Settings', to: '/o/$tenant/projects/p/$projectId/settings' },
] as const

/**
 * `Ctrl K`: a pasted id, URL or share link opens what it stands for. Otherwise, by name: what this page can do, places,
 * projects, runs that were on screen, and preferences. All of it is known here already, so typing never waits; where there
 * are more projects than that, the server's finds come last.
 */
export function CommandPalette({ tenant, onClose }: { tenant: string; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const router = useRouter()
  const queryClient = useQueryClient()
  const registry = useShortcutRegistry()
  const projects = useInfiniteQuery(projectQuery.names())
  const { projectId } = useParams({ strict: false }) as { projectId?: string }
  const [{ actions, runs }] = useState(() => ({
    actions: pageActions(registry.groups()),
    runs: findLoadedRuns(queryClient),
  }))
  const names = projects.data?.pages.flat() ?? []
  const reference = readReference(typed, location.origin)
  /** After the palette has given the focus back, so that an action which moves it has the last word. */
  const go = (act: () => unknown) => () => {
    onClose()
    setTimeout(act, FOCUS_IS_BACK_MS)
  }

  const openProject = (projectId: string) =>
    go(() => router.navigate({ to: '/o/$tenant/projects/p/$projectId', params: { tenant, projectId } }))

  // Names are what one types; without a word, what the page can do comes first.
  const ofPage = (
    <PaletteGroup heading="This page">
      {actions.map((action) => (
        <PaletteItem
          key={action.label}
          value={`action ${action.label}`}
          icon={<Zap size={14} />}
          keys={firstKey(action)}
          onSelect={go(() => action.run(new KeyboardEvent('keydown')))}
        >
          {action.label}
        </PaletteItem>
      ))}
      <PaletteItem
        icon={<CornerDownLeft size={14} />}
        onSelect={go(() => queryClient.invalidateQueries({ refetchType: 'active' }))}
      >
        Reload the data
      </PaletteItem>
    </PaletteGroup>
  )

  return (
    <Command.Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      label="Search or jump"
      overlayClassName="fixed inset-0 z-40 bg-[rgb(0_0_0/0.4)]"
      contentClassName="fixed left-1/2 top-[12vh] z-50 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 animate-layer rounded-dialog border border-border bg-surface shadow-layer"
      shouldFilter={reference === undefined}
      filter={rankEarlyFirst}
    >
      <Command.Input
        value={typed}
        onValueChange={setTyped}
        placeholder="A name, or paste an id or a link"
        className="h-11 w-full border-b border-border bg-transparent px-4 text-form outline-none placeholder:text-fg-subtle"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-1.5">
        {reference !== undefined ? (
          <PaletteItem
            icon={reference.kind === 'id' ? <Hash size={14} /> : <CornerDownLeft size={14} />}
            onSelect={go(() =>
              reference.kind === 'id'
                ? router.navigate({ to: '/go/$id', params: { id: reference.id } })
                : router.navigate({ href: reference.href }),
            )}
          >
            {reference.kind === 'id' ? `Open what ${reference.id} stands for` : `Open ${reference.href}`}
          </PaletteItem>
        ) : (
          <>
            <Command.Empty className="px-3 py-6 text-center text-row text-fg-muted">
              Nothing has that name.
            </Command.Empty>
            {typed === '' && ofPage}
            <PaletteGroup heading="Projects">
              {names.map((project) => (
                <PaletteItem
                  key={project.id}
                  value={`${project.name} ${project.id}`}
                  icon={<FolderKanban size={14} />}
                  onSelect={openProject(project.id)}
                >
                  {project.name}
                </PaletteItem>
              ))}
            </PaletteGroup>
            {projectId !== undefined && (
              <PaletteGroup heading={names.find(({ id }) => id === projectId)?.name ?? 'This project'}>
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
            )}
            <PaletteGroup heading="Go to">
              <PaletteItem
                icon={<House size={14} />}
                keys="g h"
                onSelect={go(() => router.navigate({ to: '/o/$tenant', params: { tenant } }))}
              >
                Home
              </PaletteItem>
              <PaletteItem
                icon={<FolderKanban size={14} />}
                keys="g p"
                onSelect={go(() => router.navigate({ to: '/o/$tenant/projects', params: { tenant } }))}
              >
                Projects
              </PaletteItem>
              <PaletteItem
                icon={<Bot size={14} />}
                keys="g a"
                onSelect={go(() => router.navigate({ to: '/o/$tenant/agents', params: { tenant } }))}
              >
                Agents
              </PaletteItem>
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
            {typed !== '' && ofPage}
            {typed !== '' && (
              <PaletteGroup heading="Runs of this visit">
                {runs.map((run) => (
                  <PaletteItem
                    key={run.id}
                    value={`${run.name} ${run.inputs_preview ?? ''} ${run.id}`}
                    icon={<Play size={14} />}
                    note={formatRelativeTime(String(run.start_time)).replace(/\.\d{3}$/, '')}
                    onSelect={go(() =>
                      router.navigate({
                        to: '/o/$tenant/projects/p/$projectId/r/$runId',
                        params: { tenant, projectId: run.session_id!, runId: run.id },
                      }),
                    )}
                  >
                    {run.name}
                    {run.inputs_preview && <span className="text-fg-muted"> {run.inputs_preview}</span>}
                  </PaletteItem>
                ))}
              </PaletteGroup>
            )}
            <PreferenceItems onChosen={onClose} />
            {projects.hasNextPage && typed.trim().length > 1 && (
              <FoundProjects typed={typed} known={new Set(names.map(({ id }) => id))} opening={openProject} />
            )}
          </>
        )}
      </Command.List>
    </Command.Dialog>
  )
}

const FOCUS_IS_BACK_MS = 30
