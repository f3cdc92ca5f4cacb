import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useRouterState } from '@tanstack/react-router'
import {
  Bot,
  ChevronDown,
  CircleUserRound,
  Database,
  FolderKanban,
  Gavel,
  Home,
  ListChecks,
  LogOut,
  type LucideIcon,
  MessageSquareCode,
  Monitor,
  Moon,
  PanelLeft,
  Play,
  Settings,
  Sun,
  UserPlus,
  Workflow,
} from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { meQuery, workspaceQuery } from '#features/accounts/me.ts'
import { AREAS, type Area, getArea, getAreaPath } from '#lib/areas.ts'
import { cx } from '#lib/browser.ts'
import { useStore } from '#lib/store.ts'
import { idlePage } from '#ui/first-page.ts'
import { usePreference } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { Menu, MenuRadio } from '#ui/menu.tsx'
import { Tooltip } from '#ui/tooltip.tsx'
import { Logo } from './frame/logo.tsx'
import { type Theme, themePreference } from './frame/theme.ts'

const WorkspaceMenu = lazyExtra(() => import('./workspace-menu.tsx').then((module) => module.WorkspaceMenu))
const CreateWorkspaceDialog = lazyExtra(() =>
  import('./workspace-menu.tsx').then((module) => module.CreateWorkspaceDialog),
)

interface SidebarProps {
  tenant: string
  collapsed: boolean
  onToggle: () => void
}

/** The main navigation: 216 px wide, or 48 px with icons only. */
export function Sidebar({ tenant, collapsed, onToggle }: SidebarProps) {
  return (
    <nav
      aria-label="Main"
      data-pane="sidebar"
      className={cx('flex shrink-0 flex-col border-r border-border bg-sunken', collapsed ? 'w-12' : 'w-54')}
    >
      <SidebarContent tenant={tenant} collapsed={collapsed} />
      <div className="p-1.5 pt-0">
        <Row collapsed={collapsed} icon={PanelLeft} label={collapsed ? 'Expand sidebar' : 'Collapse sidebar'} keys="[">
          {(look, content) => (
            <button type="button" className={look} onClick={onToggle}>
              {content}
            </button>
          )}
        </Row>
      </div>
    </nav>
  )
}

/** Of the sidebar and the palette. */
export const AREA_ICONS: Readonly<Record<Area, LucideIcon>> = {
  home: Home,
  projects: FolderKanban,
  datasets: Database,
  prompts: MessageSquareCode,
  playground: Play,
  evaluators: Gavel,
  rules: Workflow,
  'annotation-queues': ListChecks,
  agents: Bot,
  settings: Settings,
}

export function SidebarContent({ tenant, collapsed }: { tenant: string; collapsed: boolean }) {
  const workspace = useQuery(workspaceQuery.current())
  const isIdle = useStore(idlePage)
  const info = useQuery({ ...workspaceQuery.info(), enabled: isIdle })
  // The comparison of two runs has an address of its own.
  const isInProjects = useRouterState({ select: ({ location }) => getArea(location.pathname) === 'projects' })
  const toLink = ([area, label, key]: (typeof AREAS)[number]) => (
    <NavLink
      key={area}
      to={getAreaPath(area)}
      params={{ tenant }}
      activeOptions={{ exact: area === 'home' }}
      icon={AREA_ICONS[area]}
      collapsed={collapsed}
      keys={`g ${key}`}
      isCurrent={isInProjects && area === 'projects'}
    >
      {label}
    </NavLink>
  )
  return (
    <>
      <WorkspaceSwitcher tenant={tenant} collapsed={collapsed} name={workspace.data?.display_name ?? 'Touchstone'} />
      <div className="flex flex-1 flex-col gap-0.5 overflow-y-auto p-1.5">{AREAS.slice(0, -1).map(toLink)}</div>
      <div className="flex flex-col gap-0.5 p-1.5">
        {AREAS.slice(-1).map(toLink)}
        <ThemeMenu collapsed={collapsed} />
        <CallerItem collapsed={collapsed} />
        {!collapsed && (
          <p className="min-h-5 px-2 pt-1 text-meta text-fg-subtle">{info.data && `API ${info.data.version}`}</p>
        )}
      </div>
    </>
  )
}

function WorkspaceSwitcher({ tenant, collapsed, name }: { tenant: string; collapsed: boolean; name: string }) {
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            aria-label={`Workspace: ${name}`}
            className="flex h-10 shrink-0 items-center gap-2 px-3 text-left hover:bg-hover"
          >
            <Logo />
            {!collapsed && (
              <>
                <span dir="auto" className="min-w-0 flex-1 truncate text-base font-semibold">
                  {name}
                </span>
                <ChevronDown size={14} aria-hidden className="shrink-0 text-fg-subtle" />
              </>
            )}
          </button>
        }
      >
        <Suspense>
          <WorkspaceMenu tenant={tenant} onCreate={() => setCreating(true)} />
        </Suspense>
      </Menu>
      {isCreating && (
        <Suspense>
          <CreateWorkspaceDialog onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </>
  )
}

interface NavLinkProps extends LinkProps {
  icon: LucideIcon
  children: string
  collapsed: boolean
  keys?: string
  /** Whether the open page belongs to the link although its address is not below. @default false */
  isCurrent?: boolean
}

const CURRENT = 'bg-selected font-medium !text-fg'

function NavLink({ icon, children, collapsed, keys, isCurrent = false, ...link }: NavLinkProps) {
  return (
    <Row icon={icon} label={children} collapsed={collapsed} {...(keys === undefined ? {} : { keys })}>
      {(look, content) => (
        <Link
          {...link}
          aria-label={children}
          className={cx(look, isCurrent && CURRENT)}
          activeProps={{ className: CURRENT }}
        >
          {content}
        </Link>
      )}
    </Row>
  )
}

function ThemeMenu({ collapsed }: { collapsed: boolean }) {
  const [theme, setTheme] = usePreference(themePreference)
  const current = THEMES.find((one) => one.value === theme)
  return (
    <Menu
      trigger={
        <button type="button" aria-label="Theme" className={rowLook(collapsed)}>
          <RowContent
            icon={current?.icon ?? Monitor}
            collapsed={collapsed}
            label={`Theme: ${current?.label ?? theme}`}
          />
        </button>
      }
    >
      <MenuRadio value={theme} onChange={setTheme} options={THEMES} />
    </Menu>
  )
}

const THEMES: readonly { value: Theme; label: string; icon: LucideIcon }[] = [
  { value: 'system', label: 'System', icon: Monitor },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
]

/** The caller: a link to the account, "Sign out" for an API key, or "Set up accounts" while authentication is off. */
function CallerItem({ collapsed }: { collapsed: boolean }) {
  const { data: me } = useQuery(meQuery.current())
  if (me === undefined) return null
  if (me.kind === 'person') {
    return (
      <NavLink to="/account" icon={CircleUserRound} collapsed={collapsed}>
        {me.name ?? 'Account'}
      </NavLink>
    )
  }
  if (me.kind === 'local') {
    return (
      <NavLink to="/setup" icon={UserPlus} collapsed={collapsed}>
        Set up accounts
      </NavLink>
    )
  }
  return (
    <Row icon={LogOut} label="Sign out" collapsed={collapsed}>
      {(look, content) => (
        <button
          type="button"
          className={look}
          onClick={() => void import('#features/accounts/queries.ts').then(({ signOut }) => signOut())}
        >
          {content}
        </button>
      )}
    </Row>
  )
}

interface RowProps {
  icon: LucideIcon
  label: string
  collapsed: boolean
  keys?: string
  children: (look: string, content: ReactNode) => ReactNode
}

function Row({ icon, label, collapsed, keys, children }: RowProps) {
  const row = children(rowLook(collapsed), <RowContent icon={icon} collapsed={collapsed} label={label} />)
  if (!collapsed) return row
  return (
    <Tooltip label={label} keys={keys} side="right">
      <div>{row}</div>
    </Tooltip>
  )
}

function RowContent({ icon: Icon, label, collapsed }: { icon: LucideIcon; label: string; collapsed: boolean }) {
  return (
    <>
      <Icon size={16} strokeWidth={1.75} aria-hidden className="shrink-0" />
      <span className={collapsed ? 'sr-only' : 'truncate'}>{label}</span>
    </>
  )
}

function rowLook(collapsed: boolean): string {
  return cx(
    'flex h-7 w-full items-center gap-2 rounded-control px-2.5 text-left text-base text-fg-muted hover:bg-hover hover:text-fg coarse:h-10',
    collapsed && 'justify-center px-0',
  )
}
