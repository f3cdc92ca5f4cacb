import { useRouter } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { createPreference, isBoolean } from '#lib/preferences/preference.ts'
import { lazyExtra } from '#ui/lazy-extra.tsx'
import { NOT_WIDE, useMedia } from '#ui/use-media.tsx'
import { usePreference } from '#ui/use-preference.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'
import { cyclePanes } from './cycle-panes.ts'
import { OfflineBanner } from './offline-banner.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'

const loadPalette = () => import('./command-palette.tsx').then((module) => module.CommandPalette)
const CommandPalette = lazyExtra(loadPalette)
const ShortcutHelp = lazyExtra(() => import('./shortcut-help.tsx').then((module) => module.ShortcutHelp))
const SidebarDrawer = lazyExtra(() => import('./sidebar-drawer.tsx').then((module) => module.SidebarDrawer))

const collapsedPreference = createPreference('sidebar-collapsed', false, isBoolean)

/** Frame of every signed-in page. The page fills the remaining space and scrolls inside it. */
export function AppShell({ tenant, children }: { tenant: string; children: ReactNode }) {
  const [collapsed, setCollapsed] = usePreference(collapsedPreference)
  const [layer, setLayer] = useState<'palette' | 'help' | 'drawer'>()
  const isDrawer = useMedia(NOT_WIDE)
  const router = useRouter()
  const toggle = (one: typeof layer) => setLayer((open) => (open === one ? undefined : one))
  const toggleSidebar = () => (isDrawer ? toggle('drawer') : setCollapsed(!collapsed))

  // Preloads the palette, so that keys typed right after Ctrl K are not lost while its code loads.
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), 1000)
    return () => clearTimeout(timer)
  }, [])

  useShortcuts('Global', [
    { keys: 'mod+k', label: 'Search or jump', run: () => toggle('palette') },
    { keys: '?', label: 'Keyboard shortcuts', run: () => toggle('help') },
    { keys: '[', label: 'Toggle the sidebar', run: toggleSidebar },
    { keys: 'g h', label: 'Go to the home page', run: () => router.navigate({ to: '/o/$tenant', params: { tenant } }) },
    {
      keys: 'g p',
      label: 'Go to projects',
      run: () => router.navigate({ to: '/o/$tenant/projects', params: { tenant } }),
    },
    { keys: 'g a', label: 'Go to agents', run: () => router.navigate({ to: '/o/$tenant/agents', params: { tenant } }) },
    {
      keys: 'g s',
      label: 'Go to settings',
      run: () => router.navigate({ to: '/o/$tenant/settings', params: { tenant } }),
    },
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
      {!isDrawer && <Sidebar tenant={tenant} collapsed={collapsed} onToggle={toggleSidebar} />}
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar
          tenant={tenant}
          onMenu={isDrawer ? () => toggle('drawer') : undefined}
          onSearch={() => setLayer('palette')}
          onHelp={() => setLayer('help')}
        />
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
