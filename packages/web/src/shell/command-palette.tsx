import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { CornerDownLeft, FolderKanban, Hash, KeyRound, Monitor, Moon, Sun } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { projectQuery } from '#data/projects.ts'
import { readReference } from '#lib/read-reference.ts'
import { Kbd } from '#ui/kbd.tsx'
import { themePreference } from './theme.ts'

/** `Ctrl K`: a pasted id, URL or share link opens what it stands for; otherwise projects, pages and settings by name. */
export function CommandPalette({ tenant, onClose }: { tenant: string; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const router = useRouter()
  const queryClient = useQueryClient()
  const projects = useInfiniteQuery(projectQuery.names())
  const reference = readReference(typed, location.origin)
  const go = (act: () => unknown) => () => {
    onClose()
    void act()
  }

  return (
    <Command.Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      label="Search or jump"
      overlayClassName="fixed inset-0 z-40 bg-[rgb(0_0_0/0.4)]"
      contentClassName="fixed left-1/2 top-[12vh] z-50 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 animate-layer rounded-dialog border border-border bg-surface shadow-layer"
      shouldFilter={reference === undefined}
    >
      <Command.Input
        value={typed}
        onValueChange={setTyped}
        placeholder="A name, or paste an id or a link"
        className="h-11 w-full border-b border-border bg-transparent px-4 text-form outline-none placeholder:text-fg-subtle"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-1.5">
        {reference !== undefined ? (
          <Item
            icon={reference.kind === 'id' ? <Hash size={14} /> : <CornerDownLeft size={14} />}
            onSelect={go(() =>
              reference.kind === 'id'
                ? router.navigate({ to: '/go/$id', params: { id: reference.id } })
                : router.navigate({ href: reference.href }),
            )}
          >
            {reference.kind === 'id' ? `Open what ${reference.id} stands for` : `Open ${reference.href}`}
          </Item>
        ) : (
          <>
            <Command.Empty className="px-3 py-6 text-center text-row text-fg-muted">
              Nothing has that name.
            </Command.Empty>
            <Group heading="Go to">
              <Item
                icon={<FolderKanban size={14} />}
                keys="g p"
                onSelect={go(() => router.navigate({ to: '/o/$tenant/projects', params: { tenant } }))}
              >
                Projects
              </Item>
              <Item
                icon={<KeyRound size={14} />}
                keys="g s"
                onSelect={go(() => router.navigate({ to: '/o/$tenant/settings/api-keys', params: { tenant } }))}
              >
                API keys
              </Item>
            </Group>
            <Group heading="Projects">
              {(projects.data?.pages.flat() ?? []).map((project) => (
                <Item
                  key={project.id}
                  value={`${project.name} ${project.id}`}
                  icon={<FolderKanban size={14} />}
                  onSelect={go(() =>
                    router.navigate({
                      to: '/o/$tenant/projects/p/$projectId',
                      params: { tenant, projectId: project.id },
                    }),
                  )}
                >
                  {project.name}
                </Item>
              ))}
            </Group>
            <Group heading="This page">
              <Item
                icon={<CornerDownLeft size={14} />}
                onSelect={go(() => queryClient.invalidateQueries({ refetchType: 'active' }))}
              >
                Reload the data
              </Item>
            </Group>
            <Group heading="Theme">
              <Item icon={<Monitor size={14} />} onSelect={go(() => themePreference.write('system'))}>
                Theme: as the system
              </Item>
              <Item icon={<Sun size={14} />} onSelect={go(() => themePreference.write('light'))}>
                Theme: light
              </Item>
              <Item icon={<Moon size={14} />} onSelect={go(() => themePreference.write('dark'))}>
                Theme: dark
              </Item>
            </Group>
          </>
        )}
      </Command.List>
    </Command.Dialog>
  )
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-meta [&_[cmdk-group-heading]]:text-fg-subtle"
    >
      {children}
    </Command.Group>
  )
}

interface ItemProps {
  icon: ReactNode
  children: ReactNode
  onSelect: () => void
  keys?: string
  value?: string
}

function Item({ icon, children, onSelect, keys, value }: ItemProps) {
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
      {keys !== undefined && <Kbd keys={keys} />}
    </Command.Item>
  )
}
