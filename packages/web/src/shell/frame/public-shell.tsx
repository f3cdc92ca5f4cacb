import { FileQuestion, Link as LinkIcon, MonitorCog, Moon, Sun } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { Button, IconButton } from '#ui/button.tsx'
import { copyText } from '#ui/copy-button.tsx'
import { usePreference } from '#ui/hooks.tsx'
import { EmptyState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { Logo } from './logo.tsx'
import { type Theme, themePreference } from './theme.ts'

export interface PublicShellProps {
  title: string
  /** Before the button that copies the link. */
  actions?: ReactNode
  children: ReactNode
}

/** Frame of public pages: no navigation and no request that needs a signed-in user. */
export function PublicShell({ title, actions, children }: PublicShellProps) {
  useNoIndex()
  async function copy() {
    if (await copyText(location.href)) toast.done('Link copied')
  }
  return (
    <div className="flex h-full min-w-0 flex-col">
      <title>{`${title} · Touchstone`}</title>
      <header className="flex min-h-10 shrink-0 items-center gap-3 border-b border-border bg-surface px-3 py-1 coarse:min-h-12">
        <Logo size={20} />
        <p className="flex min-w-0 flex-col sm:flex-row sm:items-baseline sm:gap-2">
          <span dir="auto" className="truncate text-base font-semibold">
            {title}
          </span>
          <span className="truncate text-meta text-fg-muted sm:text-row">Shared publicly, read-only</span>
        </p>
        <div className="ml-auto flex shrink-0 items-center gap-1">
          {actions}
          <Button onClick={() => void copy()} aria-label="Copy link">
            <LinkIcon size={13} aria-hidden />
            <span className="hidden sm:inline">Copy link</span>
          </Button>
          <ThemeButton />
        </div>
      </header>
      <div className="flex min-h-0 flex-1 flex-col">{children}</div>
    </div>
  )
}

/** The same page for revoked links, unknown links and addresses outside the shared run, so that they cannot be distinguished. */
export function PublicNotFound() {
  useNoIndex()
  return (
    <main className="h-full overflow-auto">
      <title>Not found · Touchstone</title>
      <EmptyState icon={FileQuestion} heading="h1" title="This link isn't available">
        The link may have been revoked, or it may be incomplete. Ask the person who sent it for a new one.
      </EmptyState>
    </main>
  )
}

const THEMES = {
  system: { icon: MonitorCog, next: 'light' },
  light: { icon: Sun, next: 'dark' },
  dark: { icon: Moon, next: 'system' },
} as const satisfies Record<Theme, unknown>

function ThemeButton() {
  const [theme, setTheme] = usePreference(themePreference)
  const { icon, next } = THEMES[theme]
  return <IconButton icon={icon} label={`Theme: ${theme}. Change to ${next}`} onClick={() => setTheme(next)} />
}

/** The server sends the same header; this covers navigation inside the app. */
function useNoIndex() {
  useEffect(() => {
    const meta = Object.assign(document.createElement('meta'), { name: 'robots', content: 'noindex, nofollow' })
    document.head.append(meta)
    return () => meta.remove()
  }, [])
}
