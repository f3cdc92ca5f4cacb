import { onlineManager } from '@tanstack/react-query'
import { useRouter, useRouterState } from '@tanstack/react-router'
import { CircleQuestionMark, Menu, Search, WifiOff } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { serverIsDown } from '#lib/api/client.ts'
import { AREAS, getAreaPath } from '#lib/areas.ts'
import { createPreference, isBoolean } from '#lib/preferences.ts'
import { useStore } from '#lib/store.ts'
import { IconButton } from '#ui/button.tsx'
import { usePreload } from '#ui/first-page.ts'
import { connectionNotices, NOT_WIDE, useMedia, usePreference } from '#ui/hooks.tsx'
import { lazyExtra, onApproach } from '#ui/lazy.tsx'
import { Kbd, useShortcuts } from '#ui/shortcuts.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { Sidebar } from './sidebar.tsx'
import { useFirstPageWatch } from './use-first-page-watch.ts'

const CommandPalette = lazyExtra(() => import('./command-palette.tsx').then((module) => module.CommandPalette))
const ShortcutHelp = lazyExtra(() => import('./shortcut-help.tsx').then((module) => module.ShortcutHelp))
const SidebarDrawer = lazyExtra(() => import('./sidebar-drawer.tsx').then((module) => module.SidebarDrawer))

/** The review of an annotation queue has no navigation around it. */
const REVIEW = /\/annotation-queues\/[^/]+\/review$/

const collapsedPreference = createPreference('sidebar-collapsed', false, isBoolean)

/** Frame of every signed-in page. The page fills the remaining space and scrolls inside it. */
export function AppShell({ tenant, children }: { tenant: string; children: ReactNode }) {
  const [collapsed, setCollapsed] = usePreference(collapsedPreference)
  const [layer, setLayer] = useState<'palette' | 'help' | 'drawer'>()
  const isDrawer = useMedia(NOT_WIDE)
  const isBare = useRouterState({ select: ({ location }) => REVIEW.test(location.pathname) })
  const router = useRouter()
  const toggle = (one: typeof layer) => setLayer((open) => (open === one ? undefined : one))
  const toggleSidebar = () => (isDrawer ? toggle('drawer') : setCollapsed(!collapsed))

  useFirstPageWatch()
  usePreloadedPalette()

  useShortcuts('Global', [
    { keys: 'mod+k', label: 'Search or jump', run: () => toggle('palette') },
    { keys: '?', label: 'Keyboard shortcuts', run: () => toggle('help') },
    { keys: '[', label: 'Toggle the sidebar', run: toggleSidebar },
    ...AREAS.map(([area, label, key]) => ({
      keys: `g ${key}`,
      label: `Go to ${label.toLowerCase()}`,
      run: () => router.navigate({ to: getAreaPath(area), params: { tenant } }),
    })),
    { keys: 'f6', label: 'Next pane', run: () => cyclePanes(1) },
    { keys: 'shift+f6', label: 'Previous pane', run: () => cyclePanes(-1) },
  ])

  return (
    <div className="flex h-full">
      <a
        href="#main"
        className="absolute left-2 top-2 z-50 -translate-y-16 rounded-control bg-accent px-3 py-1.5 text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      {!isDrawer && !isBare && <Sidebar tenant={tenant} collapsed={collapsed} onToggle={toggleSidebar} />}
      <div className="flex min-w-0 flex-1 flex-col">
        {!isBare && (
          <TopBar
            tenant={tenant}
            onMenu={isDrawer ? () => toggle('drawer') : undefined}
            onSearch={() => setLayer('palette')}
            onHelp={() => setLayer('help')}
          />
        )}
        <OfflineBanner />
        <div id="main" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
          {children}
        </div>
      </div>
      <Suspense>
        {layer === 'drawer' && <SidebarDrawer tenant={tenant} onClose={() => setLayer(undefined)} />}
        {layer === 'palette' && <CommandPalette tenant={tenant} onClose={() => setLayer(undefined)} />}
        {layer === 'help' && <ShortcutHelp onClose={() => setLayer(undefined)} />}
      </Suspense>
    </div>
  )
}

/**
 * Preloads the palette, so that it opens at once and keys typed right after Ctrl K are not lost: once the page is drawn, or
 * when Ctrl goes down.
 */
function usePreloadedPalette() {
  usePreload(CommandPalette.preload)
  useEffect(() => {
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key === 'Control' || key === 'Meta') void CommandPalette.preload()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

interface TopBarProps {
  tenant: string
  /** Opens the sidebar on narrow screens, where it is a drawer. */
  onMenu?: (() => void) | undefined
  onSearch: () => void
  onHelp: () => void
}

/** Breadcrumbs, search and help. */
function TopBar({ tenant, onMenu, onSearch, onHelp }: TopBarProps) {
  return (
    <header className="flex h-10 shrink-0 items-center gap-2 border-b border-border bg-surface px-2 sm:px-3">
      {onMenu && <IconButton icon={Menu} label="Open the menu" onClick={onMenu} />}
      <Breadcrumbs tenant={tenant} />
      <button
        type="button"
        onClick={onSearch}
        {...onApproach(CommandPalette.preload)}
        aria-label="Search or jump"
        className="ml-auto flex h-7 shrink-0 items-center gap-2 rounded-control border border-border bg-sunken px-2 text-row text-fg-muted hover:text-fg coarse:h-9"
      >
        <Search size={14} aria-hidden />
        <span className="hidden md:inline">Search or jump</span>
        <span className="hidden md:inline">
          <Kbd keys="mod+k" />
        </span>
      </button>
      <IconButton icon={CircleQuestionMark} label="Keyboard shortcuts" keys="?" onClick={onHelp} />
    </header>
  )
}

/**
 * Shown while the browser is offline or the server does not answer, unless the page shows that itself. It overlays the page,
 * so that nothing moves.
 */
function OfflineBanner() {
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  )
  const isDown = useStore(serverIsDown)
  const isSaid = useStore(connectionNotices) > 0
  if ((isOnline && !isDown) || isSaid) return null
  return (
    <div
      role="status"
      className="fixed bottom-9 left-1/2 z-40 flex w-max max-w-[calc(100vw-2rem)] -translate-x-1/2 items-center gap-2 rounded-card border border-border-strong bg-surface px-3 py-1.5 text-row text-warn shadow-lg"
    >
      <WifiOff size={14} aria-hidden />
      {isOnline ? 'The server is not responding.' : 'You are offline.'} Showing the last loaded data. Reconnecting…
    </div>
  )
}

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex="0"]'

/** Moves the focus to the next visible `[data-pane]` of the page, like F6 in desktop programs. */
function cyclePanes(step: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((pane) => pane.offsetWidth > 0)
  const at = panes.findIndex((pane) => pane.contains(document.activeElement))
  const next = panes.at((Math.max(at, step === 1 ? -1 : 0) + step + panes.length) % panes.length)
  const inside = next?.querySelector<HTMLElement>('[data-pane-focus]') ?? next?.querySelector<HTMLElement>(FOCUSABLE)
  const target = inside ?? next
  target?.focus()
}
