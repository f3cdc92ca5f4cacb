import type { ReactNode } from 'react'

/** Frame of every signed-in page; the page fills what remains and owns its scroll containers. */
export function AppShell({ children }: { children: ReactNode }) {
  return <div className="flex h-full flex-col">{children}</div>
}
