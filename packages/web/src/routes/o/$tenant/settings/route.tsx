import { createFileRoute, Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { RoleGate } from '#features/accounts/role-gate.tsx'
import { SETTINGS_SECTIONS } from '#shell/frame/settings-sections.ts'

export const Route = createFileRoute('/o/$tenant/settings')({ component: SettingsFrame })

/** Navigation of the settings, at the left or above on narrow screens, and the open page. */
function SettingsFrame() {
  const { tenant } = Route.useParams()
  const { pathname } = useLocation()
  const section = SETTINGS_SECTIONS.flatMap(({ sections }) => sections).find(({ to }) =>
    pathname.endsWith(to.replace('/o/$tenant', '')),
  )
  const least = section?.least
  const list = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another place in the strip
  useEffect(() => {
    list.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return (
    <div className="flex min-h-0 flex-1 max-md:flex-col">
      <nav
        ref={list}
        aria-label="Settings"
        data-pane="settings"
        className="relative flex shrink-0 gap-4 bg-surface p-2 max-md:overflow-x-auto max-md:border-b max-md:border-border md:w-48 md:flex-col md:overflow-y-auto md:border-r md:border-border"
      >
        {SETTINGS_SECTIONS.map(({ heading, sections }) => (
          <div key={heading} className="flex gap-0.5 md:flex-col">
            <h2 className="px-2 py-1 text-meta font-normal text-fg-subtle max-md:sr-only">{heading}</h2>
            {sections.map(({ to, label, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                params={{ tenant }}
                activeProps={{ className: 'bg-selected font-medium !text-fg' }}
                className="flex h-7 shrink-0 items-center gap-2 whitespace-nowrap rounded-control px-2 text-base text-fg-muted hover:bg-hover hover:text-fg coarse:h-10"
              >
                <Icon size={15} strokeWidth={1.75} aria-hidden />
                {label}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <RoleGate least={least}>
          <Outlet />
        </RoleGate>
      </div>
    </div>
  )
}
